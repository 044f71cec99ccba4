'use strict'
/** What `trimMessages` and `contextBudget` take. */
const { fields } = require('./fields.js')
const { anything, array, boolean, func, integer, isMissing, oneOf, optional } = require('./kinds.js')
const { typeProblem } = require('./problems.js')
const { tokenizer } = require('./tokens.js')

/** @typedef {import('../../index.d.ts').ListApi} ListApi */

/** @type {readonly ListApi[]} */
const APIS = ['anthropic', 'openai', 'openai-chat', 'gemini', 'ai-sdk']

/** @type {import('./kinds.js').Kind<number | ((part: any) => number)>} */
const fileTokens = (value, parent, name) => (typeof value === 'function' ? value : integer(0)(value, parent, name))

const budget = {
  maxTokens: integer(1),
  tokenizer: optional(tokenizer),
  fileTokens: optional(fileTokens),
}

const trimTable = fields(
  { as: oneOf(APIS), ...budget, system: anything, tools: anything, report: optional(boolean, false) },
  { required: true },
)

const middlewareTable = fields({ ...budget, onTrim: optional(func) }, { required: true })

/** OpenAI's own vocabulary is the default for OpenAI. @param {string} as @param {any} given */
const needTokenizer = (as, given) => {
  if (!isMissing(given)) return given
  if (as.startsWith('openai')) return tokenizer('o200k', 'options', 'tokenizer')
  throw typeProblem(
    `options.tokenizer is required for ${as}, whose vocabulary is not public: ` +
      "pass 'o200k', 'cl100k', { bytesPerToken } or a function",
  )
}

/** @param {unknown} messages @param {unknown} options */
const readTrim = (messages, options) => {
  const list = array(messages, '', 'messages')
  const read = trimTable(options, '', 'options')
  return { list, ...read, tokenizer: needTokenizer(read.as, read.tokenizer) }
}

/** @param {unknown} options */
const readMiddleware = (options) => {
  const read = middlewareTable(options, '', 'options')
  return { ...read, tokenizer: needTokenizer('ai-sdk', read.tokenizer) }
}

module.exports = { readMiddleware, readTrim }
