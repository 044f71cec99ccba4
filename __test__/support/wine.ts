/** What `npm run test:windows` can do that Windows cannot: use programs of the system that Wine runs on. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The directory of Wine's drives. */
const drives = process.env['PROMPTMASON_WINE_DRIVES']

export const isWine = drives !== undefined

/** A path as the system knows it that Wine runs on. */
export const outside = (path: string): string => {
  const [, drive, rest = ''] = /^([a-z]:)(.*)$/i.exec(path) ?? [undefined, undefined, path]
  return `${drive === undefined ? '' : `${drives}/${drive.toLowerCase()}`}${rest.replaceAll('\\', '/')}`
}

const pause = (ms: number): unknown => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** Runs a program of that system, and returns what it writes to stdout. */
export const runOutside = (...command: string[]): string => {
  const folder = mkdtempSync(join(tmpdir(), 'outside-'))
  const [script, output, end] = ['script', 'output', 'end'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  try {
    writeFileSync(script, `cd ${quoted(outside(folder))}\n${command.map(quoted).join(' ')} > output\n: > end\n`)
    // Wine does not wait for it.
    spawnSync('start', ['/unix', '/bin/sh', outside(script)])
    for (const limit = Date.now() + 30_000; !existsSync(end); pause(10)) {
      if (Date.now() > limit) throw new Error(`${command[0]} does not end`)
    }
    return readFileSync(output, 'utf8')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
