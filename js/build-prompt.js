'use strict'
/** `buildPrompt`. */
const { beginPrompt } = require('../binding.js')
const { readForm } = require('./checks/form.js')
const { morePromptFields, promptInput } = require('./checks/prompts.js')
const { errorOf } = require('./errors.js')
const { endsOf } = require('./long-text.js')
const { makePrompt } = require('./prompts.js')
const { nativeTokenizer } = require('./token-functions.js')

const DEFAULT_MAX_BYTES = 768 * 1024

/**
 * @param {unknown} given
 * @param {unknown} [form]
 */
const buildPrompt = (given, form) => {
  const wanted = readForm(form)
  return makePrompt(subjectOfPrompt(given), wanted)
}

/**
 * @param {unknown} given
 * @returns {import('./prompts.js').Subject}
 */
const subjectOfPrompt = (given) => {
  const { subject, input } = promptInput(given)
  const { agentType, layout, options } = subject
  const {
    contextMessages: { list, count },
    message,
    maxBytes,
  } = input
  const fields = /** @type {any} */ (input)
  fields.systemInstructionText = input.systemInstructionText?.texts
  fields.tokenizer = nativeTokenizer(subject.tokenizer)
  fields.ends = endsOf(message, maxBytes ?? DEFAULT_MAX_BYTES)
  const optionFields = options && { ...options, tokenizer: nativeTokenizer(options.tokenizer) }
  /** @type {import('./prompts.js').Subject['begin']} */
  const begin = (report, joins) => {
    try {
      return beginPrompt(agentType, layout, optionFields, fields, morePromptFields(fields), count, report, joins)
    } catch (thrown) {
      throw errorOf(thrown)
    }
  }
  return { begin, messages: list, tokenizer: subject.tokenizer ?? options?.tokenizer }
}

module.exports = { buildPrompt, subjectOfPrompt }
