'use strict'
/**
 * Numbers and names for people, for the terminal and the page alike.
 *
 * @typedef {import('../../../index.d.ts').AssemblerReport} Report
 * @typedef {{
 *   name: string, action: string, bytesBefore?: number, bytesAfter: number, itemsBefore?: number, itemsAfter?: number, tokensAfter?: number,
 * }} SectionSummary
 */

/** @type {{ [name: string]: string }} */
const PART_NAMES = {
  system: 'system',
  teamTask: 'team task',
  summary: 'summary',
  context: 'context',
  parent: 'parent message',
  siblings: 'other replies',
  message: 'message',
  routing: 'routing',
}

/** @type {{ [reason: string]: string }} */
const REASONS = {
  budget: 'no room',
  step: 'rounded up to the eviction step',
  window: 'outside the window',
  recipient: 'not for the recipient',
  own: 'written by the member who is to answer',
  duplicate: 'the same as the message',
  marker: 'routing markers',
  limit: 'over a limit',
  code: 'code blocks',
  same: 'the same as the message',
  layout: 'not in this layout',
  space: 'white space',
  summary: 'covered by the summary',
  seen: 'already in the session',
  reasoning: 'reasoning, which is not sent',
}

/** With a comma between thousands. */
const grouped = (/** @type {number} */ number) => String(number).replaceAll(/\B(?=(\d{3})+$)/g, ',')

/** @param {number} count @param {string} one @param {string} [many] */
const counted = (count, one, many = `${one}s`) => `${grouped(count)} ${count === 1 ? one : many}`

/** A size for people: exact, with a rounded one where that is easier to read. */
const sizeOf = (/** @type {number} */ bytes) => {
  if (bytes < 10_000) return counted(bytes, 'byte')
  return bytes < 1_000_000 ? `${(bytes / 1024).toFixed(1)} KiB` : `${(bytes / 1024 / 1024).toFixed(1)} MiB`
}

/** @param {number} part @param {number} whole */
const percent = (part, whole) => {
  const share = whole === 0 ? 0 : Math.round((part / whole) * 1000) / 10
  return share === 0 && part > 0 ? '< 0.1 %' : `${share} %`
}

/** @param {string} name */
const partName = (name) => PART_NAMES[name] ?? name

/** @param {string} reason */
const reasonText = (reason) => REASONS[reason] ?? reason

/**
 * What became of a section.
 * @param {SectionSummary} section
 */
const sectionFate = ({ action, bytesBefore, itemsBefore, itemsAfter, name }) => {
  const noun = name === 'siblings' ? 'replies' : 'messages'
  const items =
    itemsBefore === undefined || name === 'parent'
      ? ''
      : `${grouped(itemsAfter ?? 0)} of ${grouped(itemsBefore)} ${noun}`
  const before = action === 'kept' || bytesBefore === undefined ? '' : `of ${grouped(bytesBefore)} bytes`
  return [action, items, before].filter((text) => text !== '').join(', ')
}

/** @param {{ part: string, index: number, field?: string, line: number, pretends: string, escaped: boolean }} finding */
const findingText = ({ part, index, field, line, pretends, escaped }) => {
  const where = part === 'context' || part === 'siblings' ? `${partName(part)} #${index}` : partName(part)
  if (pretends === 'fence') {
    const what = field === undefined ? `${where}, line ${line}` : `${where}, ${field}`
    return `${what}: has the key of the prompt, broken up by a hyphen`
  }
  if (pretends === 'lineBreak') return `${where}: a line break in ${field}, replaced by a space`
  if (pretends === 'call') return `${where}: a tool call without its result, shown as text`
  if (pretends === 'result') return `${where}: a tool result without its call, shown as text`
  const reads = pretends === 'title' ? 'reads as a title' : 'reads as another message'
  return `${where}, line ${line}: ${reads}, ${escaped ? 'made harmless' : 'kept as it is'}`
}

/**
 * What the prompt is measured in: the budget that made it shorter, or of which less is left.
 * @param {Pick<Report, 'limitedBy' | 'maxBytes' | 'maxTokens' | 'totalBytes' | 'totalTokens'>} report
 * @returns {'bytes' | 'tokens'}
 */
const unitOf = ({ limitedBy, maxBytes, maxTokens, totalBytes, totalTokens }) => {
  if (maxTokens === undefined || totalTokens === undefined) return 'bytes'
  return limitedBy ?? (totalTokens / maxTokens > totalBytes / maxBytes ? 'tokens' : 'bytes')
}

module.exports = { counted, findingText, grouped, partName, percent, reasonText, sectionFate, sizeOf, unitOf }
