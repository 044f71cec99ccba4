'use strict'
/**
 * The fields of what callers pass, in the order in which native code takes them. To read a
 * field takes a few instructions here and 60 to 120 ns from native code, so they are read here
 * and passed by position, in one call.
 *
 * This is the only list of them; `binding.d.ts` has the same names, and a test compares both.
 */
const { debugFlag } = require('./debug.js')
const { names, visitMessages } = require('./messages.js')
const { emptySlots } = require('./output.js')

/**
 * @param {typeof import('../binding.js').assemble} assemble
 * @param {number} handle
 * @param {import('../binding.js').OutputForm} form
 * @param {any} input
 * @param {unknown} [target]
 * @param {unknown} [offset]
 * @param {string[]} [contents]
 * @param {unknown[]} [functions] Tokenizers that are functions.
 * @returns {any}
 */
const passAssemblerInput = (assemble, handle, form, input, target, offset, contents, functions) => {
  const systemInstruction = input?.systemInstruction
  return assemble(
    handle, form + debugFlag(), target, offset, emptySlots(), visitMessages, names, contents, functions, input,
    systemInstruction, input?.contextMessages, input?.routeMeta, input?.maxBytes, input?.parentContext, input?.currentMessage,
    input?.teamTask, input?.summary, input?.instructionFileText, input?.siblingContext, input?.pinned, input?.gapsBefore,
    input?.maxTokens, systemInstruction ?? input?.systemInstructionText,
  )
}

/**
 * @param {typeof import('../binding.js').buildPrompt} buildPrompt
 * @param {import('../binding.js').OutputForm} form
 * @param {any} input
 * @param {unknown} [target]
 * @param {unknown} [offset]
 * @param {string[]} [contents]
 * @returns {any}
 */
const passPromptInput = (buildPrompt, form, input, target, offset, contents) => {
  const systemInstructionText = input?.systemInstructionText
  return buildPrompt(
    form + debugFlag(), target, offset, emptySlots(), visitMessages, names, contents, input,
    systemInstructionText, input?.agentType, input?.layout, input?.options, input?.contextMessages, input?.maxBytes,
    input?.maxContextMessages, input?.recipient, input?.roleSummary, input?.message, input?.teamTask, input?.summary, input?.instructionFileText,
    input?.systemMaxBytes, input?.pinned, input?.maxTokens, input?.tokenizer,
    systemInstructionText ?? input?.systemInstruction,
  )
}

module.exports = { passAssemblerInput, passPromptInput }
