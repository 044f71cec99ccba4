/** Everything known about one prompt, as data for the terminal and the page. */
import { isMissing } from '../checks/kinds.js'
import { placesOf } from '../manager/turns.js'
import { sourceOf, type Source } from './budget-table.js'
import { BREAK_BYTES, rowAt, spansOf, type BudgetTable } from './page/state.js'
import { grouped, totalOf, unitOf, type Unit } from './page/words.js'
import { partText } from './parts.js'
import { typeProblem } from '../checks/problems.js'
import type { AssemblerReport } from '../prompts/report.js'
import type { ReportedPrompt } from './render.js'

/** A text, without its middle if it is very long. */
export type ShownText = { head: string; tail: string; missing: number }

type ShownPart = { kind: string; title: string; text: ShownText }

export type ShownMessage = {
  index: number
  id: string | undefined
  from: string
  to: string
  bytes: number
  tokens?: number | undefined
  text: ShownText
  parts?: ShownPart[]
}

export type ShownSection = { name: string; text: ShownText; isWhole: boolean; inFlag: boolean }

/** `unit` is what the prompt is measured in: what limited it. `top` is the line above the sections of a fenced
 * prompt. `whole` is the size of everything, in the unit. `sent` is what was sent, to be compared with another turn. */
export type Turn = {
  report: AssemblerReport
  unit: Unit
  top: string
  sections: ShownSection[]
  messages: ShownMessage[]
  pinned: number[]
  kept: { first: number; firstFitting: number }
  table: BudgetTable | null
  whole: number | null
  sent?: { prompt: string; systemFlag: string }
  lacks: string[]
}

const MAX_MESSAGES = 50_000
/** The limit for all texts of a page together, and the maximum and minimum for one text, in UTF-16 units. */
const MAX_TEXTS = 16 * 1024 * 1024
const MAX_TEXT = 200_000
const MIN_TEXT = 400

const shownText = (text: string, most: number = MAX_TEXT): ShownText => {
  if (text.length <= most) return { head: text, tail: '', missing: 0 }
  const half = Math.floor(most / 2)
  return { head: text.slice(0, half), tail: text.slice(-half), missing: text.length - 2 * half }
}

const addressee = (to: unknown) =>
  (Array.isArray(to) ? to.join(', ') : typeof to === 'string' ? to : '').trim() || 'all'

/** The texts of a prompt: of its sections, and of the line above them. */
const promptTexts = ({ prompt, systemFlag, report }: ReportedPrompt, isWhole: boolean) => {
  if (isMissing(prompt)) return { top: '', sections: [] }
  const bytes = Buffer.from(prompt)
  if (bytes.length !== report.promptBytes)
    throw typeProblem('prompt must be the one that the report is of: it has another size')
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

/** Two prompts with the same sizes are taken as the same. */
const sizesOf = ({ totalBytes, systemFlagBytes, sections }: AssemblerReport) =>
  JSON.stringify([totalBytes, systemFlagBytes, ...sections.map(({ name, bytesAfter }) => [name, bytesAfter])])

export const describeTurn = (prompt: ReportedPrompt): Turn => {
  const { report, input } = prompt
  const bare = {
    report,
    unit: unitOf(report),
    ...promptTexts(prompt, false),
    messages: [],
    pinned: [],
    kept: { first: 0, firstFitting: 0 },
    table: null,
    whole: null,
  }
  const lacking = (lack: string) => ({ ...bare, lacks: isMissing(prompt.prompt) ? [lack, LACKS.prompt] : [lack] })
  if (isMissing(input)) return lacking(LACKS.input)
  if (Number(input.contextMessages?.length) > MAX_MESSAGES) return lacking(LACKS.many)
  const source = sourceOf(input, prompt.assembler ?? undefined, report)
  const again = source?.again()?.report
  if (source === undefined || again === undefined || sizesOf(again) !== sizesOf(report)) return lacking(LACKS.other)
  return { ...bare, ...turnWithInput(source, again, report) }
}

/** The table of budgets in the unit of the prompt, or in the other unit if only that reproduces the prompt. */
const tableOf = (source: Source, report: AssemblerReport, isCounted: boolean) => {
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

const turnWithInput = (source: Source, again: AssemblerReport, report: AssemblerReport) => {
  const { maxTokens, totalTokens } = report
  const isCounted = maxTokens === undefined || (again.maxTokens === maxTokens && again.totalTokens === totalTokens)
  const { indices, lineBytes, lineTokens, pinned, ...table } = tableOf(source, report, isCounted)
  const most = Math.min(MAX_TEXT, Math.max(MIN_TEXT, Math.floor(MAX_TEXTS / Math.max(1, indices.length))))
  const places = placesOf(source.messages)
  const messages = indices.map((position, line) => {
    const message = source.messages[position]
    const parts = message?.parts?.map(partText).map(({ kind, title, text }) => {
      return { kind, title, text: shownText(text, most) }
    })
    const { index = position, id } = places?.[position] ?? {}
    return {
      index,
      id,
      from: message?.from ?? '',
      to: addressee(message?.to),
      bytes: lineBytes[line] ?? 0,
      ...(lineTokens !== undefined && { tokens: lineTokens[line] ?? 0 }),
      text: shownText(message?.content || (parts?.map(({ text }) => text.head).join('\n') ?? ''), most),
      ...(parts !== undefined && { parts }),
    }
  })
  return {
    ...promptTexts(source.others(), true),
    unit: isCounted ? table.unit : unitOf(report),
    messages,
    pinned: lineBytes.length > 0 ? pinned : [],
    kept: keptFrom(again, indices),
    table: isCounted ? table : null,
    whole: isCounted || unitOf(report) === 'bytes' ? totalOf(table.whole, table.unit) : null,
    lacks: isCounted ? [] : [LACKS.tokens],
  }
}

/** From which message on the conversation is kept: the one after the newest that was dropped. */
const keptFrom = ({ dropped }: AssemblerReport, chosen: number[]) => {
  const after = (message: { index: number } | undefined) =>
    message === undefined ? 0 : chosen.indexOf(message.index) + 1
  return { first: after(dropped[0]), firstFitting: after(dropped.find(({ reason }) => reason !== 'step')) }
}
