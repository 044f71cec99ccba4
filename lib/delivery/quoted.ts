/** Texts in quotes: for messages, and as values of TOML. */

/**
 * What a terminal would not show as itself: control, format, private and unassigned characters, and white space other
 * than U+0020 (`\p{C}`, `\p{Z}`); marks that would join the character before them (`\p{Grapheme_Extend}`).
 */
const HIDDEN = /(?! )[\p{C}\p{Z}\p{Grapheme_Extend}"\\]/gu

const SHORT: Record<string, string> = { '"': '\\"', '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

const inHex = (character: string) => (character.codePointAt(0) as number).toString(16)

export const escaped = (text: string) =>
  text.replace(HIDDEN, (character) => (character === '\0' ? '\\0' : (SHORT[character] ?? `\\u{${inHex(character)}}`)))

export const quoted = (text: string) => `"${escaped(text)}"`

// oxlint-disable-next-line no-control-regex -- those that TOML does not allow in a string
const NOT_IN_TOML = /["\\\u0000-\u001f\u007f]/g

/**
 * A basic string of TOML, on one line. `JSON.stringify` is not enough: TOML wants U+007F escaped, and has
 * no escapes for halves of surrogate pairs.
 */
export const tomlString = (text: string) => {
  const escape = (character: string) => SHORT[character] ?? `\\u${inHex(character).toUpperCase().padStart(4, '0')}`
  return `"${text.toWellFormed().replace(NOT_IN_TOML, escape)}"`
}
