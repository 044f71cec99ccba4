/** Text in quotes for messages, with everything escaped that a terminal would not show as itself. */

/**
 * What is not shown: control, format, private and unassigned characters, and white space other than
 * U+0020 (`\p{C}`, `\p{Z}`); marks that would join the character before them (`\p{Grapheme_Extend}`).
 */
const HIDDEN = /(?! )[\p{C}\p{Z}\p{Grapheme_Extend}"\\]/gu

const SHORT: Record<string, string> = { '"': '\\"', '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t', '\0': '\\0' }

export const escaped = (text: string) =>
  text.replace(HIDDEN, (character) => SHORT[character] ?? `\\u{${(character.codePointAt(0) as number).toString(16)}}`)

export const quoted = (text: string) => `"${escaped(text)}"`
