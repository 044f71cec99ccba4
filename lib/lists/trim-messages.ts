/** `trimMessages`, and `contextBudget`, which trims what the AI SDK sends. The AI SDK itself is not loaded. */
import { fields } from '../checks/fields.js'
import { array, boolean, checkedLater, func, integer, type Kind, oneOf, optional } from '../checks/kinds.js'
import { APIS } from '../prompts/form.js'
import { type CheckedTokenizer, tokenizer, type Tokenizer } from '../tokens/tokenizer.js'
import { trimList } from './trim.js'
import { typeProblem } from '../checks/problems.js'

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
  /** What counts tokens. Required, except for `'openai'` and `'openai-chat'`. @default 'o200k' for OpenAI */
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
const budgetTable = { maxTokens: integer(1), fileTokens: optional(fileTokens) }

/** OpenAI's own vocabulary is the default for OpenAI. */
const needTokenizer = (as: ListApi, given: CheckedTokenizer | undefined): CheckedTokenizer => {
  if (given !== undefined) return given
  if (as.startsWith('openai')) return tokenizer('o200k', 'options', 'tokenizer')
  throw typeProblem(
    `options.tokenizer is required for ${as}, whose vocabulary is not public: ` +
      "pass 'o200k', 'cl100k', { bytesPerToken } or a function",
  )
}

export interface TrimMessagesOptions extends ListBudget {
  /** The form of the list. */
  as: ListApi
  /** The system text that is sent with the list, in any form that the API accepts. It counts. @default undefined */
  system?: string | object | readonly (string | object)[] | null | undefined
  /** The tool definitions that are sent with the list. They count. @default undefined */
  tools?: object | readonly object[] | null | undefined
  /** Whether to return a report. @default false */
  report?: boolean | null | undefined
}

const trimOptions = fields<TrimMessagesOptions>()(
  {
    as: oneOf(APIS),
    maxTokens: budgetTable.maxTokens,
    tokenizer: optional(tokenizer),
    fileTokens: budgetTable.fileTokens,
    system: checkedLater<TrimMessagesOptions['system']>(),
    tools: checkedLater<TrimMessagesOptions['tools']>(),
    report: optional(boolean, false),
  },
  { required: true },
)

/** What happened to a list. */
export interface TrimReport {
  as: ListApi
  tokenizer: 'o200k' | 'cl100k' | 'estimate' | 'function'
  /** Whether texts were counted exactly. Everything around them is an upper estimate. */
  tokensExact: boolean
  maxTokens: number
  /** Tokens of the trimmed request. At most `maxTokens`. */
  totalTokens: number
  givenMessages: number
  keptMessages: number
  /** Every dropped message, in the order of the list. */
  dropped: DroppedFromList[]
}

export interface DroppedFromList {
  /** Its index in the list. */
  index: number
  /**
   * - `'budget'`: there was no room;
   * - `'unpaired'`: it has a tool call without a result or a result without a call, or belongs to such a
   *   message. APIs reject these;
   * - `'before-first-turn'`: the model speaks before the user does, which Anthropic and Gemini reject.
   */
  reason: 'budget' | 'unpaired' | 'before-first-turn'
}

export interface TrimmedMessages<Message> {
  /** The kept messages: the same objects, in the same order. */
  messages: Message[]
}

/**
 * Drops the oldest messages of a list until the request fits `maxTokens`. The list itself is not modified.
 *
 * System messages, the last message, and the user message it belongs to always stay. Tool calls and their results are
 * kept or dropped together. If what must stay does not fit, it throws `ERR_BUDGET_EXCEEDED` with `requiredTokens`.
 */
export function trimMessages<Message extends object>(
  messages: readonly Message[],
  options: TrimMessagesOptions & { report: true },
): TrimmedMessages<Message> & { report: TrimReport }
export function trimMessages<Message extends object>(
  messages: readonly Message[],
  options: TrimMessagesOptions,
): TrimmedMessages<Message> & { report?: TrimReport }
export function trimMessages(messages: unknown, options: unknown): unknown {
  const list = array(messages, '', 'messages')
  const read = trimOptions(options, '', 'options')
  return trimList({ list, ...read, tokenizer: needTokenizer(read.as, read.tokenizer) })
}

export interface ContextBudgetOptions extends ListBudget {
  /** What counts tokens. */
  tokenizer: Tokenizer
  /** Called whenever messages are dropped. @default undefined */
  onTrim?: ((report: TrimReport) => void) | null | undefined
}

/** A missing one is reported after everything else. */
const givenTokenizer: Kind<CheckedTokenizer | undefined, Tokenizer> = (...place) => optional(tokenizer)(...place)

const budgetOptions = fields<ContextBudgetOptions>()(
  {
    maxTokens: budgetTable.maxTokens,
    tokenizer: givenTokenizer,
    fileTokens: budgetTable.fileTokens,
    onTrim: optional(func<(report: TrimReport) => void>()),
  },
  { required: true },
)

/** A `LanguageModelMiddleware` of the AI SDK. */
export interface ContextBudgetMiddleware {
  readonly specificationVersion: 'v3'
  transformParams<Params extends { prompt: object[] }>(call: { params: Params }): Promise<Params>
}

/**
 * Creates middleware for `wrapLanguageModel` of the AI SDK that keeps every model call within
 * `maxTokens`, including the steps of an agent. It trims like `trimMessages`. Tool definitions count.
 */
export function contextBudget(options: ContextBudgetOptions): ContextBudgetMiddleware {
  const { onTrim, ...budget } = budgetOptions(options, '', 'options')
  const shared = {
    ...budget,
    tokenizer: needTokenizer('ai-sdk', budget.tokenizer),
    as: 'ai-sdk',
    system: undefined,
  } as const
  return {
    specificationVersion: 'v3',
    transformParams: async ({ params }) => {
      const { prompt, tools } = params as typeof params & { tools?: unknown }
      const trimmed = trimList({ ...shared, list: prompt, tools, report: onTrim !== undefined })
      if (trimmed.report !== undefined && trimmed.report.dropped.length > 0) onTrim?.(trimmed.report)
      return { ...params, prompt: trimmed.messages }
    },
  }
}
