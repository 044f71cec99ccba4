'use strict'
/** What assemblers are made with, and what they assemble. */
const { fields } = require('./fields.js')
const { arrayOf, array, entriesOf, integer, isMissing, oneOf, optional, refined, string, strings } = require('./kinds.js')
const { outOfRange, pathOf, wrongType } = require('./problems.js')
const { tokenizer } = require('./tokens.js')

/** @typedef {import('./problems.js').Name} Name */

/** Titles by the names of parts; one that is missing leaves the layout's own. */
const headings = refined(
  entriesOf(optional(string)),
  (entries) => /** @type {[string, string][]} */ (entries.filter(([, title]) => title !== undefined)),
)

const assemblerOptions = fields({
  tokenizer: optional(tokenizer),
  systemPlacement: optional(string),
  headings: optional(headings, []),
  evictionStep: optional(integer(0)),
  markers: optional(oneOf(['verbatim', 'escape'])),
  messageMinBytes: optional(integer(0)),
})

/**
 * The caller's messages, none of them read yet, and how many there are.
 * @type {import('./kinds.js').Kind<{ list: readonly any[], count: number }>}
 */
const messages = refined(array, (list, parent, name) => {
  const { length } = list
  // Of a proxy, it may be anything.
  if (typeof length !== 'number') wrongType('an array', { length }, parent, name)
  return { list, count: length >>> 0 }
})

/**
 * One text or several: as they were given, and for native code. Of an array, that is a copy.
 * @type {import('./kinds.js').Kind<{ given: any, texts: string | string[] }>}
 */
const instruction = (value, parent, name) =>
  (typeof value === 'string' ? { given: value, texts: value } : { given: value, texts: strings(value, parent, name) })

const indices = arrayOf(integer(0))

/**
 * Refuses what is no index of the messages.
 * @param {number[] | undefined} given
 * @param {number} count
 * @param {string} name
 */
const checkIndices = (given, count, name) => {
  given?.forEach((index, place) => {
    if (index >= count) outOfRange('an index of contextMessages', index, name, place)
  })
}

/** Messages are objects of the caller's own, with any other fields in them. */
const quote = fields({ from: string, content: string }, { required: true, anyKeys: true })

/** What both inputs have, whatever they call the rest. */
const shared = {
  teamTask: optional(string),
  summary: optional(string),
  instructionFileText: optional(string),
  pinned: optional(indices),
  maxTokens: optional(integer(1)),
}

const assemblerFields = fields({
  contextMessages: messages,
  routeMeta: optional(fields({ parentMessageId: optional(string, ''), intent: optional(string, '') }, { anyKeys: true })),
  maxBytes: integer(1),
  parentContext: optional(quote),
  currentMessage: string,
  systemInstruction: optional(instruction),
  siblingContext: optional(arrayOf(quote)),
  gapsBefore: optional(indices),
  ...shared,
}, { required: true, top: true, misnamed: { systemInstructionText: 'systemInstruction' } })

/** @param {unknown} value */
const assemblerInput = (value) => {
  const input = assemblerFields(value, '', 'input')
  const { contextMessages: { count }, pinned, gapsBefore } = input
  checkIndices(pinned, count, 'pinned')
  checkIndices(gapsBefore, count, 'gapsBefore')
  return input
}

const addressees = arrayOf(string, 'a string or an array of strings')

/**
 * Sender and addressee of a message that native code asked for. Its content is checked where it is
 * read.
 * @param {any} message
 * @param {number} index
 * @returns {{ from: string, to: string, names: string[] | undefined, content: any }}
 */
const checkMessage = (message, index) => {
  if (typeof message !== 'object' || message === null) wrongType('an object', message, 'contextMessages', index)
  const { from, to, content } = message
  if (typeof from !== 'string') wrongType('a string', from, pathOf('contextMessages', index), 'from')
  if (typeof to === 'string') return { from, to, names: undefined, content }
  if (isMissing(to)) return { from, to: '', names: undefined, content }
  const names = addressees(to, pathOf('contextMessages', index), 'to').filter((name) => name.trim() !== '')
  return { from, to: names.join(', '), names, content }
}

module.exports = { assemblerFields, assemblerInput, assemblerOptions, checkIndices, checkMessage, instruction, messages, shared }
