/**
 * The steps of a list, from the newest to the oldest: the units that are kept or dropped as a whole. A
 * message of the user that begins a turn is a step. So is a message of the model with the results
 * of its tool calls.
 */
import type { Links, ListForm } from './forms/form.js'

export interface Step {
  /** The place of its first message, not counting instructions. */
  first: number
  last: number
  /** Whether it is the message of the user that begins a turn. */
  isOpening: boolean
  /** The id of a call without a result. */
  unanswered?: string | undefined
  /** The id of a result without a call. */
  orphan?: string | undefined
}

export class Steps {
  #count
  #links
  #form
  /** Where each call is first, if somebody had to know. */
  #calls: Map<string, number> | undefined

  constructor(count: number, links: (place: number) => Links, form: ListForm) {
    this.#count = count
    this.#links = links
    this.#form = form
  }

  *newestFirst(): Generator<Step, void, void> {
    for (let last = this.#count - 1; last >= 0; ) {
      const step = this.#endingAt(last)
      yield step
      last = step.first - 1
    }
  }

  /** The place of the message that begins the turn of what comes before `place`; -1 if there is none. */
  openingBefore(place: number) {
    let at = place - 1
    while (at >= 0 && this.#links(at).kind !== 'user') at -= 1
    return at
  }

  #endingAt(last: number): Step {
    /** Results whose calls are still to be found, and how many. */
    const open: Map<string, number> = new Map()
    let unanswered: string | undefined
    for (let first = last; first >= 0; first--) {
      const { kind, calls, results, waiting } = this.#links(first)
      if (kind === 'user') {
        if (first === last) return { first, last, isOpening: true }
        if (this.#callsAreBefore(first, open)) continue
        return { first: first + 1, last, isOpening: false, unanswered, orphan: firstOf(open) }
      }
      for (const id of results) open.set(id, (open.get(id) ?? 0) + 1)
      for (const id of calls) {
        if (open.has(id)) takeOne(open, id)
        else if (waiting?.has(id) !== true) unanswered ??= id
      }
      if (kind === 'results') continue
      if (this.#form.runsTogether && first > 0 && this.#links(first - 1).kind === 'model') continue
      if (open.size > 0 && this.#callsAreBefore(first, open)) continue
      return { first, last, isOpening: false, unanswered, orphan: firstOf(open) }
    }
    return { first: 0, last, isOpening: false, unanswered, orphan: firstOf(open) }
  }

  /** Whether the calls of all these results are before a place, where the form allows that. */
  #callsAreBefore(place: number, open: Map<string, number>) {
    if (!this.#form.resultsAnywhere) return false
    if (this.#calls === undefined) {
      this.#calls = new Map()
      for (let at = place - 1; at >= 0; at--) {
        for (const id of this.#links(at).calls) this.#calls.set(id, at)
      }
    }
    for (const id of open.keys()) if ((this.#calls.get(id) ?? Infinity) >= place) return false
    return true
  }
}

const firstOf = (open: Map<string, number>) => open.keys().next().value

const takeOne = (open: Map<string, number>, id: string) => {
  const left = (open.get(id) ?? 0) - 1
  if (left > 0) open.set(id, left)
  else open.delete(id)
}
