/**
 * Writes `src/text/unicode_tables.rs` from the Unicode Character Database, or compares it:
 *
 *   node scripts/unicode/generate.mjs [--check]
 *
 * The data comes from the npm package below, which is generated from the published files. The script
 * installs it into a temporary directory, so the project does not depend on it.
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

/** The default export of a module of the package. */
const data = async (...path) => (await import(pathToFileURL(join(directory, 'node_modules', PACKAGE, ...path)))).default
/** The code points of a set, such as `Block`, `Hangul_Jamo`. */
const set = async (...path) => new Set(await data(...path, 'code-points.mjs'))
const names = await data('Names', 'index.mjs')

const union = (...sets) => new Set(sets.flatMap((one) => Array.from(one)))
const both = (one, other) => new Set([...one].filter((codePoint) => other.has(codePoint)))
const without = (one, other) => new Set([...one].filter((codePoint) => !other.has(codePoint)))
const range = (first, last) => new Set(Array.from({ length: last - first + 1 }, (_, index) => first + index))
const blocks = async (...list) => union(...(await Promise.all(list.map((name) => set('Block', name)))))
/** From the beginning of one block to the end of another, including gaps between blocks. */
const span = async (from, to) => range([...(await set('Block', from))][0], [...(await set('Block', to))].at(-1))
const categories = async (...list) => union(...(await Promise.all(list.map((name) => set('General_Category', name)))))
const codePoints = new Map([...names].map(([codePoint, name]) => [name, codePoint]))
const named = (...list) =>
  new Set(
    list.map((name) => {
      if (!codePoints.has(name)) throw new Error(`no character is named ${name}`)
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
    docs: 'Default_Ignorable_Code_Point: characters that are not displayed, such as variation selectors, tags, joiners, direction marks and Hangul fillers.',
    members: await set('Binary_Property', 'Default_Ignorable_Code_Point'),
  },
  {
    name: 'is_without_width',
    docs: 'Other characters without ink or width: the combining marks blocks, combining Cyrillic marks, interlinear annotation characters, blanks.',
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
    docs: 'Dash, except the ASCII hyphen-minus, its full-width form, wavy dashes, and the double hyphen, which looks like an equals sign.',
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
    docs: 'Line_Break classes BK, CR, LF and NL: characters that end a line when displayed.',
    members: union(
      ...(await Promise.all(
        ['Mandatory_Break', 'Carriage_Return', 'Line_Feed', 'Next_Line'].map((name) => set('Line_Break', name)),
      )),
    ),
  },
  {
    name: 'is_latin',
    docs: 'Latin letters beyond ASCII: those of Latin-1 Supplement except ordinal indicators and the micro sign, and the blocks Latin Extended-A, -B and Additional.',
    members: union(latin1Letters, await blocks('Latin_Extended_A', 'Latin_Extended_B', 'Latin_Extended_Additional')),
  },
  {
    name: 'is_cjk',
    docs: 'Chinese, Japanese and Korean blocks, including punctuation, and the ideographic planes.',
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
    docs: 'Script=Han: Chinese characters, which are also used in Japanese and Korean.',
    members: await set('Script', 'Han'),
  },
  {
    name: 'is_kana',
    docs: 'Script=Hiragana and Script=Katakana, which only Japanese uses.',
    members: union(await set('Script', 'Hiragana'), await set('Script', 'Katakana')),
  },
]

const literal = (codePoint) => `'\\u{${codePoint.toString(16).toUpperCase()}}'`

/** Merges consecutive code points into ranges. Surrogates are not valid Rust characters. */
const rangesOf = (members) => {
  const ranges = []
  for (const codePoint of [...members].filter((one) => one < 0xd800 || one > 0xdfff).toSorted((a, b) => a - b)) {
    const last = ranges.at(-1)
    if (last !== undefined && last[1] === codePoint - 1) last[1] = codePoint
    else ranges.push([codePoint, codePoint])
  }
  return ranges
}

/** Wraps words into lines of limited width. */
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

/** Lowercase letters of Latin-1 Supplement and Latin Extended-A, by the ASCII letter that they decompose to. */
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
  return `${comment('The base letter of a lowercase letter in Latin-1 Supplement or Latin Extended-A.')}
pub fn without_accent(c: char) -> char {
    match c {
${arms.join('\n')}
        _ => c,
    }
}
`
}

const tables = `//! Generated by \`node scripts/unicode/generate.mjs\` from Unicode ${VERSION}. Do not edit.

${[...SETS.map(functionOf), await accents()].join('\n')}`

if (!process.argv.includes('--check')) writeFileSync(TABLES, tables)
else if (readFileSync(TABLES, 'utf8') !== tables)
  throw new Error('src/text/unicode_tables.rs differs from the output of scripts/unicode/generate.mjs')
