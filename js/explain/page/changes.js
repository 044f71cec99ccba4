'use strict'
/**
 * What changed from one prompt of an agent to another: how much of the beginning stayed, where the first
 * difference is and what caused it, and which messages came and went.
 */
const { spansOf } = require('./spans.js')
const { fatesOf, isSent } = require('./state.js')
const { counted, messageName, partName, reasonText } = require('./words.js')

/** @typedef {import('../turn.js').Turn} Turn */
/** @typedef {import('../turn.js').ShownMessage} ShownMessage */
/**
 * @typedef {object} Change
 * @property {'same' | 'changed' | 'none' | 'unknown'} flag What became of the system flag.
 * @property {number | null} sameBytes How many leading bytes of the prompt stayed; null if it is not known.
 * @property {number} reusableBytes Of flag and prompt together: a changed flag stands before the prompt.
 * @property {{ part: string, cause: string, before: Excerpt | null, after: Excerpt | null } | null} first The first difference; null if there is none, or if it is not known.
 * @property {ShownMessage[]} added
 * @property {ShownMessage[]} gone
 * @property {import('./words.js').Unit} unit Of the sizes of sections.
 * @property {{ name: string, before: number, after: number, what: string }[]} sections
 * @typedef {{ same: string, rest: string }} Excerpt The end of what is the same, and the start of what is not.
 */

/** Characters before and after the first difference. */
const BEFORE_DIFFERENCE = 60
const AFTER_DIFFERENCE = 160

/** Prompts are compared if they are for the same agent. @param {Turn} turn */
const agentKey = ({ report }) => JSON.stringify([report.agentId, report.agentType])

/** How many leading bytes two texts share. @param {Uint8Array} one @param {Uint8Array} other */
const sharedBytes = (one, other) => {
  const most = Math.min(one.length, other.length)
  let at = 0
  while (at < most && one[at] === other[at]) at++
  return at
}

/** The part of a prompt that a byte stands in. What stands between two parts belongs to the second one. @param {Turn} turn @param {number} at */
const partAt = ({ report }, at) => {
  const { top, spans } = spansOf(report)
  if (at < top) return 'top'
  return spans.find(({ end }) => at < end)?.name ?? 'end'
}

/** The messages in a prompt. @param {Turn} turn */
const sentMessages = (turn) => {
  const fates = fatesOf(turn, null)
  return turn.messages.filter((_, line) => isSent(fates[line] ?? ''))
}

/** What identifies a message. Its number does not, because the window moves. @param {ShownMessage} message */
const identityOf = ({ id, from, to, text, parts }) =>
  JSON.stringify([id, from, to, text, parts?.map((part) => [part.title, part.text])])

/** The messages of one list that are not in the other; each counts once. @param {ShownMessage[]} list @param {ShownMessage[]} other */
const without = (list, other) => {
  /** @type {Map<string, number>} */
  const counts = new Map()
  for (const message of other) counts.set(identityOf(message), (counts.get(identityOf(message)) ?? 0) + 1)
  return list.filter((message) => {
    const key = identityOf(message)
    const left = counts.get(key) ?? 0
    counts.set(key, left - 1)
    return left <= 0
  })
}

