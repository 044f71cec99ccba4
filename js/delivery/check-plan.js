'use strict'
/** Plans may have been changed, stored or written by hand since `planDelivery` made them. */
const path = require('node:path')
const { invalidArgument, makeError } = require('../errors.js')
const { bufferOf } = require('./bytes.js')

/** @typedef {import('../../index.d.ts').DeliveryPlan} DeliveryPlan */

/** What timers count to: 24 days. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1

/**
 * Whether the system can take a text: its strings end at a NUL.
 * @param {unknown} value
 * @returns {value is string}
 */
const isArgument = (value) => typeof value === 'string' && !value.includes('\0')

/**
 * @param {unknown} value
 * @param {string} where
 * @returns {readonly string[]}
 */
const checkStrings = (value, where) => {
  if (!Array.isArray(value)) throw invalidArgument(`${where} must be an array of strings`)
  // The first one that is wrong ends it: there may be four billion holes.
  return Array.from(value, (element, index) => {
    if (!isArgument(element)) throw invalidArgument(`${where}[${index}] must be a string without NUL`)
    return element
  })
}

/**
 * A name must not lead out of the directory that is made for the files.
 * @param {unknown} name
 */
const isFileName = (name) =>
  typeof name === 'string' && name !== '' && name !== '.' && name !== '..' && !name.includes('\0') &&
  path.basename(name) === name && path.win32.basename(name) === name

/**
 * @param {unknown} value
 * @returns {DeliveryPlan['files']}
 */
const checkFiles = (value) => {
  if (!Array.isArray(value)) throw invalidArgument('plan.files must be an array')
  return Array.from(value, (/** @type {any} */ file, index) => {
    const [name, content] = [file?.name, file?.content]
    if (!isFileName(name)) throw invalidArgument(`plan.files[${index}].name must be the name of a file`)
    const bytes = typeof content === 'string' ? Buffer.from(content) : bufferOf(content)
    if (bytes === undefined) throw invalidArgument(`plan.files[${index}].content must be a Buffer`)
    return { name, content: bytes }
  })
}

/**
 * Names and values; undefined and null are removed.
 * @param {unknown} value
 * @returns {Record<string, string | undefined>}
 */
const checkEnvironment = (value) => {
  if (typeof value !== 'object' || value === null) throw invalidArgument('plan.env must be an object')
  return Object.fromEntries(Object.entries(value).map(([name, text]) => {
    if (name.includes('\0') || (text !== undefined && text !== null && !isArgument(text))) {
      throw invalidArgument(`plan.env.${name} must be a string without NUL, or undefined`)
    }
    return [name, text ?? undefined]
  }))
}

/**
 * @template T
 * @param {T} plan
 * @returns {T & object}
 */
const checkPlanObject = (plan) => {
  if (typeof plan === 'object' && plan !== null) return plan
  throw invalidArgument('plan must be an object, as planDelivery returns it')
}

/**
 * What is needed to run a plan, each field read once.
 * @param {DeliveryPlan} plan
 */
const checkPlan = (plan) => {
  const { command, args, stdin, files, env, cwd, output } = checkPlanObject(plan)
  if (!isArgument(command) || command === '') throw invalidArgument('plan.command must be the name of a program')
  const input = bufferOf(stdin)
  if (input === undefined) throw invalidArgument('plan.stdin must be a Buffer')
  if (cwd !== undefined && cwd !== null && !isArgument(cwd)) throw invalidArgument('plan.cwd must be a string without NUL')
  if (typeof output !== 'string') throw invalidArgument('plan.output must be a string')
  return {
    command,
    args: checkStrings(args, 'plan.args'),
    stdin: input,
    files: checkFiles(files),
    env: checkEnvironment(env),
    cwd: cwd ?? undefined,
    output,
  }
}

/** @param {unknown} timeoutMs */
const checkTimeout = (timeoutMs) => {
  if (typeof timeoutMs !== 'number') throw invalidArgument('options.timeoutMs must be a number')
  if (!Number.isInteger(timeoutMs) || timeoutMs < 1 || timeoutMs > MAX_TIMEOUT_MS) {
    throw makeError('RangeError', `options.timeoutMs must be a positive integer up to ${MAX_TIMEOUT_MS}, got ${timeoutMs}`, { code: 'ERR_OUT_OF_RANGE' })
  }
}

/**
 * @param {import('../../index.d.ts').DeliverOptions | null | undefined} options
 */
const checkDeliverOptions = (options) => {
  if (typeof options !== 'object' && options !== undefined) throw invalidArgument('options must be an object')
  const { signal, timeoutMs, onEvent } = options ?? {}
  if (signal !== undefined && signal !== null && typeof signal.addEventListener !== 'function') throw invalidArgument('options.signal must be an AbortSignal')
  if (onEvent !== undefined && onEvent !== null && typeof onEvent !== 'function') throw invalidArgument('options.onEvent must be a function')
  if (timeoutMs !== undefined && timeoutMs !== null) checkTimeout(timeoutMs)
  return { signal: signal ?? undefined, timeoutMs: timeoutMs ?? undefined, onEvent: onEvent ?? undefined }
}

module.exports = { checkDeliverOptions, checkFiles, checkPlan, checkPlanObject, checkStrings }
