'use strict'
/** The input of `buildPrompt`. */
const { assemblerOptions, checkIndices, instruction, messages, shared } = require('./assemblers.js')
const { fields } = require('./fields.js')
const { integer, optional, string } = require('./kinds.js')
const { layout } = require('./layouts.js')
const { wrongType } = require('./problems.js')
const { tokenizer } = require('./tokens.js')

/** Which assembler makes the prompt. */
const subject = {
  layout: optional(layout),
  agentType: optional(string),
  options: assemblerOptions,
  tokenizer: optional(tokenizer),
}

const materials = {
  contextMessages: messages,
  maxBytes: optional(integer(1)),
  maxContextMessages: optional(integer(0)),
  recipient: optional(string),
  roleSummary: optional(string),
  systemInstructionText: optional(instruction),
  message: string,
  systemMaxBytes: optional(integer(0)),
  ...shared,
}

const RULES = { required: true, top: true }
const subjectFields = fields(subject, { ...RULES, also: [...Object.keys(materials), 'systemInstruction'] })
const promptFields = fields(materials, { ...RULES, anyKeys: true, misnamed: { systemInstruction: 'systemInstructionText' } })

/** @param {any} value */
const promptInput = (value) => {
  const { layout: own, agentType, ...rest } = subjectFields(value, '', 'input')
  if (own === undefined && agentType === undefined) wrongType('a string', agentType, '', 'agentType')
  const input = { layout: own, agentType, ...rest, ...promptFields(value, '', 'input') }
  checkIndices(input.pinned, input.contextMessages.count, 'pinned')
  return input
}

module.exports = { promptFields, promptInput, subjectFields }
