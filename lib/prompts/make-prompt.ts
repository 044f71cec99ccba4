/**
 * Makes a prompt from a caller's input. Its texts and the messages that certainly fit are passed to native
 * code in one call. If more messages are needed, it says which, and they are passed together; the others
 * are never touched. No caller code runs inside native code.
 */
import native = require('../../binding.js')
import { leaveBatch, takeBatch, type Batch, type Messages, type Wanted } from './gather.js'
import { callNative, errorOf } from '../errors.js'
import { later } from '../later.js'
import { emptyOutput, isDebugged, outputOf, type NativeOutput } from './output.js'
import { countWith } from '../tokens/token-functions.js'
import { plainPrompt } from './plain.js'
import { Template } from './template.js'
import type { Form } from './form.js'
import type { AnyOutput } from './results.js'
import type { LineUnitFields, NeededFields } from '../../binding.js'
import type { CheckedTokenizer, TokenFunction } from '../tokens/tokenizer.js'

/** Below this size, reading a whole text is no slower than reading its ends. */
const MIN_LONG_UNITS = 256 * 1024

const endsOfLong = later(() => require('./long-text.js') as typeof import('./long-text.js'), 'endsOf')

/** The ends of a long text that certainly does not fit this many bytes. */
export const endsOf = (text: string, maxBytes: number) =>
  text.length < MIN_LONG_UNITS ? undefined : endsOfLong(text, maxBytes)

/** What surrounds the texts of an assembler's prompts. */
export interface Frame {
  /** The most bytes, without lines; infinite if there is no place for a conversation. */
  bytes: number
  line: LineUnitFields
  /** For plain prompts; undefined if there are none. */
  template: Template | undefined
}

export const frameOf = (assembler: native.NativeAssembler): Frame => ({
  bytes: assembler.frameBytes ?? Infinity,
  line: assembler.line,
  template: assembler.template == null ? undefined : new Template(assembler.template),
})

/** What a prompt is made from. */
export interface Subject {
  /** Calls native code. */
  begin: (batch: Batch, texts: string | Buffer, output: NativeOutput) => unknown
  frame: Frame
  list: readonly unknown[]
  count: number
  /** The texts that every input may have: message, team task, instruction file, and the instruction. */
  texts: readonly (string | undefined)[]
  instruction: readonly string[]
  maxBytes: number
  /** How many messages are shown at most. */
  maxMessages: number | undefined
  /** Whether only the messages for one member are shown. */
  isForOne: boolean
  /** Whether it has any field that most inputs lack. */
  isSpecial: boolean
  /** A function is called here; any other tokenizer counts in native code. */
  tokenizer: CheckedTokenizer | undefined
}

const KINDS = { string: 0, buffer: 1, into: 2, array: 0 }
/** A prompt is not made. */
const NO_PROMPT = 3
/** UTF-8 has at most this many bytes for a unit of UTF-16. */
const MOST_BYTES_PER_UNIT = 3

/** @param onReport Called with the report as JSON. */
export const makePrompt = (subject: Subject, form: Form, onReport?: (report: string) => void): AnyOutput => {
  const report = form.report || onReport !== undefined
  const debug = isDebugged()
  const messages = messagesOf(subject, report)
  const { template } = subject.frame
  const isPlain = !report && !debug && !subject.isSpecial && !subject.isForOne && form.kind !== 'array'
  const plain = isPlain && template !== undefined ? plainPrompt(subject, template, form, messages) : undefined
  if (plain !== undefined) return plain
  const output = emptyOutput(form.into)
  const written = run(subject, messages, KINDS[form.kind], form.offset, report, debug, output)
  if (output.report !== undefined) onReport?.(output.report)
  return outputOf(form, written, output)
}

/** Has native code read all messages that it needs. */
export const readMessages = (subject: Subject) => {
  const output = emptyOutput(undefined)
  run(subject, messagesOf(subject, false), NO_PROMPT, 0, false, false, output)
  return output.reading as native.NativeReading
}

const messagesOf = ({ list, isForOne, isSpecial, tokenizer }: Subject, report: boolean): Messages => ({
  list,
  countTokens: typeof tokenizer === 'function' ? tokenizer : undefined,
  kept: report || isForOne || isSpecial ? new Map() : undefined,
  failed: undefined,
})

const run = (
  subject: Subject,
  messages: Messages,
  kind: number,
  offset: number,
  report: boolean,
  debug: boolean,
  output: NativeOutput,
) => {
  const batch = takeBatch()
  try {
    setHeader(batch.numbers, subject, kind, offset, report, debug)
    addTexts(batch, subject)
    if (messages.countTokens === undefined && !subject.isSpecial) {
      batch.addLists(messages, [certain(subject, batch, report)], subject.frame.line)
    }
    let written
    try {
      written = subject.begin(batch, batch.seal(), output)
    } catch (thrown) {
      throw errorOf(thrown)
    }
    if (output.needed !== undefined) return passNeeded(batch, messages, output)
    return written
  } finally {
    leaveBatch(batch)
  }
}

/** The header of what is passed, as in `src/binding/passed.rs`. The number of rows and texts is set later. */
const setHeader = (
  numbers: Float64Array,
  { count, maxBytes, instruction, maxMessages }: Subject,
  kind: number,
  offset: number,
  report: boolean,
  debug: boolean,
) => {
  numbers[2] = count
  numbers[3] = kind
  numbers[4] = offset
  numbers[5] = report ? 1 : 0
  numbers[6] = debug ? 1 : 0
  numbers[7] = maxBytes
  numbers[8] = instruction.length
  numbers[9] = maxMessages ?? count
}

const addTexts = (batch: Batch, { texts, instruction }: Subject) => {
  for (const text of texts) batch.addText(text ?? '')
  for (const text of instruction) batch.addText(text)
}

/** The newest messages that certainly fit, whatever characters they have. */
const certain = (
  { frame, count, maxBytes, maxMessages, isForOne }: Subject,
  batch: Batch,
  report: boolean,
): Wanted => ({
  need: 'content',
  start: maxMessages === undefined ? 0 : Math.max(0, count - maxMessages),
  end: count,
  most: Infinity,
  continues: false,
  units: (maxBytes - frame.bytes) / MOST_BYTES_PER_UNIT - batch.units,
  // A report describes all of it.
  longest: report ? Infinity : maxBytes,
  isCounted: false,
  isLenient: isForOne,
})

/** Passes what is needed, until nothing more is. */
const passNeeded = (batch: Batch, messages: Messages, output: NativeOutput) => {
  const { countTokens } = messages
  const header = batch.numbers.slice(0, 10)
  let written
  while (output.needed !== undefined) {
    const reading = output.reading as native.NativeReading
    const needed = neededNow(reading, output.needed, countTokens)
    output.needed = undefined
    batch.clear()
    batch.numbers.set(header)
    batch.addLists(messages, needed.lists, needed.line)
    const texts = batch.seal()
    written = callNative(() => reading.pass(batch.numbers, texts, batch.extras, output))
  }
  return written
}

/** What is needed once a caller-supplied function has counted everything but the messages. */
const neededNow = (reading: native.NativeReading, needed: NeededFields, count: TokenFunction | undefined) => {
  if (needed.texts === undefined || count === undefined) return needed
  const tokens = needed.texts.map((text) => countWith(count, text))
  return callNative(() => reading.countTexts(tokens))
}
