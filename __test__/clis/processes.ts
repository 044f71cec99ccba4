/** The processes of this machine, as Linux lists them. */
import { readFileSync, readdirSync, readlinkSync } from 'node:fs'

const processes = (isWanted: (id: string) => boolean): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((id) => {
      try {
        return isWanted(id)
      } catch {
        // The process has ended.
        return false
      }
    })
    .map(Number)

/** The ids of all processes that have a text in their command line. */
export const processesWith = (text: string): number[] =>
  processes((id) => readFileSync(`/proc/${id}/cmdline`, 'latin1').includes(text))

/** The ids of all processes that run in a directory. */
export const processesIn = (directory: string): number[] =>
  processes((id) => readlinkSync(`/proc/${id}/cwd`) === directory)

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms)
  })

/** Waits until a condition holds or the time is up. Returns whether it holds. */
export const eventually = async (isSo: () => boolean, timeoutMs = 30_000): Promise<boolean> => {
  const end = Date.now() + timeoutMs
  // oxlint-disable-next-line no-await-in-loop -- it looks again and again
  while (!isSo() && Date.now() < end) await pause(50)
  return isSo()
}
