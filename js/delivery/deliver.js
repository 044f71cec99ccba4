'use strict'
/** `deliver`: a plan, carried out. */
const { performance } = require('node:perf_hooks')
const { checkDeliverOptions, checkPlanToRun } = require('../checks/delivery-plan.js')
const { onAbort } = require('./abort-signals.js')
const { Ending } = require('./ending.js')
const { ended, noAnswer, withState } = require('./failures.js')
const { whenInterrupted } = require('./interruptions.js')
const { OutputReader } = require('./read-output.js')
const { runProcess } = require('./run-process.js')
const { resolveShim } = require('./windows-shims.js')
const { write } = require('./write.js')

/** @typedef {import('../../index.d.ts').DeliveryResult} DeliveryResult */
/** @typedef {InstanceType<typeof Ending>} EndingOf */

/** What is known of a program that was never started. */
const NOT_STARTED = { exitCode: null, signal: null, stderr: '', isStarted: false }

/**
 * @param {ReturnType<typeof checkPlanToRun>} plan
 * @param {ReturnType<typeof checkDeliverOptions>} options
 * @param {EndingOf} ending
 * @returns {Promise<DeliveryResult>}
 */
const carryOut = async (plan, options, ending) => {
  const { command, args, stdin, files, env: planned, cwd, output } = plan
  const { timeoutMs, onEvent, onText, detached } = options
  const reader = new OutputReader(output, { onEvent, onText })
  const written = await write({ args, files })
  // What lives on may need its files.
  if (detached) written.release()
  const begun = performance.now()
  let isStarted = false
  try {
    const env = { ...process.env, ...planned }
    const program =
      process.platform === 'win32'
        ? resolveShim(command, written.args, env, cwd ?? process.cwd())
        : { command, args: written.args }
    const control = {
      onStart: () => {
        isStarted = true
      },
      onStdout: (/** @type {Buffer} */ chunk) => {
        reader.push(chunk)
        if (reader.isStuck) ending.begin({ kind: 'stuck' })
      },
      timeoutMs,
      isDetached: detached,
    }
    const run = (await runProcess({ ...program, env, cwd, stdin }, control, ending)) ?? NOT_STARTED
    const { cause } = ending
    if (cause !== undefined && 'error' in cause) throw cause.error
    const parsed = reader.finish(run.stderr, run.exitCode)
    if (cause !== undefined && parsed.error?.code !== undefined && cause.kind !== 'stuck') {
      throw ended(command, cause, run, reader, options)
    }
    if (parsed.error?.code === 'no-answer') throw noAnswer(command, parsed.error.message, run, reader, parsed)
    return { ...parsed, durationMs: Math.round(performance.now() - begun), exitCode: run.exitCode }
  } catch (error) {
    throw withState(error, reader, isStarted)
  } finally {
    // An answer is worth more than a file that could not be removed.
    await written.cleanup().catch((error) => process.emitWarning(error))
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
  /** @type {Promise<DeliveryResult> | undefined} */
  let work
  const forgetSignal = onAbort(signal, () => ending.begin({ kind: 'aborted', error: signal?.reason }))
  const interrupt = async (/** @type {NodeJS.Signals} */ by) => {
    ending.begin({ kind: 'interrupted', by })
    await work
  }
  const forgetInterruption = detached ? () => {} : whenInterrupted(interrupt)
  try {
    work = carryOut(checkedPlan, checked, ending)
    return await work
  } finally {
    forgetSignal()
    forgetInterruption()
  }
}

module.exports = { deliver }
