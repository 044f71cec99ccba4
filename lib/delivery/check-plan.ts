/** Plans may have been changed, stored or written by hand since `planDelivery` made them. */
import path = require('node:path')
import { bufferOf } from './bytes.js'
import { recordOf } from '../checks/fields.js'
import { arrayOf, boolean, entriesOf, oneOf, optional } from '../checks/kinds.js'
import { outOfRange, pathOf, typeProblem } from '../checks/problems.js'
import type { DeliverOptions, DeliveryPlan, FileHooks, SpawnHook } from './types.js'
import type { DeliveryEvent } from './events.js'
import type { Kind } from '../checks/kinds.js'

/** How long a CLI may be silent by default. */
const DEFAULT_IDLE_TIMEOUT_MS = 10 * 60 * 1000

/** The longest delay of a timer: 24 days. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1

/** A kind that accepts whatever passes a test. */
const fit =
  <T>(expected: string, isFit: (value: any) => boolean): Kind<T> =>
  (value, parent, name) => {
    if (isFit(value)) return value
    throw typeProblem(`${pathOf(parent, name)} must be ${expected}`)
  }

/** A kind that applies a test first, and then another kind. */
const both =
  <T>(before: Kind, kind: Kind<T>): Kind<T> =>
  (value, parent, name) =>
    kind(before(value, parent, name), parent, name)

/** Whether the system can take a text: its strings end at a NUL. */
const isArgument = (value: unknown) => typeof value === 'string' && !value.includes('\0')

/** A name must not escape the directory created for the files. */
const isFileName = (name: any) =>
  isArgument(name) &&
  name !== '' &&
  name !== '.' &&
  name !== '..' &&
  path.basename(name) === name &&
  path.win32.basename(name) === name

const argument: Kind<string> = fit('a string without NUL', isArgument)

const args = both(fit('an array of strings', Array.isArray), arrayOf(argument))

/** Bytes, without a copy. */
const bytes: Kind<Buffer> = both((value) => bufferOf(value), fit('a Buffer', Buffer.isBuffer))

const content: Kind<Buffer> = (value, parent, name) =>
  typeof value === 'string' ? Buffer.from(value) : bytes(value, parent, name)

const file = recordOf({ name: fit('the name of a file', isFileName) as Kind<string>, content })

const files = both(
  fit('an array', Array.isArray),
  // Only objects have a name.
  arrayOf((value, parent, name) => file(typeof value === 'object' ? value : undefined, parent, name)),
)

const optionalArgument: Kind<string | undefined> = optional(fit('a string without NUL, or undefined', isArgument))

/** A variable; null is the same as undefined. */
const variable: Kind<string | undefined> = (given, parent, name) =>
  optionalArgument(isArgument(name) ? given : NaN, parent, name)

const env = both(
  fit('an object', (value) => typeof value === 'object' && value !== null),
  entriesOf(variable),
)

/** Arguments that `deliver` adds. */
const additions = recordOf(
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

const toWrite = recordOf(
  { args, files },
  { also: ['command', 'stdin', 'cwd', 'output', 'env', 'warnings', 'resume', 'additions', 'acp'] },
)

/** A version of the Agent Client Protocol. */
export const protocolVersion: Kind<1 | 2> = fit('1 or 2', (value) => value === 1 || value === 2)

/** Settings of an ACP agent. */
const acp = recordOf({
  protocolVersion: optional(protocolVersion),
  model: optional(argument),
  permissions: optional(oneOf(['default', 'read-only', 'edit', 'all']), 'default'),
})

const toRun = recordOf(
  {
    command: fit('the name of a program', (value) => isArgument(value) && value !== '') as Kind<string>,
    stdin: bytes,
    cwd: optional(argument),
    output: fit('a string', (value) => typeof value === 'string') as Kind<string>,
    args,
    files,
    env,
    resume: optional(argument),
    additions: optional(additions),
    acp: optional(acp),
  },
  { also: ['warnings'] },
)

const planObject = (plan: unknown) =>
  fit('an object, as planDelivery returns it', (value) => typeof value === 'object' && value !== null)(plan, '', 'plan')

/** What is needed to write the files of a plan. */
export const checkPlanToWrite = (plan: Pick<DeliveryPlan, 'args' | 'files'>) => toWrite(planObject(plan), '', 'plan')

/** What is needed to run a plan. */
export const checkPlanToRun = (plan: DeliveryPlan) => {
  const checked = toRun(planObject(plan), '', 'plan')
  return { ...checked, env: Object.fromEntries(checked.env) }
}

const timeout: Kind<number> = both(
  fit('a number', (value) => typeof value === 'number'),
  (value, parent, name) =>
    Number.isInteger(value) && value >= 1 && value <= MAX_TIMEOUT_MS
      ? value
      : outOfRange(`a positive integer up to ${MAX_TIMEOUT_MS}`, value, parent, name),
)

const listener = fit('a function', (value) => typeof value === 'function')

/** Infinity means no limit. */
const idleTimeout: Kind<number> = (value, parent, name) => (value === Infinity ? value : timeout(value, parent, name))

/** The object itself, whose methods may need it. */
const fileHooks: Kind<FileHooks> = fit('an object with the functions write and remove', (value) =>
  typeof value?.write === 'function' && typeof value?.remove === 'function')

export const signal: Kind<AbortSignal> = fit('an AbortSignal', (value) => typeof value?.addEventListener === 'function')

const deliverOptions = recordOf({
  signal: optional(signal),
  onEvent: optional(listener as Kind<(event: DeliveryEvent) => void>),
  onText: optional(listener as Kind<(text: string) => void>),
  timeoutMs: optional(timeout),
  idleTimeoutMs: optional(idleTimeout, DEFAULT_IDLE_TIMEOUT_MS),
  stream: optional(boolean, true),
  spawn: optional(listener as Kind<SpawnHook>),
  files: optional(fileHooks),
  detached: optional(boolean, false),
})

export const checkDeliverOptions = (options: DeliverOptions | null | undefined) =>
  deliverOptions(
    fit('an object', (value) => typeof value === 'object' || value === undefined)(options, '', 'options'),
    '',
    'options',
  )
