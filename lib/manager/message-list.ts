/**
 * The messages of a conversation, in order. An element is written only where the array has one already: an assignment
 * to a new one would call a setter of that name on `Object.prototype`, and caller code would run between native code's
 * change and ours. (Defining it makes adding 1.25 times as slow.)
 */
import type { MessageFields } from '../../binding.js'
import type { ConversationMessage } from '../messages/messages.js'

const { apply } = Reflect
const { concat, slice } = Array.prototype

/** Elements to begin with. */
const EMPTY = [undefined, undefined, undefined, undefined, undefined, undefined, undefined, undefined]

/** Who a message is for; undefined for everyone. */
export type Addressees = MessageFields[5]

export class MessageList<M extends ConversationMessage = ConversationMessage> {
  /** The messages, then room for more. Read them with `at`, except where a call costs too much. */
  items: (M | undefined)[] = EMPTY.slice()
  /** As they were read; a caller may change its own lists later. */
  #addressees: Addressees[] = EMPTY.slice()
  #length = 0

  get length() {
    return this.#length
  }

  get last() {
    return this.items[this.#length - 1]
  }

  /** Makes room for more. It comes before native code's change, so `add` does nothing else. */
  reserve(count: number = 1) {
    if (this.#length + count <= this.items.length) return
    let room = EMPTY
    while (room.length < this.#length || room.length < count) room = apply(concat, room, [room])
    this.items = apply(concat, this.items, [room])
    this.#addressees = apply(concat, this.#addressees, [room])
  }

  add(message: M, addressees: Addressees) {
    this.items[this.#length] = message
    this.#addressees[this.#length] = addressees
    this.#length += 1
  }

  /** @param index Of a message that is in the list. */
  at(index: number) {
    return this.items[index] as M
  }

  addressees(index: number) {
    return this.#addressees[index]
  }

  keepAddressees(index: number, addressees: Addressees) {
    this.#addressees[index] = addressees
  }

  replace(index: number, message: M) {
    this.items[index] = message
  }

  /** Removes a message, and returns it. */
  remove(index: number) {
    const removed = this.at(index)
    const without = <T>(list: T[]): T[] =>
      apply(concat, apply(slice, list, [0, index]), [apply(slice, list, [index + 1, this.#length]), EMPTY])
    this.items = without(this.items)
    this.#addressees = without(this.#addressees)
    this.#length -= 1
    return removed
  }

  /** Some of the messages, in a new array. */
  toArray(start: number = 0, end: number = this.#length): M[] {
    return apply(slice, this.items, [start, end])
  }
}
