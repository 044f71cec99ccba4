/** What a command of `promptmason` is, and what it exits with. */
import type { Progress } from './progress.js'

export type Output = { write(text: string | Uint8Array): unknown; isTTY?: boolean; columns?: number }

export interface Surroundings {
  stdout: Output
  stderr: Output
  env: { [name: string]: string | undefined }
  /** Reads a file, or stdin for `-`. */
  open: (file: string) => AsyncIterable<Uint8Array>
  /** How large a file is, if that is known. */
  sizeOf: (file: string) => number | undefined
  /** Settles when the user ends the command. */
  interrupted: () => Promise<unknown>
}

export interface Option {
  about: string
  /** The name of its value in the help. A switch has none. */
  value?: string
  /** A one-letter alias. */
  short?: string
  /** What a shell offers for the value. */
  choices?: readonly string[]
  /** Which paths a shell offers for the value. */
  completes?: 'file' | 'directory'
  /** The fields that it sets, as errors name them. */
  fields?: readonly string[]
}

interface Argument {
  /** As the help names it: `[FILE|-]` if it can be missing. */
  name: string
  choices?: readonly string[]
  completes?: 'file' | 'directory'
}

export interface Call {
  /** The options with a value that were given. */
  values: { readonly [option: string]: string | undefined }
  /** The options without one. */
  switches: ReadonlySet<string>
  /** No more than the command takes. */
  args: string[]
  surroundings: Surroundings
  progress: Progress
}

export interface Result {
  /** What `--json` prints. */
  value: unknown
  /** What is printed without it. */
  text: () => string
  /** The command keeps running until this settles. */
  until?: Promise<unknown>
}

/**
 * A command. Help, completion, the check of options and `--json` all come from this: a new command is a
 * file in `commands/` and a line in `commands.ts`.
 */
export interface Command {
  name: string
  args: readonly Argument[]
  /** One sentence, with a capital and without a full stop. */
  about: string
  /** More details, for the help of this command. */
  details?: string
  options: { [name: string]: Option }
  run: (call: Call) => Result | Promise<Result>
}

export class UsageError extends Error {
  readonly code = 'ERR_USAGE'
}

export const EXIT = { done: 0, exceeded: 1, usage: 2, internal: 3, failed: 4 } as const

/** The same for people. */
export const MEANINGS: readonly [code: number, meaning: string][] = [
  [EXIT.done, 'done'],
  [EXIT.exceeded, 'the budget is exceeded'],
  [EXIT.usage, 'bad usage or input, or the native binary is missing'],
  [EXIT.internal, 'a bug in promptmason: please report it'],
  [EXIT.failed, 'the agent could not be started, or did not answer'],
]
