/**
 * Tries the things that Wine supposedly cannot do (`wine-limits.mjs`), without promptmason, and prints
 * the results as JSON: `{ name: { isPossible, seen } }`.
 *
 *   node.exe measure-wine.mjs <a link that leads nowhere> <a link to a directory>
 */
import {
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const [, , danglingLink = '', directoryLink = ''] = process.argv
const folder = mkdtempSync(join(tmpdir(), 'measure-'))

/** Whether a link is one. @param {string} link */
const lookAt = (link) => {
  try {
    return { isPossible: lstatSync(link).isSymbolicLink(), seen: 'lstat: no link' }
  } catch (error) {
    return { isPossible: false, seen: `lstat: ${/** @type {NodeJS.ErrnoException} */ (error).code}` }
  }
}

/** @type {Record<string, () => { isPossible: boolean, seen: string }>} */
const MEASUREMENTS = {
  danglingLinks: () => lookAt(danglingLink),
  directoryLinks: () => lookAt(directoryLink),
  longFinalPaths() {
    const directory = join(folder, ...Array.from({ length: 12 }, (_, index) => `a directory with a long name ${index}`))
    const file = join(directory, 'file')
    mkdirSync(directory, { recursive: true })
    writeFileSync(file, 'x')
    try {
      return { isPossible: realpathSync.native(file).endsWith('file'), seen: 'realpath: another file' }
    } catch (error) {
      const { code } = /** @type {NodeJS.ErrnoException} */ (error)
      return { isPossible: false, seen: `realpath of ${file.length} units: ${code}` }
    }
  },
  removedFiles() {
    const file = join(folder, 'open')
    const open = openSync(file, 'w+')
    rmSync(file)
    const isThere = existsSync(file)
    closeSync(open)
    return { isPossible: !isThere, seen: `existsSync: ${isThere}, and after it is closed: ${existsSync(file)}` }
  },
}

console.log(
  JSON.stringify(Object.fromEntries(Object.entries(MEASUREMENTS).map(([name, measure]) => [name, measure()]))),
)
rmSync(folder, { recursive: true, force: true })
