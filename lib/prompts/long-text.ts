/** Messages of megabytes. A prompt can use only their ends, so only those are passed to native code. */
import native = require('../../binding.js')

/** How much text is measured at a time. */
const CHUNK_UNITS = 64 * 1024

const isHighSurrogate = (unit: number) => (unit & 0xfc00) === 0xd800
const isLowSurrogate = (unit: number) => (unit & 0xfc00) === 0xdc00

/**
 * The size of a text in UTF-8. Native code converts CJK many times faster than `Buffer.byteLength`
 * counts it, and gets a piece at a time, so that there is no second copy of the text.
 */
const utf8Bytes = (text: string) => {
  let bytes = 0
  for (let start = 0; start < text.length; ) {
    let end = Math.min(text.length, start + CHUNK_UNITS)
    // A surrogate pair must not be split.
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end -= 1
    bytes += native.utf8Bytes(text.slice(start, end))
    start = end
  }
  return bytes
}

/** The ends of a long text that certainly does not fit this many bytes. */
export const endsOf = (text: string, maxBytes: number) => {
  const needed = native.neededOfEachEnd(maxBytes)
  // A unit takes at least one byte.
  if (text.length / 4 <= needed) return undefined
  const [beginning, end] = [enough(beginningOf, text, needed), enough(endOf, text, needed)]
  return { beginning, end, bytes: utf8Bytes(text), whole: text }
}

const beginningOf = (text: string, units: number) =>
  text.slice(0, isHighSurrogate(text.charCodeAt(units - 1)) ? units - 1 : units)

const endOf = (text: string, units: number) => {
  const start = text.length - units
  return text.slice(isLowSurrogate(text.charCodeAt(start)) ? start + 1 : start)
}

/** As much of an end as is needed for enough bytes. Most text has characters of either three bytes or one. */
const enough = (part: (text: string, units: number) => string, text: string, bytes: number) => {
  const third = part(text, Math.ceil(bytes / 3) + 2)
  return utf8Bytes(third) >= bytes ? third : part(text, bytes)
}
