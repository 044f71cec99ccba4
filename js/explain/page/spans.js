'use strict'
/**
 * Where the sections of a prompt stand in it, in bytes. They are found by their sizes, never by their titles.
 *
 * @typedef {{ name: string, start: number, end: number }} Span
 */

/** The blank line between two sections. */
const BREAK_BYTES = 2

/**
 * @param {Pick<import('../../../index.d.ts').AssemblerReport, 'sections' | 'promptBytes' | 'systemFlagBytes'>} report
 * @returns {{ top: number, spans: Span[] }} `top` is the size of the lines above the first section: a fenced prompt has some.
 */
const spansOf = ({ sections, promptBytes, systemFlagBytes }) => {
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

module.exports = { BREAK_BYTES, spansOf }
