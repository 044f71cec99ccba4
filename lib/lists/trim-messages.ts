/** `trimMessages`. */
import { fields } from '../checks/fields.js'
import { array, boolean, checkedLater, oneOf, optional } from '../checks/kinds.js'
import { APIS } from '../prompts/form.js'
import { tokenizer } from '../tokens/tokenizer.js'
import { budgetTable, type ListApi, type ListBudget, needTokenizer } from './budget.js'
import { trimList } from './trim.js'

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
 * Drops the oldest messages of a list until the request fits `maxTokens`. The list itself is not
 * modified.
 *
 * System messages, the last message, and the user message it belongs to always stay. Tool calls and
 * their results are kept or dropped together. If what must stay does not fit, it throws
 * `ERR_BUDGET_EXCEEDED` with `requiredTokens`.
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
