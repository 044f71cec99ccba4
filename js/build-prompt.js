'use strict'
/** `buildPrompt`. */
const { beginPrompt } = require('../binding.js')
const { readForm } = require('./checks/form.js')
const { promptInput } = require('./checks/prompts.js')
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
  const input = promptInput(given)
  const { agentType, layout, options, contextMessages: { list, count } } = input
  const tokenizer = input.tokenizer ?? options.tokenizer
  const fields = /** @type {any} */ ({
    ...input,
    systemInstructionText: input.systemInstructionText?.texts,
    tokenizer: nativeTokenizer(input.tokenizer),
    ends: endsOf(input.message, input.maxBytes ?? DEFAULT_MAX_BYTES),
  })
  const optionFields = { ...options, tokenizer: nativeTokenizer(options.tokenizer) }
  /** @type {import('./prompts.js').Subject['begin']} */
  const begin = (report, joins) => beginPrompt(agentType, layout, optionFields, fields, count, report, joins)
  return { begin, messages: list, tokenizer }
}

module.exports = { buildPrompt, subjectOfPrompt }
