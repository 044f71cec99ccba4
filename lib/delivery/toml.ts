/**
 * A string as TOML writes it. `JSON.stringify` is not enough: TOML wants U+007F escaped, and has no
 * escapes for halves of surrogate pairs.
 */

// oxlint-disable-next-line no-control-regex -- those that TOML does not allow in a string
const ESCAPED = /["\\\u0000-\u001f\u007f]/g

const SHORT: Record<string, string> = { '"': '\\"', '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

const escaped = (character: string) =>
  SHORT[character] ?? `\\u${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`

/** A basic string, in quotes and on one line. */
export const tomlString = (text: string) => `"${text.toWellFormed().replace(ESCAPED, escaped)}"`
