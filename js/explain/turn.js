'use strict'
/** Everything known about one prompt, as data for the terminal and the page. */
const { invalidArgument } = require('../errors.js')
const { placesOf } = require('../manager/places.js')
const { sourceOf } = require('./budget-table.js')
const { rowAt } = require('./page/budget.js')
const { BREAK_BYTES, spansOf } = require('./page/spans.js')
const { grouped, unitOf } = require('./page/words.js')
const { partText } = require('./parts.js')

/** @typedef {import('../../index.d.ts').AssemblerReport} AssemblerReport */
/** @typedef {import('../../index.d.ts').ReportedPrompt} ReportedPrompt */
/** @typedef {import('./page/budget.js').BudgetTable} BudgetTable */

/**
 * @typedef {import('./page/words.js').Unit} Unit
 * @typedef {{ head: string, tail: string, missing: number }} ShownText A text, without its middle if it is very long.
 * @typedef {{ kind: string, title: string, text: ShownText }} ShownPart A tool call, a result, a file or reasoning.
 * @typedef {{
 *   index: number, id: string | undefined, from: string, to: string, bytes: number, tokens?: number | undefined,
 *   text: ShownText, parts?: ShownPart[],
 * }} ShownMessage
 * @typedef {{ name: string, text: ShownText, isWhole: boolean, inFlag: boolean }} ShownSection
 * @typedef {{
 *   report: AssemblerReport,
 *   unit: Unit,
 *   top: string,
 *   sections: ShownSection[],
 *   messages: ShownMessage[],
 *   pinned: number[],
 *   kept: { first: number, firstFitting: number },
 *   table: BudgetTable | null,
 *   whole: number | null,
 *   sent?: { prompt: string, systemFlag: string },
 *   lacks: string[],
 * }} Turn
 * `unit` is what the prompt is measured in: what limited it. `top` is the line above the sections of a fenced
 * prompt. `whole` is the size of everything, in the unit. `sent` is what was sent, to be compared with another turn.
 */

const MAX_MESSAGES = 50_000
/** The limit for all texts of a page together, and the maximum and minimum for one text, in UTF-16 units. */
const MAX_TEXTS = 16 * 1024 * 1024
const MAX_TEXT = 200_000
const MIN_TEXT = 400

/** @param {string} text @param {number} [most] @returns {ShownText} */
const shownText = (text, most = MAX_TEXT) => {
  if (text.length <= most) return { head: text, tail: '', missing: 0 }
  const half = Math.floor(most / 2)
  return { head: text.slice(0, half), tail: text.slice(-half), missing: text.length - 2 * half }
}

/** @param {unknown} to */
const addressee = (to) => (Array.isArray(to) ? to.join(', ') : typeof to === 'string' ? to : '').trim() || 'all'

/**
 * The texts of a prompt: of its sections, and of the line above them.
 * @param {{ prompt?: string | Uint8Array | undefined, systemFlag?: string | undefined, report: AssemblerReport }} output
 * @param {boolean} isWhole
 * @returns {{ top: string, sections: ShownSection[] }}
 */
const promptTexts = ({ prompt, systemFlag, report }, isWhole) => {
  if (prompt === undefined) return { top: '', sections: [] }
  const bytes = Buffer.from(prompt)
  if (bytes.length !== report.promptBytes)
    throw invalidArgument('prompt must be the one that the report is of: it has another size')
  const { top, spans } = spansOf(report)
  const sections = report.sections.flatMap(({ name }) => {
    const flag = name === 'system' ? report.systemFlagBytes : 0
    const span = spans.find((one) => one.name === name)
    if (span === undefined && flag === 0) return []
    const text = span === undefined ? (systemFlag ?? '') : bytes.toString('utf8', span.start, span.end)
    return [{ name, text: shownText(text), isWhole, inFlag: flag > 0 }]
  })
  return { top: bytes.toString('utf8', 0, Math.max(0, top - BREAK_BYTES)), sections }
}

/** What the page shows instead of a slider. */
const LACKS = {
  input:
    'This page was made from a report alone. It cannot show the size of each kept message, or what another budget would keep.',
  prompt: 'This page was made without the prompt: it has no texts.',
  other:
    'The input does not reproduce this report: the prompt belongs to a session, or its options were not passed. The page cannot show what another budget would keep.',
  tokens:
    'The input does not reproduce the tokens of this report: it has another tokenizer, or no budget in tokens. The page cannot show what another budget would keep.',
  many: `The page measures at most ${grouped(MAX_MESSAGES)} messages, and this conversation has more. It cannot show what another budget would keep.`,
}

