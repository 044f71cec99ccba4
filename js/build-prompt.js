'use strict'
/** `buildPrompt` in its four forms. */
const { buildPrompt: assemblePrompt } = require('../binding.js')
const { errorOf } = require('./errors.js')
const { passPromptInput } = require('./fields.js')
const { FORMS, allocate, bufferOutput, intoOutput, reportOutput, textOutput } = require('./output.js')

/** @typedef {import('../index.d.ts').PromptInput | import('../index.d.ts').LayoutPromptInput} PromptInput */

/** @param {PromptInput} input */
const buildPrompt = (input) => {
  /** @type {string[]} */
  const contents = []
  try {
    return textOutput(passPromptInput(assemblePrompt, FORMS.text, input, undefined, undefined, contents), contents)
  } catch (thrown) {
    throw errorOf(thrown)
  }
}

/** @param {PromptInput} input */
const buildPromptWithReport = (input) => {
  try {
    return reportOutput(passPromptInput(assemblePrompt, FORMS.report, input))
  } catch (thrown) {
    throw errorOf(thrown)
  }
}

/** @param {PromptInput} input */
const buildPromptToBuffer = (input) => {
  try {
    return bufferOutput(passPromptInput(assemblePrompt, FORMS.buffer, input, allocate))
  } catch (thrown) {
    throw errorOf(thrown)
  }
}

/**
 * @param {PromptInput} input
 * @param {Uint8Array} buffer
 * @param {number} [offset]
 */
const buildPromptInto = (input, buffer, offset) => {
  try {
    return intoOutput(passPromptInput(assemblePrompt, FORMS.into, input, buffer, offset ?? 0))
  } catch (thrown) {
    throw errorOf(thrown)
  }
}

module.exports = { buildPrompt, buildPromptInto, buildPromptToBuffer, buildPromptWithReport }
