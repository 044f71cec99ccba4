/**
 * Leaves out of the package what no user needs of `dist/`: declarations that `index.d.ts` does not lead
 * to, and scripts of files that only declare types. That is a quarter of the files.
 */
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Code without comments. @param {string} text */
const codeOf = (text) =>
  text
    .replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim()

const EMPTY = codeOf('"use strict";\nObject.defineProperty(exports, "__esModule", { value: true });')

/** The files that need not be in the package, in `dist/`. @param {string} root @returns {string[]} */
export const unneededIn = (root) => {
  const text = (/** @type {string} */ file) => readFileSync(join(root, file), 'utf8')
  /** @type {Set<string>} */
  const declarations = new Set()
  const follow = (/** @type {string} */ file) => {
    if (declarations.has(file) || !existsSync(join(root, file))) return
    declarations.add(file)
    for (const [, target = ''] of text(file).matchAll(/(?:from |import\(|require\()["'](\.[^"']*)\.js["']/g))
      follow(posix.join(posix.dirname(file), `${target}.d.ts`))
  }
  follow('index.d.ts')
  const files = readdirSync(join(root, 'dist'), { recursive: true, encoding: 'utf8' })
    .map((file) => posix.join('dist', file.replaceAll('\\', '/')))
    .filter((file) => /\.(?:js|d\.ts)$/.test(file))
  const scripts = files.filter((file) => file.endsWith('.js')).map((file) => ({ file, code: codeOf(text(file)) }))
  const loaded = new Set(
    scripts.flatMap(({ file, code }) =>
      Array.from(code.matchAll(/require\("(\.[^"]*)"\)/g), ([, target = '']) =>
        posix.join(posix.dirname(file), target),
      ),
    ),
  )
  const empty = scripts.filter(({ file, code }) => code === EMPTY && !loaded.has(file)).map(({ file }) => file)
  return [...files.filter((file) => file.endsWith('.d.ts') && !declarations.has(file)), ...empty]
}

/** Tells npm. @param {string} root */
export const leaveOut = (root) => {
  const lines = unneededIn(root).map((file) => file.replace(/^dist/, ''))
  writeFileSync(join(root, 'dist', '.npmignore'), `${lines.join('\n')}\n`)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) leaveOut(join(import.meta.dirname, '..', '..'))
