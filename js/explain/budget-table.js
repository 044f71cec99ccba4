'use strict'
/** What every budget would keep of a prompt. The addon computes it, and the page looks it up. */
const native = require('../../binding.js')
const { LayoutAssembler, subjectOfAssembler } = require('../assemblers.js')
const { buildPrompt, subjectOfPrompt } = require('../build-prompt.js')
const { callNative, isPromptmasonError } = require('../errors.js')
const { readMessages } = require('../prompts.js')

/** @typedef {import('../../index.d.ts').AssemblerInput} AssemblerInput */
/** @typedef {import('../../index.d.ts').AssemblerReportOutput} AssemblerReportOutput */
/** @typedef {import('../../index.d.ts').PromptInput} PromptInput */
/**
 * @typedef {import('./page/budget.js').BudgetTable & { indices: number[], lineBytes: number[], lineTokens?: number[], pinned: number[] }} FullTable
 * Plus the messages that a prompt can show: their places in the input, the sizes of their lines (in
 * tokens, too, if the table is), and which lines are pinned.
 */

/** Any prompt fits these limits. */
const AMPLE = Number.MAX_SAFE_INTEGER
const AMPLE_TOKENS = 2 ** 40
/** With these options, everything is read and nothing is dropped. */
const BYTES_ONLY = { maxBytes: AMPLE, maxTokens: undefined, tokenizer: undefined }
const WITH_TOKENS = { maxBytes: AMPLE, maxTokens: AMPLE_TOKENS }
/** With these added, no text is cut, and the conversation is left out. */
const OTHERS = { ...BYTES_ONLY, contextMessages: [], pinned: undefined, gapsBefore: undefined, systemMaxBytes: AMPLE }

/**
 * An input and the function that takes it.
 * @typedef {object} Source
 * @property {readonly import('../../index.d.ts').PromptContextMessage[]} messages
 * @property {() => AssemblerReportOutput | undefined} again Makes the same prompt again; undefined if it does not fit.
 * @property {() => AssemblerReportOutput} others Everything but the conversation, whole.
 * @property {(maxTokens: number | undefined) => FullTable} table Of budgets in tokens, if there is one.
 */

/**
 * @param {AssemblerInput | PromptInput | import('../../index.d.ts').LayoutPromptInput} input
 * @param {import('../../types/context-assembler.js').ContextAssembler | undefined} assembler
 * @param {Pick<import('../../index.d.ts').AssemblerReport, 'agentType' | 'maxBytes'>} report
 * @returns {Source | undefined} Undefined if the layout of the agent type is not known.
 */
const sourceOf = (input, assembler, { agentType, maxBytes }) => {
  const isOfAssembler = 'currentMessage' in input
  const used = isOfAssembler ? (assembler ?? knownAssembler(agentType)) : undefined
  if (isOfAssembler && used === undefined) return undefined
  /** @type {(changes: object) => AssemblerReportOutput} */
  const run = isOfAssembler
    ? // Our own method, which rejects anything but our assemblers.
      (changes) => LayoutAssembler.prototype.assemble.call(used, { ...input, ...changes }, { report: true })
    : (changes) => buildPrompt({ ...input, ...changes }, { report: true })
  const subjectWith = (/** @type {object} */ changes) => {
    const everything = { ...input, ...changes }
    return isOfAssembler ? subjectOfAssembler(used, everything) : subjectOfPrompt(everything)
  }
  return {
    messages: input.contextMessages,
    again: () => ifItFits(() => run({ maxBytes })),
    others: () => run(OTHERS),
    table(maxTokens) {
      const prompt = readMessages(subjectWith(maxTokens === undefined ? BYTES_ONLY : WITH_TOKENS), false)
      return JSON.parse(callNative(native.budgetTable, prompt, maxBytes, maxTokens))
    },
  }
}

/** @template T @param {() => T} make @returns {T | undefined} */
const ifItFits = (make) => {
  try {
    return make()
  } catch (error) {
    if (isPromptmasonError(error, 'ERR_BUDGET_EXCEEDED')) return undefined
    throw error
  }
}

/** @param {string} agentType */
const knownAssembler = (agentType) => {
  try {
    return LayoutAssembler.for(agentType)
  } catch {
    return undefined
  }
}

module.exports = { sourceOf }
