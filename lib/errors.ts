/**
 * Errors are created here, not in native code, so that they belong to the caller's realm:
 * in Jest and in vm contexts, `TypeError` is not the one that native code knows.
 */
import { types } from 'node:util'
import native = require('../binding.js')

const { FAILURE_PREFIX } = native

const { assign, defineProperty } = Object
const { parse } = JSON
const CLASSES = { Error, RangeError, TypeError }

/** Marks our errors: Node's own have some of the same codes. The same in every realm. */
const MARK = Symbol.for('promptmason.error')

export const makeError = (
  name: keyof typeof CLASSES,
  message: string,
  properties: { code: string; [name: string]: unknown },
) => {
  const error = new CLASSES[name](message) as Error & { line?: number; column?: number }
  // In Bun, every error has these fields, for a place in a program. In our errors, they are for a place
  // in a configuration file.
  delete error.line
  delete error.column
  return defineProperty(assign(error, properties), MARK, { value: true })
}

/**
 * The error to throw for one from native code. Native code never calls JavaScript, so this is never a
 * caller's exception.
 */
export const errorOf = (thrown: unknown): unknown => {
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
 */
const isUnexpected = (thrown: any) => types.isNativeError(thrown) && /^[A-Z][a-z]/.test((thrown as any).code)

const unexpected = (cause: unknown) =>
  defineProperty(
    makeError('Error', 'promptmason failed unexpectedly; please report this', { code: 'ERR_INTERNAL' }),
    'cause',
    { value: cause, configurable: true, writable: true },
  )

/** Calls a native function, and turns its failures into errors of this realm. */
export const callNative = <A extends any[], R>(call: (...args: A) => R, ...args: A): R => {
  try {
    return call(...args)
  } catch (thrown) {
    throw errorOf(thrown)
  }
}

/** The error for a method called on the wrong object. */
export const wrongReceiver = (className: string) =>
  invalidArgument(`this must be a ${className}: call the method on its object, or bind it`)

/** The error for an invalid argument. */
export const invalidArgument = (message: string) => makeError('TypeError', message, { code: 'ERR_INVALID_ARG_TYPE' })

export const isPromptmasonError = (error: unknown, code?: string | null) => {
  try {
    if (typeof error !== 'object' || error === null || !(MARK in error)) return false
    return code === undefined || code === null || (error as { code?: unknown }).code === code
  } catch {
    // A hostile proxy is not one of our errors.
    return false
  }
}
