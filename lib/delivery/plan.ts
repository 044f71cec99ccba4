/** A plan: how to run a CLI. It may have been changed, stored or written by hand since `planDelivery` made it. */
import path = require('node:path')
import { fields } from '../checks/fields.js'
import { arrayOf, entriesOf, type Kind, oneOf, optional, refined } from '../checks/kinds.js'
import { outOfRange } from '../checks/problems.js'
import { both, bufferOf, fit, isArgument, isNumber } from './kinds.js'
import type { DeliveryWarning } from './warnings.js'

/** A field that a stored plan may have as null. */
const orMissing =
  <Used, Given>(kind: Kind<Used, Given>): Kind<Used | undefined, Given | undefined> =>
  (value, parent, name) =>
    optional(kind)(value, parent, name)

const argument = fit('a string without NUL', isArgument)

const args: Kind<string[]> = both(fit('an array of strings', Array.isArray), arrayOf(argument))

export const protocolVersion = fit('1 or 2', (value) => value === 1 || value === 2)

/** Settings that an ACP agent gets as messages instead of arguments. */
export interface AcpSettings {
  /** The version of the protocol. @default 1 */
  protocolVersion?: 1 | 2
  /** The model. The agent must offer it. */
  model?: string
  /**
   * How to answer when the agent asks for permission: see `permissions` of `planDelivery`. Nobody can be
   * asked, so the default is to refuse.
   * @default 'default'
   */
  permissions?: 'default' | 'read-only' | 'edit' | 'all'
}

const PERMISSIONS = ['default', 'read-only', 'edit', 'all'] as const

const acpSettings = fields<AcpSettings>()({
  protocolVersion: orMissing(protocolVersion),
  model: orMissing(argument),
  permissions: refined(orMissing(oneOf(PERMISSIONS)), (given = 'default') => given),
})

/** How to run a CLI with a prompt. Pass it to `deliver`, or to your own `spawn`. */
export interface DeliveryPlan {
  command: string
  /** The arguments. `{file:NAME}` is a placeholder for the path of that file: `writeDelivery` replaces it. */
  args: string[]
  /**
   * What to write to stdin before closing it. If nothing had to be disarmed, this is the prompt's own
   * Buffer, so do not modify that Buffer until the delivery is done.
   */
  stdin: Buffer
  /** The files to write first. */
  files: { name: string; content: Buffer }[]
  /** Environment variables to set for the CLI, or to remove (`undefined`). */
  env: Record<string, string | undefined>
  /** The CLI's working directory as an absolute path; absent if none was set. */
  cwd?: string
  /** The session to resume; absent for a new one. */
  resume?: string
  /**
   * Arguments that `deliver` inserts before the argument `at` on each delivery: for partial text, if
   * there is a listener, and for the id of a new session, which replaces `{id}`.
   */
  additions?: { at: number; streamArgs?: string[]; sessionIdArgs?: string[] }
  warnings: DeliveryWarning[]
  /** The CLI's output format: the agent type to pass to `parseOutput`, or `'text'`. */
  output: string
  /** Settings of an ACP agent. The prompt is `stdin`. */
  acp?: AcpSettings
}

/** A name must not escape the directory created for the files. */
const isFileName = (name: unknown): name is string =>
  isArgument(name) &&
  name !== '' &&
  name !== '.' &&
  name !== '..' &&
  path.basename(name) === name &&
  path.win32.basename(name) === name

const bytes: Kind<Buffer> = both(bufferOf, fit('a Buffer', Buffer.isBuffer))

const file = fields<DeliveryPlan['files'][number]>()({
  name: fit('the name of a file', isFileName),
  content: (value, parent, name) => (typeof value === 'string' ? Buffer.from(value) : bytes(value, parent, name)),
})

const files: Kind<DeliveryPlan['files']> = both(
  fit('an array', Array.isArray),
  // Only objects have a name.
  arrayOf((value, parent, name) => file(typeof value === 'object' ? value : undefined, parent, name)),
)

const optionalArgument = optional(fit('a string without NUL, or undefined', isArgument))

/** A variable; null is the same as undefined. */
const variable: Kind<string | undefined> = (given, parent, name) =>
  optionalArgument(isArgument(name) ? given : NaN, parent, name)

const env: Kind<DeliveryPlan['env']> = both(
  fit('an object', (value) => typeof value === 'object' && value !== null),
  refined(entriesOf(variable), (entries) => Object.fromEntries(entries)),
)

const additions = fields<NonNullable<DeliveryPlan['additions']>>()(
  {
    at: refined(fit('a number', isNumber), (value, parent, name) =>
      Number.isInteger(value) && value >= 0 ? value : outOfRange('a non-negative integer', value, parent, name),
    ),
    streamArgs: orMissing(args),
    sessionIdArgs: orMissing(args),
  },
  { required: true },
)

const planToWrite = fields<Pick<DeliveryPlan, 'args' | 'files'>>()(
  { args, files },
  { also: ['command', 'stdin', 'cwd', 'output', 'env', 'warnings', 'resume', 'additions', 'acp'] },
)

const planToRun = fields<Omit<DeliveryPlan, 'warnings'>>()(
  {
    command: fit('the name of a program', (value): value is string => isArgument(value) && value !== ''),
    stdin: bytes,
    cwd: orMissing(argument),
    output: fit('a string', (value) => typeof value === 'string'),
    args,
    files,
    env,
    resume: orMissing(argument),
    additions: orMissing(additions),
    acp: orMissing(acpSettings),
  },
  { also: ['warnings'] },
)

const planObject = (plan: unknown) =>
  fit('an object, as planDelivery returns it', (value) => typeof value === 'object' && value !== null)(plan, '', 'plan')

export const checkPlanToWrite = (plan: unknown) => planToWrite(planObject(plan), '', 'plan')

export const checkPlanToRun = (plan: unknown) => planToRun(planObject(plan), '', 'plan')
