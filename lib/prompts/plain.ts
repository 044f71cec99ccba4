/**
 * Makes a plain prompt, to which nothing can happen but that its oldest messages do not fit. It is
 * written here, from the caller's own strings: five messages of 200 characters take a quarter of the
 * time, larger prompts half of it. Native code decides which messages fit, and converts text beyond ASCII.
 *
 * What turns out not to be plain is left to native code, with everything that was read so far.
 */
import { constants } from 'node:buffer'
import native = require('../../binding.js')
import { fit, type Fit, PlainReading } from './plain-reading.js'
import { MOST_UNITS_JOINED, MOST_UNITS_OF_SHORT, leaveTexts, takeTexts, type UnitTexts } from './unit-texts.js'
import type { Form } from './form.js'
import type { Messages } from './gather.js'
import type { Subject } from './make-prompt.js'
import type { AnyAssemblerOutput } from './results.js'
import type { PlainTexts, Template } from './template.js'

const { MAX_STRING_LENGTH } = constants
const { byteLength, allocUnsafe, allocUnsafeSlow, from: bufferFrom, poolSize } = Buffer

/** UTF-8 has at most this many bytes for a unit of UTF-16. */
const MOST_BYTES_PER_UNIT = 3

/** A prompt of which is known which messages it has: the newest of those that were read. */
interface Plain {
  opened: string
  reading: PlainReading
  kept: number
  closed: string
}

/** The output; undefined if the prompt is not plain, or has to be cut. */
export const plainPrompt = (
  subject: Subject,
  template: Template,
  form: Form,
  messages: Messages,
): AnyAssemblerOutput | undefined => {
  const { maxBytes, maxMessages, count } = subject
  if (unitsOf(subject) > MAX_STRING_LENGTH) return undefined
  const texts = textsOf(subject)
  const { opened, closed, flag } = template.surround(texts)
  // In `buildPrompt`, the system text has a share of the budget.
  if (maxMessages !== undefined && !isWithin(texts.system, Math.floor(maxBytes / 2))) return undefined
  const certain = Math.floor(maxBytes / MOST_BYTES_PER_UNIT) - opened.length - closed.length - flag.length
  if (certain < 0 && !isWithin(template.bare(texts) + flag, maxBytes)) return undefined

  const start = maxMessages === undefined ? 0 : Math.max(0, count - maxMessages)
  const reading = new PlainReading(messages, template, start, count)
  if (!reading.readUntil(certain)) return undefined
  if (form.kind === 'string' && opened.length + reading.units + closed.length > MAX_STRING_LENGTH) {
    reading.handOver()
    return undefined
  }
  const isCertain = reading.isAtStart && reading.units <= certain
  const systemFlag = flag === '' ? undefined : flag.toWellFormed()
  const plain = { opened, reading, kept: reading.length, closed }
  if (isCertain && plain.kept > 0 && form.kind === 'string')
    return { prompt: stringOf(plain).toWellFormed(), systemFlag }

  const memory = takeTexts()
  try {
    // If nothing is above the first line, it has no line break.
    const around = byteLength(opened + closed) - (opened === '' ? 1 : 0)
    const found = fit(reading, memory, maxBytes - around - byteLength(flag))
    if (found === undefined) return undefined
    plain.kept = found.kept
    if (found.kept === 0) Object.assign(plain, { opened: template.bare(texts), closed: '' })
    if (form.kind === 'string') {
      const prompt = stringOf(plain)
      const isWellFormed = found.isWellFormed && (opened + closed).isWellFormed()
      return { prompt: isWellFormed ? prompt : prompt.toWellFormed(), systemFlag }
    }
    const bytes = found.kept === 0 ? byteLength(plain.opened) : around + found.bytes
    const { into, offset } = form
    if (into === undefined) {
      const prompt = bytes < poolSize / 2 ? allocUnsafe(bytes) : allocUnsafeSlow(bytes)
      write(plain, found, bytes, memory, prompt, 0)
      return { prompt, systemFlag }
    }
    if (bytes + offset <= lengthOf(into)) {
      // A detached array has no memory.
      if (bytes > 0) write(plain, found, bytes, memory, bufferOf(into), offset)
      return { bytes, systemFlag }
    }
  } finally {
    leaveTexts(memory)
  }
  // Native code says by how much it does not fit into the caller's memory.
  reading.handOver()
  return undefined
}

