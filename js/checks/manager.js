'use strict'
/** The options of a manager and of its turns. */
const { assemblerOptions, instruction, markers } = require('./assemblers.js')
const { fields: fieldsOf } = require('./fields.js')
const { arrayOf, boolean, entriesOf, func, integer, isMissing, oneOf, optional, string } = require('./kinds.js')
const { layout } = require('./layouts.js')
const { wrongType } = require('./problems.js')
const { tokenizer } = require('./tokens.js')

/**
 * @template [T=any]
 * @typedef {import('./kinds.js').Kind<T>} Kind
 */

/** @type {Kind} Its methods are looked up when there is something to log. */
const logger = (value, parent, name) =>
  (typeof value === 'object' && value !== null) || typeof value === 'function'
    ? value
    : wrongType('an object', value, parent, name)

/** @type {Kind} Errors name the options of an assembler as its constructor does. */
const optionsOfAgent = (value) => assemblerOptions(value, '', 'options')

const managerOptions = fieldsOf({
  onMessageAdded: optional(func),
  onTeamTaskChanged: optional(func),
  onAssembled: optional(func),
  logger: optional(logger),
  contextWindowSize: optional(integer(0)),
  maxBytes: optional(integer(1)),
  defaultMaxSiblings: optional(integer(0)),
  defaultForceParentReinsertion: optional(boolean),
  siblingContentMaxLength: optional(integer(0)),
  parentReinsertionMaxBytes: optional(integer(0)),
  evictionStep: optional(integer(0)),
  stripMarkers: optional(boolean),
  ids: optional(oneOf(['number', 'keep'])),
  visibility: optional(oneOf(['addressed', 'team'])),
  reasoning: optional(oneOf(['omit', 'keep'])),
  showSender: optional(boolean),
  markers: optional(markers),
  onMissingParent: optional(oneOf(['latest', 'throw'])),
  maxTokens: optional(integer(1)),
  layouts: optional(arrayOf(layout), []),
  tokenizer: optional(tokenizer),
  assemblers: optional(entriesOf(optionsOfAgent), []),
})

/** @type {Kind} For one turn, a tokenizer is one of ours: messages are counted once, for all turns. */
const ownTokenizer = (value, parent, name) => {
  const checked = tokenizer(value, parent, name)
  return typeof checked === 'function'
    ? wrongType("'o200k', 'cl100k' or { bytesPerToken }", value, parent, name)
    : checked
}

/** @type {Kind<{ given: any, texts: string | string[] | undefined }>} */
const optionalInstruction = (value, parent, name) =>
  isMissing(value) ? { given: value, texts: undefined } : instruction(value, parent, name)

/** @type {Kind<{ given: any, text: string | undefined }>} */
const fileText = (value, parent, name) => ({ given: value, text: optional(string)(value, parent, name) })

const turnOptions = fieldsOf(
  {
    session: optional(oneOf(['delta'])),
    systemInstruction: optionalInstruction,
    instructionFileText: fileText,
    windowSizeOverride: optional(integer(0)),
    recipient: optional(string),
    showSender: optional(boolean),
    maxTokens: optional(integer(1)),
    tokenizer: optional(ownTokenizer),
    maxSiblings: optional(integer(0)),
    forceParentReinsertion: optional(boolean),
  },
  {
    misnamed: { systemInstructionText: 'systemInstruction' },
    besides: ['agentId', 'agentType', 'route', 'api', 'cache', 'model'],
  },
)

const routeFields = fieldsOf(
  {
    intent: optional(string),
    parentMessageId: optional(string, ''),
    targetMemberId: optional(string, ''),
  },
  { required: true },
)

/**
 * @param {any} agentId
 * @param {any} agentType
 * @param {unknown} options
 * @param {import('./form.js').Form['request']} [request] The request that is made.
 */
const turn = (agentId, agentType, options, request) => {
  string(agentId, '', 'agentId')
  string(agentType, '', 'agentType')
  const fields = /** @type {any} */ (turnOptions(options, '', 'options'))
  const { systemInstruction, instructionFileText } = fields
  fields.agentId = agentId
  fields.agentType = agentType
  fields.api = request?.api
  fields.cache = request?.cache
  fields.model = request?.model
  fields.systemInstruction = systemInstruction.texts
  fields.instructionFileText = instructionFileText.text
  /** What `getContextForAgent` returns unchanged. */
  const given = {
    systemInstruction: systemInstruction.given ?? undefined,
    instructionFileText: instructionFileText.given ?? undefined,
  }
  return { fields, given }
}

/** @param {unknown} given */
const route = (given) => routeFields(given, '', 'route')

const summary = fieldsOf({ upTo: string, text: string, recipient: optional(string) }, { required: true })
const exportOptions = fieldsOf({ after: optional(string) })
const importOptions = fieldsOf({ append: optional(boolean, false) })

module.exports = {
  exportOptions,
  importOptions,
  logger,
  managerOptions,
  route,
  routeFields,
  summary,
  turn,
  turnOptions,
}
