/** What index.d.ts exports: by subject, each from a file of `dist/`. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * @typedef {object} Subject
 * @property {string} title
 * @property {string} guide The page of docs/ about it.
 * @property {{ file: string, names: string[], areTypes: boolean }[]} exports
 */

/** A subject begins with a comment: `// Prompts: docs/prompts.md`. @param {string} text @returns {Subject[]} */
export const subjectsIn = (text) => {
  const [, ...sections] = text.split(/^\/\/ /m)
  return sections.map((section) => {
    const { title = '', guide = '' } = /^(?<title>[^:\n]+): docs\/(?<guide>\S+)/.exec(section)?.groups ?? {}
    const statements = section.matchAll(/^export (type )?\{([^}]*)\} from '\.\/([\w/.-]+)\.js'/gm)
    const exports = Array.from(statements, ([, type, names = '', file = '']) => ({
      file: `${file}.d.ts`,
      names: names
        .split(',')
        .map((name) => name.trim())
        .filter(Boolean),
      areTypes: type !== undefined,
    }))
    return { title, guide, exports }
  })
}

/** @param {string} root */
export const subjectsOf = (root) => subjectsIn(readFileSync(join(root, 'index.d.ts'), 'utf8'))

/** A file of `dist/`, indented like our own. @param {string} root @param {string} file */
export const compiledText = (root, file) =>
  readFileSync(join(root, file), 'utf8').replaceAll(/^(?: {4})+/gm, (indent) => ' '.repeat(indent.length / 2))
