'use strict'
/** The options and inputs of assemblers. */
const { fields } = require('./fields.js')
const { arrayOf, array, boolean, entriesOf, integer, oneOf, optional, refined, string, strings } = require('./kinds.js')
const { outOfRange, pathOf, wrongType } = require('./problems.js')
const { tokenizer } = require('./tokens.js')

/** @typedef {import('./problems.js').Name} Name */

/** Titles by the names of parts; one that is missing leaves the layout's own. */
const headings = refined(
  entriesOf(optional(string)),
  (entries) => /** @type {[string, string][]} */ (entries.filter(([, title]) => title !== undefined)),
)

const markers = oneOf(['verbatim', 'escape', 'fence'])

/** @type {import('./kinds.js').Kind<string>} */
const fenceKey = (value, parent, name) => {
  const key = string(value, parent, name)
  return /^[A-Za-z0-9]{12}$/.test(key) ? key : wrongType('12 letters and digits', value, parent, name)
}

const assemblerOptions = fields({
  tokenizer: optional(tokenizer),
  systemPlacement: optional(string),
  headings: optional(headings, []),
  evictionStep: optional(integer(0)),
  markers: optional(markers),
  showSender: optional(boolean),
  messageMinBytes: optional(integer(0)),
  toolOutputMinBytes: optional(integer(0)),
  reasoning: optional(oneOf(['omit', 'keep'])),
})

/**
 * The caller's messages, none of them read yet, and how many there are.
 * @type {import('./kinds.js').Kind<{ list: readonly any[], count: number }>}
 */
const messages = refined(array, (list, parent, name) => {
  const { length } = list
  // A proxy can return anything here.
  if (typeof length !== 'number') wrongType('an array', { length }, parent, name)
  return { list, count: length >>> 0 }
})

/**
 * One text or several: as given, and for native code, which gets a copy of an array.
 * @type {import('./kinds.js').Kind<{ given: any, texts: string | string[] }>}
 */
const instruction = (value, parent, name) =>
  typeof value === 'string' ? { given: value, texts: value } : { given: value, texts: strings(value, parent, name) }

const indices = arrayOf(integer(0))

/**
 * Rejects anything that is not an index into the messages.
 * @param {number[] | undefined} given
 * @param {number} count
 * @param {string} name
 */
const checkIndices = (given, count, name) => {
  given?.forEach((index, place) => {
    if (index >= count) outOfRange('an index of contextMessages', index, name, place)
  })
}

/** Messages are caller-supplied objects, which may have any other fields. */
const quote = fields({ from: string, content: string }, { required: true, anyKeys: true })

const nameList = arrayOf(string, 'a string or an array of strings')

/** @param {readonly string[]} to Without blank names. */
const withoutBlank = (to) => to.filter((name) => name.trim() !== '')

/**
 * One addressee, or several as one text.
 * @type {import('./kinds.js').Kind<string>}
 */
const addresseeText = (value, parent, name) =>
  typeof value === 'string' ? value : withoutBlank(nameList(value, parent, name)).join(', ')

/** The fields that both inputs share. */
const shared = { teamTask: optional(string), instructionFileText: optional(string) }
const sharedMore = {
  summary: optional(string),
  pinned: optional(indices),
  maxTokens: optional(integer(1)),
  messageFrom: optional(string),
  messageTo: optional(addresseeText),
  fenceKey: optional(fenceKey),
}

/** Fields that most inputs lack. Native code reads them separately. */
const more = {
  routeMeta: optional(fields({ parentMessageId: optional(string, ''), intent: optional(string, '') })),
  parentContext: optional(quote),
  siblingContext: optional(arrayOf(quote)),
  gapsBefore: optional(indices),
  showSender: optional(boolean),
  summaryCovers: optional(integer(0)),
  ...sharedMore,
}

const assemblerFields = fields(
  {
    contextMessages: messages,
    maxBytes: integer(1),
    currentMessage: string,
    systemInstruction: optional(instruction),
    ...shared,
    ...more,
  },
  { required: true, top: true, misnamed: { systemInstructionText: 'systemInstruction' }, besides: ['ends'] },
)

/**
 * The input, if it has any field that most inputs lack.
 * @param {Record<string, unknown>} table Fields that most inputs lack.
 */
const moreOf = (table) => {
  const names = [...Object.keys(table), 'ends']
  return (/** @type {any} */ input) => {
    for (const name of names) if (input[name] !== undefined) return input
    return undefined
  }
}

const moreAssemblerFields = moreOf(more)

/** @param {unknown} value */
const assemblerInput = (value) => {
  const input = assemblerFields(value, '', 'input')
  const {
    contextMessages: { count },
    pinned,
    gapsBefore,
    summaryCovers,
  } = input
  checkIndices(pinned, count, 'pinned')
  checkIndices(gapsBefore, count, 'gapsBefore')
  if (summaryCovers !== undefined && summaryCovers > count) {
    outOfRange('at most the number of contextMessages', summaryCovers, '', 'summaryCovers')
  }
  return input
}

/**
 * A message that native code asked for.
 * @param {any} message
 * @param {number} index
 */
const checkedObject = (message, index) =>
  typeof message === 'object' && message !== null ? message : wrongType('an object', message, 'contextMessages', index)

/**
 * The names in an array of addressees, without blank ones.
 * @param {unknown} to
 * @param {number} index
 */
const addressees = (to, index) => withoutBlank(nameList(to, pathOf('contextMessages', index), 'to'))

module.exports = {
  addressees,
  assemblerFields,
  assemblerInput,
  assemblerOptions,
  checkedObject,
  checkIndices,
  instruction,
  markers,
  messages,
  moreAssemblerFields,
  moreOf,
  shared,
  sharedMore,
}
