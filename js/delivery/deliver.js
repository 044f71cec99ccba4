'use strict'
/** `deliver`: a plan, carried out. */
const { checkDeliverOptions, checkPlanToRun } = require('../checks/delivery-plan.js')
const { makeError } = require('../errors.js')
const { endOf } = require('./cli-errors.js')
const { OutputReader } = require('./read-output.js')
const { runProcess } = require('./run-process.js')
const { resolveShim } = require('./windows-shims.js')
const { write } = require('./write.js')

const MAX_STDERR_UNITS = 4096

/**
 * @param {string} command
 * @param {string} reason
 * @param {import('./run-process.js').Ended} ended
 * @param {string | undefined} sessionId
 */
const noAnswer = (command, reason, { exitCode, signal, stderr, timedOut }, sessionId) =>
  makeError('Error', `${command} has given no answer: ${reason}`, {
    code: 'ERR_NO_ANSWER',
    exitCode,
    signal,
    timedOut,
    ...(sessionId === undefined ? {} : { sessionId }),
    stderr: endOf(stderr).slice(-MAX_STDERR_UNITS),
  })

/**
 * @param {import('../../index.d.ts').DeliveryPlan} plan
 * @param {import('../../index.d.ts').DeliverOptions | null} [options]
 * @returns {Promise<import('../../index.d.ts').DeliveryResult>}
 */
const deliver = async (plan, options) => {
  const { command, args, stdin, files, env: planned, cwd, output } = checkPlanToRun(plan)
  const { signal, timeoutMs, onEvent } = checkDeliverOptions(options)
  const reader = new OutputReader(output, onEvent)
  signal?.throwIfAborted()
  const written = await write({ args, files })
  try {
    const env = { ...process.env, ...planned }
    const program =
      process.platform === 'win32'
        ? resolveShim(command, written.args, env, cwd ?? process.cwd())
        : { command, args: written.args }
    const ended = await runProcess(
      { ...program, env, cwd, stdin },
      {
        onStdout: (chunk) => reader.push(chunk),
        isWatched: onEvent !== undefined,
        signal,
        timeoutMs,
        onProcessExit: written.cleanupSync,
      },
    )
    const parsed = reader.finish(ended.stderr, ended.exitCode)
    if (ended.timedOut && parsed.text === undefined)
      throw noAnswer(command, `it took longer than ${timeoutMs} ms`, ended, parsed.sessionId)
    if (parsed.error?.code === 'no-answer') throw noAnswer(command, parsed.error.message, ended, parsed.sessionId)
    return { ...parsed, exitCode: ended.exitCode }
  } finally {
    // An answer is worth more than a file that could not be removed.
    await written.cleanup().catch((error) => process.emitWarning(error))
  }
}

module.exports = { deliver }