const isWithin = (text: string, bytes: number) =>
  text.length * MOST_BYTES_PER_UNIT <= bytes || byteLength(text) <= bytes

/** More than the given texts have, with what is around them. */
const unitsOf = ({ texts, instruction }: Subject) => {
  let units = 2 ** 16
  for (const text of texts) if (text !== undefined) units += text.length
  for (const text of instruction) units += text.length
  return units
}

const textsOf = ({ texts: [message, teamTask, file], instruction }: Subject): PlainTexts => ({
  system: withTexts(withTexts('', instruction, '\n'), [file ?? ''], '\n\n'),
  teamTask: teamTask?.trim() ?? '',
  message: message?.trim() ?? '',
})

/** Adds the texts that are not blank. */
const withTexts = (first: string, texts: readonly string[], separator: string) => {
  let all = first
  for (const text of texts) {
    const trimmed = text.trim()
    if (trimmed !== '') all = all === '' ? trimmed : all + separator + trimmed
  }
  return all
}

const stringOf = ({ opened, reading, kept, closed }: Plain) => {
  const pieces = [opened]
  for (let nth = kept - 1; nth >= 0; nth--) pieces.push(reading.openingAt(nth).text, reading.contentAt(nth))
  pieces.push(closed)
  const text = pieces.join('')
  return opened === '' && kept > 0 ? text.slice(1) : text
}

const write = (
  plain: Plain,
  { isAscii, bytes: lineBytes }: Fit,
  bytes: number,
  memory: UnitTexts,
  target: Buffer,
  at: number,
) => {
  const { opened, closed, kept } = plain
  const around = opened.length + closed.length - (opened === '' && kept > 0 ? 1 : 0)
  if (isAscii && bytes === around + (kept > 0 ? lineBytes : 0)) return writeAscii(plain, target, at)
  addAround(plain, memory, !isAscii && kept > 0)
  return native.writeTexts(memory.seal(), memory.rows, memory.count, target, at)
}

const writeAscii = ({ opened, reading, kept, closed }: Plain, target: Buffer, start: number) => {
  let at = start
  let joined = opened
  for (let nth = kept - 1; nth >= 0; nth--) {
    const { text } = reading.openingAt(nth)
    const content = reading.contentAt(nth)
    joined += opened === '' && nth === kept - 1 ? text.slice(1) : text
    const isLong = content.length > MOST_UNITS_OF_SHORT
    if (!isLong) joined += content
    if (isLong || joined.length > MOST_UNITS_JOINED) {
      at += target.write(joined, at, 'latin1')
      joined = ''
    }
    if (isLong) at += target.write(content, at, 'latin1')
  }
  target.write(joined + closed, at, 'latin1')
}

/** Adds what is not in memory yet. The texts are in the order in which native code takes them: the last one first. */
const addAround = ({ opened, reading, kept, closed }: Plain, memory: UnitTexts, areLinesThere: boolean) => {
  if (!areLinesThere) {
    memory.clear()
    memory.addRow(0, 0)
    for (let nth = 0; nth < kept; nth++) reading.addTo(memory, nth)
  }
  memory.setRow(0, memory.add(closed), closed.length)
  memory.count = kept + 1
  if (opened !== '' || kept === 0) memory.addRow(memory.add(opened), opened.length)
  else memory.setRow(kept, memory.startOf(kept) + 1, memory.lengthOf(kept) - 1)
}

const typedArray = Object.getPrototypeOf(Uint8Array.prototype) as Uint8Array
const getterOf = (name: 'buffer' | 'byteOffset' | 'length') => {
  const { get } = Object.getOwnPropertyDescriptor(typedArray, name) as { get: () => never }
  return (array: Uint8Array): never => Reflect.apply(get, array, [])
}
const [memoryOf, offsetOf, lengthOf] = [getterOf('buffer'), getterOf('byteOffset'), getterOf('length')]

/** The same memory, whatever properties the caller has put on the array. */
const bufferOf = (array: Uint8Array) => bufferFrom<ArrayBuffer>(memoryOf(array), offsetOf(array), lengthOf(array))
