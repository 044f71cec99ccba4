/** A page that explains a prompt. */
import type { AssemblerInput } from '../prompts/assemblers-types.js'
import type { ContextAssembler } from '../prompts/context-assembler-types.js'
import type { LayoutPromptInput, PromptInput } from '../prompts/prompts-types.js'
import type { AssemblerReport } from '../prompts/report.js'

/**
 * A prompt to show: a result with a `report`, and its input. With only a report, the page has no text,
 * no sizes of single messages and no slider, and says so.
 */
export interface ReportedPrompt {
  report: AssemblerReport
  /**
   * The prompt that the report is about.
   * @default undefined (the page has no texts)
   */
  prompt?: string | Uint8Array | null | undefined
  /**
   * The system flag that the report is about.
   * @default undefined
   */
  systemFlag?: string | null | undefined
  /**
   * The input of the prompt: the same object that was assembled or, for a prompt of a `ContextManager`,
   * the result of `getContextForAgent` or `getContextForRoute`. The page shows each message that the
   * prompt could contain, and what another budget would keep. Messages that `recipient` may not see are
   * not included in the page.
   * @default undefined (the page has neither)
   */
  input?: AssemblerInput | PromptInput | LayoutPromptInput | null | undefined
  /**
   * The assembler that built the prompt, if it has options or a custom layout. Not for `buildPrompt`,
   * whose input has both.
   * @default an assembler of the report's agent type, without options
   */
  assembler?: ContextAssembler | null | undefined
}

/** Options of `renderReport`. */
export interface RenderOptions {
  /**
   * The title of the page.
   * @default 'What was sent'
   */
  title?: string | null | undefined
}

/**
 * Creates a page that explains a prompt, or a sequence of prompts: a single HTML file that loads
 * nothing. It shows the budget to scale, what happened to each message, a slider for other budgets, a
 * search, and everything in the report. For a sequence, it also compares the prompts of an agent. No
 * text of a conversation can run as a script in it. Write it to a file and open it in a browser. See
 * docs/explain.md.
 */
export declare function renderReport(
  reports: AssemblerReport | ReportedPrompt | readonly (AssemblerReport | ReportedPrompt)[],
  options?: RenderOptions | null,
): string
