/** `cliVersion`: asks a program for its version, once. */
import { fields } from '../checks/fields.js'
import { optional } from '../checks/kinds.js'
import { makeError } from '../errors.js'
import { endOf } from './cli-errors.js'
import { Ending, onAbort } from './ending.js'
import { inherited, withVariables } from './environment.js'
import { environment, program, signal, texts, timeout } from './kinds.js'
import { profileOf } from './profiles/index.js'
import { NOTHING_KNOWN } from './profiles/profile.js'
import { runProcess } from './run-process.js'
import { resolveShim } from './windows-shims.js'
import type { AgentType } from '../prompts/agents.js'

/** Options of `cliVersion`. */
export interface CliVersionOptions {
  /**
   * The program, if it is not the default one of the agent type.
   * @default undefined
   */
  command?: string | null | undefined
  /**
   * Its arguments.
   * @default ['--version'], or what is known of the CLI
   */
  versionArgs?: readonly string[] | null | undefined
  /**
   * Environment variables to set, or to remove (`undefined`), as in the plan's `env`: `PATH` may lead to
   * another version.
   * @default {}
   */
  env?: Record<string, string | null | undefined> | null | undefined
  /**
   * Stops waiting, and rejects with the signal's reason.
   * @default undefined
   */
  signal?: AbortSignal | null | undefined
  /**
   * How long to wait, in milliseconds. Then it rejects with `ERR_NO_ANSWER`.
   * @default 30000
   */
  timeoutMs?: number | null | undefined
}

const TIMEOUT_MS = 30_000

const versionOptions = fields<CliVersionOptions>()({
  command: optional(program),
  versionArgs: optional(texts),
  env: optional(environment, {}),
  signal: optional(signal),
  timeoutMs: optional(timeout, TIMEOUT_MS),
})

const VERSION = /\d+\.\d+(?:\.\d+)*(?:-[\w.]+)?/

/** A program that was asked, and how many wait for its answer. When nobody does, it is ended. */
interface Question {
  version: Promise<string | undefined>
  ending: Ending
  waiting: number
}

/** By command line and environment. */
const asked: Map<string, Question> = new Map()

const NOTHING_SAID = {
  exitCode: null,
  signal: null,
  timedOut: false,
  lastSeen: 'silent',
  delivered: 'no',
  stdout: '',
  stderr: '',
}

const noVersion = (command: string, reason: string, properties: object = {}) =>
  makeError('Error', `${command} has not reported its version: ${reason}`, {
    code: 'ERR_NO_ANSWER',
    ...NOTHING_SAID,
    ...properties,
  })

const ask = async (
  command: string,
  versionArgs: readonly string[],
  env: Record<string, string | undefined>,
  ending: Ending,
) => {
  const started =
    process.platform === 'win32'
      ? resolveShim(command, versionArgs, env, process.cwd())
      : { command, args: versionArgs }
  let stdout = ''
  const control = {
    onStart: () => {},
    onSign: () => {},
    onStdout: (chunk: Buffer) => {
      stdout += chunk.toString('latin1')
    },
    isDetached: false,
  }
  const run = await runProcess({ ...started, env, cwd: undefined, stdin: Buffer.alloc(0) }, control, ending)
  const { exitCode = null, signal: by = null, stderr = '' } = run ?? {}
  if (exitCode === 0) return VERSION.exec(stdout)?.[0]
  const reason = endOf(stderr) || `it ended with ${exitCode ?? by}`
  throw noVersion(command, reason, { exitCode, signal: by, stdout: endOf(stdout), stderr: endOf(stderr) })
}

/**
 * Returns the version of an agent's CLI, for `version` of `planDelivery`. The program is asked once, and
 * the answer is cached. Undefined if it prints none. Rejects if it cannot be started, fails, or takes too
 * long.
 */
export async function cliVersion(
  agentType: AgentType,
  options?: CliVersionOptions | null,
): Promise<string | undefined> {
  const name = program(agentType, '', 'agentType')
  const profile = profileOf(name) ?? { ...NOTHING_KNOWN, command: name }
  const checked = versionOptions(options, '', 'options')
  const { command = profile.command, versionArgs = profile.versionArgs, env, signal: abort, timeoutMs } = checked
  abort?.throwIfAborted()
  const key = JSON.stringify([command, versionArgs, Object.entries(env)])
  const begin = () => {
    const ending = new Ending()
    const version = ask(command, versionArgs, withVariables(inherited(process.env), env), ending)
    // It may be installed later.
    version.catch(() => forget(question))
    const question = { version, ending, waiting: 0 }
    asked.set(key, question)
    return question
  }
  const forget = (question: Question) => {
    if (asked.get(key) === question) asked.delete(key)
  }
  const question = asked.get(key) ?? begin()
  question.waiting++
  const own = new Ending()
  const forgetSignal = onAbort(abort, () => own.begin({ kind: 'aborted', error: abort?.reason }))
  const timer = setTimeout(() => own.begin({ kind: 'timeout' }), timeoutMs)
  try {
    const version = await own.unlessBegun(question.version)
    if (own.cause === undefined) return version
    throw 'error' in own.cause
      ? own.cause.error
      : noVersion(command, `it timed out after ${timeoutMs} ms`, { timedOut: true })
  } finally {
    clearTimeout(timer)
    forgetSignal()
    question.waiting--
    if (own.cause !== undefined && question.waiting === 0) {
      forget(question)
      question.ending.begin(own.cause)
    }
  }
}

/** Whether it matters which version of a CLI is installed. */
export const dependsOnVersion = (agentType: string): boolean =>
  Object.keys(profileOf(agentType)?.since ?? {}).length > 0
