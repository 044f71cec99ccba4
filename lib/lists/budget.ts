/** What `trimMessages` and `contextBudget` share. */
import { integer, type Kind, optional } from '../checks/kinds.js'
import { typeProblem } from '../checks/problems.js'
import { type CheckedTokenizer, tokenizer, type Tokenizer } from '../tokens/tokenizer.js'

/**
 * The form of a list:
 * - `'anthropic'`: `messages` of the Messages API;
 * - `'openai'`: `input` of the Responses API;
 * - `'openai-chat'`: `messages` of the Chat Completions API;
 * - `'gemini'`: `contents` of `generateContent`;
 * - `'ai-sdk'`: `ModelMessage[]` of the AI SDK.
 */
export type ListApi = 'anthropic' | 'openai' | 'openai-chat' | 'gemini' | 'ai-sdk'

/** A budget for a list. */
export interface ListBudget {
  /** The maximum tokens of the request: messages, `system` and `tools`. */
  maxTokens: number
  /**
   * What counts tokens. Required, except for `'openai'` and `'openai-chat'`.
   * @default 'o200k' for OpenAI
   */
  tokenizer?: Tokenizer | null | undefined
  /**
   * The tokens of each file or image, or a function that takes the part and returns them.
   * @default for images, the most that one counts at the provider by default; other files need it
   */
  // Callers write the type that their SDK has for it.
  fileTokens?: number | ((part: any) => number) | null | undefined
}

export type FileTokens = NonNullable<ListBudget['fileTokens']>

const fileTokens: Kind<FileTokens> = (value, parent, name) =>
  typeof value === 'function' ? (value as FileTokens) : integer(0)(value, parent, name)

/** The fields of a budget except its tokenizer, which some callers have to pass. */
export const budgetTable = { maxTokens: integer(1), fileTokens: optional(fileTokens) }

/** OpenAI's own vocabulary is the default for OpenAI. */
export const needTokenizer = (as: ListApi, given: CheckedTokenizer | undefined): CheckedTokenizer => {
  if (given !== undefined) return given
  if (as.startsWith('openai')) return tokenizer('o200k', 'options', 'tokenizer')
  throw typeProblem(
    `options.tokenizer is required for ${as}, whose vocabulary is not public: ` +
      "pass 'o200k', 'cl100k', { bytesPerToken } or a function",
  )
}
