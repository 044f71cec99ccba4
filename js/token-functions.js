'use strict'
/**
 * Tokenizers of a manager's that are functions of the caller's. They count here, each text once,
 * before a prompt with a token budget is made; native code keeps what they have counted.
 */
const native = require('../binding.js')
const { countWith } = require('./tokens.js')

/** So many texts besides messages are remembered: instructions, files, team tasks, summaries. */
const MAX_TEXTS = 64

/** @typedef {(text: string) => number} TokenFunction */

class TokenFunctions {
  /** @type {TokenFunction[]} Native code fills it. */
  functions = []
  /** @type {Map<string, { bytes: number, tokens: number[] }>} */
  #texts = new Map()
  /** @type {Set<string>} The ids of messages that are not counted yet, oldest first. */
  #messages = new Set()

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
   * @param {number} handle
   * @param {(index: number) => { content: string }} messageAt
   */
  countMessages(handle, messageAt) {
    for (const id of [...this.#messages].toReversed()) {
      // The functions may change the conversation.
      if (!this.#messages.has(id)) continue
      const { content } = messageAt(native.findMessage(handle, id))
      const tokens = this.#count(content)
      if (!this.#messages.has(id)) continue
      const index = native.findMessage(handle, id)
      if (messageAt(index).content !== content) continue
      native.keepMessageTokens(handle, index, tokens)
      this.#messages.delete(id)
    }
  }

  /**
   * Bytes and tokens of texts that are together one part, for each function.
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

module.exports = { TokenFunctions }
