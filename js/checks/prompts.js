'use strict'
/** The input of `buildPrompt`. */
const { assemblerOptions, checkIndices, instruction, messages, moreOf, shared, sharedMore } = require('./assemblers.js')
const { fields } = require('./fields.js')
const { integer, optional, string } = require('./kinds.js')
const { layout } = require('./layouts.js')
const { wrongType } = require('./problems.js')
const { tokenizer } = require('./tokens.js')

/** Which assembler makes the prompt. */
const subject = {
  layout: optional(layout),
  agentType: optional(string),
  options: optional(assemblerOptions),
  tokenizer: optional(tokenizer),
}

/** Fields that most inputs lack. Native code reads them separately. */
const more = { roleSummary: optional(string), systemMaxBytes: optional(integer(0)), ...sharedMore }

const materials = {
  contextMessages: messages,
  maxBytes: optional(integer(1)),
  maxContextMessages: optional(integer(0)),
  recipient: optional(string),
  systemInstructionText: optional(instruction),
  message: string,
  ...shared,
  ...more,
}

const morePromptFields = moreOf({ ...more, tokenizer })

const RULES = { required: true, top: true }
const subjectFields = fields(subject, { ...RULES, also: [...Object.keys(materials), 'systemInstruction'] })
const promptFields = fields(materials, {
  ...RULES,
  anyKeys: true,
  misnamed: { systemInstruction: 'systemInstructionText' },
  besides: ['ends', 'tokenizer'],
})

/**
 * @param {any} value
 * @param {boolean} [isRequest] Whether it becomes a request to a model API, which needs no agent type.
 */
const promptInput = (value, isRequest = false) => {
  const made = subjectFields(value, '', 'input')
  if (made.layout === undefined && made.agentType === undefined && !isRequest)
    wrongType('a string', undefined, '', 'agentType')
  const input = promptFields(value, '', 'input')
  checkIndices(input.pinned, input.contextMessages.count, 'pinned')
  return { subject: made, input }
}

module.exports = { morePromptFields, promptFields, promptInput, subjectFields }
