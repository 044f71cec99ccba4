/** `deliver`: carries out a plan. */
import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { performance } from 'node:perf_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import { fields } from '../checks/fields.js'
import { boolean, type Kind, optional } from '../checks/kinds.js'
import { present } from '../present.js'
import { Clock, Ending, onAbort } from './ending.js'
import { inherited, withVariables } from './environment.js'
import { ended, noAnswer, withState } from './failures.js'
import { whenInterrupted } from './interruptions.js'
import { fit, listener, signal, timeout } from './kinds.js'
import { checkPlanToRun, type DeliveryPlan } from './plan.js'
import { profileOf } from './profiles/index.js'
import { NOTHING_KNOWN } from './profiles/profile.js'
import { OutputReader } from './read-output.js'
import { runElsewhere, type SpawnHook } from './run-elsewhere.js'
import { type Ended, runProcess } from './run-process.js'
import { SessionsInUse, usageOfTurn } from './sessions.js'
import { GRACE_MS } from './unfinished.js'
import { resolveShim } from './windows-shims.js'
import { fileHooks, type FileHooks, write, writeElsewhere } from './write.js'
import type { CliError, DeliveryEvent, DeliveryResult } from './events.js'

/** Options of `deliver`. */
export interface DeliverOptions {
  /** Terminates the CLI and everything it has started, and rejects with the signal's reason. @default undefined */
  signal?: AbortSignal | null | undefined
  /**
   * The timeout of the whole turn, in milliseconds. When it expires, the CLI is terminated, and
   * `deliver` rejects with `ERR_NO_ANSWER`, which says what the CLI was last seen doing.
   * @default undefined (no timeout)
   */
  timeoutMs?: number | null | undefined
  /**
   * The timeout for silence, in milliseconds. CLIs retry requests themselves, some for hours without any
   * output. A long-running tool is silent, too. `Infinity` turns it off.
   * @default 600000 (10 minutes)
   */
  idleTimeoutMs?: number | null | undefined
  /**
   * Called with each event while the CLI runs. If it throws, the CLI is terminated and `deliver` rejects
   * with that error.
   * @default undefined
   */
  onEvent?: ((event: DeliveryEvent) => void) | null | undefined
  /** Called with what the agent says, as it arrives: the text of `text` events. @default undefined */
  onText?: ((text: string) => void) | null | undefined
  /** Whether to ask the CLI for partial text if there is a listener. Some CLIs always write it. @default true */
  stream?: boolean | null | undefined
  /**
   * Starts the program elsewhere, for example in a container or on another machine. It gets the command,
   * arguments and options of Node's `spawn`, and returns a ChildProcess with three pipes. The program is
   * terminated with its own `kill`.
   * @default undefined (on this machine)
   */
  spawn?: SpawnHook | null | undefined
  /**
   * Writes and removes the files of the plan where that program can read them.
   * @default undefined (in a private temporary directory)
   */
  files?: FileHooks | null | undefined
  /**
   * Whether the CLI keeps running when this process exits, crashes or is interrupted, or when its worker
   * ends, and its background when it exits. The plan's files then stay. By default, the CLI and everything
   * it has started are terminated, and the files are removed. `signal` and `timeoutMs` always terminate it.
   * @default false
   */
  detached?: boolean | null | undefined
}

const DEFAULT_IDLE_TIMEOUT_MS = 10 * 60 * 1000

const idleTimeout: Kind<number> = (value, parent, name) => (value === Infinity ? value : timeout(value, parent, name))

/** What decides how the CLI is run. */
const ELSEWHERE = {
  planDelivery: ['agentType', 'model', 'resume', 'guard', 'permissions', 'version', 'extraArgs', 'profile', 'json'],
  'the plan': ['env', 'cwd', 'args', 'command'],
}

const deliverOptions = fields<DeliverOptions>()(
  {
    signal: optional(signal),
    onEvent: optional(listener<(event: DeliveryEvent) => void>()),
    onText: optional(listener<(text: string) => void>()),
    timeoutMs: optional(timeout),
    idleTimeoutMs: optional(idleTimeout, DEFAULT_IDLE_TIMEOUT_MS),
    stream: optional(boolean, true),
    spawn: optional(listener<SpawnHook>()),
    files: optional(fileHooks),
    detached: optional(boolean, false),
  },
  { elsewhere: ELSEWHERE },
)

