'use strict'
/**
 * Caller-supplied functions that count tokens. They count here, each text once; native code gets
 * what they have counted.
 */
const native = require('../binding.js')
const { isMissing } = require('./checks/kinds.js')
const { checkParts, saidIn } = require('./checks/parts.js')
const { countWith } = require('./tokens.js')

/** The size of the cache for texts other than messages: instructions, files, team tasks, summaries. */
const MAX_TEXTS = 64

/** @typedef {(text: string) => number} TokenFunction */

/**
 * A tokenizer for native code, which knows a function by its number and by how it counts the texts
 * of a layout.
 * @param {any} tokenizer
 * @param {number} [number]
 */
const nativeTokenizer = (tokenizer, number = 0) =>
  typeof tokenizer === 'function'
    ? { function: number, tokensOfSample: countWith(tokenizer, native.LAYOUT_SAMPLE) }
    : tokenizer

/** The functions of a manager. */
class TokenFunctions {
  /** @type {TokenFunction[]} */
  functions = []
  /** @type {Map<string, { bytes: number, tokens: number[] }>} */
  #texts = new Map()
  /** @type {Set<string>} The ids of messages that are not counted yet, oldest first. */
  #messages = new Set()

  /** A tokenizer for native code; a function is kept. @param {any} tokenizer */
  keep(tokenizer) {
    const fields = nativeTokenizer(tokenizer, this.functions.length)
    if (typeof tokenizer === 'function') this.functions = [...this.functions, tokenizer]
    return fields
  }

  get isEmpty() {
    return this.functions.length === 0
  }

  /** @param {string} id The id of a message that is new or has another content. */
  changed(id) {
    if (this.isEmpty) return
    this.#messages.delete(id)
    this.#messages.add(id)
  }

  /** @param {string} id */
  removed(id) {
    this.#messages.delete(id)
  }

  clear() {
    this.#messages.clear()
  }

  /**
   * Counts the messages that are not counted yet, newest first.
   * @param {InstanceType<typeof native.NativeManager>} manager
   * @param {(index: number) => { content: string, parts?: any }} messageAt
   */
  countMessages(manager, messageAt) {
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

  /**
   * Bytes and tokens of the texts that form one part, for each function.
   * @param {unknown[]} texts
   */
  countTexts(texts) {
    const given = texts.filter((text) => typeof text === 'string' && text !== '')
    const counted = given.map((text) => this.#countText(/** @type {string} */ (text)))
    const bytes = counted.reduce((sum, one) => sum + one.bytes, 0)
    return this.functions.map((_, index) => [bytes, counted.reduce((sum, one) => sum + (one.tokens[index] ?? 0), 0)])
  }

  /** @param {string} text */
  #countText(text) {
    const known = this.#texts.get(text)
    if (known !== undefined) return known
    const counted = { bytes: Buffer.byteLength(text), tokens: this.#count(text) }
    if (this.#texts.size >= MAX_TEXTS) this.#texts.clear()
    this.#texts.set(text, counted)
    return counted
  }

  /** @param {string} text */
  #count(text) {
    return this.functions.map((count) => countWith(count, text))
  }
}

module.exports = { TokenFunctions, nativeTokenizer }
