/** `calibrate`: estimates that learn from what a provider counts. */
import native = require('../../binding.js')
import { fields } from '../checks/fields.js'
import { arrayOf, checkedLater, finiteNumber, integer, isMissing, optional, refined } from '../checks/kinds.js'
import { pathOf, wrongType } from '../checks/problems.js'
import { checkText } from './token-functions.js'
import { byScript, estimateTable } from './tokenizer.js'
import type { TokenEstimate, TokenScript } from './tokenizer.js'

/** A calibrated estimate. It is plain data and can be stored as JSON. */
export interface LearnedEstimate extends TokenEstimate {
  /** Bytes per token over the last turns. */
  bytesPerToken: number
  /** Set once the estimate has learned from a turn with `text`. */
  byScript?: Record<TokenScript, number>
  /** The root mean square of the relative error over the last turns: 0.03 is 3 %. After the first turn, its error. */
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

const learnedTurn = fields<LearnedTurn>()(
  { bytes: integer(1), tokens: integer(1), scripts: byScript(optional(integer(0), 0)), error: finiteNumber },
  { required: true },
)

const learnedEstimate = fields<Omit<TokenEstimate, 'spread'>>()(
  { ...estimateTable, turns: optional(arrayOf(learnedTurn), []) },
  { also: ['spread'] },
)

/** What was sent, and how many tokens it was. */
export interface TokenUsage {
  /** UTF-8 bytes of everything that was sent. Positive. @default the size of `text` */
  bytes?: number | null | undefined
  /** Tokens that the provider counted for it. Positive. */
  tokens: number
  /** The text that was sent, or most of it. If set, the estimate learns by script. @default undefined */
  text?: string | Uint8Array | null | undefined
}

/** Bytes are needed where there is no text. */
const tokenUsage = refined(
  fields<TokenUsage>()(
    { tokens: integer(1), text: optional(checkText, ''), bytes: checkedLater<TokenUsage['bytes']>() },
    { required: true },
  ),
  (usage, parent, name) => {
    const isKnown = isMissing(usage.bytes) && usage.text.length > 0
    return { ...usage, bytes: isKnown ? undefined : integer(1)(usage.bytes, pathOf(parent, name), 'bytes') }
  },
)

/**
 * Returns an estimate that has learned from what a provider counted. The estimate you pass is not
 * modified. Pass `text` if you can: then it learns by script.
 *
 * `tokens` must not include tokens that a CLI adds itself, such as its own system prompt.
 */
export function calibrate(tokenizer: TokenEstimate, usage: TokenUsage): LearnedEstimate {
  if (typeof tokenizer !== 'object' || tokenizer === null) {
    wrongType('an estimate, such as { bytesPerToken: 4 }', tokenizer, '', 'tokenizer')
  }
  const before = learnedEstimate(tokenizer, '', 'tokenizer')
  const { tokens, text, bytes } = tokenUsage(usage, '', 'usage')
  const sent = typeof text === 'string' ? text : native.decodeText(text)
  const learned = native.calibrate(before.bytesPerToken, before.byScript, before.turns, tokens, sent, bytes)
  // Copies, because objects of native code belong to another realm in Jest and in vm contexts.
  return {
    ...learned,
    ...(learned.byScript && { byScript: { ...learned.byScript } }),
    turns: Array.from(learned.turns, (turn) => ({ ...turn, ...(turn.scripts && { scripts: { ...turn.scripts } }) })),
  }
}