const checkOptions = (options: unknown) =>
  deliverOptions(
    fit('an object', (value) => typeof value === 'object' || value === undefined)(options, '', 'options'),
    '',
    'options',
  )

type Plan = ReturnType<typeof checkPlanToRun>
type Options = ReturnType<typeof checkOptions>

/** Errors that a full disk may lead to. */
const MAY_BE_FULL: ReadonlySet<CliError['code']> = new Set(['no-answer', 'other', 'interrupted'])

const NOT_STARTED = { exitCode: null, signal: null, stderr: '' }

/** The arguments of this delivery: with those for partial text, and with a new id for a new session. */
const filledIn = ({ args, additions }: Plan, isStreamed: boolean) => {
  if (additions === undefined) return { args, sessionId: undefined }
  const { at, streamArgs = [], sessionIdArgs = [] } = additions
  const sessionId = sessionIdArgs.length === 0 ? undefined : randomUUID()
  const ids = sessionIdArgs.map((argument) => argument.replaceAll('{id}', sessionId ?? ''))
  return { args: args.toSpliced(at, 0, ...(isStreamed ? streamArgs : []), ...ids), sessionId }
}

class Delivery {
  #plan
  #options
  #ending
  #profile
  #sessions
  #clock
  #reader
  #isStarted = false
  #sessionId

  constructor(plan: Plan, options: Options, ending: Ending) {
    const { onEvent, onText, stream } = options
    const { args, sessionId } = filledIn(plan, stream && (onEvent !== undefined || onText !== undefined))
    this.#plan = { ...plan, args }
    this.#options = options
    this.#ending = ending
    this.#profile = profileOf(plan.output) ?? NOTHING_KNOWN
    this.#sessions = new SessionsInUse(plan.output)
    this.#clock = new Clock(options, ending)
    this.#reader = new OutputReader(plan.output, { onEvent: (event) => this.#onEvent(event), onText })
    this.#sessionId = plan.resume ?? sessionId
  }

