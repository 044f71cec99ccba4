/** Finds the known name that an unknown one was probably meant to be. */

/** Names that were looked up are remembered, because callers pass the same objects repeatedly. */
const MAX_REMEMBERED = 256
const NONE: readonly string[] = []

/**
 * The number of insertions, deletions, replacements and swaps of neighbours between two names; Infinity
 * if it is more than `most`.
 */
export const distance = (a: string, b: string, most: number) => {
  if (Math.abs(a.length - b.length) > most) return Infinity
  let beforeLast = [] as number[]
  let last = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1]
      let cost = Math.min(at(last, column) + 1, at(current, column - 1) + 1, at(last, column - 1) + (isSame ? 0 : 1))
      const isSwap = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      if (isSwap) cost = Math.min(cost, at(beforeLast, column - 2) + 1)
      current.push(cost)
    }
    beforeLast = last
    last = current
  }
  const all = at(last, b.length)
  return all <= most ? all : Infinity
}

/** In a short name, one letter makes another word. */
const allowed = ({ length }: string) => {
  if (length < 4) return 0
  return length < 8 ? 1 : 2
}

const at = (row: number[], column: number) => row[column] ?? Infinity

/** Returns a function that finds the known names closest to a given one. */
export const spelling = (known: readonly string[]): ((name: string) => readonly string[]) => {
  const isKnown = new Set(known)
  const remembered: Map<string, readonly string[]> = new Map()
  return (name) => {
    if (isKnown.has(name)) return NONE
    const before = remembered.get(name)
    if (before !== undefined) return before
    const distances = known.map((right) => distance(name.toLowerCase(), right.toLowerCase(), allowed(right)))
    const least = Math.min(...distances)
    const meant = least === Infinity ? NONE : known.filter((_, index) => distances[index] === least)
    if (remembered.size >= MAX_REMEMBERED) remembered.clear()
    remembered.set(name, meant)
    return meant
  }
}
