/** Patterns, names and instruction files that a hostile repository could use to slow us down. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { InstructionPrompt } from '../../index.js'

const FILES = 2000
const PATTERN_BYTES = 490
const NAME_BYTES = 220

const root = mkdtempSync(join(tmpdir(), 'promptmason-bench-'))
process.on('exit', () => rmSync(root, { recursive: true, force: true }))

const folder = (name) => {
  mkdirSync(join(root, name), { recursive: true })
  return join(root, name)
}

/** Calls a function once for each argument. */
const once = (make) => {
  const made = new Map()
  return (key) => made.get(key) ?? made.set(key, make(key)).get(key)
}

/** A directory of files with names of this length that are nearly the same. */
const named = once((bytes) => {
  const directory = folder(`names-${bytes}`)
  for (let file = 0; file < FILES; file++) {
    const number = String(file)
      .padStart(5, '0')
      .replaceAll(/\d/g, (digit) => (digit % 2 ? 'a' : 'A') + digit)
    writeFileSync(join(directory, 'a'.repeat(bytes - number.length) + number), '')
  }
  return directory
})

/** A directory of this many files with unrelated names. */
const random = once((files) => {
  const directory = folder(`random-${files}`)
  let state = 1
  const letter = () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state > 1_073_741_824 ? 'a' : 'b'
  }
  for (let file = 0; file < files; file++)
    writeFileSync(join(directory, Array.from({ length: 200 }, letter).join('')), '')
  return directory
})

const filled = (piece, bytes) => piece.repeat(Math.max(1, Math.floor(bytes / piece.length)))

/** None of them matches, so that everything is tried. */
const PATTERNS = {
  'alternatives of the same': (bytes) => `${filled('{a,a,a,a,a,a,a,a}', bytes)}*b`,
  stars: (bytes) => `${filled('*a', bytes)}b`,
  'alternatives of stars': (bytes) => `${filled('{*,*}', bytes)}b`,
  'nested alternatives': (bytes) => `${filled('{a,{a,*}}', bytes)}b`,
  'alternatives of two stars': (bytes) => `${filled('{a,**/a}', bytes)}b`,
  classes: (bytes) => `${filled('*[a-z]', bytes)}!`,
}

const matching = (directory, pattern) => {
  const options = { directory, files: [], config: { instructions: [pattern] } }
  return () => InstructionPrompt.systemPaths(options)
}

/** Contents of an instruction file. */
const TEXTS = {
  'mentions of nothing': (bytes) => filled('@x ', bytes / 50) + filled('x@y ', bytes),
  'backticks and mentions': (bytes) => filled('` @x `` ', bytes / 20) + filled('`` ` ', bytes),
  'unclosed fences': (bytes) => filled('```\n@x\n~~~\n', bytes),
}

const RULES = {
  'unclosed front matter': (bytes) => `---\n${filled('globs: "{{{,,,\n', bytes)}`,
  'front matter of many lists': (bytes) => `---\n${filled('globs: [a, "b", {c,d}]\n- x\n', bytes)}---\ntext`,
  'front matter of one long list': (bytes) => `---\nglobs: ${filled('a,{b,', bytes)}\n---\ntext`,
}

let count = 0
const loading = (preset, name, text) => {
  const directory = folder(`text-${count++}`)
  const file = join(directory, name)
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, text)
  return () => InstructionPrompt.load({ directory, preset, untrusted: true, maxFileBytes: 16 * 1024 * 1024 })
}

/** Which of the last characters were an `a`: there are more such states than the cache holds. */
const forgetful = `*a${'?'.repeat(60)}`
const FROM = 16 * 1024
const MOST = 2 * 1024 * 1024

/** @type {import('../doublings.mjs').Row[]} */
export const patterns = [
  ...Object.entries(PATTERNS).flatMap(([name, patternOf]) => [
    {
      name: `pattern: bytes of ${name}`,
      from: 60,
      most: 960,
      of: (n) => matching(named(NAME_BYTES), patternOf(n)),
    },
    {
      name: `pattern: bytes of names that meet ${name}`,
      from: 28,
      most: 224,
      of: (n) => matching(named(n), patternOf(PATTERN_BYTES)),
    },
  ]),
  {
    name: 'pattern: files whose names lead to ever new states',
    from: 125,
    most: 1000,
    of: (n) => matching(random(n), forgetful),
  },
  ...Object.entries(TEXTS).map(([name, textOf]) => ({
    name: `instructions: bytes of ${name}`,
    from: FROM,
    most: MOST,
    of: (n) => loading('claude-code', 'CLAUDE.md', textOf(n)),
  })),
  ...Object.entries(RULES).map(([name, textOf]) => ({
    name: `instructions: bytes of ${name}`,
    from: FROM,
    most: MOST,
    of: (n) => loading('cursor', '.cursor/rules/a.mdc', textOf(n)),
  })),
]
