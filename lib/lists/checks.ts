/** What `trimMessages` and `contextBudget` take. */
import { recordOf } from '../checks/fields.js'
import { anything, array, boolean, func, integer, isMissing, oneOf, optional } from '../checks/kinds.js'
import { typeProblem } from '../checks/problems.js'
import { tokenizer } from '../tokens/tokenizer.js'
import type { ListApi } from './types.js'
import type { Kind } from '../checks/kinds.js'

const APIS: readonly ListApi[] = ['anthropic', 'openai', 'openai-chat', 'gemini', 'ai-sdk']

const fileTokens: Kind<number | ((part: any) => number)> = (value, parent, name) =>
  typeof value === 'function' ? value : integer(0)(value, parent, name)

const budget = {
  maxTokens: integer(1),
  tokenizer: optional(tokenizer),
  fileTokens: optional(fileTokens),
}

const trimTable = recordOf(
  { as: oneOf(APIS), ...budget, system: anything, tools: anything, report: optional(boolean, false) },
  { required: true },
)

const middlewareTable = recordOf({ ...budget, onTrim: optional(func()) }, { required: true })

/** OpenAI's own vocabulary is the default for OpenAI. */
const needTokenizer = (as: string, given: any) => {
  if (!isMissing(given)) return given
  if (as.startsWith('openai')) return tokenizer('o200k', 'options', 'tokenizer')
  throw typeProblem(
    `options.tokenizer is required for ${as}, whose vocabulary is not public: ` +
      "pass 'o200k', 'cl100k', { bytesPerToken } or a function",
  )
}

export const readTrim = (messages: unknown, options: unknown) => {
  const list = array(messages, '', 'messages')
  const read = trimTable(options, '', 'options')
  return { list, ...read, tokenizer: needTokenizer(read.as, read.tokenizer) }
}

export const readMiddleware = (options: unknown) => {
  const read = middlewareTable(options, '', 'options')
  return { ...read, tokenizer: needTokenizer('ai-sdk', read.tokenizer) }
}
