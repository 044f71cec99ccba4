/**
 * The sets in `src/text/unicode_tables.rs`, compared with what this engine knows of every character.
 * An engine with an older Unicode lacks characters; one with a newer Unicode may have more members.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../support/documents.js'

const source = readFileSync(join(root, 'src', 'text', 'unicode_tables.rs'), 'utf8')
const version = /from Unicode (\d+)\./.exec(source)?.[1]
const isNewer = Number(process.versions['unicode']) > Number(version)

const functions = new Map(
  [...source.matchAll(/^pub fn (\w+)[^{]*\{\n([^]*?)^\}/gm)].map(([, name = '', body = '']) => [name, body]),
)
const hex = String.raw`'\\u\{([0-9A-F]+)\}'`

/** The members of a set, as the source lists them. */
const membersOf = (name: string): Set<number> => {
  const ranges = [...(functions.get(name) ?? '').matchAll(new RegExp(`${hex}(?:\\.\\.=${hex})?`, 'g'))]
  return new Set(
    ranges.flatMap(([, first = '', last = first]) => {
      const start = parseInt(first, 16)
      return Array.from({ length: parseInt(last, 16) - start + 1 }, (_, index) => start + index)
    }),
  )
}

const characters = Array.from({ length: 0x110000 }, (_, codePoint) => codePoint).filter(
  (codePoint) => codePoint < 0xd800 || codePoint > 0xdfff,
)
const assigned = characters.filter((codePoint) => /\P{Cn}/u.test(String.fromCodePoint(codePoint)))

/** Where a set and a property differ, among the characters that this engine knows. */
const differences = (name: string, property: RegExp): string[] => {
  const members = membersOf(name)
  expect(members.size).toBeGreaterThan(0)
  const isWrong = (codePoint: number): boolean => {
    const isMember = members.has(codePoint)
    return property.test(String.fromCodePoint(codePoint)) ? !isMember && !isNewer : isMember
  }
  return assigned.filter(isWrong).map((codePoint) => `U+${codePoint.toString(16).toUpperCase()}`)
}

describe(`the sets of Unicode ${version}`, () => {
  it.each([
    ['is_default_ignorable', /\p{Default_Ignorable_Code_Point}/u],
    // Not that of ASCII, its full-width form, the wavy ones and the double hyphen.
    ['is_dash', /(?![-－⁓〜〰゠])\p{Dash}/u],
    ['is_mandatory_break', /[\n\v\f\r\x85\p{Zl}\p{Zp}]/u],
  ])('%s equals what this engine reports', (name, property) => {
    expect(differences(name, property)).toEqual([])
  })

  it('characters without width are marks, or listed by name', () => {
    const members = membersOf('is_without_width')
    const others = assigned.filter(
      (codePoint) => members.has(codePoint) && !/\p{M}/u.test(String.fromCodePoint(codePoint)),
    )
    expect(others.map((codePoint) => codePoint.toString(16))).toEqual(['2800', 'fff9', 'fffa', 'fffb', '1d159'])
  })

  it('all letters of Chinese, Japanese and Korean are CJK, and no letters of other scripts', () => {
    const members = membersOf('is_cjk')
    const isLetter = (codePoint: number, script: RegExp): boolean =>
      /\p{L}/u.test(String.fromCodePoint(codePoint)) && script.test(String.fromCodePoint(codePoint))
    const cjk = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Bopo}\p{sc=Yiii}]/u
    const missing = assigned.filter((codePoint) => isLetter(codePoint, cjk) && !members.has(codePoint))
    expect(isNewer ? [] : missing.map((codePoint) => codePoint.toString(16))).toEqual([])
    const foreign = /[\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Arabic}\p{sc=Hebrew}\p{sc=Deva}\p{sc=Thai}]/u
    const wrong = assigned.filter(
      (codePoint) =>
        members.has(codePoint) &&
        isLetter(codePoint, foreign) &&
        !/[\uFF00-\uFFEF]/.test(String.fromCodePoint(codePoint)),
    )
    expect(wrong).toEqual([])
  })

  it('Latin is Latin', () => {
    const wrong = [...membersOf('is_latin')].filter(
      (codePoint) => !/\p{sc=Latin}/u.test(String.fromCodePoint(codePoint)),
    )
    expect(wrong).toEqual([])
  })

  it('letters lose their accents', () => {
    const body = functions.get('without_accent') ?? ''
    const listed = [...body.matchAll(/^ +(.*) => '(\w)',$/gm)].flatMap(([, letters = '', letter = '']) =>
      [...letters.matchAll(/'(.)'/gu)].map(([, accented = '']) => [accented, letter]),
    )
    const small = Array.from({ length: 0x17f - 0xdf }, (_, index) => String.fromCodePoint(0xe0 + index)).filter(
      (letter) => /\p{Ll}/u.test(letter),
    )
    const composed = small
      .map((letter) => [letter, letter.normalize('NFD').charAt(0)])
      .filter(([letter = '', base = '']) => letter !== base && base < '\x80')
    expect(listed.toSorted()).toEqual(composed.toSorted())
  })
})
