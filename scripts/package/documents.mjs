/**
 * Prepares the documents for packing. npm shows a README outside the repository, so its links and
 * pictures become absolute. In the other documents, only links to files that are not packed do.
 *
 *   node scripts/package/documents.mjs write     before packing; keeps the originals
 *   node scripts/package/documents.mjs restore   after packing
 *   node scripts/package/documents.mjs ready     fails if package.json lacks what publishing needs
 */
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { pathToFileURL } from 'node:url'
import { MISSING, addressOf } from './address.mjs'
import { isLocal, withLinks } from './links.mjs'

/** Where the originals are kept during packing. */
const ORIGINALS = 'target/documents'
const READMES = ['README.md', 'README.zh-CN.md']

/** The documents that are packed: not the reference, which repeats the declarations. @param {string} root */
export const documentsIn = (root) => {
  const files = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
  const guides = files
    .filter((path) => path.endsWith('.md') && path !== 'reference.md')
    .map((path) => `docs/${path.replaceAll('\\', '/')}`)
  return [...READMES, 'llms.txt', ...guides.toSorted()].filter((path) => existsSync(join(root, path)))
}

/**
 * A document as it is packed.
 * @param {{ path: string, text: string }} document
 * @param {NonNullable<ReturnType<typeof addressOf>>} address
 * @param {(path: string) => boolean} isPacked
 */
export const packedText = ({ path, text }, address, isPacked) =>
  withLinks(text, ({ target, isPicture }) => {
    if (!isLocal(target) || target.startsWith('#')) return target
    const [file = '', anchor] = target.split('#')
    const wanted = posix.join(posix.dirname(path), file)
    if (!READMES.includes(path) && isPacked(wanted)) return target
    const absolute = isPicture ? address.raw(wanted) : address.page(wanted)
    return anchor === undefined ? absolute : `${absolute}#${anchor}`
  })

/** Whether `files` in package.json names a file. @param {{ files: string[] }} manifest */
export const packedBy = ({ files }) => {
  const always = [...READMES, 'LICENSE', 'package.json']
  return (/** @type {string} */ path) =>
    !files.includes(`!${path}`) &&
    [...always, ...files].some((entry) => {
      // A file, a folder, or the files of a folder with this extension: `docs/**/*.md`.
      const [folder, ending = ''] = entry.split('/**/*')
      return path === entry || (path.startsWith(`${folder}/`) && path.endsWith(ending))
    })
}

/** @param {string} root */
const restore = (root) => {
  const originals = join(root, ORIGINALS)
  if (!existsSync(originals)) return
  cpSync(originals, root, { recursive: true })
  rmSync(originals, { recursive: true })
}

/** @param {string} root */
const write = (root) => {
  restore(root)
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const address = addressOf(manifest)
  if (address === undefined) {
    console.error(`Links stay relative. ${MISSING}`)
    return
  }
  const isPacked = packedBy(manifest)
  for (const path of documentsIn(root)) {
    const text = readFileSync(join(root, path), 'utf8')
    const copy = join(root, ORIGINALS, path)
    mkdirSync(dirname(copy), { recursive: true })
    writeFileSync(copy, text)
    writeFileSync(join(root, path), packedText({ path, text }, address, isPacked))
  }
}

/** @param {string} root */
const ready = (root) => {
  if (addressOf(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))) === undefined) throw new Error(MISSING)
}

/** @type {Record<string, (root: string) => void>} */
const STEPS = { write, restore, ready }
if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const step = STEPS[process.argv[2] ?? '']
  try {
    if (step === undefined) throw new Error(`a step is missing: ${Object.keys(STEPS).join(', ')}`)
    step(process.cwd())
  } catch (error) {
    console.error(/** @type {Error} */ (error).message)
    process.exitCode = 1
  }
}
