/** The files of `dist/` with types, formatted like our own. */
import { execFileSync } from 'node:child_process'
import { readFileSync, readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, posix } from 'node:path'
import { declarationsOf } from './declarations.mjs'

/**
 * @typedef {object} Compiled
 * @property {import('./declarations.mjs').Declaration[]} declarations
 * @property {Map<string, string>} imports Names that it has from other files, and these files.
 */

/** Before each file: all are formatted at once, which takes a tenth of a second. */
const MARK = '//// '

/** What has members that the page lists one by one. */
const HEAD = /^(?:export )?(?:declare )?(?:abstract )?(?:interface|class|namespace|const \w+: \{)/

/** Puts object types without comments on one line each, where the formatter leaves them if they fit. @param {string} text */
const joined = (text) => {
  /** @type {string[]} */
  const lines = []
  /** @type {{ at: number, isPlain: boolean }[]} Where those begin that have not ended. */
  const open = []
  for (const line of text.split('\n')) {
    const own = line.trim()
    const begun = own.startsWith('}') ? open.pop() : undefined
    if (begun?.isPlain) {
      const [first, ...fields] = lines.splice(begun.at)
      lines.push(
        [
          first,
          fields
            .map((field) => field.trim())
            .join(' ')
            .replace(/;$/, ''),
          own,
        ].join(' '),
      )
    } else lines.push(line)
    if (/^\/?\*/.test(own)) for (const each of open) each.isPlain = false
    if (own.endsWith('{')) open.push({ at: lines.length - 1, isPlain: !HEAD.test(lines.at(-1) ?? '') })
  }
  return lines.join('\n')
}

const biome = createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome')

/** @param {string} root @returns {Map<string, Compiled>} */
const readAll = (root) => {
  const files = readdirSync(join(root, 'dist'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.d.ts'))
    .map((file) => posix.join('dist', file.replaceAll('\\', '/')))
  const input = files.map(
    (file) => `${MARK}${file}\n${joined(readFileSync(join(root, file), 'utf8').replace(/^#!.*/, ''))}`,
  )
  const formatted = execFileSync(process.execPath, [biome, 'format', '--stdin-file-path=all.d.ts'], {
    cwd: root,
    input: input.join('\n'),
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  })
  const [, ...parts] = formatted.split(new RegExp(`^${MARK}`, 'm'))
  return new Map(
    parts.map((part) => {
      const [file = '', ...lines] = part.split('\n')
      const text = lines.join('\n')
      return [file, { declarations: declarationsOf(text), imports: importsOf(file, text) }]
    }),
  )
}

/** @param {string} file @param {string} text */
const importsOf = (file, text) => {
  const statements = text.matchAll(/^(?:import|export) (?:type )?\{([^}]*)\} from '(\.[^']*)\.js'/gm)
  const directory = posix.dirname(file)
  return new Map(
    Array.from(statements, ([, names = '', source = '']) =>
      names
        .split(',')
        .map(
          (name) => /** @type {const} */ ([name.trim().replace(/^type /, ''), posix.join(directory, `${source}.d.ts`)]),
        ),
    ).flat(),
  )
}

/** @type {Map<string, Map<string, Compiled>>} */
const known = new Map()

/** @param {string} root @param {string} file Its path in the repository. */
export const compiled = (root, file) => {
  const files = known.get(root) ?? readAll(root)
  known.set(root, files)
  const found = files.get(file)
  if (found === undefined) throw new Error(`${file} is missing: npm run build:lib`)
  return found
}
