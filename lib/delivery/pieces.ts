/** How much is kept of a text. */
const MAX_UNITS = 4 * 1024 * 1024

/** This many pieces are joined into one: many small, long-lived strings keep the garbage collector busy. */
const JOINED_PIECES = 512

/** A text that arrives in pieces. Anything over the limit is left out. */
export class Pieces {
  #joined: string[] = []
  #latest: string[] = []
  #units = 0

  /** The length of everything that arrived. */
  get units() {
    return this.#units
  }

  get text() {
    return [...this.#joined, ...this.#latest].join('')
  }

  add(piece: string) {
    this.#units += piece.length
    if (this.#units > MAX_UNITS) return
    if (this.#latest.push(piece) < JOINED_PIECES) return
    this.#joined.push(this.#latest.join(''))
    this.#latest = []
  }

  clear() {
    if (this.#units === 0) return
    this.#joined = []
    this.#latest = []
    this.#units = 0
  }
}
