/** The input that all functions that build prompts share. Not exported by the package. */
import type { PromptContextMessage } from '../messages/messages.js'

/** The common input of assemblers, `buildPrompt` and the turns of a `ContextManager`. */
export interface PromptMaterials {
  /** The conversation so far, oldest first. */
  contextMessages: readonly PromptContextMessage[]
  /**
   * What the team works on.
   * @default undefined
   */
  teamTask?: string | null | undefined
  /**
   * What was said before `contextMessages`, such as a model's summary of older messages. It is placed
   * before them. If bytes run short after all context messages have been dropped, it is shortened to no
   * less than 1 KiB, then dropped.
   * @default undefined
   */
  summary?: string | null | undefined
  /**
   * The text of the member's instruction file. It follows the instructions.
   * @default undefined
   */
  instructionFileText?: string | null | undefined
  /**
   * The maximum tokens of `prompt` and `systemFlag` together, counted by the `tokenizer`. Both budgets
   * apply. A limit without a tokenizer is an error, except for Codex, which uses `'o200k'`.
   * @default undefined (no limit)
   */
  maxTokens?: number | null | undefined
  /**
   * Indices into `contextMessages` of messages to keep before any other, in their places. Where messages
   * are missing between two that are shown, a line says so. Pins that do not fit throw a
   * `BudgetExceededError` with a section `pinned`.
   * @default undefined
   */
  pinned?: readonly number[] | null | undefined
  /**
   * Who wrote the message to act on. Required by `showSender` and `markers: 'fence'`, otherwise unused.
   * @default undefined
   */
  messageFrom?: string | null | undefined
  /**
   * Who the message to act on is for; an array for several. Used with `messageFrom`.
   * @default undefined (`all`)
   */
  messageTo?: string | readonly string[] | null | undefined
  /**
   * The key of a fenced prompt: 12 letters and digits. Required by `markers: 'fence'`. Create a random
   * key for each member of a conversation, for example with `crypto.randomBytes(6).toString('hex')`, and
   * keep it from turn to turn: a new key invalidates prompt caches. Never use it in prompts for anybody
   * else. A `ContextManager` manages keys itself.
   * @default undefined
   */
  fenceKey?: string | null | undefined
}
