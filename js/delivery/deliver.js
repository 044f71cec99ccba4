'use strict'
/** `deliver`: a plan, carried out. */
const { checkDeliverOptions, checkPlanToRun } = require('../checks/delivery-plan.js')
const { makeError } = require('../errors.js')
const { onAbort } = require('./abort-signals.js')
const { endOf } = require('./cli-errors.js')
const { Ending } = require('./ending.js')
const { whenInterrupted } = require('./interruptions.js')
const { OutputReader } = require('./read-output.js')
const { runProcess } = require('./run-process.js')
const { resolveShim } = require('./windows-shims.js')
const { write } = require('./write.js')

/** How much of stdout and stderr an error has. */
const MAX_UNITS = 4096

/**
 * @param {string} message
 * @param {import('./run-process.js').Ended} ended
 * @param {InstanceType<typeof OutputReader>} reader
 * @param {Partial<import('../../index.d.ts').NoAnswerError>} properties
 */
const noAnswer = (message, { exitCode, signal, stderr }, reader, properties) =>
  makeError('Error', message, {
    code: 'ERR_NO_ANSWER',
    exitCode,
    signal,
    timedOut: false,
    ...properties,
    stdout: endOf(reader.lastOutput()).slice(-MAX_UNITS),
    stderr: endOf(stderr).slice(-MAX_UNITS),
  })

/**
 * Why a delivery was ended.
 * @param {string} command
 * @param {import('./ending.js').Cause} cause
 * @param {number | undefined} timeoutMs
 */
const messageOf = (command, cause, timeoutMs) => {
  switch (cause.kind) {
    case 'timeout':
      return `${command} timed out after ${timeoutMs} ms`
    case 'interrupted':
      return `${command} was terminated because this process received ${cause.by}`
    default:
      return `${command} was terminated because it wrote more than 2 GiB to stdout`
  }
}

/**
 * @param {ReturnType<typeof checkPlanToRun>} plan
 * @param {ReturnType<typeof checkDeliverOptions>} options
 * @param {InstanceType<typeof Ending>} ending
 * @returns {Promise<import('../../index.d.ts').DeliveryResult>}
 */
const carryOut = async (plan, { timeoutMs, onEvent, detached }, ending) => {
  const { command, args, stdin, files, env: planned, cwd, output } = plan
  const reader = new OutputReader(output, onEvent)
  const written = await write({ args, files })
  // What lives on may need its files.
  if (detached) written.release()
  try {
    const env = { ...process.env, ...planned }
    const program =
      process.platform === 'win32'
        ? resolveShim(command, written.args, env, cwd ?? process.cwd())
        : { command, args: written.args }
    const control = {
      onStdout: (/** @type {Buffer} */ chunk) => reader.push(chunk),
      timeoutMs,
      isDetached: detached,
    }
    const ended = (await runProcess({ ...program, env, cwd, stdin }, control, ending)) ?? {
      exitCode: null,
      signal: null,
      stderr: '',
    }
    const { cause } = ending
    if (cause !== undefined && 'error' in cause) throw cause.error
    const parsed = reader.finish(ended.stderr, ended.exitCode)
    const known = parsed.sessionId === undefined ? {} : { sessionId: parsed.sessionId }
    if (cause !== undefined && parsed.text === undefined) {
      const properties = { ...known, timedOut: cause.kind === 'timeout' }
      throw noAnswer(messageOf(command, cause, timeoutMs), ended, reader, properties)
    }
    if (parsed.error?.code === 'no-answer') {
      throw noAnswer(`${command} has given no answer: ${parsed.error.message}`, ended, reader, known)
    }
    return { ...parsed, exitCode: ended.exitCode }
  } finally {
    // An answer is worth more than a file that could not be removed.
    await written.cleanup().catch((error) => process.emitWarning(error))
  }
}

/**
 * @param {import('../../index.d.ts').DeliveryPlan} plan
 * @param {import('../../index.d.ts').DeliverOptions | null} [options]
 * @returns {Promise<import('../../index.d.ts').DeliveryResult>}
 */
const deliver = async (plan, options) => {
  const checkedPlan = checkPlanToRun(plan)
  const checked = checkDeliverOptions(options)
  const { signal, detached } = checked
  signal?.throwIfAborted()
  const ending = new Ending()
  /** @type {Promise<import('../../index.d.ts').DeliveryResult> | undefined} */
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
