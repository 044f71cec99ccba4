'use strict'
/**
 * Numbers and names for people, for the terminal and the page alike.
 */
const { visibleLine } = require('./visible.js')

/**
 * @typedef {import('../../../index.d.ts').AssemblerReport} Report
 * @typedef {'bytes' | 'tokens'} Unit
 * @typedef {{ name: string, action: string, before?: number | undefined, after: number, itemsBefore?: number, itemsAfter?: number }} SectionSummary
 * What became of a section, in the unit of a prompt.
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
  own: 'written by the member itself',
  duplicate: 'the same as the message',
  marker: 'routing markers',
  limit: 'over a limit',
  code: 'code blocks',
  same: 'the same as the message',
  layout: 'not in this layout',
  space: 'white space',
  summary: 'covered by the summary',
  seen: 'already in the session',
  reasoning: 'reasoning is not sent',
  redacted: 'looks like a key or a token',
}

/** With a comma between thousands. */
const grouped = (/** @type {number} */ number) => String(number).replaceAll(/\B(?=(\d{3})+$)/g, ',')

/** @param {number} count @param {string} one @param {string} [many] */
const counted = (count, one, many = `${one}s`) => `${grouped(count)} ${count === 1 ? one : many}`

/** @param {number} size @param {Unit} unit */
const sizeIn = (size, unit) => counted(size, unit === 'tokens' ? 'token' : 'byte')

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
 * @param {Unit} unit
 */
const sectionFate = ({ action, before, itemsBefore, itemsAfter, name }, unit) => {
  const noun = name === 'siblings' ? 'replies' : 'messages'
  const items =
    itemsBefore === undefined || name === 'parent'
      ? ''
      : `${grouped(itemsAfter ?? 0)} of ${grouped(itemsBefore)} ${noun}`
  if (action === 'kept' || before === undefined) return items === '' ? action : `${action}, ${items}`
  const size = sizeIn(before, unit)
  const isShorter = action === 'trimmed' || action === 'shortened'
  return [isShorter ? `${action} from ${size}` : `${action}, ${size}`, items].filter((text) => text !== '').join(', ')
}

/**
 * @param {{ part: string, index: number, field?: string, line: number, pretends: string, escaped: boolean }} finding
 * @param {(index: number) => string} nameOf What a message of the conversation is called.
 */
const findingText = ({ part, index, field, line, pretends, escaped }, nameOf) => {
  const which = part === 'context' ? ` ${nameOf(index)}` : part === 'siblings' ? ` #${index}` : ''
  const where = `${partName(part)}${which}`
  if (pretends === 'fence') {
    const what = field === undefined ? `${where}, line ${line}` : `${where}, ${field}`
    return `${what}: contains the prompt's key, broken by a hyphen`
  }
  if (pretends === 'lineBreak') return `${where}: a line break in ${field}, replaced with a space`
  if (pretends === 'call') return `${where}: a tool call without its result, shown as text`
  if (pretends === 'result') return `${where}: a tool result without its call, shown as text`
  const reads = pretends === 'title' ? 'looks like a title' : 'looks like another message'
  return `${where}, line ${line}: ${reads}, ${escaped ? 'escaped' : 'kept unchanged'}`
}

/** What a message is called: its id, or its number if it has none. @param {{ index: number, id?: string | undefined }} message */
const messageName = ({ index, id }) => (id === undefined ? `#${index}` : visibleLine(id))

/** The parts of a message other than text. @param {{ parts?: readonly { kind: string, title: string }[] }} message */
const partTitles = ({ parts = [] }) => parts.filter(({ kind }) => kind !== 'text').map(({ title }) => title)

/**
 * What messages are called by their numbers.
 * @param {{ messages: readonly { index: number, id?: string | undefined }[], report: Report }} turn
 * @returns {(index: number) => string}
 */
const messageNames = ({ messages, report }) => {
  const names = new Map([...messages, ...report.dropped].map((message) => [message.index, messageName(message)]))
  return (index) => names.get(index) ?? `#${index}`
}

/**
 * The unit of the prompt: that of the budget that shortened it, or else of the tighter one.
 * @param {Pick<Report, 'limitedBy' | 'maxBytes' | 'maxTokens' | 'totalBytes' | 'totalTokens'>} report
 * @returns {Unit}
 */
const unitOf = ({ limitedBy, maxBytes, maxTokens, totalBytes, totalTokens }) => {
  if (maxTokens === undefined || totalTokens === undefined) return 'bytes'
  return limitedBy ?? (totalTokens / maxTokens > totalBytes / maxBytes ? 'tokens' : 'bytes')
}

module.exports = {
  counted,
  findingText,
  grouped,
  messageName,
  messageNames,
  partName,
  partTitles,
  percent,
  reasonText,
  sectionFate,
  sizeIn,
  sizeOf,
  unitOf,
}
