/**
 * What changed from one prompt of an agent to another: how much of the beginning stayed, where the first
 * difference is and what caused it, and which messages came and went.
 */
import { fatesOf, isSent, spansOf } from './state.js'
import { counted, messageName, partName, reasonText, type Unit } from './words.js'
import type { ShownMessage, Turn } from '../turn.js'

export interface Change {
  flag: 'same' | 'changed' | 'none' | 'unknown'
  /** How many leading bytes of the prompt stayed; null if it is not known. */
  sameBytes: number | null
  /** Of flag and prompt together: a changed flag stands before the prompt. */
  reusableBytes: number
  /** The first difference; null if there is none, or if it is not known. */
  first: { part: string; cause: string; before: Excerpt | null; after: Excerpt | null } | null
  added: ShownMessage[]
  gone: ShownMessage[]
  unit: Unit
  sections: { name: string; before: number; after: number; what: string }[]
}

/** The end of what is the same, and the start of what is not. */
export type Excerpt = { same: string; rest: string }

const BEFORE_DIFFERENCE = 60
const AFTER_DIFFERENCE = 160

/** Prompts are compared if they are for the same agent. */
export const agentKey = ({ report }: Turn) => JSON.stringify([report.agentId, report.agentType])

export const sharedBytes = (one: Uint8Array, other: Uint8Array) => {
  const most = Math.min(one.length, other.length)
  let at = 0
  while (at < most && one[at] === other[at]) at++
  return at
}

/** The part of a prompt that a byte stands in. What stands between two parts belongs to the second one. */
const partAt = ({ report }: Turn, at: number) => {
  const { top, spans } = spansOf(report)
  if (at < top) return 'top'
  return spans.find(({ end }) => at < end)?.name ?? 'end'
}

const sentMessages = (turn: Turn) => {
  const fates = fatesOf(turn, null)
  return turn.messages.filter((_, line) => isSent(fates[line] ?? ''))
}

/** What identifies a message. Its number does not, because the window moves. */
const identityOf = ({ id, from, to, text, parts }: ShownMessage) =>
  JSON.stringify([id, from, to, text, parts?.map((part) => [part.title, part.text])])

/** The messages of one list that are not in the other; each counts once. */
const without = (list: ShownMessage[], other: ShownMessage[]) => {
  const counts: Map<string, number> = new Map()
  for (const message of other) counts.set(identityOf(message), (counts.get(identityOf(message)) ?? 0) + 1)
  return list.filter((message) => {
    const key = identityOf(message)
    const left = counts.get(key) ?? 0
    counts.set(key, left - 1)
    return left <= 0
  })
}

const contextCause = (before: Turn, after: Turn) => {
  const [old, now] = [sentMessages(before), sentMessages(after)]
  if (old.length === 0 || now.length === 0) return 'the conversation changed'
  const [oldKeys, nowKeys] = [old.map(identityOf), now.map(identityOf)]
  let at = 0
  while (at < old.length && at < now.length && oldKeys[at] === nowKeys[at]) at++
  const [lost, found] = [old[at], now[at]]
  if (lost === undefined && found === undefined)
    return 'a line around the conversation changed, or a tool result was shortened'
  if (lost === undefined) return `${counted(now.length - at, 'new message')} at the end of the conversation`
  if (found !== undefined && lost.id !== undefined && lost.id === found.id) return `${messageName(lost)} was changed`
  const isThere = new Set(nowKeys)
  let end = at
  while (end < old.length && !isThere.has(oldKeys[end] ?? '')) end++
  if (end === at)
    return found === undefined
      ? 'the end of the conversation is gone'
      : `${messageName(found)} was put before ${messageName(lost)}`
  return `${goneText(lost, end - at)}: ${whyGone(lost, after)}`
}

const goneText = (first: ShownMessage, count: number) =>
  count === 1 ? `${messageName(first)} is gone` : `${counted(count, 'message')} from ${messageName(first)} on are gone`

const whyGone = (message: ShownMessage, after: Turn) => {
  const key = identityOf(message)
  const line = after.messages.findIndex((other) => identityOf(other) === key)
  return line < 0 ? 'outside the window, or removed' : reasonText(fatesOf(after, null)[line] ?? '')
}

const named = (part: string) => (part === 'system' ? 'the system text' : `the ${partName(part)}`)

const causeAt = (before: Turn, after: Turn, at: number) => {
  const [old, now] = [partAt(before, at), partAt(after, at)]
  const has = ({ report }: Turn, name: string) => spansOf(report).spans.some((span) => span.name === name)
  if (old === 'top' || now === 'top') return old === now ? 'the key of the fence changed' : 'only one of both is fenced'
  if (now !== 'end' && !has(before, now)) return `${named(now)} is new`
  if (old !== 'end' && !has(after, old)) return `${named(old)} is gone`
  if (old === 'context' || now === 'context') return contextCause(before, after)
  return `${named(now === 'end' ? old : now)} changed`
}

