/**
 * Replaces characters that are invisible or change how others are shown: a conversation must not control
 * a terminal or reorder what a reader sees.
 */

/** Controls without tab and line feed, directional formatting, invisible operators, tags, lone surrogates. */
const HIDDEN =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e0fff}]|[\ud800-\udfff]/gu

/** The name of a character that is not shown. */
const nameOf = (character: string) =>
  `[U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`

/** A text with hidden characters named. A Windows line break stays a line break. */
export const visible = (text: string) => text.replaceAll('\r\n', '\n').replaceAll(HIDDEN, nameOf)

/** The same on one line. */
export const visibleLine = (text: string) => visible(text).replaceAll('\n', '⏎').replaceAll('\t', ' ')
