/** Reads the messages of a plain prompt as far as they fit; native code decides which ones do. */
import native = require('../../binding.js')
import { isMissing, isObject } from '../checks/kinds.js'
import type { Messages } from './gather.js'
import type { Opening, Template } from './template.js'
import type { UnitTexts } from './unit-texts.js'

const { byteLength } = Buffer

/** Of text beyond ASCII, more is read than probably fits, by one in this many. */
const MARGIN = 16
/** The beginning of one in so many messages tells how much of the rest fits. */
const [SAMPLE, SAMPLE_UNITS] = [8, 512]

/** Messages, newest first, each field read once. */
export class PlainReading {
  /** The units of their lines. */
  units = 0
  #contents: string[] = []
  #openings: Opening[] = []
  #messages: Messages
  #template: Template
  #start: number
  #end: number

  constructor(messages: Messages, template: Template, start: number, end: number) {
    this.#messages = messages
    this.#template = template
    this.#start = start
    this.#end = end
  }

  get length() {
    return this.#contents.length
  }

  /** Whether there are no older messages. */
  get isAtStart() {
    return this.#end - this.#contents.length <= this.#start
  }

  openingAt(nth: number): Opening {
    return this.#openings[nth] as Opening
  }

  contentAt(nth: number): string {
    return this.#contents[nth] as string
  }

  /** Adds a line. */
  addTo(texts: UnitTexts, nth: number) {
    const { text } = this.openingAt(nth)
    const content = this.contentAt(nth)
    const start = texts.add(text)
    texts.add(content)
    texts.addRow(start, text.length + content.length)
  }

  /** Reads messages until their lines have more units. Returns whether they are plain. */
  readUntil(units: number): boolean {
    while (this.units <= units && !this.isAtStart) if (!this.readNext()) return false
    return true
  }

  /** Reads the next older message. Returns whether it is plain. */
  readNext(): boolean {
    const index = this.#end - this.#contents.length - 1
    try {
      const message = this.#messages.list[index]
      if (!isObject(message)) return this.handOver(index, message)
      const { from, to, content, parts } = message
      const addressee = isMissing(to) ? '' : to
      const isString = typeof from === 'string' && typeof addressee === 'string' && typeof content === 'string'
      if (!isString || !isMissing(parts)) return this.handOver(index, { from, to, content, parts })
      const opening = this.#template.openingOf(from, addressee)
      this.#openings.push(opening)
      this.#contents.push(content)
      this.units += opening.text.length + content.length
      return opening.isOneLine || this.handOver()
    } catch (error) {
      this.#messages.failed = { index, error }
      return this.handOver()
    }
  }

  /** Lets native code have what was read. Returns false. */
  handOver(index?: number, message?: unknown): false {
    const read = new Map<number, unknown>()
    for (const [nth, { from, to }] of this.#openings.entries()) {
      read.set(this.#end - 1 - nth, { from, to, content: this.#contents[nth] })
    }
    if (index !== undefined) read.set(index, message)
    this.#messages.read = read
    return false
  }
}

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
