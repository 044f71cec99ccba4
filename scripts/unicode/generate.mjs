/**
 * Writes `src/text/unicode_tables.rs` from the Unicode Character Database, or compares it:
 *
 *   node scripts/unicode/generate.mjs [--check]
 *
 * The data is that of the npm package below, which is made from the published files. It is installed
 * into a temporary directory, so that nobody else needs it.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const VERSION = '17.0.0'
const PACKAGE = `@unicode/unicode-${VERSION}`
const RELEASE = '2.1.0'
const TABLES = new URL('../../src/text/unicode_tables.rs', import.meta.url)
const WIDTH = 100

const directory = mkdtempSync(join(tmpdir(), 'unicode-'))
process.on('exit', () => rmSync(directory, { recursive: true }))
writeFileSync(join(directory, 'package.json'), '{}')
execFileSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', `${PACKAGE}@${RELEASE}`], {
  cwd: directory,
  stdio: ['ignore', 'ignore', 'inherit'],
  shell: process.platform === 'win32',
})

/** What a module of the package exports. */
const data = async (...path) => (await import(pathToFileURL(join(directory, 'node_modules', PACKAGE, ...path)))).default
/** The code points of a set, such as `Block`, `Hangul_Jamo`. */
const set = async (...path) => new Set(await data(...path, 'code-points.mjs'))
const names = await data('Names', 'index.mjs')

const union = (...sets) => new Set(sets.flatMap((one) => Array.from(one)))
const both = (one, other) => new Set([...one].filter((codePoint) => other.has(codePoint)))
const without = (one, other) => new Set([...one].filter((codePoint) => !other.has(codePoint)))
const range = (first, last) => new Set(Array.from({ length: last - first + 1 }, (_, index) => first + index))
const blocks = async (...list) => union(...(await Promise.all(list.map((name) => set('Block', name)))))
/** From the beginning of one block to the end of another, with what is between blocks. */
const span = async (from, to) => range([...(await set('Block', from))][0], [...(await set('Block', to))].at(-1))
const categories = async (...list) => union(...(await Promise.all(list.map((name) => set('General_Category', name)))))
const codePoints = new Map([...names].map(([codePoint, name]) => [name, codePoint]))
const named = (...list) =>
  new Set(
    list.map((name) => {
      if (!codePoints.has(name)) throw new Error(`there is no character with the name ${name}`)
      return codePoints.get(name)
    }),
  )

const marks = await categories('Nonspacing_Mark', 'Enclosing_Mark')
const latin1Letters = without(
  both(await blocks('Latin_1_Supplement'), await categories('Letter')),
  named('FEMININE ORDINAL INDICATOR', 'MICRO SIGN', 'MASCULINE ORDINAL INDICATOR'),
)

const SETS = [
  {
    name: 'is_default_ignorable',
    docs: 'Default_Ignorable_Code_Point: what Unicode says is not displayed. Variation selectors, tags, joiners, marks of direction and the Hangul fillers are among them.',
    members: await set('Binary_Property', 'Default_Ignorable_Code_Point'),
  },
  {
    name: 'is_without_width',
    docs: 'What else has no ink or no width: the blocks of combining marks, combining Cyrillic marks, interlinear annotation, blanks.',
    members: union(
      await blocks(
        'Combining_Diacritical_Marks',
        'Combining_Diacritical_Marks_Extended',
        'Combining_Diacritical_Marks_Supplement',
        'Combining_Diacritical_Marks_For_Symbols',
        'Combining_Half_Marks',
      ),
      both(marks, await blocks('Cyrillic')),
      named('INTERLINEAR ANNOTATION ANCHOR', 'INTERLINEAR ANNOTATION SEPARATOR', 'INTERLINEAR ANNOTATION TERMINATOR'),
      named('BRAILLE PATTERN BLANK', 'KHITAN SMALL SCRIPT FILLER', 'MUSICAL SYMBOL NULL NOTEHEAD'),
    ),
  },
  {
    name: 'is_dash',
    docs: 'Dash, without that of ASCII, its full-width form, the wavy ones, and the double hyphen, which reads as an equals sign.',
    members: without(
      await set('Binary_Property', 'Dash'),
      named(
        'HYPHEN-MINUS',
        'FULLWIDTH HYPHEN-MINUS',
        'SWUNG DASH',
        'WAVE DASH',
        'WAVY DASH',
        'KATAKANA-HIRAGANA DOUBLE HYPHEN',
      ),
    ),
  },
  {
    name: 'is_mandatory_break',
    docs: 'Line_Break of the classes BK, CR, LF and NL: a reader sees a new line after it.',
    members: union(
      ...(await Promise.all(
        ['Mandatory_Break', 'Carriage_Return', 'Line_Feed', 'Next_Line'].map((name) => set('Line_Break', name)),
      )),
    ),
  },
  {
    name: 'is_latin',
    docs: 'Latin letters beyond ASCII: those of the block Latin-1, from the capital letters on, and the blocks of letters with diacritics.',
    members: union(latin1Letters, await blocks('Latin_Extended_A', 'Latin_Extended_B', 'Latin_Extended_Additional')),
  },
  {
    name: 'is_cjk',
    docs: 'The blocks of Chinese, Japanese and Korean, with their punctuation, and the planes for ideographs.',
    members: union(
      await span('CJK_Radicals_Supplement', 'Yi_Radicals'),
      await span('Hangul_Syllables', 'Hangul_Jamo_Extended_B'),
      await span('Kana_Extended_B', 'Nushu'),
      await blocks(
        'Hangul_Jamo',
        'Hangul_Jamo_Extended_A',
        'CJK_Compatibility_Ideographs',
        'CJK_Compatibility_Forms',
        'Halfwidth_And_Fullwidth_Forms',
        'Ideographic_Symbols_And_Punctuation',
      ),
      range(0x20000, 0x3ffff),
    ),
  },
  {
    name: 'is_han',
    docs: 'Script of the value Han: Chinese characters, which Japanese and Korean texts use as well.',
    members: await set('Script', 'Han'),
  },
  {
    name: 'is_kana',
    docs: 'Script of the values Hiragana and Katakana: only Japanese is written with these.',
    members: union(await set('Script', 'Hiragana'), await set('Script', 'Katakana')),
  },
]

