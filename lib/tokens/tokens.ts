/** `countTokens` and `calibrate`. Native code counts; a caller-supplied tokenizer is called here. */
import native = require('../../binding.js')
import {
  learnedEstimate,
  text as checkText,
  tokenCount,
  tokenizer as checkTokenizer,
  usage as checkUsage,
} from './checks.js'
import type { LearnedEstimate, TokenEstimate, TokenUsage, Tokenizer } from './types.js'

export const countTokens = (text: string | Uint8Array, tokenizer: Tokenizer): number => {
  const by = checkTokenizer(tokenizer, '', 'tokenizer')
  const counted = checkText(text, '', 'text')
  if (typeof by === 'function') return countWith(by, counted)
  return typeof counted === 'string' ? native.countTokens(counted, by) : native.countTokensOfBytes(counted, by)
}

/** What a caller-supplied function counts. Its own exception passes through. */
export const countWith = (tokenizer: (text: string) => number, text: string | Uint8Array) =>
  tokenCount(tokenizer(wellFormed(text)), '', 'the result of tokenizer')

/** What is counted is what is sent: a lone surrogate is sent as U+FFFD. */
const wellFormed = (text: string | Uint8Array) =>
  typeof text === 'string' ? text.toWellFormed() : native.decodeText(text)

export const calibrate = (tokenizer: TokenEstimate, usage: TokenUsage): LearnedEstimate => {
  const { bytesPerToken, byScript, turns } = learnedEstimate(tokenizer, '', 'tokenizer')
  const { tokens, text, bytes } = checkUsage(usage, '', 'usage')
  const sent = typeof text === 'string' ? text : native.decodeText(text)
  const learned = native.calibrate(bytesPerToken, byScript, turns, tokens, sent, bytes)
  // Copies, because objects of native code belong to another realm in Jest and in vm contexts.
  return {
    ...learned,
    ...copied('byScript', learned.byScript),
    turns: Array.from(learned.turns, (turn) => ({ ...turn, ...copied('scripts', turn.scripts) })),
  }
}

const copied = <Name extends string>(name: Name, numbers: object | undefined) =>
  numbers === undefined ? {} : ({ [name]: { ...numbers } } as any)
