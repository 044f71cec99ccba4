/** Reads the messages of a plain prompt. */
import { isMissing, isObject } from '../checks/kinds.js'
import type { Messages } from './gather.js'
import type { Opening, Template } from './template.js'
import type { UnitTexts } from './unit-texts.js'

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
