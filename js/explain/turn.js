'use strict'
/** Everything that is known of one prompt, as data: what the terminal and the page show. */
const { invalidArgument } = require('../errors.js')
const { placesOf } = require('../manager/places.js')
const { sourceOf } = require('./budget-table.js')
const { partText } = require('./parts.js')

/** @typedef {import('../../index.d.ts').AssemblerReport} AssemblerReport */
/** @typedef {import('../../index.d.ts').ReportedPrompt} ReportedPrompt */
/** @typedef {import('./page/budget.js').BudgetTable} BudgetTable */

/**
 * @typedef {{ head: string, tail: string, missing: number }} ShownText A text, without its middle if it is very long.
 * @typedef {{ title: string, text: ShownText }} ShownPart A tool call, a result, a file or reasoning.
 * @typedef {{ index: number, id: string | undefined, from: string, to: string, bytes: number, text: ShownText, parts?: ShownPart[] }} ShownMessage
 * @typedef {{ name: string, text: ShownText, isWhole: boolean, inFlag: boolean }} ShownSection
 * @typedef {{
 *   report: AssemblerReport,
 *   sections: ShownSection[],
 *   messages: ShownMessage[],
 *   pinned: number[],
 *   kept: { first: number, firstFitting: number },
 *   table: BudgetTable | null,
 *   whole: number | null,
 *   lacks: string[],
 * }} Turn
 */

const MAX_MESSAGES = 50_000
/** All texts of a page together, and the most and the least of one of them, in UTF-16 units. */
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
 * The texts of the sections of a prompt. They are found by their sizes, never by their titles.
 * @param {{ prompt?: string | Uint8Array | undefined, systemFlag?: string | undefined, report: AssemblerReport }} output
 * @param {boolean} isWhole
 * @returns {ShownSection[]}
 */
const sectionTexts = ({ prompt, systemFlag, report }, isWhole) => {
  if (prompt === undefined) return []
  const bytes = Buffer.from(prompt)
  if (bytes.length !== report.promptBytes)
    throw invalidArgument('prompt must be the one that the report is of: it has another size')
  const bytesInPrompt = (/** @type {AssemblerReport['sections'][0]} */ { name, bytesAfter }) =>
    bytesAfter - (name === 'system' ? report.systemFlagBytes : 0)
  const written = report.sections.map(bytesInPrompt).filter((size) => size > 0)
  // A fenced prompt has a line of its own at the top.
  const top = report.promptBytes - written.reduce((sum, size) => sum + size + 2, -2)
  let start = written.length > 0 ? top : 0
  let isFirst = true
  return report.sections.flatMap((section) => {
    const { name } = section
    const flag = name === 'system' ? report.systemFlagBytes : 0
    const inPrompt = bytesInPrompt(section)
    if (inPrompt === 0) return flag === 0 ? [] : [{ name, text: shownText(systemFlag ?? ''), isWhole, inFlag: true }]
    if (!isFirst) start += 2
    isFirst = false
    const text = bytes.toString('utf8', start, start + inPrompt)
    start += inPrompt
    return [{ name, text: shownText(text), isWhole, inFlag: flag > 0 }]
  })
}

/** What the page says where it has no slider. */
const LACKS = {
  input:
    'This page was made from a report alone. It has no sizes of single kept messages, and cannot say what another budget would keep.',
  prompt: 'This page was made without the prompt: it has no texts.',
  other:
    'The input that was given does not give this report again (a session, or options that were not given). The page cannot say what another budget would keep.',
  tokens:
    'The input that was given does not give the tokens of this report again (another tokenizer, or no budget in tokens). The page cannot say what another budget would keep.',
  many: 'This conversation has more messages than the page measures. It cannot say what another budget would keep.',
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
  const texts = sectionTexts(
    { ...prompt, prompt: prompt.prompt ?? undefined, systemFlag: prompt.systemFlag ?? undefined },
    false,
  )
  const bare = {
    report,
    sections: texts,
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

/** @param {import('./budget-table.js').Source} source @param {AssemblerReport} again @param {AssemblerReport} report */
const turnWithInput = (source, again, { maxTokens, totalTokens }) => {
  const isCounted = maxTokens === undefined || (again.maxTokens === maxTokens && again.totalTokens === totalTokens)
  const { indices, lineBytes, pinned, ...table } = source.table(isCounted ? maxTokens : undefined)
  const most = Math.min(MAX_TEXT, Math.max(MIN_TEXT, Math.floor(MAX_TEXTS / Math.max(1, indices.length))))
  const places = placesOf(source.messages)
  const messages = indices.map((position, line) => {
    const message = source.messages[position]
    const parts = message?.parts?.map((part) => {
      const { title, text } = partText(part)
      return { title, text: shownText(text, most) }
    })
    return {
      index: places?.[position]?.index ?? position,
      id: places?.[position]?.id,
      from: message?.from ?? '',
      to: addressee(message?.to),
      bytes: lineBytes[line] ?? 0,
      text: shownText(
        message?.content || (parts?.map(({ title, text }) => `${title} ${text.head}`).join('\n') ?? ''),
        most,
      ),
      ...(parts !== undefined && { parts }),
    }
  })
  return {
    sections: sectionTexts(source.others(), true),
    messages,
    pinned: lineBytes.length > 0 ? pinned : [],
    kept: keptFrom(again, indices),
    table: isCounted ? table : null,
    whole: table.whole.totalBytes,
    lacks: isCounted ? [] : [LACKS.tokens],
  }
}

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
