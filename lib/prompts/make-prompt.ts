/**
 * Makes a prompt from a caller's input. Native code asks for the messages it needs, one at a time; the
 * others are never touched. No caller code runs inside native code.
 */
import native = require('../../binding.js')
import { addressees, checkedObject } from './assembler-input.js'
import { checkParts, saidIn } from '../messages/parts.js'
import { pathOf, wrongType } from '../checks/problems.js'
import { callNative, errorOf } from '../errors.js'
import { emptyResult, isDebugged, outputOf } from './output.js'
import { countWith } from '../tokens/tokens.js'
import type { Form } from './form.js'
import type { TokenFunction } from '../tokens/checks.js'

const { parse } = JSON

/** Destructured once: objects created by native code are slow to read. */
const { countTexts, endPrompt, finishPrompt, passMessage, textsToCount, wantedMessage, wantsTokens, TEXTS_FIRST } =
  native

export interface Subject {
  /** Begins the prompt in native code. */
  begin: (report: boolean, joins: boolean) => number
  messages: readonly any[]
  /** A function is called here; any other tokenizer counts in native code. */
  tokenizer: unknown
}

/** @param onReport Called with the report as JSON. */
export const makePrompt = (subject: Subject, form: Form, onReport?: (report: string) => void) => {
  const debug = isDebugged()
  const report = form.report || onReport !== undefined
  // Only if nobody needs the prompt as bytes.
  const joins = form.kind === 'string' && !report && !debug
  const contents: string[] | undefined = joins ? [] : undefined
  const prompt = readMessages(subject, report, contents)
  const result = emptyResult()
  let written
  try {
    written = finishPrompt(prompt, form.kind === 'buffer', form.into, form.offset, report, debug, result)
  } catch (thrown) {
    throw errorOf(thrown)
  }
  onReport?.(result.report)
  return outputOf(form, written, result, contents)
}

/**
 * Begins a prompt, and passes every message that it needs. Returns its number.
 * @param contents Gets the contents of the messages that were passed, to be joined here.
 */
export const readMessages = ({ begin, messages, tokenizer }: Subject, report: boolean, contents?: string[]) => {
  const prompt = begin(report, contents !== undefined)
  let isRead = false
  try {
    let wanted = wantedMessage(prompt)
    let count
    if (wanted === TEXTS_FIRST) {
      count = tokenizer as TokenFunction
      countMaterials(prompt, count)
      wanted = wantedMessage(prompt)
    }
    while (wanted >= 0) wanted = pass(prompt, messages[wanted], wanted, contents, count)
    isRead = true
  } finally {
    if (!isRead) endPrompt(prompt)
  }
  return prompt
}

/** Has a caller-supplied function count everything but the messages. */
const countMaterials = (prompt: number, count: TokenFunction) => {
  const texts = parse(textsToCount(prompt)) as string[]
  callNative(
    countTexts,
    prompt,
    texts.map((text) => countWith(count, text)),
  )
}

/** Passes a message. Returns the index of the one that is needed next. */
const pass = (
  prompt: number,
  message: any,
  index: number,
  contents: string[] | undefined,
  count: TokenFunction | undefined,
) => {
  const { from, to, content, parts } = checkedObject(message, index)
  if (typeof from !== 'string') wrongType('a string', from, pathOf('contextMessages', index), 'from')
  const names = typeof to === 'string' || to === undefined || to === null ? undefined : addressees(to, index)
  if (parts !== undefined && parts !== null)
    return passParts(prompt, { from, to, content, parts, names }, index, contents, count)
  const tokens =
    count !== undefined && typeof content === 'string' && wantsTokens(prompt) ? countWith(count, content) : undefined
  if (contents !== undefined) contents[contents.length] = content
  try {
    // Most messages need no more, and a call with fewer arguments is faster.
    if (names === undefined && tokens === undefined) return passMessage(prompt, from, to ?? '', content)
    return passMessage(prompt, from, names?.join(', ') ?? to ?? '', content, names, tokens)
  } catch (thrown) {
    // Native code reads a content only where it needs it.
    if (typeof content !== 'string') wrongType('a string', content, pathOf('contextMessages', index), 'content')
    throw errorOf(thrown)
  }
}

/** Passes a message that has parts. */
const passParts = (
  prompt: number,
  { from, to, content, parts, names }: { from: string; to: any; content: any; parts: any; names: string[] | undefined },
  index: number,
  contents: string[] | undefined,
  count: TokenFunction | undefined,
) => {
  const { fields } = checkParts(parts, content, pathOf('contextMessages', index))
  const tokens = count !== undefined && wantsTokens(prompt) ? countWith(count, saidIn(fields)) : undefined
  if (contents !== undefined) contents[contents.length] = ''
  return callNative(passMessage, prompt, from, names?.join(', ') ?? to ?? '', '', names, tokens, fields)
}
