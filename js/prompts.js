'use strict'
/**
 * Makes a prompt from a caller's input. Native code asks for the messages it needs, one at a time; the
 * others are never touched. No caller code runs inside native code.
 */
const native = require('../binding.js')
const { addressees, checkedObject } = require('./checks/assemblers.js')
const { checkParts, saidIn } = require('./checks/parts.js')
const { pathOf, wrongType } = require('./checks/problems.js')
const { callNative, errorOf } = require('./errors.js')
const { emptyResult, isDebugged, outputOf } = require('./output.js')
const { countWith } = require('./tokens.js')

const { parse } = JSON

/** Destructured once: objects created by native code are slow to read. */
const { countTexts, endPrompt, finishPrompt, passMessage, textsToCount, wantedMessage, wantsTokens, TEXTS_FIRST } =
  native

/**
 * @typedef {object} Subject
 * @property {(report: boolean, joins: boolean) => number} begin Begins the prompt in native code.
 * @property {readonly any[]} messages
 * @property {unknown} tokenizer A function is called here; any other tokenizer counts in native code.
 */

/**
 * @param {Subject} subject
 * @param {import('./checks/form.js').Form} form
 * @param {(report: string) => void} [onReport] Called with the report as JSON.
 */
const makePrompt = (subject, form, onReport) => {
  const debug = isDebugged()
  const report = form.report || onReport !== undefined
  // Only if nobody needs the prompt as bytes.
  const joins = form.kind === 'string' && !report && !debug
  /** @type {string[] | undefined} */
  const contents = joins ? [] : undefined
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
 * @param {Subject} subject
 * @param {boolean} report
 * @param {string[]} [contents] Gets the contents of the messages that were passed, to be joined here.
 */
const readMessages = ({ begin, messages, tokenizer }, report, contents) => {
  const prompt = begin(report, contents !== undefined)
  let isRead = false
  try {
    let wanted = wantedMessage(prompt)
    let count
    if (wanted === TEXTS_FIRST) {
      count = /** @type {import('./checks/tokens.js').TokenFunction} */ (tokenizer)
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

/**
 * Has a caller-supplied function count everything but the messages.
 * @param {number} prompt
 * @param {import('./checks/tokens.js').TokenFunction} count
 */
const countMaterials = (prompt, count) => {
  const texts = /** @type {string[]} */ (parse(textsToCount(prompt)))
  callNative(
    countTexts,
    prompt,
    texts.map((text) => countWith(count, text)),
  )
}

/**
 * Passes a message. Returns the index of the one that is needed next.
 * @param {number} prompt
 * @param {any} message
 * @param {number} index
 * @param {string[] | undefined} contents
 * @param {import('./checks/tokens.js').TokenFunction | undefined} count
 */
const pass = (prompt, message, index, contents, count) => {
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

/**
 * Passes a message that has parts.
 * @param {number} prompt
 * @param {{ from: string, to: any, content: any, parts: any, names: string[] | undefined }} message
 * @param {number} index
 * @param {string[] | undefined} contents
 * @param {import('./checks/tokens.js').TokenFunction | undefined} count
 */
const passParts = (prompt, { from, to, content, parts, names }, index, contents, count) => {
  const { fields } = checkParts(parts, content, pathOf('contextMessages', index))
  const tokens = count !== undefined && wantsTokens(prompt) ? countWith(count, saidIn(fields)) : undefined
  if (contents !== undefined) contents[contents.length] = ''
  return callNative(passMessage, prompt, from, names?.join(', ') ?? to ?? '', '', names, tokens, fields)
}

module.exports = { makePrompt, readMessages }