/** Why the conversation in a prompt has changed. @param {Turn} before @param {Turn} after */
const contextCause = (before, after) => {
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

/** @param {ShownMessage} first @param {number} count */
const goneText = (first, count) =>
  count === 1 ? `${messageName(first)} is gone` : `${counted(count, 'message')} from ${messageName(first)} on are gone`

/** @param {ShownMessage} message @param {Turn} after */
const whyGone = (message, after) => {
  const key = identityOf(message)
  const line = after.messages.findIndex((other) => identityOf(other) === key)
  return line < 0
    ? 'outside the window, or removed'
    : reasonText(/** @type {string} */ (fatesOf(after, null)[line] ?? ''))
}

/** @param {string} part */
const named = (part) => (part === 'system' ? 'the system text' : `the ${partName(part)}`)

/** What made the first difference. @param {Turn} before @param {Turn} after @param {number} at */
const causeAt = (before, after, at) => {
  const [old, now] = [partAt(before, at), partAt(after, at)]
  const has = (/** @type {Turn} */ { report }, /** @type {string} */ name) =>
    spansOf(report).spans.some((span) => span.name === name)
  if (old === 'top' || now === 'top') return old === now ? 'the key of the fence changed' : 'only one of both is fenced'
  if (now !== 'end' && !has(before, now)) return `${named(now)} is new`
  if (old !== 'end' && !has(after, old)) return `${named(old)} is gone`
  if (old === 'context' || now === 'context') return contextCause(before, after)
  return `${named(now === 'end' ? old : now)} changed`
}

/** @param {Uint8Array} bytes @param {number} at @returns {Excerpt} */
const excerptAt = (bytes, at) => {
  // Do not split a character.
  let start = at
  while (start > 0 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start--
  const text = (/** @type {number} */ from, /** @type {number} */ to) =>
    new TextDecoder().decode(bytes.subarray(Math.max(0, from), to))
  const [same, rest] = [text(start - BEFORE_DIFFERENCE * 4, start), text(start, start + AFTER_DIFFERENCE * 4)]
  return {
    same: same.length > BEFORE_DIFFERENCE ? `…${same.slice(-BEFORE_DIFFERENCE)}` : same,
    rest: rest.length > AFTER_DIFFERENCE ? `${rest.slice(0, AFTER_DIFFERENCE)}…` : rest,
  }
}

/** @param {Turn} before @param {Turn} after @returns {Change['flag']} */
const flagChange = (before, after) => {
  if (before.report.systemFlagBytes === 0 && after.report.systemFlagBytes === 0) return 'none'
  if (before.report.systemFlagBytes !== after.report.systemFlagBytes) return 'changed'
  if (before.sent === undefined || after.sent === undefined) return 'unknown'
  return before.sent.systemFlag === after.sent.systemFlag ? 'same' : 'changed'
}

/** @param {number} old @param {number} now @param {boolean | undefined} isSame */
const sectionChange = (old, now, isSame) => {
  if (old === 0) return 'new'
  if (now === 0) return 'gone'
  if (old !== now || isSame === false) return 'changed'
  return isSame ? 'the same' : 'the same size'
}

/** Sizes of all sections of both, in tokens if those limit both. @param {Turn} before @param {Turn} after @param {(name: string) => boolean | undefined} isSame Undefined if that is not known. @returns {Pick<Change, 'unit' | 'sections'>} */
const sectionChanges = (before, after, isSame) => {
  const unit = before.unit === 'tokens' && after.unit === 'tokens' ? 'tokens' : 'bytes'
  const sizesOf = (/** @type {Turn} */ { report }, /** @type {string} */ name) => {
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

/**
 * @param {Turn} before
 * @param {Turn} after
 * @param {boolean} isNext Whether `before` is the last prompt of the agent before `after`: reports say what these share.
 * @returns {Change}
 */
const changeBetween = (before, after, isNext) => {
  const [old, now] = [sentMessages(before), sentMessages(after)]
  const flag = flagChange(before, after)
  const common = { flag, added: without(now, old), gone: without(old, now) }
  if (before.sent === undefined || after.sent === undefined) {
    const sameBytes = isNext ? (after.report.stablePrefixBytes ?? null) : null
    const isAll = sameBytes === after.report.promptBytes && sameBytes === before.report.promptBytes
    const first =
      sameBytes === null || isAll
        ? null
        : { part: partAt(after, sameBytes), cause: causeAt(before, after, sameBytes), before: null, after: null }
    const isSame = (/** @type {string} */ name) => {
      const end = spansOf(after.report).spans.find((span) => span.name === name)?.end ?? Infinity
      return isAll || end <= (sameBytes ?? 0) ? true : undefined
    }
    return {
      ...common,
      sameBytes,
      reusableBytes: reusable(flag, sameBytes ?? 0, after),
      first,
      ...sectionChanges(before, after, isSame),
    }
  }
  const encoder = new TextEncoder()
  const [one, other] = [encoder.encode(before.sent.prompt), encoder.encode(after.sent.prompt)]
  const sameBytes = sharedBytes(one, other)
  const isAll = sameBytes === one.length && sameBytes === other.length
  const textOf = (
    /** @type {Turn} */ { report, sent },
    /** @type {Uint8Array} */ bytes,
    /** @type {string} */ name,
  ) => {
    const span = spansOf(report).spans.find((found) => found.name === name)
    const inPrompt = span === undefined ? '' : new TextDecoder().decode(bytes.subarray(span.start, span.end))
    return name === 'system' ? `${sent?.systemFlag}\n${inPrompt}` : inPrompt
  }
  return {
    ...common,
    sameBytes,
    reusableBytes: reusable(flag, sameBytes, after),
    first: isAll
      ? null
      : {
          part: partAt(after, sameBytes),
          cause: causeAt(before, after, sameBytes),
          before: excerptAt(one, sameBytes),
          after: excerptAt(other, sameBytes),
        },
    ...sectionChanges(before, after, (name) => textOf(before, one, name) === textOf(after, other, name)),
  }
}

/** @param {Change['flag']} flag @param {number} sameBytes @param {Turn} after */
const reusable = (flag, sameBytes, { report }) => (flag === 'changed' ? 0 : report.systemFlagBytes + sameBytes)

module.exports = { agentKey, changeBetween, sharedBytes }
