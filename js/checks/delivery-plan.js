'use strict'
/** Plans may have been changed, stored or written by hand since `planDelivery` made them. */
const path = require('node:path')
const { bufferOf } = require('../delivery/bytes.js')
const { fields } = require('./fields.js')
const { arrayOf, boolean, entriesOf, oneOf, optional } = require('./kinds.js')
const { outOfRange, pathOf, typeProblem } = require('./problems.js')

/** @typedef {import('../../index.d.ts').DeliveryPlan} DeliveryPlan */
/** @typedef {import('../../index.d.ts').DeliverOptions} DeliverOptions */
/** @typedef {import('../../index.d.ts').DeliveryEvent} DeliveryEvent */
/** @typedef {import('./problems.js').Name} Name */
/**
 * @template [T=any]
 * @typedef {import('./kinds.js').Kind<T>} Kind
 */

/** How long a CLI may be silent by default. */
const DEFAULT_IDLE_TIMEOUT_MS = 10 * 60 * 1000

/** The longest delay of a timer: 24 days. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1

/**
 * A kind that accepts whatever passes a test.
 * @template T
 * @param {string} expected
 * @param {(value: any) => boolean} isFit
 * @returns {Kind<T>}
 */
const fit = (expected, isFit) => (value, parent, name) => {
  if (isFit(value)) return value
  throw typeProblem(`${pathOf(parent, name)} must be ${expected}`)
}

/**
 * A kind that applies a test first, and then another kind.
 * @template T
 * @param {Kind} before
 * @param {Kind<T>} kind
 * @returns {Kind<T>}
 */
const both = (before, kind) => (value, parent, name) => kind(before(value, parent, name), parent, name)

/** Whether the system can take a text: its strings end at a NUL. @param {unknown} value */
const isArgument = (value) => typeof value === 'string' && !value.includes('\0')

/**
 * A name must not escape the directory created for the files.
 * @param {any} name
 */
const isFileName = (name) =>
  isArgument(name) &&
  name !== '' &&
  name !== '.' &&
  name !== '..' &&
  path.basename(name) === name &&
  path.win32.basename(name) === name

/** @type {Kind<string>} */
const argument = fit('a string without NUL', isArgument)

const args = both(fit('an array of strings', Array.isArray), arrayOf(argument))

/** Bytes, without a copy. @type {Kind<Buffer>} */
const bytes = both((value) => bufferOf(value), fit('a Buffer', Buffer.isBuffer))

/** @type {Kind<Buffer>} */
const content = (value, parent, name) => (typeof value === 'string' ? Buffer.from(value) : bytes(value, parent, name))

const file = fields({ name: /** @type {Kind<string>} */ (fit('the name of a file', isFileName)), content })

const files = both(
  fit('an array', Array.isArray),
  // Only objects have a name.
  arrayOf((value, parent, name) => file(typeof value === 'object' ? value : undefined, parent, name)),
)

/** @type {Kind<string | undefined>} */
const optionalArgument = optional(fit('a string without NUL, or undefined', isArgument))

/** A variable; null is the same as undefined. @type {Kind<string | undefined>} */
const variable = (given, parent, name) => optionalArgument(isArgument(name) ? given : NaN, parent, name)

const env = both(
  fit('an object', (value) => typeof value === 'object' && value !== null),
  entriesOf(variable),
)

/** Arguments that `deliver` adds. */
const additions = fields(
  {
    at: both(
      fit('a number', (value) => typeof value === 'number'),
      (value, parent, name) =>
        Number.isInteger(value) && value >= 0 ? value : outOfRange('a non-negative integer', value, parent, name),
    ),
    streamArgs: optional(args),
    sessionIdArgs: optional(args),
  },
  { required: true },
)

const toWrite = fields(
  { args, files },
  { also: ['command', 'stdin', 'cwd', 'output', 'env', 'warnings', 'resume', 'additions', 'acp'] },
)

/** A version of the Agent Client Protocol. @type {Kind<1 | 2>} */
const protocolVersion = fit('1 or 2', (value) => value === 1 || value === 2)

/** Settings of an ACP agent. */
const acp = fields({
  protocolVersion: optional(protocolVersion),
  model: optional(argument),
  permissions: optional(oneOf(['default', 'read-only', 'edit', 'all']), 'default'),
})

const toRun = fields(
  {
    command: /** @type {Kind<string>} */ (fit('the name of a program', (value) => isArgument(value) && value !== '')),
    stdin: bytes,
    cwd: optional(argument),
    output: /** @type {Kind<string>} */ (fit('a string', (value) => typeof value === 'string')),
    args,
    files,
    env,
    resume: optional(argument),
    additions: optional(additions),
    acp: optional(acp),
  },
  { also: ['warnings'] },
)

/** @param {unknown} plan */
const planObject = (plan) =>
  fit('an object, as planDelivery returns it', (value) => typeof value === 'object' && value !== null)(plan, '', 'plan')

/**
 * What is needed to write the files of a plan.
 * @param {Pick<DeliveryPlan, 'args' | 'files'>} plan
 */
const checkPlanToWrite = (plan) => toWrite(planObject(plan), '', 'plan')

/**
 * What is needed to run a plan.
 * @param {DeliveryPlan} plan
 */
const checkPlanToRun = (plan) => {
  const checked = toRun(planObject(plan), '', 'plan')
  return { ...checked, env: Object.fromEntries(checked.env) }
}

/** @type {Kind<number>} */
const timeout = both(
  fit('a number', (value) => typeof value === 'number'),
  (value, parent, name) =>
    Number.isInteger(value) && value >= 1 && value <= MAX_TIMEOUT_MS
      ? value
      : outOfRange(`a positive integer up to ${MAX_TIMEOUT_MS}`, value, parent, name),
)

const listener = fit('a function', (value) => typeof value === 'function')

/** Infinity means no limit. @type {Kind<number>} */
const idleTimeout = (value, parent, name) => (value === Infinity ? value : timeout(value, parent, name))

/** @type {Kind<import('../../index.d.ts').FileHooks>} The object itself, whose methods may need it. */
const fileHooks = fit('an object with the functions write and remove', (value) =>
  typeof value?.write === 'function' && typeof value?.remove === 'function')

/** @type {Kind<AbortSignal>} */
const signal = fit('an AbortSignal', (value) => typeof value?.addEventListener === 'function')

const deliverOptions = fields({
  signal: optional(signal),
  onEvent: optional(/** @type {Kind<(event: DeliveryEvent) => void>} */ (listener)),
  onText: optional(/** @type {Kind<(text: string) => void>} */ (listener)),
  timeoutMs: optional(timeout),
  idleTimeoutMs: optional(idleTimeout, DEFAULT_IDLE_TIMEOUT_MS),
  stream: optional(boolean, true),
  spawn: optional(/** @type {Kind<import('../../index.d.ts').SpawnHook>} */ (listener)),
  files: optional(fileHooks),
  detached: optional(boolean, false),
})

/** @param {DeliverOptions | null | undefined} options */
const checkDeliverOptions = (options) =>
  deliverOptions(
    fit('an object', (value) => typeof value === 'object' || value === undefined)(options, '', 'options'),
    '',
    'options',
  )

module.exports = { checkDeliverOptions, checkPlanToRun, checkPlanToWrite, protocolVersion, signal }