/** @param {AssemblerReport} one @param {AssemblerReport} other */
const isSameResult = (one, other) =>
  one.totalBytes === other.totalBytes &&
  one.systemFlagBytes === other.systemFlagBytes &&
  JSON.stringify(one.sections.map(({ name, bytesAfter }) => [name, bytesAfter])) ===
    JSON.stringify(other.sections.map(({ name, bytesAfter }) => [name, bytesAfter]))

/** @param {ReportedPrompt} prompt @returns {Turn} */
const describeTurn = (prompt) => {
  const { report, input } = prompt
  const texts = promptTexts(
    { ...prompt, prompt: prompt.prompt ?? undefined, systemFlag: prompt.systemFlag ?? undefined },
    false,
  )
  const bare = {
    report,
    unit: unitOf(report),
    ...texts,
    messages: [],
    pinned: [],
    kept: { first: 0, firstFitting: 0 },
    table: null,
    whole: null,
  }
  const withoutTexts = prompt.prompt === undefined || prompt.prompt === null ? [LACKS.prompt] : []
  if (input === undefined || input === null) return { ...bare, lacks: [LACKS.input, ...withoutTexts] }
  if (Number(input.contextMessages?.length) > MAX_MESSAGES) return { ...bare, lacks: [LACKS.many, ...withoutTexts] }
  const source = sourceOf(input, prompt.assembler ?? undefined, report)
  const again = source?.again()?.report
  if (source === undefined || again === undefined || !isSameResult(again, report))
    return { ...bare, lacks: [LACKS.other, ...withoutTexts] }
  return { ...bare, ...turnWithInput(source, again, report) }
}

/**
 * The table of budgets in the unit of the prompt, or in the other unit if only that reproduces the
 * prompt.
 * @param {import('./budget-table.js').Source} source
 * @param {AssemblerReport} report
 * @param {boolean} isCounted
 */
const tableOf = (source, report, isCounted) => {
  const { maxBytes, maxTokens, sections } = report
  if (maxTokens === undefined || !isCounted) return source.table(undefined)
  if (unitOf(report) === 'bytes') {
    // It does not know the token budget, which may also have had an effect.
    const table = source.table(undefined)
    const row = rowAt(table, maxBytes)
    if (row.sections.every((bytes, at) => bytes === sections[at]?.bytesAfter)) return table
  }
  return source.table(maxTokens)
}

/** @param {import('./budget-table.js').Source} source @param {AssemblerReport} again @param {AssemblerReport} report */
const turnWithInput = (source, again, report) => {
  const { maxTokens, totalTokens } = report
  const isCounted = maxTokens === undefined || (again.maxTokens === maxTokens && again.totalTokens === totalTokens)
  const { indices, lineBytes, lineTokens, pinned, ...table } = tableOf(source, report, isCounted)
  const most = Math.min(MAX_TEXT, Math.max(MIN_TEXT, Math.floor(MAX_TEXTS / Math.max(1, indices.length))))
  const places = placesOf(source.messages)
  const messages = indices.map((position, line) => {
    const message = source.messages[position]
    const parts = message?.parts?.map((part) => {
      const { kind, title, text } = partText(part)
      return { kind, title, text: shownText(text, most) }
    })
    return {
      index: places?.[position]?.index ?? position,
      id: places?.[position]?.id,
      from: message?.from ?? '',
      to: addressee(message?.to),
      bytes: lineBytes[line] ?? 0,
      ...(lineTokens !== undefined && { tokens: lineTokens[line] ?? 0 }),
      text: shownText(message?.content || (parts?.map(({ text }) => text.head).join('\n') ?? ''), most),
      ...(parts !== undefined && { parts }),
    }
  })
  const isInTokens = table.unit === 'tokens'
  return {
    ...promptTexts(source.others(), true),
    unit: isCounted ? table.unit : unitOf(report),
    messages,
    pinned: lineBytes.length > 0 ? pinned : [],
    kept: keptFrom(again, indices),
    table: isCounted ? table : null,
    whole: isCounted || unitOf(report) === 'bytes' ? wholeOf(table.whole, isInTokens) : null,
    lacks: isCounted ? [] : [LACKS.tokens],
  }
}

/** @param {import('./page/budget.js').BudgetRow} whole @param {boolean} isInTokens */
const wholeOf = ({ totalBytes, totalTokens }, isInTokens) => (isInTokens ? (totalTokens ?? 0) : totalBytes)

/**
 * From which message on the conversation is kept: the one after the newest that was dropped.
 * @param {AssemblerReport} report
 * @param {number[]} chosen
 */
const keptFrom = ({ dropped }, chosen) => {
  const after = (/** @type {{ index: number } | undefined} */ message) =>
    message === undefined ? 0 : chosen.indexOf(message.index) + 1
  return { first: after(dropped[0]), firstFitting: after(dropped.find(({ reason }) => reason !== 'step')) }
}

module.exports = { describeTurn }
