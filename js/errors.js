'use strict'
/**
 * Errors are created here, not in native code, so that they belong to the caller's realm:
 * in Jest and in vm contexts, `TypeError` is not the one that native code knows.
 */
const { types } = require('node:util')
const native = require('../binding.js')

const { FAILURE_PREFIX } = native

const { assign, defineProperty } = Object
const { parse } = JSON
const CLASSES = { Error, RangeError, TypeError }

/** Marks our errors: Node's own have some of the same codes. The same in every realm. */
const MARK = Symbol.for('promptmason.error')

/**
 * @param {keyof typeof CLASSES} name
 * @param {string} message
 * @param {{ code: string, [name: string]: unknown }} properties
 */
const makeError = (name, message, properties) => {
  const error = /** @type {Error & { line?: number, column?: number }} */ (new CLASSES[name](message))
  // In Bun, every error has these fields, for a place in a program. In our errors, they are for a place
  // in a configuration file.
  delete error.line
  delete error.column
  return defineProperty(assign(error, properties), MARK, { value: true })
}

/**
 * The error to throw for one from native code. Native code never calls JavaScript, so this is never a
 * caller's exception.
 * @param {unknown} thrown
 * @returns {unknown}
 */
const errorOf = (thrown) => {
  const message = types.isNativeError(thrown) ? thrown.message : ''
  if (!message.startsWith(FAILURE_PREFIX)) return isUnexpected(thrown) ? unexpected(thrown) : thrown
  const failure = parse(message.slice(FAILURE_PREFIX.length))
  if (failure.properties.code.startsWith('ERR_')) {
    return makeError(failure.class, failure.message, failure.properties)
  }
  // An error of the system has Node's code, and is not one of ours.
  return assign(new Error(failure.message), failure.properties)
}

/**
 * Whether napi-rs made the error from a panic, or from a value that should have been checked. Its codes
 * are words such as `GenericFailure`; Node's are in capitals.
 * @param {any} thrown
 */
const isUnexpected = (thrown) => types.isNativeError(thrown) && /^[A-Z][a-z]/.test(/** @type {any} */ (thrown).code)

/** @param {unknown} cause */
const unexpected = (cause) =>
  defineProperty(
    makeError('Error', 'promptmason failed unexpectedly; please report this', { code: 'ERR_INTERNAL' }),
    'cause',
    { value: cause, configurable: true, writable: true },
  )

/**
 * Calls a native function, and turns its failures into errors of this realm.
 * @template {any[]} A, R
 * @param {(...args: A) => R} call
 * @param {A} args
 * @returns {R}
 */
const callNative = (call, ...args) => {
  try {
    return call(...args)
  } catch (thrown) {
    throw errorOf(thrown)
  }
}

/**
 * The error for a method called on the wrong object.
 * @param {string} className
 */
const wrongReceiver = (className) =>
  invalidArgument(`this must be a ${className}: call the method on its object, or bind it`)

/**
 * The error for an invalid argument.
 * @param {string} message
 */
const invalidArgument = (message) => makeError('TypeError', message, { code: 'ERR_INVALID_ARG_TYPE' })

/**
 * @param {unknown} error
 * @param {string | null} [code]
 */
const isPromptmasonError = (error, code) => {
  try {
    if (typeof error !== 'object' || error === null || !(MARK in error)) return false
    return code === undefined || code === null || /** @type {{ code?: unknown }} */ (error).code === code
  } catch {
    // A hostile proxy is not one of our errors.
    return false
  }
}

module.exports = { callNative, errorOf, invalidArgument, isPromptmasonError, makeError, wrongReceiver }
