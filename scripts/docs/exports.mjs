/** What index.d.ts exports: by subject, each from a file of `dist/`. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compiled } from './compiled.mjs'
import { nameOf } from './declarations.mjs'

/** @typedef {import('./declarations.mjs').Declaration} Declaration */

/**
 * @typedef {object} Exported
 * @property {string} name
 * @property {string} file Where it is exported from.
 * @property {boolean} isType
 */

/**
 * @typedef {object} Subject
 * @property {string} title
 * @property {string} guide The page of docs/ about it.
 * @property {Exported[]} exports
 */

const STATEMENT = /^export (?<type>type )?\{(?<names>[^}]*)\} from '\.\/(?<file>[\w/.-]+)\.js'/gm

/** A subject begins with a comment: `// Prompts: docs/prompts.md`. @param {string} root @returns {Subject[]} */
export const subjectsOf = (root) => {
  const [, ...sections] = readFileSync(join(root, 'index.d.ts'), 'utf8').split(/^\/\/ /m)
  return sections.map((section) => {
    const { title = '', guide = '' } = /^(?<title>[^:\n]+): docs\/(?<guide>\S+)/.exec(section)?.groups ?? {}
    const exports = Array.from(section.matchAll(STATEMENT), ({ groups }) => {
      const { type, names = '', file: path = '' } = groups ?? {}
      const file = `${path}.d.ts`
      const listed = names.split(',').map((name) => name.trim())
      return listed.filter(Boolean).map((name) => ({ name, file, isType: type !== undefined }))
    }).flat()
    const files = [...new Set(exports.map(({ file }) => file))]
    return { title, guide, exports: files.flatMap((file) => asDeclared(root, file, exports)) }
  })
}

/** What is exported from a file, in the order in which it is declared there. @param {string} root @param {string} file @param {Exported[]} exports */
const asDeclared = (root, file, exports) => {
  const names = compiled(root, file).declarations.map(nameOf)
  const ofFile = exports.filter((each) => each.file === file)
  return ofFile.toSorted((one, other) => names.indexOf(one.name) - names.indexOf(other.name))
}

/**
 * The declarations of a name, which a file may have from another one. A function has one for each overload.
 * @param {string} root
 * @param {string} file
 * @param {string} name
 * @returns {Declaration[]}
 */
export const declarationsOfName = (root, file, name) => {
  const { declarations, imports } = compiled(root, file)
  const own = declarations.filter((declaration) => nameOf(declaration) === name)
  if (own.length > 0) return own
  const source = imports.get(name)
  return source === undefined ? [] : declarationsOfName(root, source, name)
}
