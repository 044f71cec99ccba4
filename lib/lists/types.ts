/** Trimming message lists of model APIs and the AI SDK. */
import type { Tokenizer } from '../tokens/tokenizer.js'

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
  fileTokens?: number | ((part: any) => number) | null | undefined
}

export interface TrimMessagesOptions extends ListBudget {
  /** The form of the list. */
  as: ListApi
  /**
   * The system text that is sent with the list, in any form that the API accepts. It counts.
   * @default undefined
   */
  system?: string | object | readonly (string | object)[] | null | undefined
  /**
   * The tool definitions that are sent with the list. They count.
   * @default undefined
   */
  tools?: object | readonly object[] | null | undefined
  /**
   * Whether to return a report.
   * @default false
   */
  report?: boolean | null | undefined
}

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
 * Drops the oldest messages of a list until the request fits `maxTokens`. The list itself is not
 * modified.
 *
 * System messages, the last message, and the user message it belongs to always stay. Tool calls and
 * their results are kept or dropped together. If what must stay does not fit, it throws
 * `ERR_BUDGET_EXCEEDED` with `requiredTokens`.
 */
export declare function trimMessages<Message extends object>(
  messages: readonly Message[],
  options: TrimMessagesOptions & { report: true },
): TrimmedMessages<Message> & { report: TrimReport }
export declare function trimMessages<Message extends object>(
  messages: readonly Message[],
  options: TrimMessagesOptions,
): TrimmedMessages<Message> & { report?: TrimReport }

export interface ContextBudgetOptions extends ListBudget {
  /** What counts tokens. */
  tokenizer: Tokenizer
  /**
   * Called whenever messages are dropped.
   * @default undefined
   */
  onTrim?: ((report: TrimReport) => void) | null | undefined
}

/** A `LanguageModelMiddleware` of the AI SDK. */
export interface ContextBudgetMiddleware {
  readonly specificationVersion: 'v3'
  transformParams<Params extends { prompt: object[] }>(call: { params: Params }): Promise<Params>
}

/**
 * Creates middleware for `wrapLanguageModel` of the AI SDK that keeps every model call within
 * `maxTokens`, including the steps of an agent. It trims like `trimMessages`. Tool definitions count.
 */
export declare function contextBudget(options: ContextBudgetOptions): ContextBudgetMiddleware