const literal = (codePoint) => `'\\u{${codePoint.toString(16).toUpperCase()}}'`

/** Neighbours as one range. Surrogates are not valid Rust characters. */
const rangesOf = (members) => {
  const ranges = []
  for (const codePoint of [...members].filter((one) => one < 0xd800 || one > 0xdfff).toSorted((a, b) => a - b)) {
    const last = ranges.at(-1)
    if (last !== undefined && last[1] === codePoint - 1) last[1] = codePoint
    else ranges.push([codePoint, codePoint])
  }
  return ranges
}

/** Words in lines of limited width. */
const wrapped = (words, indent, separator) => {
  const lines = ['']
  for (const word of words) {
    const line = lines.at(-1)
    const longer = line === '' ? word : `${line}${separator}${word}`
    if (indent.length + longer.length + 2 > WIDTH) lines.push(word)
    else lines[lines.length - 1] = longer
  }
  return lines
}

const comment = (text) =>
  wrapped(text.split(' '), '/// ', ' ')
    .map((line) => `/// ${line}`)
    .join('\n')

const functionOf = ({ name, docs, members }) => {
  const patterns = rangesOf(members).map(([first, last]) =>
    first === last ? literal(first) : `${literal(first)}..=${literal(last)}`,
  )
  const lines = wrapped(patterns, '        | ', ' | ')
  return `${comment(docs)}
pub fn ${name}(c: char) -> bool {
    matches!(
        c,
        ${lines.join('\n        | ')}
    )
}
`
}

/** Small letters of Latin-1 and Latin Extended-A, by the letter of ASCII that they decompose to. */
const accents = async () => {
  const decompositions = await data('Decomposition_Mapping', 'Canonical', 'code-points.mjs')
  const small = both(await blocks('Latin_1_Supplement', 'Latin_Extended_A'), await categories('Lowercase_Letter'))
  const byLetter = new Map()
  for (const codePoint of small) {
    const first = decompositions.get(codePoint)?.[0]
    if (first !== undefined && first < 0x80) byLetter.set(first, [...(byLetter.get(first) ?? []), codePoint])
  }
  const arms = [...byLetter]
    .toSorted(([a], [b]) => a - b)
    .map(([letter, members]) => {
      const lines = wrapped(
        members.map((one) => `'${String.fromCodePoint(one)}'`),
        '        | ',
        ' | ',
      )
      return `        ${lines.join('\n        | ')} => '${String.fromCodePoint(letter)}',`
    })
  return `${comment('A small letter of Latin-1 or Latin Extended-A without its accent.')}
pub fn without_accent(c: char) -> char {
    match c {
${arms.join('\n')}
        _ => c,
    }
}
`
}

const tables = `//! Made by \`node scripts/unicode/generate.mjs\` from Unicode ${VERSION}. Do not edit.

${[...SETS.map(functionOf), await accents()].join('\n')}`

if (!process.argv.includes('--check')) writeFileSync(TABLES, tables)
else if (readFileSync(TABLES, 'utf8') !== tables)
  throw new Error('src/text/unicode_tables.rs is not what scripts/unicode/generate.mjs makes')
