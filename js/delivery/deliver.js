'use strict'
/** `deliver`: carries out a plan. */
const { randomUUID } = require('node:crypto')
const { tmpdir } = require('node:os')
const { performance } = require('node:perf_hooks')
const { checkDeliverOptions, checkPlanToRun } = require('../checks/delivery-plan.js')
const { onAbort } = require('./abort-signals.js')
const { Clock } = require('./clock.js')
const { Ending } = require('./ending.js')
const { inherited, withVariables } = require('./environment.js')
const { ended, noAnswer, withState } = require('./failures.js')
const { whenInterrupted } = require('./interruptions.js')
const { profileOf } = require('./profiles/index.js')
const { NOTHING_KNOWN } = require('./profiles/profile.js')
const { OutputReader } = require('./read-output.js')
const { runElsewhere } = require('./run-elsewhere.js')
const { runProcess } = require('./run-process.js')
const { SessionsInUse, usageOfTurn } = require('./sessions.js')
const { resolveShim } = require('./windows-shims.js')
const { write, writeElsewhere } = require('./write.js')

/** @typedef {import('../../index.d.ts').DeliveryResult} DeliveryResult */
/** @typedef {import('../../index.d.ts').DeliveryEvent} DeliveryEvent */
/** @typedef {ReturnType<typeof checkPlanToRun>} Plan */
/** @typedef {ReturnType<typeof checkDeliverOptions>} Options */

/** The result of a program that was never started. */
const NOT_STARTED = { exitCode: null, signal: null, stderr: '' }

/**
 * The arguments of this delivery: with those for partial text, and with a new id for a new session.
 * @param {Plan} plan
 * @param {boolean} isStreamed
 */
const filledIn = ({ args, additions }, isStreamed) => {
  if (additions === undefined) return { args, sessionId: undefined }
  const { at, streamArgs = [], sessionIdArgs = [] } = additions
  const sessionId = sessionIdArgs.length === 0 ? undefined : randomUUID()
  const ids = sessionIdArgs.map((/** @type {string} */ argument) => argument.replaceAll('{id}', sessionId ?? ''))
  return { args: args.toSpliced(at, 0, ...(isStreamed ? streamArgs : []), ...ids), sessionId }
}

/** One delivery of a plan. */
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

  /**
   * @param {Plan} plan
   * @param {Options} options
   * @param {InstanceType<typeof Ending>} ending
   */
  constructor(plan, options, ending) {
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

  /** @returns {Promise<DeliveryResult>} */
  async run() {
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

  /** @returns {Promise<DeliveryResult>} */
  async #runWithFiles() {
    const { files: hooks, detached } = this.#options
    const written = await (hooks === undefined ? write(this.#plan) : writeElsewhere(this.#plan, hooks))
    // Processes that are still running may need their files.
    if (detached) written.release()
    try {
      const begun = performance.now()
      const run = (await this.#runProgram(written.args)) ?? NOT_STARTED
      await this.#amend()
      return { ...this.#resultOf(run), durationMs: Math.round(performance.now() - begun), exitCode: run.exitCode }
    } finally {
      // An answer is worth more than a file that could not be removed.
      await written.cleanup().catch((/** @type {Error} */ error) => process.emitWarning(error))
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

  /** @param {readonly string[]} args */
  #runProgram(args) {
    const { command, stdin, cwd } = this.#plan
    const { spawn, detached } = this.#options
    const env = this.#environment()
    const control = {
      onStart: () => {
        this.#isStarted = true
        this.#clock.start()
      },
      onStdout: (/** @type {Buffer} */ chunk) => this.#onStdout(chunk),
      isDetached: detached,
    }
    const { acp, resume } = this.#plan
    const mayBeShim = spawn === undefined && process.platform === 'win32'
    const started = mayBeShim ? resolveShim(command, args, env, cwd ?? process.cwd()) : { command, args }
    const program = { ...started, env, cwd, stdin }
    // Loaded on demand: few callers need it.
    if (acp !== undefined) {
      const { runAcp } = require('./acp/run.js')
      return runAcp({ ...acp, resume }, spawn)(program, control, this.#ending)
    }
    if (spawn !== undefined) return runElsewhere(spawn)(program, control, this.#ending)
    return runProcess(program, control, this.#ending)
  }

  /** @param {Buffer} chunk */
  #onStdout(chunk) {
    const wasDone = this.#reader.isDone
    this.#clock.touch()
    this.#reader.push(chunk)
    if (this.#reader.isStuck) this.#ending.begin({ kind: 'stuck' })
    const { lingersMs } = this.#profile
    if (!wasDone && this.#reader.isDone && lingersMs < Infinity) this.#clock.after(lingersMs, { kind: 'done' })
  }

  /** @param {DeliveryEvent} event */
  #onEvent(event) {
    if (event.type === 'session') this.#sessions.add(event.sessionId)
    this.#options.onEvent?.(event)
  }

  /** @param {import('./run-process.js').Ended} run */
  #resultOf(run) {
    const { command, output, resume } = this.#plan
    const { cause } = this.#ending
    const reader = this.#reader
    if (cause !== undefined && 'error' in cause) throw cause.error
    const wasDone = cause?.kind === 'done'
    const parsed = reader.finish(run.stderr, wasDone ? 0 : run.exitCode)
    const { error } = parsed
    if (cause !== undefined && error !== undefined && !wasDone && cause.kind !== 'stuck') {
      throw ended(command, cause, run, reader, this.#options)
    }
    if (run.wasDiskFull === true && (error?.code === 'no-answer' || error?.code === 'other')) {
      const reason = `${tmpdir()} has no room for its output`
      throw noAnswer(command, reason, run, reader, parsed)
    }
    if (error?.code === 'no-answer') throw noAnswer(command, error.message, run, reader, parsed)
    const sessionId = error?.code === 'session-not-found' ? undefined : (parsed.sessionId ?? this.#sessionId)
    const usage = this.#profile.countsSession ? usageOfTurn(output, resume, sessionId, parsed.usage) : parsed.usage
    const { usage: _total, ...rest } = parsed
    return { ...rest, ...(sessionId !== undefined && { sessionId }), ...(usage !== undefined && { usage }) }
  }
}

/**
 * @param {import('../../index.d.ts').DeliveryPlan} plan
 * @param {import('../../index.d.ts').DeliverOptions | null} [options]
 * @returns {Promise<DeliveryResult>}
 */
const deliver = async (plan, options) => {
  const checkedPlan = checkPlanToRun(plan)
  const checked = checkDeliverOptions(options)
  const { signal, detached } = checked
  signal?.throwIfAborted()
  const ending = new Ending()
  const delivery = new Delivery(checkedPlan, checked, ending)
  /** @type {Promise<DeliveryResult> | undefined} */
  let work
  const forgetSignal = onAbort(signal, () => ending.begin({ kind: 'aborted', error: signal?.reason }))
  const interrupt = async (/** @type {NodeJS.Signals} */ by) => {
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

module.exports = { deliver }
