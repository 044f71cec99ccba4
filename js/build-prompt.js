'use strict'
/** `buildPrompt`. */
const { beginPrompt } = require('../binding.js')
const { reportMisspelling } = require('./agent-types.js')
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
  const wanted = readForm(form, true)
  const subject = subjectOfPrompt(given, wanted.request)
  const output = makePrompt(subject, wanted)
  reportMisspelling(output.report, subject.agentType)
  return output
}

/**
 * @param {unknown} given
 * @param {import('./checks/form.js').Form['request']} [request] The request that is made.
 * @returns {import('./prompts.js').Subject & { agentType: string | undefined }}
 */
const subjectOfPrompt = (given, request) => {
  const { subject, input } = promptInput(given, request !== undefined)
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
      return beginPrompt(
        agentType,
        layout,
        optionFields,
        fields,
        morePromptFields(fields),
        count,
        report,
        joins,
        request,
      )
    } catch (thrown) {
      throw errorOf(thrown)
    }
  }
  const givenType = layout === undefined && request === undefined ? agentType : undefined
  return { begin, messages: list, tokenizer: subject.tokenizer ?? options?.tokenizer, agentType: givenType }
}

module.exports = { buildPrompt, subjectOfPrompt }
