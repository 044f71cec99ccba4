/** Numbers, names and texts for people, for the terminal and the page alike. */
import type { AssemblerReport } from '../../prompts/report.js'
import type { Turn } from '../turn.js'

export type Unit = 'bytes' | 'tokens'

/** What became of a section, in the unit of a prompt. */
export type MeasuredSection = {
  name: string
  action: string
  before?: number | undefined
  after: number
  /** In the other unit, if that is known. */
  other?: number | undefined
  itemsBefore?: number | undefined
  itemsAfter?: number | undefined
}

/** Controls without tab and line feed, directional formatting, invisible operators, tags, lone surrogates. */
const HIDDEN =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e0fff}]|[\ud800-\udfff]/gu

const characterName = (character: string) =>
  `[U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`

/**
 * A text in which characters are named that are invisible or change how others are shown: a conversation
 * must not control a terminal or reorder what a reader sees. A Windows line break stays a line break.
 */
export const visible = (text: string) => text.replaceAll('\r\n', '\n').replaceAll(HIDDEN, characterName)

export const visibleLine = (text: string) => visible(text).replaceAll('\n', '⏎').replaceAll('\t', ' ')

/** The names of parts that differ from those in reports. */
const PART_NAMES: { [name: string]: string } = {
  teamTask: 'team task',
  parent: 'parent message',
  siblings: 'other replies',
}

const REASONS: { [reason: string]: string } = {
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
export const grouped = (number: number) => String(number).replaceAll(/\B(?=(\d{3})+$)/g, ',')

/** A dash if it is not known. */
export const orDash = (number: number | undefined) => (number === undefined ? '–' : grouped(number))

export const counted = (count: number, one: string, many: string = `${one}s`) =>
  `${grouped(count)} ${count === 1 ? one : many}`

export const sizeIn = (size: number, unit: Unit) => counted(size, unit === 'tokens' ? 'token' : 'byte')

/** A size for people: exact, with a rounded one where that is easier to read. */
export const sizeOf = (bytes: number) => {
  if (bytes < 10_000) return counted(bytes, 'byte')
  return bytes < 1_000_000 ? `${(bytes / 1024).toFixed(1)} KiB` : `${(bytes / 1024 / 1024).toFixed(1)} MiB`
}

export const percent = (part: number, whole: number) => {
  const share = whole === 0 ? 0 : Math.round((part / whole) * 1000) / 10
  return share === 0 && part > 0 ? '< 0.1 %' : `${share} %`
}

export const agentText = ({ agentId, agentType }: Pick<AssemblerReport, 'agentId' | 'agentType'>) =>
  visibleLine(agentId === undefined ? agentType : `${agentId} (${agentType})`)

export const inUnit = (unit: Unit, bytes: number, tokens: number = 0) => (unit === 'tokens' ? tokens : bytes)

export const totalOf = (report: Pick<AssemblerReport, 'totalBytes' | 'totalTokens'>, unit: Unit) =>
  inUnit(unit, report.totalBytes, report.totalTokens)

export const limitOf = ({ maxBytes, maxTokens }: AssemblerReport, unit: Unit) => inUnit(unit, maxBytes, maxTokens)

/** The tokens of a prompt, and those that it may have. */
export const tokensText = ({ totalTokens = 0, maxTokens, tokensExact }: AssemblerReport) => {
  const most = maxTokens === undefined ? '' : ` of ${grouped(maxTokens)}`
  return `${tokensExact === false ? 'about ' : ''}${grouped(totalTokens)}${most} tokens`
}

export const partName = (name: string) => PART_NAMES[name] ?? name

export const reasonText = (reason: string) => REASONS[reason] ?? reason

export const sectionFate = ({ action, before, itemsBefore, itemsAfter, name }: MeasuredSection, unit: Unit) => {
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

/** @param nameOf What a message of the conversation is called. */
export const findingText = (
  { part, index, field, line, pretends, escaped }: AssemblerReport['findings'][number],
  nameOf: (index: number) => string,
) => {
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

/** What a message is called: its id, or its number if it has none. */
export const messageName = ({ index, id }: { index: number; id?: string | undefined }) =>
  id === undefined ? `#${index}` : visibleLine(id)

export const namesText = ({ from, to }: { from: string; to: string }) => visibleLine(`${from} → ${to}`)

export const messageNames = ({ messages, report }: Turn) => {
  const names = new Map([...messages, ...report.dropped].map((message) => [message.index, messageName(message)]))
  return (index: number) => names.get(index) ?? `#${index}`
}

/** The unit of the prompt: that of the budget that shortened it, or else of the tighter one. */
export const unitOf = ({ limitedBy, maxBytes, maxTokens, totalBytes, totalTokens }: AssemblerReport): Unit => {
  if (maxTokens === undefined || totalTokens === undefined) return 'bytes'
  return limitedBy ?? (totalTokens / maxTokens > totalBytes / maxBytes ? 'tokens' : 'bytes')
}
