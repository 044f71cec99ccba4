'use strict'
/** `buildPrompt`. */
const { buildPrompt: assemblePrompt } = require('../binding.js')
const { errorOf } = require('./errors.js')
const { passPromptInput } = require('./fields.js')
const { readForm } = require('./form.js')
const { formNumber, outputOf, targetOf } = require('./output.js')

/**
 * @param {import('../index.d.ts').PromptInput | import('../index.d.ts').LayoutPromptInput} input
 * @param {import('../index.d.ts').PromptForm | null} [form]
 * @returns {any}
 */
const buildPrompt = (input, form) => {
  const wanted = readForm(form)
  /** @type {string[]} */
  const contents = []
  try {
    return outputOf(wanted, passPromptInput(assemblePrompt, formNumber(wanted), input, targetOf(wanted), wanted.offset, contents), contents)
  } catch (thrown) {
    throw errorOf(thrown)
  }
}

module.exports = { buildPrompt }
