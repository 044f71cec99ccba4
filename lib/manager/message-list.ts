/**
 * The messages of a conversation, in order. An element is written only where the array has one
 * already: an assignment to a new one would call a setter of that name on `Object.prototype`, and
 * caller code would run between native code's change and ours.
 */
const { apply } = Reflect
const { concat, slice } = Array.prototype

/** Elements to begin with. */
const EMPTY = [undefined, undefined, undefined, undefined, undefined, undefined, undefined, undefined]

export class MessageList {
  /** The messages, then room for more. */
  #items: any[] = EMPTY.slice()
  /** Whom they are for, as it was read; a caller may change its own lists later. */
  #addressees: any[] = EMPTY.slice()
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

  add(message: unknown, addressees: unknown[] | undefined) {
    this.#items[this.#length] = message
    this.#addressees[this.#length] = addressees
    this.#length += 1
  }

  addAll(messages: MessageList) {
    for (let index = 0; index < messages.length; index++) this.add(messages.at(index), messages.addressees(index))
  }

  at(index: number) {
    return index >= 0 && index < this.#length ? this.#items[index] : undefined
  }

  /** Who a message is for; undefined for everyone. */
  addressees(index: number) {
    return this.#addressees[index]
  }

  keepAddressees(index: number, addressees: unknown[] | undefined) {
    this.#addressees[index] = addressees
  }

  replace(index: number, message: unknown) {
    this.#items[index] = message
  }

  /** Removes a message, and returns it. */
  remove(index: number) {
    const removed = this.#items[index]
    const without = (list: any[]) =>
      apply(concat, apply(slice, list, [0, index]), [apply(slice, list, [index + 1, this.#length]), EMPTY])
    this.#items = without(this.#items)
    this.#addressees = without(this.#addressees)
    this.#length -= 1
    return removed
  }

  /** Some of the messages, in a new array. */
  toArray(start: number = 0, end: number = this.#length): any[] {
    return apply(slice, this.#items, [start, end])
  }
}
