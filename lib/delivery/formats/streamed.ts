import { textOf } from './values.js'
import type { Turn } from './format.js'

type Kind = 'text' | 'reasoning'

/**
 * Text that arrives in pieces, and then again as a whole. Only its length and its last piece are kept,
 * because a turn may produce a lot of text.
 */
export class Streamed {
  readonly #turn
  readonly #units = { text: 0, reasoning: 0 }
  readonly #last = { text: '', reasoning: '' }

  constructor(turn: Turn) {
    this.#turn = turn
  }

  say(kind: Kind, given: unknown, raw: unknown) {
    const piece = textOf(given)
    if (piece === undefined) return
    this.#units[kind] += piece.length
    this.#last[kind] = piece
    this.#turn.say(kind, piece, raw)
  }

  /** Another text begins. */
  clear(kind: Kind) {
    this.#units[kind] = 0
    this.#last[kind] = ''
  }

  /** What is new in the whole text. */
  rest(kind: Kind, given: unknown) {
    const whole = textOf(given) ?? ''
    const [units, last] = [this.#units[kind], this.#last[kind]]
    this.clear(kind)
    return whole.startsWith(last, units - last.length) ? whole.slice(units) : whole
  }
}
