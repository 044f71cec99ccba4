/** What the inputs of all functions that make prompts have in common. Not exported by the package. */
import type { PromptContextMessage } from './messages.js'

/** What assemblers, `buildPrompt` and the turns of a `ContextManager` make prompts of. */
export interface PromptMaterials {
  /** The conversation so far, oldest first. */
  contextMessages: readonly PromptContextMessage[]
  /**
   * What the team works on.
   * @default undefined
   */
  teamTask?: string | null | undefined
  /**
   * What was said before `contextMessages`, such as a model's summary of older messages. It stands
   * before them. When there is no room, it is shortened after all context messages are dropped, to
   * no less than 1 KiB, and then dropped.
   * @default undefined
   */
  summary?: string | null | undefined
  /**
   * The text of the member's instruction file; it follows the instructions.
   * @default undefined
   */
  instructionFileText?: string | null | undefined
  /**
   * The most tokens that `prompt` and `systemFlag` may have together, counted by the `tokenizer`.
   * Both budgets hold. A limit without a tokenizer is an error, except for Codex, which has `'o200k'`.
   * @default undefined (no limit)
   */
  maxTokens?: number | null | undefined
  /**
   * Indices into `contextMessages` of messages that are kept before any other, in their places.
   * Where messages are missing between two kept ones, a line says so. Pins that do not fit are a
   * `BudgetExceededError` with a section `pinned`.
   * @default undefined
   */
  pinned?: readonly number[] | null | undefined
  /**
   * Who wrote the message to act on, for `showSender` and `markers: 'fence'`, which require it. Not
   * used without them.
   * @default undefined
   */
  messageFrom?: string | null | undefined
  /**
   * Whom the message to act on is for, also several as an array. Used with `messageFrom`.
   * @default undefined (`all`)
   */
  messageTo?: string | readonly string[] | null | undefined
  /**
   * The key of a fenced prompt (`markers: 'fence'`), which requires it: 12 letters and digits. Make
   * a random one for each member of a conversation, such as `crypto.randomBytes(6).toString('hex')`,
   * and keep it from turn to turn: another key makes prompt caches miss. Never use it in prompts for
   * anybody else. A `ContextManager` does all this itself.
   * @default undefined
   */
  fenceKey?: string | null | undefined
}
