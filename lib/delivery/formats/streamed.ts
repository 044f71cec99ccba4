/**
 * Text that arrives in pieces, and then again as a whole. Only its length and its last piece are kept,
 * because a turn may produce a lot of text.
 */
export class StreamedText {
  #units = 0
  #last = ''

  add(piece: string) {
    this.#units += piece.length
    this.#last = piece
  }

  /** Another text begins. */
  clear() {
    this.#units = 0
    this.#last = ''
  }

  /** What is new in the whole text. */
  rest(whole: string) {
    const [units, last] = [this.#units, this.#last]
    this.clear()
    return whole.startsWith(last, units - last.length) ? whole.slice(units) : whole
  }
}
