/** `cliVersion`: asks a program for its version, once. */
import { fields } from '../checks/fields.js'
import { optional } from '../checks/kinds.js'
import { makeError } from '../errors.js'
import { propertyOf } from '../thrown.js'
import { deliver, type DeliverOptions } from './deliver.js'
import { Ending, onAbort } from './ending.js'
import { environment, program, signal, texts, timeout } from './kinds.js'
import { profileOf } from './profiles/index.js'
import { NOTHING_KNOWN, TEXT_OUTPUT } from './profiles/profile.js'
import { textOf } from './text-of.js'
import type { DeliveryPlan } from './plan.js'
import type { AgentType } from '../prompts/agents.js'

/** Options of `cliVersion`. */
export interface CliVersionOptions {
  /** The program, if it is not the default one of the agent type. @default undefined */
  command?: string | null | undefined
  /** Its arguments. @default ['--version'], or what is known of the CLI */
  versionArgs?: readonly string[] | null | undefined
  /**
   * Environment variables to set, or to remove (`undefined`), as in the plan's `env`: `PATH` may lead to
   * another version.
   * @default {}
   */
  env?: Record<string, string | null | undefined> | null | undefined
  /** Stops waiting, and rejects with the signal's reason. @default undefined */
  signal?: AbortSignal | null | undefined
  /** How long to wait, in milliseconds. Then it rejects with `ERR_NO_ANSWER`. @default 30000 */
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
  control: AbortController
  waiting: number
}

/** By command line and environment. */
const asked: Map<string, Question> = new Map()

const ask = async (command: string, args: string[], env: DeliveryPlan['env'], limits: DeliverOptions) => {
  const plan = { command, args, env, stdin: Buffer.alloc(0), files: [], warnings: [], output: TEXT_OUTPUT }
  try {
    return VERSION.exec(textOf(await deliver(plan, limits)))?.[0]
  } catch (error) {
    // It has written nothing.
    if (propertyOf(error, 'exitCode') === 0) return undefined
    throw error
  }
}

const timedOut = (command: string, timeoutMs: number) =>
  makeError('Error', `${command} has not reported its version: timed out after ${timeoutMs} ms`, {
    code: 'ERR_NO_ANSWER',
    timedOut: true,
    lastSeen: 'silent',
    delivered: 'no',
    exitCode: null,
    signal: null,
    stdout: '',
    stderr: '',
  })

/**
 * Returns the version of an agent's CLI, for `version` of `planDelivery`. The program is asked once, and the answer is
 * cached. Undefined if it prints none. Rejects if it cannot be started, fails, or takes too long.
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
  const forget = (question: Question) => {
    if (asked.get(key) === question) asked.delete(key)
  }
  const begin = () => {
    const control = new AbortController()
    const version = ask(command, [...versionArgs], env, { signal: control.signal, timeoutMs: TIMEOUT_MS })
    const question = { version, control, waiting: 0 }
    // It may be installed later.
    version.catch(() => forget(question))
    asked.set(key, question)
    return question
  }
  const question = asked.get(key) ?? begin()
  question.waiting++
  const own = new Ending()
  const forgetSignal = onAbort(abort, () => own.begin({ kind: 'aborted', error: abort?.reason }))
  const timer = setTimeout(() => own.begin({ kind: 'timeout' }), timeoutMs)
  try {
    const version = await own.unlessBegun(question.version)
    if (own.cause === undefined) return version
    throw 'error' in own.cause ? own.cause.error : timedOut(command, timeoutMs)
  } finally {
    clearTimeout(timer)
    forgetSignal()
    if (--question.waiting === 0 && own.cause !== undefined) {
      forget(question)
      question.control.abort()
    }
  }
}

/** Whether it matters which version of a CLI is installed. */
export const dependsOnVersion = (agentType: string): boolean =>
  Object.keys(profileOf(agentType)?.since ?? {}).length > 0
