/** Which messages of a plain prompt fit. They are read as far as needed; native code decides. */
import native = require('../../binding.js')
import type { PlainReading } from './plain-reading.js'
import type { UnitTexts } from './unit-texts.js'

const { byteLength } = Buffer

/** Of text beyond ASCII, more is read than probably fits, by one in this many. */
const MARGIN = 16
/** The beginning of one in so many messages tells how much of the rest fits. */
const [SAMPLE, SAMPLE_UNITS] = [8, 512]

/** The messages that fit. */
export interface Fit {
  kept: number
  /** The size of their lines. */
  bytes: number
  /** Whether the lines are ASCII. Others are in memory then: newest first, after room for the row of one text. */
  isAscii: boolean
  isWellFormed: boolean
}

/** @returns Undefined if a message is not plain. */
export const fit = (reading: PlainReading, texts: UnitTexts, room: number): Fit | undefined => {
  const found = fitAscii(reading, texts, room)
  if (found !== 'wide') return found
  texts.clear()
  return fitWide(reading, texts, room)
}

/** Text of ASCII is measured here: a unit is a byte. */
const fitAscii = (reading: PlainReading, texts: UnitTexts, room: number): Fit | undefined | 'wide' => {
  texts.addRow(0, 0)
  let left = room
  for (let nth = 0; left > 0; nth++) {
    if (nth === reading.length) {
      if (reading.isAtStart) return { kept: nth, bytes: room - left, isAscii: true, isWellFormed: true }
      if (!reading.readNext()) return undefined
    }
    const content = reading.contentAt(nth)
    const { text, bytes } = reading.openingAt(nth)
    const units = text.length + content.length
    if (bytes !== text.length || (units <= left && byteLength(content) !== content.length)) return 'wide'
    texts.addRow(0, units)
    left -= units
  }
  native.newestThatFit(undefined, texts.rows, texts.count, Math.max(0, room))
  return { kept: texts.startOf(0), bytes: texts.lengthOf(0), isAscii: true, isWellFormed: true }
}

/** Native code measures other text much faster. */
const fitWide = (reading: PlainReading, texts: UnitTexts, room: number): Fit | undefined => {
  texts.addRow(0, 0)
  let guess = room
  let nth = 0
  const sample = { units: 1, bytes: 1 }
  for (;;) {
    guess += room / MARGIN
    while (nth < reading.length || (!reading.isAtStart && reading.units * sample.bytes <= guess * sample.units)) {
      if (nth === reading.length && !reading.readNext()) return undefined
      if (!reading.isAtStart && nth % SAMPLE === 0) {
        const content = reading.contentAt(nth)
        const { text, bytes } = reading.openingAt(nth)
        const beginning = content.slice(0, SAMPLE_UNITS)
        sample.units += text.length + content.length
        sample.bytes += bytes + content.length * (byteLength(beginning) / (beginning.length || 1))
      }
      reading.addTo(texts, nth++)
    }
    const isWellFormed = native.newestThatFit(texts.seal(), texts.rows, texts.count, room)
    const [kept, bytes] = [texts.startOf(0), texts.lengthOf(0)]
    if (kept < reading.length || reading.isAtStart) return { kept, bytes, isAscii: false, isWellFormed }
  }
}
