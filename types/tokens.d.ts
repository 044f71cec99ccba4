/** Tokenizers, estimates and their calibration. */

/**
 * What counts tokens:
 * - `'o200k'`: GPT-4o and later, and Codex. Exact: the same count as OpenAI's own tokenizer, for
 *   every text. Text that looks like a special token (`<|endoftext|>`) counts as ordinary text.
 * - `'cl100k'`: GPT-4 and GPT-3.5. Exact in the same way.
 * - `{ bytesPerToken }`: an estimate, for models whose vocabulary is not public. See docs/tokens.md
 *   for values to start with, and `calibrate`.
 * - a function that returns a non-negative integer. It is given well-formed text.
 */
export type Tokenizer = 'o200k' | 'cl100k' | TokenEstimate | ((text: string) => number)

/**
 * Characters whose tokens are about equally long: letters of Latin scripts; white space, digits
 * and punctuation; Chinese, Japanese and Korean; everything else.
 */
export type TokenScript = 'latin' | 'symbols' | 'cjk' | 'other'

/** Tokens by the size of a text: its UTF-8 bytes divided by bytes per token, rounded up once. */
export interface TokenEstimate {
  /** Of all text, or of the scripts that `byScript` does not have. Positive. */
  bytesPerToken: number
  /**
   * Bytes per token by script, each positive.
   * @default undefined
   */
  byScript?: { readonly [script in TokenScript]?: number | null | undefined } | null | undefined
  /**
   * How far the last estimates were off, from `calibrate`. Counting does not use it.
   * @default undefined
   */
  spread?: number | null | undefined
  /**
   * What `calibrate` has learned from. Counting does not use it.
   * @default undefined
   */
  turns?: readonly LearnedTurn[] | null | undefined
}

/** An estimate that has learned. It is plain data: it can be stored as JSON. */
export interface LearnedEstimate extends TokenEstimate {
  /** Of the last turns. */
  bytesPerToken: number
  /** There once a turn was learned from whose text was given. */
  byScript?: Record<TokenScript, number>
  /**
   * How far the estimates of the last turns were off, as the root of the mean square: 0.03 is 3 %.
   * After the first turn: how far that one was off.
   */
  spread: number
  /** The last turns, oldest first: at most 8. */
  turns: LearnedTurn[]
}

/** A turn that an estimate has learned from. */
export interface LearnedTurn {
  /** UTF-8 bytes that were sent. */
  bytes: number
  /** Tokens that the provider counted. */
  tokens: number
  /** How far the estimate was off: -0.1 is 10 % too low. */
  error: number
  /** Bytes by script, if the text was given. */
  scripts?: { readonly [script in TokenScript]?: number | null | undefined } | null | undefined
}

/** What was sent, and what it took. */
export interface TokenUsage {
  /**
   * UTF-8 bytes of everything that was sent. Positive.
   * @default the size of `text`
   */
  bytes?: number | null | undefined
  /** Tokens that the provider counted for it. Positive. */
  tokens: number
  /**
   * The text that was sent, or most of it. With it, an estimate learns by script.
   * @default undefined
   */
  text?: string | Uint8Array | null | undefined
}

/**
 * An estimate that has learned from what a provider counted. The one that is passed stays as it
 * is. Give `text` where you can: it learns by script then.
 *
 * Tokens that a CLI adds by itself, such as its own system prompt, must not be in `tokens`.
 */
export declare function calibrate(tokenizer: TokenEstimate, usage: TokenUsage): LearnedEstimate

/**
 * How many tokens a text is: a string, or UTF-8 bytes. What is not well-formed counts as U+FFFD,
 * as it is sent.
 */
export declare function countTokens(text: string | Uint8Array, tokenizer: Tokenizer): number