  async run(): Promise<DeliveryResult> {
    const { resume } = this.#plan
    if (resume !== undefined) this.#sessions.resume(resume)
    else if (this.#sessionId !== undefined) this.#sessions.add(this.#sessionId)
    try {
      return await this.#runWithFiles()
    } catch (error) {
      const { cause } = this.#ending
      const isOwn = cause === undefined || !('error' in cause)
      throw withState(error, this.#reader, this.#isStarted, isOwn, this.#sessionId)
    } finally {
      this.#clock.stop()
      this.#sessions.release()
    }
  }

  async #runWithFiles(): Promise<DeliveryResult> {
    const { files: hooks, detached } = this.#options
    this.#throwCause()
    this.#clock.start()
    const written = await (hooks === undefined ? write(this.#plan) : writeElsewhere(this.#plan, hooks, this.#ending))
    // Processes that are still running may need their files.
    if (detached) written.release()
    try {
      const begun = performance.now()
      const run = (await this.#runProgram(written.args)) ?? NOT_STARTED
      await this.#amend()
      return { ...this.#resultOf(run), durationMs: Math.round(performance.now() - begun), exitCode: run.exitCode }
    } finally {
      // An answer is worth more than a file that could not be removed, or a hook that never says so.
      const removed = written.cleanup().catch((error: Error) => process.emitWarning(error))
      await (hooks === undefined ? removed : Promise.race([removed, wait(GRACE_MS, undefined, { ref: false })]))
    }
  }

  /** Checks what the CLI has stored, if its events leave a doubt and it ran on this machine. */
  async #amend() {
    const { readStored } = this.#profile
    const isHere = this.#options.spawn === undefined && this.#ending.cause === undefined
    if (readStored === undefined || !isHere) return
    const env = this.#environment()
    await this.#reader.amend((sessionId) => readStored(sessionId, env))
  }

  #environment() {
    return withVariables(inherited(process.env), this.#plan.env)
  }

  #runProgram(args: readonly string[]) {
    const { command, stdin, cwd } = this.#plan
    const { spawn, detached } = this.#options
    const env = this.#environment()
    const control = {
      onStart: () => {
        this.#isStarted = true
      },
      onSign: () => this.#clock.touch(),
      onStdout: (chunk: Buffer) => this.#onStdout(chunk),
      isDetached: detached,
    }
    const { acp, resume } = this.#plan
    const mayBeShim = spawn === undefined && process.platform === 'win32'
    const started = mayBeShim ? resolveShim(command, args, env, cwd ?? process.cwd()) : { command, args }
    const program = { ...started, env, cwd, stdin }
    // Loaded on demand: few callers need it.
    if (acp !== undefined) {
      const { runAcp } = require('./acp/run.js') as typeof import('./acp/run.js')
      return runAcp({ ...acp, resume }, spawn, program, control, this.#ending)
    }
    if (spawn !== undefined) return runElsewhere(spawn, program, control, this.#ending)
    return runProcess(program, control, this.#ending)
  }

  #onStdout(chunk: Buffer) {
    const { lastSeen } = this.#reader
    const wasDone = this.#reader.outcome.isDone
    const isEnding = this.#ending.cause !== undefined
    this.#clock.touch()
    this.#reader.push(chunk)
    // Some report a tool's result because they are ended.
    if (isEnding && lastSeen?.type === 'tool-call') this.#reader.lastSeen = lastSeen
    if (this.#reader.isStuck) this.#ending.begin({ kind: 'stuck' })
    const { lingersMs } = this.#profile
    if (!wasDone && this.#reader.outcome.isDone && lingersMs < Infinity) this.#clock.after(lingersMs, { kind: 'done' })
  }

  #onEvent(event: DeliveryEvent) {
    if (event.type === 'session') this.#sessions.add(event.sessionId)
    this.#options.onEvent?.(event)
  }

  /** Throws the reason of an abort, or the error of a listener. */
  #throwCause() {
    const { cause } = this.#ending
    if (cause !== undefined && 'error' in cause) throw cause.error
  }

  #resultOf(run: Ended) {
    const { command, output, resume } = this.#plan
    const { cause } = this.#ending
    const reader = this.#reader
    this.#throwCause()
    const wasDone = cause?.kind === 'done'
    const parsed = reader.finish(run.stderr, wasDone ? 0 : run.exitCode)
    const { error } = parsed
    if (cause !== undefined && error !== undefined && !wasDone && cause.kind !== 'stuck') {
      throw ended(command, cause, run, reader, this.#options)
    }
    if (run.wasDiskFull === true && error !== undefined && MAY_BE_FULL.has(error.code)) {
      const reason = `${tmpdir()} has no room for its output`
      throw noAnswer(command, reason, run, reader, parsed)
    }
    if (error?.code === 'no-answer') throw noAnswer(command, error.message, run, reader, parsed)
    const sessionId = error?.code === 'session-not-found' ? undefined : (parsed.sessionId ?? this.#sessionId)
    const usage = this.#profile.countsSession ? usageOfTurn(output, resume, sessionId, parsed.usage) : parsed.usage
    return present({ ...parsed, sessionId, usage })
  }
}

/**
 * Runs a plan: writes its files, starts the program without a shell, sends the prompt to its stdin,
 * reads its output, and always removes the files. When this process exits, is killed, crashes, or receives
 * SIGINT, SIGTERM or SIGHUP, the CLI is terminated with everything it has started. The signal is then raised again,
 * unless the program listens for it. Errors that the CLI reports are in the result. If the CLI ends
 * without an answer or an error, or takes too long, `deliver` rejects with `ERR_NO_ANSWER`. If it cannot
 * be started, `deliver` rejects with the system's own error (`ENOENT`).
 */
export async function deliver(plan: DeliveryPlan, options?: DeliverOptions | null): Promise<DeliveryResult> {
  const checkedPlan = checkPlanToRun(plan)
  const checked = checkOptions(options)
  const { signal: abort, detached } = checked
  const ending = new Ending()
  if (abort?.aborted === true) ending.begin({ kind: 'aborted', error: abort.reason })
  const delivery = new Delivery(checkedPlan, checked, ending)
  let work: Promise<DeliveryResult> | undefined
  const forgetSignal = onAbort(abort, () => ending.begin({ kind: 'aborted', error: abort?.reason }))
  const interrupt = async (by: NodeJS.Signals) => {
    ending.begin({ kind: 'interrupted', by })
    await work
  }
  const forgetInterruption = detached ? () => {} : whenInterrupted(interrupt)
  try {
    work = delivery.run()
    return await work
  } finally {
    forgetSignal()
    forgetInterruption()
  }
}
