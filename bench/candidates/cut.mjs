/**
 * How the JavaScript candidates cut a text: head, a line with the number of omitted bytes, tail. Cuts
 * fall between graphemes, and there are two ways to find the boundary: a simple one and a fast one.
 */

const LEAST_AROUND_OMISSION = 32

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })

export const omissionLine = (bytes) => `\n[… ${bytes} bytes omitted …]\n`

/** How many bytes head and tail may have in total; 0 if only the head is worth keeping. */
export function roomAround(textBytes, maxBytes) {
  const around = maxBytes - Buffer.byteLength(omissionLine(textBytes))
  return around >= LEAST_AROUND_OMISSION ? around : 0
}

/** The grapheme boundary at or before a position, or at or after it. */
export function boundaryPlainly(text, at, after) {
  const segment = segmenter.segment(text).containing(at)
  if (!segment || segment.index === at) return at
  return after ? segment.index + segment.segment.length : segment.index
}

const LINE_BREAK = 0x0a
const CARRIAGE_RETURN = 0x0d

/**
 * The same without scanning the whole text: there is always a boundary between two ASCII characters,
 * except inside CRLF, and before and after a line feed, so the segmenter needs only one line.
 */
export function boundaryFast(text, at, after) {
  if (at <= 0 || at >= text.length) return at
  const previous = text.charCodeAt(at - 1)
  if (previous < 0x80 && text.charCodeAt(at) < 0x80 && previous !== CARRIAGE_RETURN) return at
  const start = previous === LINE_BREAK ? at : text.lastIndexOf('\n', at - 1) + 1
  const lineEnd = text.indexOf('\n', at)
  const end = lineEnd < 0 ? text.length : lineEnd + 1
  return start + boundaryPlainly(text.slice(start, end), at - start, after)
}
