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

/** How many elements two lists share at their beginning. */
export const sharedLength = (one: ArrayLike<unknown>, other: ArrayLike<unknown>) => {
  const most = Math.min(one.length, other.length)
  let at = 0
  while (at < most && one[at] === other[at]) at++
  return at
}

/** What identifies a message. Its number does not, because the window moves. */
const identityOf = ({ id, from, to, text, parts }: ShownMessage) =>
  JSON.stringify([id, from, to, text, parts?.map((part) => [part.title, part.text])])

/** One of the two prompts. `keys` are those of the messages in it. */
const sideOf = ({ report, messages, sent, ...turn }: Turn) => {
  const fates = fatesOf({ report, messages, ...turn }, null)
  const kept = messages.filter((_, line) => isSent(fates[line] ?? ''))
  const bytes = sent && new TextEncoder().encode(sent.prompt)
  return { report, messages, sent, fates, kept, keys: kept.map(identityOf), bytes, ...spansOf(report) }
}
type Side = ReturnType<typeof sideOf>

const sizesOf = ({ report }: Side, name: string) => {
  const { bytesAfter = 0, tokensAfter = 0 } = report.sections.find((section) => section.name === name) ?? {}
  return { bytes: bytesAfter, tokens: tokensAfter }
}

const spanOf = ({ spans }: Side, name: string) => spans.find((span) => span.name === name)

/** The part of a prompt that a byte stands in. What stands between two parts belongs to the second one. */
const partAt = ({ top, spans }: Side, at: number) =>
  at < top ? 'top' : (spans.find(({ end }) => at < end)?.name ?? 'end')

/** The messages of one prompt that are not in the other; each counts once. */
const without = ({ kept, keys }: Side, other: Side) => {
  const counts: Map<string, number> = new Map()
  for (const key of other.keys) counts.set(key, (counts.get(key) ?? 0) + 1)
  return kept.filter((_, at) => {
    const key = keys[at] ?? ''
    const left = counts.get(key) ?? 0
    counts.set(key, left - 1)
    return left <= 0
  })
}

const contextCause = (before: Side, after: Side) => {
  const [old, now] = [before.kept, after.kept]
  if (old.length === 0 || now.length === 0) return 'the conversation changed'
  const at = sharedLength(before.keys, after.keys)
  const [lost, found] = [old[at], now[at]]
  if (lost === undefined && found === undefined)
    return 'a line around the conversation changed, or a tool result was shortened'
  if (lost === undefined) return `${counted(now.length - at, 'new message')} at the end of the conversation`
  if (found !== undefined && lost.id !== undefined && lost.id === found.id) return `${messageName(lost)} was changed`
  const isThere = new Set(after.keys)
  const gone = before.keys.slice(at)
  const next = gone.findIndex((key) => isThere.has(key))
  if (next !== 0) return goneText(lost, next < 0 ? gone.length : next, after)
  return found === undefined
    ? 'the end of the conversation is gone'
    : `${messageName(found)} was put before ${messageName(lost)}`
}

const goneText = (first: ShownMessage, count: number, { messages, fates }: Side) => {
  const key = identityOf(first)
  const line = messages.findIndex((other) => identityOf(other) === key)
  const why = line < 0 ? 'outside the window, or removed' : reasonText(fates[line] ?? '')
  const name = messageName(first)
  return count === 1 ? `${name} is gone: ${why}` : `${counted(count, 'message')} from ${name} on are gone: ${why}`
}

const named = (part: string) => (part === 'system' ? 'the system text' : `the ${partName(part)}`)

const causeAt = (before: Side, after: Side, at: number) => {
  const [old, now] = [partAt(before, at), partAt(after, at)]
  if (old === 'top' || now === 'top') return old === now ? 'the key of the fence changed' : 'only one of both is fenced'
  if (now !== 'end' && spanOf(before, now) === undefined) return `${named(now)} is new`
  if (old !== 'end' && spanOf(after, old) === undefined) return `${named(old)} is gone`
  if (old === 'context' || now === 'context') return contextCause(before, after)
  return `${named(now === 'end' ? old : now)} changed`
}

const excerptAt = (bytes: Uint8Array | undefined, at: number): Excerpt | null => {
  if (bytes === undefined) return null
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

const flagChange = (before: Side, after: Side): Change['flag'] => {
  const [old, now] = [before.report.systemFlagBytes, after.report.systemFlagBytes]
  if (old === 0 && now === 0) return 'none'
  if (old !== now) return 'changed'
  if (before.sent === undefined || after.sent === undefined) return 'unknown'
  return before.sent.systemFlag === after.sent.systemFlag ? 'same' : 'changed'
}

const sectionChange = (old: number, now: number, isSame: boolean | undefined) => {
  if (old === 0) return 'new'
  if (now === 0) return 'gone'
  if (old !== now || isSame === false) return 'changed'
  return isSame ? 'the same' : 'the same size'
}

/** The text of a section in the bytes of its prompt. */
const textOf = (side: Side, bytes: Uint8Array, name: string) => {
  const { start, end } = spanOf(side, name) ?? { start: 0, end: 0 }
  const inPrompt = new TextDecoder().decode(bytes.subarray(start, end))
  return name === 'system' ? `${side.sent?.systemFlag}\n${inPrompt}` : inPrompt
}

/** @param isNext Whether `before` is the last prompt of the agent before `after`: reports say what these share. */
export const changeBetween = (oldTurn: Turn, newTurn: Turn, isNext: boolean): Change => {
  const [before, after] = [sideOf(oldTurn), sideOf(newTurn)]
  const flag = flagChange(before, after)
  const texts = before.bytes && after.bytes && ([before.bytes, after.bytes] as const)
  const reported = isNext ? (after.report.stablePrefixBytes ?? null) : null
  const sameBytes = texts === undefined ? reported : sharedLength(...texts)
  const isAll = sameBytes === before.report.promptBytes && sameBytes === after.report.promptBytes
  /** Undefined if that is not known. */
  const isSame = (name: string) => {
    if (texts !== undefined) return textOf(before, texts[0], name) === textOf(after, texts[1], name)
    return isAll || (spanOf(after, name)?.end ?? Infinity) <= (sameBytes ?? 0) ? true : undefined
  }
  const first = (at: number) => ({
    part: partAt(after, at),
    cause: causeAt(before, after, at),
    before: excerptAt(texts?.[0], at),
    after: excerptAt(texts?.[1], at),
  })
  const unit = oldTurn.unit === 'tokens' && newTurn.unit === 'tokens' ? 'tokens' : 'bytes'
  const names = new Set([...after.report.sections, ...before.report.sections].map(({ name }) => name))
  const sections = [...names].map((name) => {
    const [old, now] = [sizesOf(before, name), sizesOf(after, name)]
    const what = sectionChange(old.bytes, now.bytes, isSame(name))
    return { name, before: old[unit], after: now[unit], what }
  })
  return {
    flag,
    added: without(after, before),
    gone: without(before, after),
    sameBytes,
    reusableBytes: flag === 'changed' ? 0 : after.report.systemFlagBytes + (sameBytes ?? 0),
    first: sameBytes === null || isAll ? null : first(sameBytes),
    unit,
    sections,
  }
}
