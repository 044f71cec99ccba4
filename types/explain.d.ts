/** A page that shows a prompt. */
import type { AssemblerInput } from './assemblers.js'
import type { ContextAssembler } from './context-assembler.js'
import type { LayoutPromptInput, PromptInput } from './prompts.js'
import type { AssemblerReport } from './reports.js'

/**
 * A prompt to show: a result with a `report`, and what it was made of. With
 * a report alone, the page has no text, no sizes of single messages and no slider, and says so.
 */
export interface ReportedPrompt {
  report: AssemblerReport
  /**
   * The prompt that the report is of.
   * @default undefined (the page has no texts)
   */
  prompt?: string | Uint8Array | null | undefined
  /**
   * The system flag that the report is of.
   * @default undefined
   */
  systemFlag?: string | null | undefined
  /**
   * What the prompt was made of: the same object that was assembled, or what `getContextForAgent` or
   * `getContextForRoute` returns for a prompt of a `ContextManager`. The page shows each message that
   * the prompt could have, and what another budget would keep. What `recipient` may not see does not
   * get into the page.
   * @default undefined (the page has neither)
   */
  input?: AssemblerInput | PromptInput | LayoutPromptInput | null | undefined
  /**
   * The assembler that made the prompt, if it has options or a custom layout. Not for
   * `buildPrompt`, whose input has both.
   * @default an assembler of the report's agent type, without options
   */
  assembler?: ContextAssembler | null | undefined
}

/** How a page is made. */
export interface RenderOptions {
  /**
   * The title of the page.
   * @default 'What was sent'
   */
  title?: string | null | undefined
}

/**
 * A page that shows a prompt, or several as a sequence: one HTML file that loads nothing. It has the
 * budget to scale, each message with what became of it, a slider that says what another budget would
 * keep, a search, and everything that the report says. No text of a conversation can run as a script
 * in it. Write it to a file, and open it in a browser. See docs/explain.md.
 */
export declare function renderReport(
  reports: AssemblerReport | ReportedPrompt | readonly (AssemblerReport | ReportedPrompt)[],
  options?: RenderOptions | null,
): string
