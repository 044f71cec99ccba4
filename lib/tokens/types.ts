/** Tokenizers, estimates and their calibration. */

/**
 * What counts tokens:
 * - `'o200k'`: GPT-4o and later, and Codex. Exact: the same count as OpenAI's own tokenizer for every
 *   text. Text that looks like a special token (`<|endoftext|>`) counts as ordinary text.
 * - `'cl100k'`: GPT-4 and GPT-3.5. Exact in the same way.
 * - `{ bytesPerToken }`: an estimate, for models whose vocabulary is not public. See docs/tokens.md for
 *   starting values, and `calibrate`.
 * - a function that takes well-formed text and returns a non-negative integer.
 */
export type Tokenizer = 'o200k' | 'cl100k' | TokenEstimate | ((text: string) => number)

/**
 * Characters whose tokens are about equally long: letters of Latin scripts; white space, digits
 * and punctuation; Chinese, Japanese and Korean; everything else.
 */
export type TokenScript = 'latin' | 'symbols' | 'cjk' | 'other'

/** An estimate from the size of a text: its UTF-8 bytes divided by bytes per token, rounded up once. */
export interface TokenEstimate {
  /** Bytes per token of all text, or of the scripts that `byScript` does not list. Positive. */
  bytesPerToken: number
  /**
   * Bytes per token by script, each positive.
   * @default undefined
   */
  byScript?: { readonly [script in TokenScript]?: number | null | undefined } | null | undefined
  /**
   * The error of the last estimates, from `calibrate`. Counting does not use it.
   * @default undefined
   */
  spread?: number | null | undefined
  /**
   * The turns that `calibrate` has learned from. Counting does not use it.
   * @default undefined
   */
  turns?: readonly LearnedTurn[] | null | undefined
}

/** A calibrated estimate. It is plain data and can be stored as JSON. */
export interface LearnedEstimate extends TokenEstimate {
  /** Bytes per token over the last turns. */
  bytesPerToken: number
  /** Set once the estimate has learned from a turn with `text`. */
  byScript?: Record<TokenScript, number>
  /**
   * The root mean square of the relative error over the last turns: 0.03 is 3 %. After the first turn,
   * its error.
   */
  spread: number
  /** The last turns, oldest first, at most 8. */
  turns: LearnedTurn[]
}

/** A turn that an estimate has learned from. */
export interface LearnedTurn {
  /** UTF-8 bytes sent. */
  bytes: number
  /** Tokens counted by the provider. */
  tokens: number
  /** The relative error of the estimate: -0.1 is 10 % too low. */
  error: number
  /** Bytes by script, if the text was passed. */
  scripts?: { readonly [script in TokenScript]?: number | null | undefined } | null | undefined
}

/** What was sent, and how many tokens it was. */
export interface TokenUsage {
  /**
   * UTF-8 bytes of everything that was sent. Positive.
   * @default the size of `text`
   */
  bytes?: number | null | undefined
  /** Tokens that the provider counted for it. Positive. */
  tokens: number
  /**
   * The text that was sent, or most of it. If set, the estimate learns by script.
   * @default undefined
   */
  text?: string | Uint8Array | null | undefined
}

/**
 * Returns an estimate that has learned from what a provider counted. The estimate you pass is not
 * modified. Pass `text` if you can: then it learns by script.
 *
 * `tokens` must not include tokens that a CLI adds itself, such as its own system prompt.
 */
export declare function calibrate(tokenizer: TokenEstimate, usage: TokenUsage): LearnedEstimate

/**
 * Counts the tokens of a string or of UTF-8 bytes. Malformed text counts as U+FFFD, which is also what
 * is sent.
 */
export declare function countTokens(text: string | Uint8Array, tokenizer: Tokenizer): number
