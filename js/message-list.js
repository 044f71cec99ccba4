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
  /** @type {any[]} Whom they are for, as it was read; a caller may change its own lists later. */
  #addressees = EMPTY.slice()
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
    this.#addressees = apply(concat, this.#addressees, [room])
  }

  /**
   * @param {unknown} message
   * @param {unknown[] | undefined} addressees
   */
  add(message, addressees) {
    this.#items[this.#length] = message
    this.#addressees[this.#length] = addressees
    this.#length += 1
  }

  /** @param {MessageList} messages */
  addAll(messages) {
    for (let index = 0; index < messages.length; index++) this.add(messages.at(index), messages.addressees(index))
  }

  /** @param {number} index */
  at(index) {
    return index >= 0 && index < this.#length ? this.#items[index] : undefined
  }

  /**
   * Who a message is for; undefined for everyone.
   * @param {number} index
   */
  addressees(index) {
    return this.#addressees[index]
  }

  /**
   * @param {number} index
   * @param {unknown[] | undefined} addressees
   */
  keepAddressees(index, addressees) {
    this.#addressees[index] = addressees
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
    const removed = this.#items[index]
    const without = (/** @type {any[]} */ list) =>
      apply(concat, apply(slice, list, [0, index]), [apply(slice, list, [index + 1, this.#length]), EMPTY])
    this.#items = without(this.#items)
    this.#addressees = without(this.#addressees)
    this.#length -= 1
    return removed
  }

  /**
   * Some of the messages, in a new array.
   * @param {number} [start]
   * @param {number} [end]
   * @returns {any[]}
   */
  toArray(start = 0, end = this.#length) {
    return apply(slice, this.#items, [start, end])
  }
}

module.exports = { MessageList }