const excerptAt = (bytes: Uint8Array, at: number): Excerpt => {
  // Do not split a character.
  let start = at
  while (start > 0 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start--
  const text = (from: number, to: number) => new TextDecoder().decode(bytes.subarray(Math.max(0, from), to))
  const [same, rest] = [text(start - BEFORE_DIFFERENCE * 4, start), text(start, start + AFTER_DIFFERENCE * 4)]
  return {
    same: same.length > BEFORE_DIFFERENCE ? `…${same.slice(-BEFORE_DIFFERENCE)}` : same,
    rest: rest.length > AFTER_DIFFERENCE ? `${rest.slice(0, AFTER_DIFFERENCE)}…` : rest,
  }
}

const flagChange = (before: Turn, after: Turn): Change['flag'] => {
  if (before.report.systemFlagBytes === 0 && after.report.systemFlagBytes === 0) return 'none'
  if (before.report.systemFlagBytes !== after.report.systemFlagBytes) return 'changed'
  if (before.sent === undefined || after.sent === undefined) return 'unknown'
  return before.sent.systemFlag === after.sent.systemFlag ? 'same' : 'changed'
}

const sectionChange = (old: number, now: number, isSame: boolean | undefined) => {
  if (old === 0) return 'new'
  if (now === 0) return 'gone'
  if (old !== now || isSame === false) return 'changed'
  return isSame ? 'the same' : 'the same size'
}

/**
 * Sizes of all sections of both, in tokens if those limit both.
 * @param isSame Undefined if that is not known.
 */
const sectionChanges = (
  before: Turn,
  after: Turn,
  isSame: (name: string) => boolean | undefined,
): Pick<Change, 'unit' | 'sections'> => {
  const unit = before.unit === 'tokens' && after.unit === 'tokens' ? 'tokens' : 'bytes'
  const sizesOf = ({ report }: Turn, name: string) => {
    const { bytesAfter = 0, tokensAfter = 0 } = report.sections.find((section) => section.name === name) ?? {}
    return { bytes: bytesAfter, tokens: tokensAfter }
  }
  const names = new Set([...after.report.sections, ...before.report.sections].map(({ name }) => name))
  const sections = [...names].map((name) => {
    const [old, now] = [sizesOf(before, name), sizesOf(after, name)]
    const what = sectionChange(old.bytes, now.bytes, isSame(name))
    return { name, before: old[unit], after: now[unit], what }
  })
  return { unit, sections }
}

/** @param isNext Whether `before` is the last prompt of the agent before `after`: reports say what these share. */
export const changeBetween = (before: Turn, after: Turn, isNext: boolean): Change => {
  const [old, now] = [sentMessages(before), sentMessages(after)]
  const flag = flagChange(before, after)
  const texts = before.sent && after.sent && ([bytesOf(before.sent.prompt), bytesOf(after.sent.prompt)] as const)
  const reported = isNext ? (after.report.stablePrefixBytes ?? null) : null
  const sameBytes = texts === undefined ? reported : sharedBytes(...texts)
  const isAll = sameBytes === before.report.promptBytes && sameBytes === after.report.promptBytes
  const isSame = (name: string) => {
    if (texts !== undefined) return textOf(before, texts[0], name) === textOf(after, texts[1], name)
    const end = spansOf(after.report).spans.find((span) => span.name === name)?.end ?? Infinity
    return isAll || end <= (sameBytes ?? 0) ? true : undefined
  }
  const first = (at: number) => ({
    part: partAt(after, at),
    cause: causeAt(before, after, at),
    before: texts === undefined ? null : excerptAt(texts[0], at),
    after: texts === undefined ? null : excerptAt(texts[1], at),
  })
  return {
    flag,
    added: without(now, old),
    gone: without(old, now),
    sameBytes,
    reusableBytes: flag === 'changed' ? 0 : after.report.systemFlagBytes + (sameBytes ?? 0),
    first: sameBytes === null || isAll ? null : first(sameBytes),
    ...sectionChanges(before, after, isSame),
  }
}

const bytesOf = (text: string) => new TextEncoder().encode(text)

const textOf = ({ report, sent }: Turn, bytes: Uint8Array, name: string) => {
  const span = spansOf(report).spans.find((found) => found.name === name)
  const inPrompt = span === undefined ? '' : new TextDecoder().decode(bytes.subarray(span.start, span.end))
  return name === 'system' ? `${sent?.systemFlag}\n${inPrompt}` : inPrompt
}
