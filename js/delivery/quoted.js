'use strict'
/** Text in quotes for messages, with everything escaped that a terminal would not show as itself. */

/**
 * What is not shown: control, format, private and unassigned characters, and white space other than
 * U+0020 (`\p{C}`, `\p{Z}`); marks that would join the character before them (`\p{Grapheme_Extend}`).
 */
const HIDDEN = /(?! )[\p{C}\p{Z}\p{Grapheme_Extend}"\\]/gu

/** @type {Record<string, string>} */
const SHORT = { '"': '\\"', '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t', '\0': '\\0' }

/** @param {string} text */
const escaped = (text) =>
  text.replace(
    HIDDEN,
    (character) => SHORT[character] ?? `\\u{${/** @type {number} */ (character.codePointAt(0)).toString(16)}}`,
  )

/** @param {string} text */
const quoted = (text) => `"${escaped(text)}"`

module.exports = { escaped, quoted }
