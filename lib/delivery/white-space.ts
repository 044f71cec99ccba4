/**
 * White space in UTF-8 text. It is what `\s` matches in JavaScript, because the CLIs are written in it
 * and trim and split at that. U+0085 is not white space.
 */

export const SPACES =
  '\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff'

/** The bytes of each character, as one number. */
const SEQUENCES = new Set(
  [...SPACES].map((space) => Buffer.from(space).reduce((number, byte) => number * 256 + byte, 0)),
)

const MAX_BYTES = 3

/** The size in bytes of the white-space character that starts here; 0 if there is none. */
export const spaceAt = (bytes: Buffer, at: number) => {
  let sequence = 0
  for (let length = 1; length <= MAX_BYTES && at + length <= bytes.length; length++) {
    sequence = sequence * 256 + (bytes[at + length - 1] as number)
    if (SEQUENCES.has(sequence)) return length
    // A byte below this is a character of its own.
    if (sequence < 0x80) return 0
  }
  return 0
}

/** The size in bytes of the white-space character that ends here; 0 if there is none. */
export const spaceBefore = (bytes: Buffer, end: number) => {
  for (let length = 1; length <= MAX_BYTES && length <= end; length++) {
    if (spaceAt(bytes, end - length) === length) return length
    // Only continuation bytes have something before them.
    if (((bytes[end - length] ?? 0) & 0xc0) !== 0x80) return 0
  }
  return 0
}

/** Where the white space that starts here ends. */
export const skipSpaces = (bytes: Buffer, at: number) => {
  let end = at
  for (let length = spaceAt(bytes, end); length > 0; length = spaceAt(bytes, end)) end += length
  return end
}

/** Where the trailing white space of the text starts. */
export const endWithoutSpaces = (bytes: Buffer) => {
  let end = bytes.length
  for (let length = spaceBefore(bytes, end); length > 0; length = spaceBefore(bytes, end)) end -= length
  return end
}
