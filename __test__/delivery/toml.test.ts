/** TOML strings: what a TOML parser reads is what was written. */
import { describe, expect, it } from 'vitest'
import { tomlString } from '../../dist/delivery/quoted.js'

/** Of the characters that TOML allows in a basic string, a tab alone is a control character. */
// oxlint-disable-next-line no-control-regex -- those are looked for
const FORBIDDEN = /[\u0000-\u0008\u000a-\u001f\u007f]/

/** The escapes that are used are in TOML and in JSON, with the same meaning. */
const parsed = (toml: string): string => {
  expect(toml).not.toMatch(FORBIDDEN)
  expect(toml.slice(1, -1).replaceAll(/\\(?:["\\nrt]|u[\dA-F]{4})/g, '')).not.toMatch(/["\\]/)
  return JSON.parse(toml)
}

describe('a TOML string', () => {
  it('keeps every character', () => {
    const characters = Array.from({ length: 0x11_0000 }, (_, code) => String.fromCodePoint(code)).filter((character) =>
      character.isWellFormed(),
    )
    for (const character of characters.slice(0, 0x3000)) expect(parsed(tomlString(character))).toBe(character)
    const all = characters.join('')
    expect(parsed(tomlString(all)) === all).toBe(true)
  })

  it('keeps any text', () => {
    const pieces = [
      '"',
      '\\',
      '"""',
      "'''",
      '\\u0041',
      '\n',
      '\r\n',
      '\t',
      '\0',
      '\u0007',
      '\u001b[31m',
      '\u007f',
      '\u0085',
      '\u2028',
      '漢',
      '😀',
      '#',
      '=',
      '[a]',
      '{',
      '}',
      ' ',
      'a',
      '\ufeff',
    ]
    let state = 7
    const next = (below: number): number =>
      ((state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) >>> 16) % below
    for (let round = 0; round < 3000; round++) {
      const text = Array.from({ length: next(60) }, () => pieces[next(pieces.length)] ?? '').join('')
      expect(parsed(tomlString(text))).toBe(text)
    }
  })

  it('is on one line', () => {
    expect(tomlString('a\n"b"\u007f\u0001')).toBe(String.raw`"a\n\"b\"\u007F\u0001"`)
  })

  it('has U+FFFD instead of a lone surrogate', () => {
    expect(tomlString('a\ud800b\udc00')).toBe('"a\ufffdb\ufffd"')
  })
})
