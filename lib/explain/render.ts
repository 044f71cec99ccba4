/** `renderReport`: a page that shows prompts, as one self-contained file. */
import { join } from 'node:path'
import { recordOf } from '../checks/fields.js'
import { anything, isMissing, optional, string } from '../checks/kinds.js'
import { invalidArgument } from '../errors.js'
import { MAX_ITEMS, checkedReport } from './check-report.js'
import { pageHtml, pageParts } from './html.js'
import { agentKey, sharedBytes } from './page/changes.js'
import { describeTurn } from './turn.js'
import type { AssemblerReport } from '../prompts/report.js'
import type { RenderOptions, ReportedPrompt } from './types.js'
import type { Turn } from './turn.js'
import type { Parts } from './html.js'

const renderOptions = recordOf({ title: optional(string, 'What was sent') })
const reportedFields = recordOf({
  report: anything,
  prompt: anything,
  systemFlag: anything,
  input: anything,
  assembler: anything,
})

/** The prompts to show, each with our own copy of the report. Only the report is read here. */
const reportedPrompt = (given: any, path: string): ReportedPrompt => {
  if (typeof given !== 'object' || given === null) {
    throw invalidArgument(
      `${path} must be a report, or an object with a report, such as what assemble returns with { report: true }`,
    )
  }
  if (given.report === undefined) return { report: checkedReport(given, path) }
  const { report, prompt, systemFlag, input, assembler } = reportedFields(given, '', path)
  if (!isMissing(prompt) && typeof prompt !== 'string' && !(prompt instanceof Uint8Array))
    throw invalidArgument(`${path}.prompt must be a string or a Uint8Array`)
  if (!isMissing(systemFlag) && typeof systemFlag !== 'string')
    throw invalidArgument(`${path}.systemFlag must be a string`)
  if (!isMissing(input) && typeof input !== 'object')
    throw invalidArgument(`${path}.input must be what the prompt was made of`)
  return { report: checkedReport(report, `${path}.report`), prompt, systemFlag, input, assembler }
}

const reportedPrompts = (reports: any): ReportedPrompt[] => {
  if (!Array.isArray(reports)) return [reportedPrompt(reports, 'report')]
  if (reports.length === 0) throw invalidArgument('reports must have at least one report')
  if (reports.length > MAX_ITEMS) throw invalidArgument(`reports must have at most ${MAX_ITEMS} reports`)
  return Array.from(reports, (report, at) => reportedPrompt(report, `reports[${at}]`))
}

/** How many UTF-16 units of prompts are kept for comparison. */
const MAX_COMPARED = 16 * 1024 * 1024

/** Adds the prompt texts to the turns, so that they can be compared: the newest ones that fit. */
const keepPrompts = (prompts: ReportedPrompt[], turns: Turn[]) => {
  if (turns.length < 2) return
  let room = MAX_COMPARED
  for (const [at, turn] of [...turns.entries()].toReversed()) {
    const { prompt, systemFlag } = prompts[at] ?? {}
    if (isMissing(prompt)) continue
    const sent = { prompt: Buffer.from(prompt).toString(), systemFlag: systemFlag ?? '' }
    room -= sent.prompt.length + sent.systemFlag.length
    if (room < 0) return
    turn.sent = sent
  }
}

/**
 * Says how much of its beginning each prompt shares with the one before it for the same agent, where
 * the report does not say and the prompts are given.
 */
const withPrefixes = (prompts: ReportedPrompt[], turns: Turn[]) => {
  const last: Map<string, Buffer> = new Map()
  return turns.map((turn, at) => {
    const prompt = prompts[at]?.prompt
    if (isMissing(prompt)) return turn
    const agent = agentKey(turn)
    const bytes = Buffer.from(prompt)
    const before = last.get(agent)
    last.set(agent, bytes)
    if (before === undefined || turn.report.stablePrefixBytes !== undefined) return turn
    return { ...turn, report: { ...turn.report, stablePrefixBytes: sharedBytes(before, bytes) } }
  })
}

let parts: Parts | undefined

export const renderReport = (
  reports: AssemblerReport | ReportedPrompt | readonly (AssemblerReport | ReportedPrompt)[],
  options?: RenderOptions | null,
): string => {
  const prompts = reportedPrompts(reports)
  const { title } = renderOptions(options, '', 'options')
  const turns = withPrefixes(prompts, prompts.map(describeTurn))
  keepPrompts(prompts, turns)
  parts ??= pageParts({ scripts: [join(__dirname, 'page', 'view', 'main.js')] })
  return pageHtml(parts, {
    title,
    data: { turns },
    footer: 'Made by promptmason. This page is self-contained and loads nothing.',
  })
}
