/**
 * Asks a member, and waits for its answer: `deliver` runs a CLI, and a function is called. The outcome
 * has the same form for both.
 */
import path = require('node:path')
import { answer as checkAnswer } from './checks.js'
import { cliVersion } from '../delivery/cli-version.js'
import { deliver } from '../delivery/deliver.js'
import { planDelivery } from '../delivery/plan-delivery.js'
import { messageOf, propertyOf } from '../thrown.js'
import type { Member } from './members.js'

/** The output of a program that is not a known CLI. */
const TEXT_OUTPUT = 'text'

export interface Question {
  output: { prompt: string; systemFlag?: string | undefined; request?: object | undefined }
  /** The session. */
  resume: string | undefined
  signal: AbortSignal
  timeoutMs: number | undefined
  onEvent: (event: any) => void
  /** Whether the caller wants the answer as it arrives. */
  isStreamed: boolean
}
export interface Outcome {
  /** As `deliver` resolves with. */
  result?: any
  failure?: { reason: string; message: string; cause: unknown; retryAfterMs?: number; partialText?: string }
  delivered: 'yes' | 'no' | 'unknown'
  warnings: any[]
}

/** The codes that `deliver` uses for errors of CLIs. A function may use them, too. */
const REASONS = new Set([
  'too-long',
  'session-not-found',
  'not-logged-in',
  'rate-limit',
  'permission-denied',
  'interrupted',
  'no-answer',
  'other',
])

const reasonOf = (error: unknown, code: unknown) => {
  if (typeof code === 'string' && REASONS.has(code)) return code
  if (code === 'ERR_UNDELIVERABLE') return propertyOf(error, 'size') === undefined ? 'undeliverable' : 'too-long'
  if (code === 'ENOENT') return 'not-installed'
  if (code !== 'ERR_NO_ANSWER') return 'other'
  if (propertyOf(error, 'timedOut') !== true) return 'no-answer'
  return propertyOf(error, 'lastSeen') === 'rate-limit' ? 'rate-limit' : 'timed-out'
}

const failed = (error: unknown, warnings: any[]): Outcome => {
  const [code, retryAfterMs, partialText, delivered] = ['code', 'retryAfterMs', 'partialText', 'delivered'].map(
    (name) => propertyOf(error, name),
  )
  return {
    failure: {
      reason: reasonOf(error, code),
      message: messageOf(error),
      cause: error,
      ...(typeof retryAfterMs === 'number' && Number.isFinite(retryAfterMs) && { retryAfterMs }),
      ...(typeof partialText === 'string' && { partialText }),
    },
    delivered: delivered === 'yes' || delivered === 'no' || delivered === 'unknown' ? delivered : deliveredBy(code),
    warnings,
  }
}

/** Errors of a turn that has not begun. */
const BEFORE = new Set([
  'ENOENT',
  'EACCES',
  'ERR_UNDELIVERABLE',
  'ERR_BUSY',
  'session-not-found',
  'too-long',
  'rate-limit',
  'not-logged-in',
])

/** Whether the prompt may have arrived, if the error does not say. */
const deliveredBy = (code: unknown) => (typeof code === 'string' && BEFORE.has(code) ? 'no' : 'unknown')

/**
 * The installed version of a known CLI, which may lack a switch of the measured version. Unknown programs
 * are not run for this.
 */
const versionOf = async ({ output }: { output: string }, agent: string, profile: unknown) =>
  output === TEXT_OUTPUT || profile !== undefined ? undefined : cliVersion(agent).catch(() => undefined)

const askAgent = async (
  { definition }: Member,
  { output, resume, signal, timeoutMs, onEvent, isStreamed }: Question,
): Promise<Outcome> => {
  const { agent, model, cwd, args, env, permissions, idleTimeoutMs, profile } = definition
  const options = {
    agentType: agent,
    model,
    cwd: cwd === undefined ? undefined : path.resolve(cwd),
    resume,
    // Text from one member must not trigger actions in another member's CLI.
    guard: 'escape' as const,
    extraArgs: args,
    profile,
    permissions,
  }
  let plan
  try {
    plan = planDelivery(output, options)
    const version = await versionOf(plan, agent, profile)
    if (version !== undefined) plan = planDelivery(output, { ...options, version })
  } catch (error) {
    return failed(error, [])
  }
  plan.env = { ...plan.env, ...env }
  try {
    const result = await deliver(plan, {
      signal,
      timeoutMs,
      onEvent,
      stream: isStreamed,
      ...(idleTimeoutMs !== undefined && { idleTimeoutMs }),
    })
    const { error, delivered } = result
    if (error === undefined) return { result, delivered, warnings: plan.warnings }
    const { retryAfterMs } = error as { retryAfterMs?: number }
    const { partialText } = result as { partialText?: string }
    return {
      result,
      failure: {
        reason: error.code,
        message: error.message,
        cause: error,
        ...(retryAfterMs !== undefined && { retryAfterMs }),
        ...(partialText !== undefined && { partialText }),
      },
      delivered,
      warnings: plan.warnings,
    }
  } catch (error) {
    return failed(error, plan.warnings)
  }
}

/** Rejects when the signal is aborted. */
const whenAborted = (signal: AbortSignal) => {
  let forget: () => void = () => {}
  const promise = new Promise((_, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    forget = () => signal.removeEventListener('abort', abort)
  })
  promise.catch(() => {})
  return { promise, forget }
}

const askFunction = async (
  { name, definition, given }: Member,
  { output, resume, signal, timeoutMs, onEvent }: Question,
): Promise<Outcome> => {
  const begun = performance.now()
  const controller = new AbortController()
  const stop = () => controller.abort(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  const timer =
    timeoutMs === undefined ? undefined : setTimeout(() => controller.abort(timedOut(name, timeoutMs)), timeoutMs)
  const { promise, forget } = whenAborted(controller.signal)
  try {
    const onText = (text: unknown) => onEvent({ type: 'text', text: String(text), raw: text })
    const { prompt, systemFlag, request } = output
    const input = {
      ...(request === undefined ? { prompt, systemFlag } : { request }),
      member: name,
      resume,
      signal: controller.signal,
      onText,
    }
    const returned = await Promise.race([Promise.resolve(Reflect.apply(definition.run, given, [input])), promise])
    const { text, session, usage, model } =
      typeof returned === 'string'
        ? checkAnswer({ text: returned }, '', 'the result of run')
        : checkAnswer(returned, '', 'the result of run')
    const durationMs = Math.round(performance.now() - begun)
    const result = { text, sessionId: session, usage, model, finishReason: 'stop', durationMs }
    return { result, delivered: 'yes', warnings: [] }
  } catch (error) {
    return failed(error, [])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
    forget()
  }
}

const timedOut = (name: string, timeoutMs: number) =>
  Object.assign(new Error(`${name} gave no answer: timed out after ${timeoutMs} ms`), {
    code: 'ERR_NO_ANSWER',
    timedOut: true,
  })

export const ask = (member: Member, question: Question) =>
  member.kind === 'agent' ? askAgent(member, question) : askFunction(member, question)
