/**
 * Counting tokens. Native code counts; caller-supplied functions count here, each text once, and native code gets what
 * they have counted.
 */
import native = require('../../binding.js')
import { types } from 'node:util'
import { isMissing } from '../checks/kinds.js'
import { wrongType } from '../checks/problems.js'
import { checkParts, saidIn } from '../messages/parts.js'
import { tokenCount, tokenizer as checkTokenizer } from './tokenizer.js'
import type { TokenizerFields } from '../../binding.js'
import type { CheckedTokenizer, TokenFunction, Tokenizer } from './tokenizer.js'
import type { Kind } from '../checks/kinds.js'

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

/** The size of the cache for texts other than messages: instructions, files, team tasks, summaries. */
const MAX_TEXTS = 64

/** A tokenizer for native code, which knows a function by its number and by how it counts the texts of a layout. */
export function nativeTokenizer(tokenizer: CheckedTokenizer, number?: number): TokenizerFields
export function nativeTokenizer(tokenizer: CheckedTokenizer | undefined, number?: number): TokenizerFields | undefined
export function nativeTokenizer(tokenizer: CheckedTokenizer | undefined, number = 0) {
  if (typeof tokenizer !== 'function') return tokenizer
  return { function: number, tokensOfSample: countWith(tokenizer, native.LAYOUT_SAMPLE) }
}

/** The functions of a manager. */
export class TokenFunctions {
  functions: TokenFunction[] = []
  #texts: Map<string, { bytes: number; tokens: number[] }> = new Map()
  /** The ids of messages that are not counted yet, oldest first. */
  #messages: Set<string> = new Set()

  /** A tokenizer for native code; a function is kept. */
  keep(tokenizer: CheckedTokenizer | undefined) {
    const fields = nativeTokenizer(tokenizer, this.functions.length)
    if (typeof tokenizer === 'function') this.functions = [...this.functions, tokenizer]
    return fields
  }

  get isEmpty() {
    return this.functions.length === 0
  }

  /** @param id The id of a message that is new or has another content. */
  changed(id: string) {
    if (this.isEmpty) return
    this.#messages.delete(id)
    this.#messages.add(id)
  }

  removed(id: string) {
    this.#messages.delete(id)
  }

  clear() {
    this.#messages.clear()
  }

  /** Counts the messages that are not counted yet, newest first. */
  countMessages(manager: native.NativeManager, messageAt: (index: number) => { content: string; parts?: unknown }) {
    for (const id of [...this.#messages].toReversed()) {
      // The functions may change the conversation.
      if (!this.#messages.has(id)) continue
      const message = messageAt(manager.findMessage(id))
      const { content, parts } = message
      const tokens = this.#count(isMissing(parts) ? content : saidIn(checkParts(parts, content, '').fields))
      if (!this.#messages.has(id)) continue
      const index = manager.findMessage(id)
      if (messageAt(index) !== message) continue
      manager.keepMessageTokens(index, tokens)
      this.#messages.delete(id)
    }
  }

  /** Bytes and tokens of the texts that form one part, for each function. */
  countTexts(texts: unknown[]) {
    const counted = texts.flatMap((text) => (typeof text === 'string' && text !== '' ? [this.#countText(text)] : []))
    const bytes = counted.reduce((sum, one) => sum + one.bytes, 0)
    return this.functions.map((_, index) => [bytes, counted.reduce((sum, one) => sum + (one.tokens[index] ?? 0), 0)])
  }

  #countText(text: string) {
    const known = this.#texts.get(text)
    if (known !== undefined) return known
    const counted = { bytes: Buffer.byteLength(text), tokens: this.#count(text) }
    if (this.#texts.size >= MAX_TEXTS) this.#texts.clear()
    this.#texts.set(text, counted)
    return counted
  }

  #count(text: string) {
    return this.functions.map((count) => countWith(count, text))
  }
}
