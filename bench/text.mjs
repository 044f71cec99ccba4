/**
 * Text for the workloads: generated, the same on every run, and stored the way V8 stores text from a
 * socket or a file. A string concatenated with `+` is a tree until it is first read, and the first
 * candidate to read it would pay for all.
 */

const BASE_LENGTH = 1 << 16

/** A small pseudorandom generator of numbers below 2³², so that every run sees the same text. */
export function numbers(seed) {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state
  }
}

const ascii = (next) => ((next() >>> 8) % 6 === 0 ? 0x20 : 0x61 + ((next() >>> 8) % 26))
const ideograph = (next) => ((next() >>> 8) % 15 === 0 ? 0xff0c : 0x4e00 + ((next() >>> 8) % 8000))

/** The character at a position of a text, for each kind. */
const KINDS = {
  ascii: (next, at) => (at % 80 === 79 ? 0x0a : ascii(next)),
  cjk: (next, at) => (at % 60 === 59 ? 0x0a : ideograph(next)),
  mixed: (next, at) => {
    if (at % 80 === 79) return 0x0a
    return at % 40 < 20 ? ascii(next) : ideograph(next)
  },
}

/**
 * A source of texts of one kind, each different from the one before.
 * @param {keyof typeof KINDS} kind
 * @returns {(characters: number) => string}
 */
export function texts(kind) {
  const next = numbers(kind.length * 7919)
  // ASCII takes one byte per character in V8, everything else here takes two.
  const [width, encoding] = kind === 'ascii' ? [1, 'utf8'] : [2, 'utf16le']
  const base = Buffer.alloc(BASE_LENGTH * width)
  for (let at = 0; at < BASE_LENGTH; at++) base.writeUIntLE(KINDS[kind](next, at), at * width, width)
  return (characters) => {
    const text = Buffer.allocUnsafe(characters * width)
    let filled = base.copy(text, 0, ((next() >>> 8) % BASE_LENGTH) * width)
    while (filled < text.length) filled += base.copy(text, filled)
    return text.toString(encoding)
  }
}
