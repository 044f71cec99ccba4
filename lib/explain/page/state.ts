/** The state of the view of a prompt: as sent, or with another budget. */
import { fateOf, rowAt, type BudgetRow } from './budget.js'
import { limitOf, totalOf, type SectionSummary } from './words.js'
import type { Turn } from '../turn.js'

/** A row of the table, or what the report says. */
export type State = { budget: number; row: BudgetRow | null; fates: string[] }
/** With its size in the other unit, if that is known. */
export type MeasuredSection = SectionSummary & { other?: number | undefined }

/** The fate of every message. */
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

/** The budget of the prompt, in its unit. */
export const budgetAsSent = ({ report, unit }: Turn) => limitOf(report, unit)

/** The size of the prompt, in its unit. */
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

/** The sections in the unit of the prompt. */
export const sectionsAt = ({ report, table, unit }: Turn, { row, budget }: State): MeasuredSection[] => {
  const inTokens = unit === 'tokens'
  // A table has the sum of the lines of a conversation, a report counts them together.
  const isAsSent = inTokens && budget === report.maxTokens
  const wholeTokens = (name: string) => table?.whole.sectionTokens?.[table.sections.indexOf(name)]
  if (row === null || table === null || isAsSent)
    return report.sections.map(({ name, action, itemsBefore, itemsAfter, ...sizes }) => ({
      name,
      action,
      ...(itemsBefore !== undefined && { itemsBefore }),
      ...(itemsAfter !== undefined && { itemsAfter }),
      before: inTokens ? (sizes.tokensBefore ?? wholeTokens(name)) : sizes.bytesBefore,
      after: inTokens ? (sizes.tokensAfter ?? 0) : sizes.bytesAfter,
      other: inTokens ? sizes.bytesAfter : sizes.tokensAfter,
    }))
  const { whole } = table
  const sizesOf = ({ sections, sectionTokens }: BudgetRow) => (inTokens ? sectionTokens : sections) ?? []
  const [allBefore, allAfter] = [sizesOf(whole), sizesOf(row)]
  return table.sections.map((name, at) => {
    const [before = 0, after = 0] = [allBefore[at], allAfter[at]]
    const items = itemsAt(name, whole, row)
    const isTrimmed = items !== undefined && items.itemsAfter < items.itemsBefore
    // A token budget that is too small has no sizes.
    const action =
      allAfter.length === 0
        ? 'does not fit'
        : after === 0
          ? 'dropped'
          : isTrimmed
            ? 'trimmed'
            : after < before
              ? 'shortened'
              : 'kept'
    return { name, action, before, after, other: (inTokens ? row.sections : row.sectionTokens)?.[at], ...items }
  })
}

const itemsAt = (name: string, whole: BudgetRow, row: BudgetRow) => {
  if (name === 'siblings') return { itemsBefore: whole.siblings, itemsAfter: row.siblings }
  return name === 'context' ? { itemsBefore: whole.messages, itemsAfter: row.messages } : undefined
}
