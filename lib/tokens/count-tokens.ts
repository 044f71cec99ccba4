/** `countTokens`. Native code counts; a caller-supplied tokenizer is called here. */
import native = require('../../binding.js')
import { types } from 'node:util'
import { wrongType } from '../checks/problems.js'
import { tokenCount, tokenizer as checkTokenizer } from './tokenizer.js'
import type { Kind } from '../checks/kinds.js'
import type { TokenFunction, Tokenizer } from './tokenizer.js'

/** Bytes that are gone, because they were moved to another thread, are the empty string. */
export const checkText: Kind<string | Uint8Array> = (value, parent, name) => {
  if (typeof value === 'string') return value
  if (!types.isUint8Array(value)) return wrongType('a string or a Uint8Array', value, parent, name)
  return value.byteLength === 0 ? '' : value
}

/** Counts the tokens of a string or of UTF-8 bytes. Malformed text counts as U+FFFD, which is also what is sent. */
export function countTokens(text: string | Uint8Array, tokenizer: Tokenizer): number {
  const by = checkTokenizer(tokenizer, '', 'tokenizer')
  const counted = checkText(text, '', 'text')
  if (typeof by === 'function') return countWith(by, counted)
  return typeof counted === 'string' ? native.countTokens(counted, by) : native.countTokensOfBytes(counted, by)
}

/** What a caller-supplied function counts. Its own exception passes through. */
export const countWith = (tokenizer: TokenFunction, text: string | Uint8Array) =>
  tokenCount(tokenizer(wellFormed(text)), '', 'the result of tokenizer')

/** What is counted is what is sent: a lone surrogate is sent as U+FFFD. */
const wellFormed = (text: string | Uint8Array) =>
  typeof text === 'string' ? text.toWellFormed() : native.decodeText(text)
