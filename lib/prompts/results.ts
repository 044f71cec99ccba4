/** The result of each form of a prompt. */
import type { ModelApi, ModelRequests } from './model-requests.js'
import type { AssemblerReport } from './report.js'

/** What to pass to the agent's CLI. */
export interface AssemblerOutput {
  /** For the CLI's stdin. Always well-formed Unicode. */
  prompt: string
  /** For the CLI's system prompt flag; `undefined` if there is none. */
  systemFlag?: string | undefined
}

/**
 * An assembled prompt with a report. A report accounts for all messages and therefore reads all of them:
 * an invalid message among the dropped ones is an error with a report, but not without.
 */
export interface AssemblerReportOutput extends AssemblerOutput {
  report: AssemblerReport
}

/** An assembled prompt as bytes. */
export interface AssemblerBufferOutput {
  /** The prompt in UTF-8, for `child.stdin.write`. */
  prompt: Buffer
  /** For the CLI's system prompt flag; `undefined` if there is none. */
  systemFlag?: string | undefined
}

/** An assembled prompt as bytes, with a report. */
export interface AssemblerBufferReportOutput extends AssemblerBufferOutput {
  report: AssemblerReport
}

/** The result of writing into the caller's buffer. */
export interface AssemblerIntoOutput {
  /** The number of bytes written. */
  bytes: number
  /** For the CLI's system prompt flag; `undefined` if there is none. */
  systemFlag?: string | undefined
}

/** The result of writing into the caller's buffer, with a report. */
export interface AssemblerIntoReportOutput extends AssemblerIntoOutput {
  report: AssemblerReport
}

/** A result with the report that a form asks for; `boolean` is a form known only at run time. */
export type Reported<R extends boolean, Plain, WithReport> = true extends R
  ? false extends R
    ? Plain & { report?: AssemblerReport }
    : WithReport
  : Plain

/** The result of a `StringForm`. */
export type StringOutput<R extends boolean> = Reported<R, AssemblerOutput, AssemblerReportOutput>
/** The result of a `BufferForm`. */
export type BufferOutput<R extends boolean> = Reported<R, AssemblerBufferOutput, AssemblerBufferReportOutput>
/** The result of an `IntoForm`. */
export type IntoOutput<R extends boolean> = Reported<R, AssemblerIntoOutput, AssemblerIntoReportOutput>
/** The result of a `RequestForm`. */
export type RequestOutput<Api extends ModelApi, R extends boolean> = Reported<
  R,
  ModelRequests[Api],
  ModelRequests[Api] & { report: AssemblerReport }
>

/** The result of any form. It has a `report` if the form asked for one. */
export type AnyAssemblerOutput = (AssemblerOutput | AssemblerBufferOutput | AssemblerIntoOutput) & {
  report?: AssemblerReport
}

/** The result of any form, or a request. */
export type AnyOutput = AnyAssemblerOutput | (ModelRequests[ModelApi] & { report?: AssemblerReport })
