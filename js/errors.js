'use strict'
/**
 * Errors are made here and not in native code, so that they belong to the realm of the caller:
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
  // In Bun, every error has these, of a program. In ours, they are of a configuration file.
  delete error.line
  delete error.column
  return defineProperty(assign(error, properties), MARK, { value: true })
}

/**
 * What to throw for what native code has thrown. Its failures become errors; anything else is
 * the caller's own exception, such as a getter's, and stays as it is.
 * @param {unknown} thrown
 * @returns {unknown}
 */
const errorOf = (thrown) => {
  const message = types.isNativeError(thrown) ? thrown.message : ''
  if (message.startsWith(FAILURE_PREFIX)) {
    const failure = parse(message.slice(FAILURE_PREFIX.length))
    return makeError(failure.class, failure.message, failure.properties)
  }
  const description = native.failureDescription(thrown)
  if (description === undefined) return thrown
  const failure = parse(description)
  return makeError(failure.class, failure.message, failure.properties)
}

/**
 * The error for a method that was called on something else.
 * @param {string} className
 */
const wrongReceiver = (className) =>
  invalidArgument(`this must be a ${className}: call the method on its object, or bind it`)

/**
 * The error for an argument that is not what it has to be.
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
    // A hostile proxy is no error of ours.
    return false
  }
}

module.exports = { errorOf, invalidArgument, isPromptmasonError, makeError, wrongReceiver }
