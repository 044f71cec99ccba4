/** Whether processes that a program has started have ended, and where it writes their ids. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'promptmason-test-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let count = 0

/** A file that is not there yet. */
export const newFile = (): string => join(folder, String(count++))

export const newDirectory = (): string => mkdtempSync(join(folder, 'd'))

export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    // A process that has ended and that nobody has asked about.
    return process.platform !== 'linux' || !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')
  } catch {
    return false
  }
}

/** The id in a file, as soon as it is there. */
export const idIn = async (file: string): Promise<number> => {
  for (;;) {
    try {
      const id = Number(readFileSync(file, 'utf8'))
      if (id > 0) return id
    } catch {
      // Not yet.
    }
    // oxlint-disable-next-line no-await-in-loop -- one look after the other
    await wait(20)
  }
}

/** Waits until a process has ended. Otherwise the test times out. */
export const gone = async (pid: number): Promise<void> => {
  // oxlint-disable-next-line no-await-in-loop -- one look after the other
  while (isAlive(pid)) await wait(20)
}
