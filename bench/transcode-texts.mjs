/** The texts on which transcoders are compared. */
import { numbers } from './text.mjs'

const ascii = (next) => 0x61 + ((next() >>> 8) % 26)
const ideograph = (next) => 0x4e00 + ((next() >>> 8) % 8000)
const cyrillic = (next) => ((next() >>> 8) % 7 === 0 ? 0x20 : 0x430 + ((next() >>> 8) % 32))
const accented = (next) => ((next() >>> 8) % 12 === 0 ? 0xe0 + ((next() >>> 8) % 32) : ascii(next))
const emoji = (next) => 0x1f600 + ((next() >>> 8) % 64)

/** @type {Record<string, (next: () => number, at: number) => number>} */
const KINDS = {
  ASCII: ascii,
  'accented Latin': accented,
  Cyrillic: cyrillic,
  CJK: (next, at) => (at % 60 === 59 ? 0x0a : ideograph(next)),
  'ASCII and CJK': (next, at) => (at % 40 < 20 ? ascii(next) : ideograph(next)),
  'CJK with emoji': (next, at) => (at % 50 === 49 ? emoji(next) : ideograph(next)),
  emoji,
  // The highest bits: the lower ones repeat so soon that branch predictors learn them.
  'all mixed': (next) => [ascii, cyrillic, ideograph, emoji][next() >>> 30](next),
}

/** A text of each kind, with this many UTF-16 units or one more. */
export function kindsOfText(units) {
  return Object.entries(KINDS).map(([kind, character]) => {
    const next = numbers(kind.length * 7919)
    const parts = []
    for (let at = 0, length = 0; length < units; at++) {
      const part = String.fromCodePoint(character(next, at))
      parts.push(part)
      length += part.length
    }
    return { kind, text: parts.join('') }
  })
}
