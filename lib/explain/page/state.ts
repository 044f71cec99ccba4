/** A prompt as the page shows it: as sent, or with another budget, which is looked up in a table that the addon has made. */
import { limitOf, totalOf, type Unit, type MeasuredSection } from './words.js'
import type { AssemblerReport } from '../../prompts/report.js'
import type { Turn } from '../turn.js'

/** How many bytes remain at each end. */
export type Cut = { head: number; tail: number }

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
  firstFitting: number
  /** How many are kept, the pinned ones included. */
  messages: number
  siblings: number
  sections: number[]
  /** Tokens of each section, if the table is in tokens. */
  sectionTokens?: number[]
  /** What is left of texts that are cut, and of lines whose tool results are. */
  cuts?: { [text in CutText]?: Cut } & { results?: [line: number, bytes: number][] }
}

export interface BudgetTable {
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
export const rowAt = ({ rows }: BudgetTable, budget: number) =>
  (rows.findLast(({ from }) => from <= budget) ?? rows[0]) as BudgetRow

/** What happens to a line of the conversation that is not pinned. */
export const fateOf = ({ first, firstFitting }: Turn['kept'], line: number) =>
  line >= first ? 'kept' : line < firstFitting ? 'budget' : 'step'

/** Where a section of a prompt stands in it, in bytes. It is found by its size, never by its title. */
export type Span = { name: string; start: number; end: number }

/** The blank line between two sections. */
export const BREAK_BYTES = 2

/** @returns `top` is the size of the lines above the first section: a fenced prompt has some. */
export const spansOf = ({ sections, promptBytes, systemFlagBytes }: AssemblerReport) => {
  const sizes = sections
    .map(({ name, bytesAfter }) => ({ name, size: bytesAfter - (name === 'system' ? systemFlagBytes : 0) }))
    .filter(({ size }) => size > 0)
  if (sizes.length === 0) return { top: 0, spans: [] }
  const top = promptBytes - sizes.reduce((sum, { size }) => sum + size + BREAK_BYTES, -BREAK_BYTES)
  let next = top
  const spans = sizes.map(({ name, size }) => {
    const start = next
    next += size + BREAK_BYTES
    return { name, start, end: start + size }
  })
  return { top, spans }
}

/** A row of the table, or what the report says. */
export type State = { budget: number; row: BudgetRow | null; fates: string[] }

export const fatesOf = (turn: Turn, row: BudgetRow | null) => {
  const hasContext = turn.report.sections.some(({ name }) => name === 'context')
  const pins = new Set(turn.pinned)
  const short = new Set(row?.cuts?.results?.map(([line]) => line))
  return turn.messages.map((_, line) => {
    if (!hasContext) return 'layout'
    if (row !== null && !row.fits) return 'fails'
    if (pins.has(line)) return 'pinned'
    const fate = fateOf(row ?? turn.kept, line)
    return fate === 'kept' && short.has(line) ? 'shortened' : fate
  })
}

export const isSent = (fate: string) => fate === 'kept' || fate === 'shortened' || fate === 'pinned'

export const budgetAsSent = ({ report, unit }: Turn) => limitOf(report, unit)

export const totalAt = ({ report, unit }: Turn, { row }: State) => totalOf(row ?? report, unit)

/**
 * What is shown for a budget. Where texts are cut, not every budget has a row. Then the largest smaller
 * budget with a row is used.
 */
export const stateAt = (turn: Turn, budget: number): State => {
  if (turn.table === null) return { budget, row: null, fates: fatesOf(turn, null) }
  const row = rowAt(turn.table, budget)
  return { budget: Math.min(budget, row.to), row, fates: fatesOf(turn, row) }
}

export const sectionsAt = ({ report, table, unit }: Turn, { row, budget }: State): MeasuredSection[] => {
  const inTokens = unit === 'tokens'
  // A table has the sum of the lines of a conversation, a report counts them together.
  const isAsSent = inTokens && budget === report.maxTokens
  const wholeTokens = (name: string) => table?.whole.sectionTokens?.[table.sections.indexOf(name)]
  if (row === null || table === null || isAsSent)
    return report.sections.map(({ name, action, itemsBefore, itemsAfter, ...sizes }) => {
      const { bytesBefore, bytesAfter, tokensBefore = wholeTokens(name), tokensAfter } = sizes
      const inBytes = { before: bytesBefore, after: bytesAfter, other: tokensAfter }
      const given = inTokens ? { before: tokensBefore, after: tokensAfter ?? 0, other: bytesAfter } : inBytes
      return { name, action, itemsBefore, itemsAfter, ...given }
    })
  const { whole } = table
  const sizesOf = ({ sections, sectionTokens }: BudgetRow) => (inTokens ? sectionTokens : sections) ?? []
  const [allBefore, allAfter] = [sizesOf(whole), sizesOf(row)]
  return table.sections.map((name, at) => {
    const [before = 0, after = 0] = [allBefore[at], allAfter[at]]
    const items = { siblings: 'siblings', context: 'messages' }[name] as 'siblings' | 'messages' | undefined
    const [itemsBefore, itemsAfter] = items === undefined ? [] : [whole[items], row[items]]
    const isTrimmed = (itemsAfter ?? 0) < (itemsBefore ?? 0)
    const left = isTrimmed ? 'trimmed' : after < before ? 'shortened' : 'kept'
    // A token budget that is too small has no sizes.
    const action = allAfter.length === 0 ? 'does not fit' : after === 0 ? 'dropped' : left
    const other = (inTokens ? row.sections : row.sectionTokens)?.[at]
    return { name, action, before, after, other, itemsBefore, itemsAfter }
  })
}
