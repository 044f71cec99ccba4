'use strict'
/**
 * The messages of a conversation, in order. An element is written only where the array has one
 * already: an assignment to a new one would call a setter of that name on `Object.prototype`, and
 * caller code would run between native code's change and ours.
 */
const { apply } = Reflect
const { concat, slice } = Array.prototype

/** Elements to begin with. */
const EMPTY = [undefined, undefined, undefined, undefined, undefined, undefined, undefined, undefined]

class MessageList {
  /** @type {any[]} The messages, then room for more. */
  #items = EMPTY.slice()
  #length = 0

  get length() {
    return this.#length
  }

  /**
   * Makes room for more. It comes before native code's change, so `add` does nothing else.
   * @param {number} [count]
   */
  reserve(count = 1) {
    if (this.#length + count <= this.#items.length) return
    let room = EMPTY
    while (room.length < this.#length || room.length < count) room = apply(concat, room, [room])
    this.#items = apply(concat, this.#items, [room])
  }

  /** @param {unknown} message */
  add(message) {
    this.#items[this.#length] = message
    this.#length += 1
  }

  /** @param {MessageList} messages */
  addAll(messages) {
    for (let index = 0; index < messages.length; index++) this.add(messages.at(index))
  }

  /** @param {number} index */
  at(index) {
    return index >= 0 && index < this.#length ? this.#items[index] : undefined
  }

  /**
   * @param {number} index
   * @param {unknown} message
   */
  replace(index, message) {
    this.#items[index] = message
  }

  /**
   * Removes a message, and returns it.
   * @param {number} index
   */
  remove(index) {
    const items = this.#items
    const removed = items[index]
    const [before, after] = [apply(slice, items, [0, index]), apply(slice, items, [index + 1, this.#length])]
    this.#items = apply(concat, before, [after, EMPTY])
    this.#length -= 1
    return removed
  }

  /**
   * The messages from an index on, in a new array.
   * @param {number} [start]
   */
  toArray(start = 0) {
    return apply(slice, this.#items, [start, this.#length])
  }
}

module.exports = { MessageList }
