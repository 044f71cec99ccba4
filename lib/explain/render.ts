/** `renderReport`: a page that shows prompts, as one self-contained file. */
import { fields } from '../checks/fields.js'
import { isObject, optional, string, type Kind } from '../checks/kinds.js'
import { pathOf, typeProblem } from '../checks/problems.js'
import { MAX_ITEMS, checkedReport } from './check-report.js'
import { STARTS_REPORT, pageHtml, pageParts, type Parts } from './html.js'
import { agentKey, sharedLength } from './page/changes.js'
import { describeTurn, type Turn } from './turn.js'
import type { AssemblerInput } from '../prompts/assembler-input.js'
import type { ContextAssembler } from '../prompts/assemblers.js'
import type { LayoutPromptInput, MessagePromptInput } from '../prompts/build-prompt.js'
import type { AssemblerReport } from '../prompts/report.js'

/**
 * A prompt to show: a result with a `report`, and its input. With only a report, the page has no text,
 * no sizes of single messages and no slider, and says so.
 */
export interface ReportedPrompt {
  report: AssemblerReport
  /** The prompt that the report is about. @default undefined (the page has no texts) */
  prompt?: string | Uint8Array | null | undefined
  /** The system flag that the report is about. @default undefined */
  systemFlag?: string | null | undefined
  /**
   * The input of the prompt: the same object that was assembled or, for a prompt of a `ContextManager`, the result of
   * `getContextForAgent` or `getContextForRoute`. The page shows each message that the prompt could contain, and what
   * another budget would keep. Messages that `recipient` may not see are not included in the page.
   * @default undefined (the page has neither)
   */
  input?: AssemblerInput | MessagePromptInput | LayoutPromptInput | null | undefined
  /**
   * The assembler that built the prompt, if it has options or a custom layout. Not for `buildPrompt`,
   * whose input has both.
   * @default an assembler of the report's agent type, without options
   */
  assembler?: ContextAssembler | null | undefined
}

const isText = (value: unknown) => typeof value === 'string'

const mustBe = <T>(expected: string, isRight: (value: unknown) => boolean): Kind<T | undefined, T | null | undefined> =>
  optional((value, parent, name) => {
    if (isRight(value)) return value as T
    throw typeProblem(`${pathOf(parent, name)} must be ${expected}`)
  })

const reportedFields = fields<ReportedPrompt>()({
  prompt: mustBe<string | Uint8Array>('a string or a Uint8Array', (it) => isText(it) || it instanceof Uint8Array),
  systemFlag: mustBe<string>('a string', isText),
  input: mustBe<NonNullable<ReportedPrompt['input']>>('what the prompt was made of', isObject),
  // The method that is called on it rejects anything else.
  assembler: mustBe<ContextAssembler>('an assembler', () => true),
  report: (value, parent, name) => checkedReport(value, pathOf(parent, name)),
})

/** What is shown of a prompt, checked, with our own copy of the report. */
type CheckedPrompt = ReturnType<typeof reportedFields>

const reportedPrompt = (given: unknown, path: string): CheckedPrompt => {
  const expected = 'a report, or an object with a report, such as what assemble returns with { report: true }'
  if (!isObject(given)) throw typeProblem(`${path} must be ${expected}`)
  return given['report'] === undefined ? { report: checkedReport(given, path) } : reportedFields(given, '', path)
}

const reportedPrompts = (reports: unknown) => {
  if (!Array.isArray(reports)) return [reportedPrompt(reports, 'report')]
  if (reports.length === 0) throw typeProblem('reports must have at least one report')
  if (reports.length > MAX_ITEMS) throw typeProblem(`reports must have at most ${MAX_ITEMS} reports`)
  return Array.from(reports, (report, at) => reportedPrompt(report, `reports[${at}]`))
}

/** How many UTF-16 units of prompts are kept for comparison. */
const MAX_COMPARED = 16 * 1024 * 1024

/** Adds the prompt texts to the turns, so that they can be compared: the newest ones that fit. */
const keepPrompts = (prompts: CheckedPrompt[], turns: Turn[]) => {
  if (turns.length < 2) return
  let room = MAX_COMPARED
  for (const [at, turn] of [...turns.entries()].toReversed()) {
    const { prompt, systemFlag } = prompts[at] ?? {}
    if (prompt === undefined) continue
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
const withPrefixes = (prompts: CheckedPrompt[], turns: Turn[]) => {
  const last: Map<string, Buffer> = new Map()
  return turns.map((turn, at) => {
    const prompt = prompts[at]?.prompt
    if (prompt === undefined) return turn
    const agent = agentKey(turn)
    const bytes = Buffer.from(prompt)
    const before = last.get(agent)
    last.set(agent, bytes)
    if (before === undefined || turn.report.stablePrefixBytes !== undefined) return turn
    return { ...turn, report: { ...turn.report, stablePrefixBytes: sharedLength(before, bytes) } }
  })
}

/** Options of `renderReport`. */
export interface RenderOptions {
  /** The title of the page. @default 'What was sent' */
  title?: string | null | undefined
}

const renderOptions = fields<RenderOptions>()({ title: optional(string, 'What was sent') })

let parts: Parts | undefined

/**
 * Creates a page that explains a prompt, or a sequence of prompts: a single HTML file that loads nothing. It shows the
 * budget to scale, what happened to each message, a slider for other budgets, a search, and everything in the report.
 * For a sequence, it also compares the prompts of an agent. No text of a conversation can run as a script in it. Write
 * it to a file and open it in a browser. See docs/explain.md.
 */
export function renderReport(
  reports: AssemblerReport | ReportedPrompt | readonly (AssemblerReport | ReportedPrompt)[],
  options?: RenderOptions | null,
): string {
  const prompts = reportedPrompts(reports)
  const { title } = renderOptions(options, '', 'options')
  const turns = withPrefixes(prompts, prompts.map(describeTurn))
  keepPrompts(prompts, turns)
  parts ??= pageParts([STARTS_REPORT])
  return pageHtml(parts, title, { turns }, 'Made by promptmason. This page is self-contained and loads nothing.')
}
