/**
 * Makes a prompt from a caller's input. Native code asks for the messages it needs, one at a time; the
 * others are never touched. No caller code runs inside native code.
 */
import native = require('../../binding.js')
import { addresseeNames } from './materials.js'
import { checkParts, saidIn } from '../messages/parts.js'
import { isMissing, object } from '../checks/kinds.js'
import { pathOf, wrongType } from '../checks/problems.js'
import { callNative, errorOf } from '../errors.js'
import { emptyResult, isDebugged, outputOf } from './output.js'
import { countWith } from '../tokens/count-tokens.js'
import type { Form } from './form.js'
import type { CheckedTokenizer, TokenFunction } from '../tokens/tokenizer.js'

const { parse } = JSON

/** Destructured once: objects created by native code are slow to read. */
const { countTexts, endPrompt, finishPrompt, passMessage, textsToCount, wantedMessage, wantsTokens, TEXTS_FIRST } =
  native

export interface Subject {
  /** Begins the prompt in native code. */
  begin: (report: boolean, joins: boolean) => number
  messages: readonly unknown[]
  /** A function is called here; any other tokenizer counts in native code. */
  tokenizer: CheckedTokenizer | undefined
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
  if (result.report !== undefined) onReport?.(result.report)
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
  const tokens = texts.map((text) => countWith(count, text))
  callNative(countTexts, prompt, tokens)
}

/** Passes a message. Returns the index of the one that is needed next. */
const pass = (
  prompt: number,
  message: unknown,
  index: number,
  contents: string[] | undefined,
  count: TokenFunction | undefined,
) => {
  const { from, to, content, parts } = object(message, 'contextMessages', index)
  if (typeof from !== 'string') return wrongType('a string', from, pathOf('contextMessages', index), 'from')
  const names = isMissing(to) || typeof to === 'string' ? undefined : addresseesOf(to, index)
  const addressee = typeof to === 'string' ? to : (names?.join(', ') ?? '')
  if (!isMissing(parts)) {
    const { fields } = checkParts(parts, content, pathOf('contextMessages', index))
    const tokens = count !== undefined && wantsTokens(prompt) ? countWith(count, saidIn(fields)) : undefined
    if (contents !== undefined) contents[contents.length] = ''
    return callNative(passMessage, prompt, from, addressee, '', names, tokens, fields)
  }
  const tokens =
    count !== undefined && typeof content === 'string' && wantsTokens(prompt) ? countWith(count, content) : undefined
  // Native code reads a content only where it needs it, and refuses anything but a string.
  const text = content as string
  if (contents !== undefined) contents[contents.length] = text
  try {
    // Most messages need no more, and a call with fewer arguments is faster.
    if (names === undefined && tokens === undefined) return passMessage(prompt, from, addressee, text)
    return passMessage(prompt, from, addressee, text, names, tokens)
  } catch (thrown) {
    if (typeof content !== 'string') wrongType('a string', content, pathOf('contextMessages', index), 'content')
    throw errorOf(thrown)
  }
}

const addresseesOf = (to: unknown, index: number) => addresseeNames(to, pathOf('contextMessages', index), 'to')
