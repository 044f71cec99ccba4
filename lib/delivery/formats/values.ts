/** Fields of events. A CLI may write anything, so nothing is taken for granted. */
import type { CliUsage } from '../events.js'

export const objectOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}

/** @returns Undefined unless it is a non-empty string. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

export const arrayOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** @returns Undefined unless it is a count. */
export const countOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined

/** @returns Undefined unless it is an amount of money or time. */
export const amountOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined

/** The sum of the counts among some values; undefined if there is none. */
export const sumOf = (values: readonly unknown[]): number | undefined => {
  let sum: number | undefined
  for (const value of values) {
    const count = countOf(value)
    if (count !== undefined) sum = (sum ?? 0) + count
  }
  return sum
}

/** The known usage; undefined if nothing is known or nothing was used. */
export const usageOf = (counts: { [K in keyof CliUsage]: number | undefined }): CliUsage | undefined => {
  const known = Object.entries(counts).filter(([, count]) => count !== undefined)
  return known.some(([, count]) => count !== 0) ? Object.fromEntries(known) : undefined
}

/** The sum of usages; undefined if there is none. */
export const usageSum = (usages: readonly (CliUsage | undefined)[]): CliUsage | undefined => {
  const known = usages.filter((usage) => usage !== undefined)
  const names = new Set(known.flatMap((usage) => Object.keys(usage)))
  const sums = [...names].map((name) => [name, sumOf(known.map((usage) => objectOf(usage)[name]))])
  return names.size === 0 ? undefined : Object.fromEntries(sums)
}

/** How much of a non-text value is written out. */
const MAX_WRITTEN_UNITS = 64 * 1024

/** What a tool returned, as text: a string, the texts among blocks, or JSON. */
export const contentText = (content: unknown): string => {
  if (typeof content === 'string') return content
  if (content === undefined || content === null) return ''
  const texts = arrayOf(content).flatMap((block) => textOf(objectOf(block)['text']) ?? [])
  if (texts.length > 0) return texts.join('\n')
  try {
    return JSON.stringify(content).slice(0, MAX_WRITTEN_UNITS)
  } catch {
    // It is nested too deeply.
    return ''
  }
}
