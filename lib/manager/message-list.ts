/**
 * The messages of a conversation, in order. An element is written only where the array has one
 * already: an assignment to a new one would call a setter of that name on `Object.prototype`, and
 * caller code would run between native code's change and ours.
 */
import type { MessageFields } from '../../binding.js'
import type { ConversationMessage } from '../messages/messages.js'

const { apply } = Reflect
const { concat, slice } = Array.prototype

/** Elements to begin with. */
const EMPTY = [undefined, undefined, undefined, undefined, undefined, undefined, undefined, undefined]

export type Addressees = MessageFields[5]

export class MessageList<M extends ConversationMessage = ConversationMessage> {
  /** The messages, then room for more. */
  #items: (M | undefined)[] = EMPTY.slice()
  /** Whom they are for, as it was read; a caller may change its own lists later. */
  #addressees: Addressees[] = EMPTY.slice()
  #length = 0

  get length() {
    return this.#length
  }

  /** Makes room for more. It comes before native code's change, so `add` does nothing else. */
  reserve(count: number = 1) {
    if (this.#length + count <= this.#items.length) return
    let room = EMPTY
    while (room.length < this.#length || room.length < count) room = apply(concat, room, [room])
    this.#items = apply(concat, this.#items, [room])
    this.#addressees = apply(concat, this.#addressees, [room])
  }

  add(message: M, addressees: Addressees) {
    this.#items[this.#length] = message
    this.#addressees[this.#length] = addressees
    this.#length += 1
  }

  addAll(messages: MessageList<M>) {
    for (let index = 0; index < messages.length; index++) this.add(messages.at(index), messages.addressees(index))
  }

  /** @param index Of a message that is in the list. */
  at(index: number) {
    return this.#items[index] as M
  }

  get last() {
    return this.#items[this.#length - 1]
  }

  /** Who a message is for; undefined for everyone. */
  addressees(index: number) {
    return this.#addressees[index]
  }

  keepAddressees(index: number, addressees: Addressees) {
    this.#addressees[index] = addressees
  }

  replace(index: number, message: M) {
    this.#items[index] = message
  }

  /** Removes a message, and returns it. */
  remove(index: number) {
    const removed = this.at(index)
    this.#items = this.#without(this.#items, index)
    this.#addressees = this.#without(this.#addressees, index)
    this.#length -= 1
    return removed
  }

  #without<T>(list: T[], index: number): T[] {
    const [before, after] = [apply(slice, list, [0, index]), apply(slice, list, [index + 1, this.#length])]
    return apply(concat, before, [after, EMPTY])
  }

  /** Some of the messages, in a new array. */
  toArray(start: number = 0, end: number = this.#length): M[] {
    return apply(slice, this.#items, [start, end])
  }
}
