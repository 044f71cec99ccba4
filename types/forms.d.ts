/** In which form a prompt is wanted, and the result of each form. */
import type { AssemblerReport } from './reports.js'

/** What all forms have in common. */
interface FormFields<Report extends boolean> {
  /**
   * Whether the result also has a `report` of what was kept, cut and dropped.
   * @default false
   */
  report?: Report | null | undefined
}

/** The prompt as a string. */
export interface StringForm<Report extends boolean = boolean> extends FormFields<Report> {
  /**
   * As what the prompt is returned.
   * @default 'string'
   */
  as?: 'string' | null | undefined
  /** Only in `IntoForm`. */
  into?: null | undefined
  /** Only in `IntoForm`. */
  offset?: null | undefined
}

/** The prompt as a new Buffer of UTF-8 bytes, ready for `child.stdin.write`. */
export interface BufferForm<Report extends boolean = boolean> extends FormFields<Report> {
  /** As what the prompt is returned. */
  as: 'buffer'
  /** Only in `IntoForm`. */
  into?: null | undefined
  /** Only in `IntoForm`. */
  offset?: null | undefined
}

/** The prompt's UTF-8 bytes, written into a caller-supplied buffer. */
export interface IntoForm<Report extends boolean = boolean> extends FormFields<Report> {
  /**
   * Where the prompt is written. If it does not fit, nothing is written and the
   * `ERR_OUT_OF_RANGE` error has `requiredBytes`.
   */
  into: Uint8Array
  /**
   * Index of the first byte that is written.
   * @default 0
   */
  offset?: number | null | undefined
  /** Not together with `into`. */
  as?: null | undefined
}

/** In which form a prompt is wanted: the last argument of every function that makes one. */
export type PromptForm = StringForm | BufferForm | IntoForm

/** What to hand to the agent's CLI. */
export interface AssemblerOutput {
  /** For the CLI's stdin. Always well-formed Unicode. */
  prompt: string
  /** For the CLI's system prompt flag; `undefined` when there is none. */
  systemFlag?: string | undefined
}

/**
 * An assembled prompt, and what happened on the way. To account for all messages it has to
 * read them, so a wrong one among the dropped is an error with a report and not without.
 */
export interface AssemblerReportOutput extends AssemblerOutput {
  report: AssemblerReport
}

/** An assembled prompt as bytes. */
export interface AssemblerBufferOutput {
  /** The prompt in UTF-8, for `child.stdin.write`. */
  prompt: Buffer
  /** For the CLI's system prompt flag; `undefined` when there is none. */
  systemFlag?: string | undefined
}

/** An assembled prompt as bytes, and what happened on the way. */
export interface AssemblerBufferReportOutput extends AssemblerBufferOutput {
  report: AssemblerReport
}

/** What was written into the caller's buffer. */
export interface AssemblerIntoOutput {
  /** How many bytes of the buffer are the prompt. */
  bytes: number
  /** For the CLI's system prompt flag; `undefined` when there is none. */
  systemFlag?: string | undefined
}

/** What was written into the caller's buffer, and what happened on the way. */
export interface AssemblerIntoReportOutput extends AssemblerIntoOutput {
  report: AssemblerReport
}

/** The result of any form. Its `report` is there if the form asked for one. */
export type AnyAssemblerOutput = (AssemblerOutput | AssemblerBufferOutput | AssemblerIntoOutput) & {
  report?: AssemblerReport
}

// Without this line, what is not marked `export` above would be exported as well.
// oxlint-disable-next-line unicorn/require-module-specifiers
export {}
