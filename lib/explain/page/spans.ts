/** Where the sections of a prompt stand in it, in bytes. They are found by their sizes, never by their titles. */
import type { AssemblerReport } from '../../prompts/report.js'
export type Span = { name: string; start: number; end: number }

/** The blank line between two sections. */
export const BREAK_BYTES = 2

/** @returns `top` is the size of the lines above the first section: a fenced prompt has some. */
export const spansOf = ({
  sections,
  promptBytes,
  systemFlagBytes,
}: Pick<AssemblerReport, 'sections' | 'promptBytes' | 'systemFlagBytes'>): { top: number; spans: Span[] } => {
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
