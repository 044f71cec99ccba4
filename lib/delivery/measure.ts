/**
 * Sizes of UTF-8 text in the units that CLIs and systems count in. Node's own functions do the
 * counting: a loop over 768 KB takes a millisecond, more than everything else in a plan.
 */
import { isAscii, transcode } from 'node:buffer'

/** The unit of a size: UTF-8 bytes, Unicode code points, or UTF-16 units (the `length` of a string). */
export type SizeUnit = 'bytes' | 'codePoints' | 'utf16'

/** Every unit, with its name in sentences. */
export const UNITS: Record<SizeUnit, string> = { bytes: 'bytes', codePoints: 'code points', utf16: 'UTF-16 units' }

export const UNIT_NAMES = Object.keys(UNITS) as SizeUnit[]

/** Larger pieces take longer, because their memory is new to the process. */
const CHUNK_BYTES = 64 * 1024

/** The lead bytes of four-byte characters, which take two UTF-16 units. */
const FIRST_OF_FOUR = [0xf0, 0xf1, 0xf2, 0xf3, 0xf4]

const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80

const unitsOfChunk = (bytes: Buffer) => {
  try {
    return transcode(bytes, 'utf8', 'utf16le').length / 2
  } catch {
    // Node was built without ICU, or a getter wrote to the memory after it was checked.
    return bytes.toString().length
  }
}

/** The `length` of a JavaScript string with this text. */
export const utf16Units = (bytes: Buffer) => {
  if (isAscii(bytes)) return bytes.length
  let units = 0
  for (let start = 0; start < bytes.length; ) {
    let end = start + CHUNK_BYTES
    while (isContinuation(bytes[end])) end++
    units += unitsOfChunk(bytes.subarray(start, end))
    start = end
  }
  return units
}

const countOf = (bytes: Buffer, byte: number) => {
  let count = 0
  for (let at = bytes.indexOf(byte); at !== -1; at = bytes.indexOf(byte, at + 1)) count++
  return count
}

const MEASURES: Record<SizeUnit, (bytes: Buffer) => number> = {
  bytes: ({ length }) => length,
  codePoints: (bytes) => utf16Units(bytes) - FIRST_OF_FOUR.reduce((pairs, byte) => pairs + countOf(bytes, byte), 0),
  utf16: utf16Units,
}

export const measure = (bytes: Buffer, unit: SizeUnit) => MEASURES[unit](bytes)

/**
 * The size of a text if it is over a limit. Code points and UTF-16 units take at least one byte each, so
 * most texts need no counting.
 */
export const excess = (bytes: Buffer, unit: SizeUnit, max: number): number | undefined => {
  if (bytes.length <= max) return undefined
  const size = measure(bytes, unit)
  return size > max ? size : undefined
}
