/** What another budget would keep. It runs in the page, which looks it up in a table that the addon has made. */
import type { Unit } from './words.js'

/** How many bytes remain at each end. */
export type Cut = { head: number; tail: number }

/** A text that can be cut. */
export type CutText = 'summary' | 'parent' | 'message' | 'file'

/** What the budgets from `from` to `to` keep. */
export interface BudgetRow {
  from: number
  to: number
  /** If not, the sizes are those of the required parts. */
  fits: boolean
  totalBytes: number
  totalTokens?: number
  /** The oldest line of the window that is kept. */
  first: number
  /** The oldest line that fits. */
  firstFitting: number
  /** How many are kept, the pinned ones included. */
  messages: number
  /** How many replies are kept. */
  siblings: number
  /** Bytes of each section. */
  sections: number[]
  /** Tokens of each section, if the table is in tokens. */
  sectionTokens?: number[]
  /** What is left of texts that are cut, and of lines whose tool results are. */
  cuts?: { [text in CutText]?: Cut } & { results?: [line: number, bytes: number][] }
}

export interface BudgetTable {
  /** Of budgets. */
  unit: Unit
  /** The smallest budget that suffices. */
  required: number
  /** Everything. */
  whole: BudgetRow
  sections: string[]
  contextHeadingBytes: number
  /** The sizes of texts that end their sections, not counting a line below them. */
  texts: { [text in CutText]: number }
  /** The size of that line, with its line break. */
  endingBytes: number
  /** Ascending. */
  rows: BudgetRow[]
}

/** The last row that begins at a budget or before it. */
export const rowAt = ({ rows }: BudgetTable, budget: number) => {
  let [low, high] = [0, rows.length]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if ((rows[middle] as BudgetRow).from <= budget) low = middle
    else high = middle
  }
  return rows[low] as BudgetRow
}

/** What happens to a line of the conversation that is not pinned. */
export const fateOf = (
  { first, firstFitting }: { first: number; firstFitting: number },
  line: number,
): 'kept' | 'budget' | 'step' => {
  if (line >= first) return 'kept'
  return line < firstFitting ? 'budget' : 'step'
}
