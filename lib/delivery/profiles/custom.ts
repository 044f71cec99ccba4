/** Profiles of callers: CLIs and agents that are not known here. */
import { fields } from '../../checks/fields.js'
import { arrayOf, integer, isObject, type Kind, oneOf, optional, refined } from '../../checks/kinds.js'
import { unknownValue } from '../../checks/problems.js'
import { environment, program, text, texts, wellFormed } from '../kinds.js'
import { type SizeUnit, UNIT_NAMES } from '../measure.js'
import { protocolVersion } from '../plan.js'
import { ACP, outputNamed } from './index.js'
import { NOTHING_KNOWN, type Profile, TEXT_OUTPUT } from './profile.js'
import type { AgentType } from '../../prompts/agents.js'

/**
 * An agent that speaks the Agent Client Protocol, such as `{ acp: { command: 'gemini', args:
 * ['--acp'] } }`. Install `@agentclientprotocol/sdk` and `zod`: `deliver` loads them on demand.
 */
export interface AcpProfile {
  acp: {
    /** The program: a path, or a name to look up in `PATH`. */
    command: string
    /** Its arguments. @default [] */
    args?: readonly string[] | null | undefined
    /** Environment variables it needs; `undefined` or null removes one. @default {} */
    env?: { readonly [name: string]: string | null | undefined } | null | undefined
    /** The version of the protocol. Version 2 is a draft, which few agents speak. @default 1 */
    protocolVersion?: 1 | 2 | null | undefined
  }
}

const acpProfile = fields<AcpProfile>()(
  {
    acp: fields<AcpProfile['acp']>()(
      {
        command: program,
        args: optional(texts, []),
        env: optional(environment, {}),
        protocolVersion: optional(protocolVersion),
      },
      { required: true, strict: true },
    ),
  },
  { required: true, strict: true },
)

/** A custom CLI. The prompt always goes to its stdin. */
export interface CliProfile {
  /** The program: a path, or a name to look up in `PATH`. */
  command: string
  /** Its arguments. @default [] */
  args?: readonly string[] | null | undefined
  /**
   * The option for the system text: `--system`, or `--system=` if option and value are one argument, for
   * CLIs that take a value with a leading dash for an option.
   * @default undefined (none)
   */
  systemFlag?: string | null | undefined
  /** The option for the path of a file with the system text, in the same two forms. @default undefined (none) */
  systemFileFlag?: string | null | undefined
  /** The arguments that resume a session; `{id}` is replaced with its id. @default undefined (it cannot resume) */
  resumeArgs?: readonly string[] | null | undefined
  /** The arguments that turn on partial text. `deliver` adds them if it has a listener. @default [] */
  streamArgs?: readonly string[] | null | undefined
  /**
   * The arguments that set the id of a new session, a UUID; `{id}` is replaced with it. `deliver`
   * chooses a new one each time, so the session is known however the turn ends.
   * @default [] (the CLI chooses it)
   */
  sessionIdArgs?: readonly string[] | null | undefined
  /** The arguments for each value of `permissions`. @default {} (only `'default'` is possible) */
  permissionArgs?: { [K in 'read-only' | 'edit' | 'all']?: readonly string[] | null | undefined } | null | undefined
  /** The arguments that print its version. @default ['--version'] */
  versionArgs?: readonly string[] | null | undefined
  /** The limits of its stdin. @default [] */
  limits?: readonly { unit: SizeUnit; max: number }[] | null | undefined
  /** Environment variables it needs; `undefined` or null removes one. @default {} */
  env?: { readonly [name: string]: string | null | undefined } | null | undefined
  /** What it writes to stdout: the answer (`'text'`), or the output format of a known agent. @default 'text' */
  output?: 'text' | AgentType | null | undefined
}

/** An option that takes the path of a file. In `--option=path`, the first `=` ends the option. */
const fileFlag = refined(text, (value, parent, name) =>
  /^[^=]*=?$/.test(value) ? value : unknownValue('an option, without `=` or with one at its end', value, parent, name),
)

const limit = fields<{ unit: SizeUnit; max: number }>()(
  { unit: wellFormed(oneOf(UNIT_NAMES)), max: integer(1) },
  { required: true },
)

const argsOfPermissions = fields<NonNullable<CliProfile['permissionArgs']>>()({
  'read-only': optional(texts),
  edit: optional(texts),
  all: optional(texts),
})

const output: Kind<string> = refined(
  text,
  (value, parent, name) => outputNamed(value) ?? unknownValue("'text' or a known agent type", value, parent, name),
)

const cliProfile = fields<CliProfile>()(
  {
    command: program,
    args: optional(texts, []),
    systemFlag: optional(text),
    systemFileFlag: optional(fileFlag),
    resumeArgs: optional(texts),
    streamArgs: optional(texts, []),
    sessionIdArgs: optional(texts, []),
    permissionArgs: optional(argsOfPermissions, {}),
    versionArgs: optional(texts, ['--version']),
    limits: optional(arrayOf(limit), []),
    env: optional(environment, {}),
    output: optional(output, TEXT_OUTPUT),
  },
  { required: true },
)

/** A custom agent, for `planDelivery`: a CLI, or an agent that speaks the Agent Client Protocol. */
export type DeliveryProfile = CliProfile | AcpProfile

/** @returns What is known of it, like of any other CLI. */
export const customProfile: Kind<Profile, DeliveryProfile> = (value, parent, name) => {
  if (isObject(value) && value['acp'] !== undefined && value['acp'] !== null) {
    return { ...ACP, ...acpProfile(value, parent, name).acp }
  }
  const { systemFlag, systemFileFlag, resumeArgs, permissionArgs, limits, ...same } = cliProfile(value, parent, name)
  return {
    ...NOTHING_KNOWN,
    ...same,
    system: { flag: systemFlag, fileFlag: systemFileFlag },
    permissions: Object.fromEntries(
      Object.entries(permissionArgs).flatMap(([each, args]) => (args === undefined ? [] : [[each, { args }]])),
    ),
    resume: resumeArgs === undefined ? undefined : { args: resumeArgs, directory: 'any' },
    limits: limits.map(({ unit, max }) => ({ unit, max, beyond: 'not take it' })),
  }
}
