/** What `planDelivery` takes. */
import { UNIT_NAMES } from './measure.js'
import { outputNamed } from './profiles/index.js'
import { TEXT_OUTPUT } from './profiles/profile.js'
import { protocolVersion } from './check-plan.js'
import { recordOf } from '../checks/fields.js'
import { arrayOf, boolean, entriesOf, integer, object, oneOf, optional, refined, string } from '../checks/kinds.js'
import { unknownValue } from '../checks/problems.js'
import type { Kind } from '../checks/kinds.js'

/** A kind of strings without lone surrogates: the system cannot pass them on, and would write U+FFFD. */
const wellFormed =
  <T>(kind: Kind<T>): Kind<T> =>
  (value, parent, name) =>
    kind(typeof value === 'string' ? value.toWellFormed() : value, parent, name)

const text = wellFormed(string)

/** The name or the path of a program. */
const program = refined(text, (value, parent, name) =>
  value === '' || value.includes('\0') ? unknownValue('the name of a program', value, parent, name) : value,
)

const texts = arrayOf(text, 'an array of strings')

/** An option that takes the path of a file. In `--option=path`, the first `=` ends the option. */
const fileFlag = refined(text, (value, parent, name) =>
  /^[^=]*=?$/.test(value) ? value : unknownValue('an option, without `=` or with one at its end', value, parent, name),
)

/** Variables; undefined and null remove one. */
export const environment: Kind<Record<string, string | undefined>> = refined(entriesOf(optional(text)), (entries) =>
  Object.fromEntries(entries.map(([name, value]) => [name.toWellFormed(), value])),
)

/** The name of an output format. */
const output = refined(
  text,
  (value, parent, name) => outputNamed(value) ?? unknownValue("'text' or a known agent type", value, parent, name),
)

/** A version, such as `1.2.3`. */
const version = refined(text, (value, parent, name) =>
  /^\d+(?:\.\d+)*/.test(value) ? value : unknownValue("a version such as '1.2.3'", value, parent, name),
)

/** One of some words, by default the first. */
const choice = <T extends string>(...known: T[]): Kind<T> => optional(wellFormed(oneOf(known)), known[0]) as Kind<T>

const limit = recordOf({ unit: wellFormed(oneOf(UNIT_NAMES)), max: integer(1) }, { required: true })

/** Arguments for each set of permissions. */
const permissionArgs = recordOf({ 'read-only': optional(texts), edit: optional(texts), all: optional(texts) })

/** An agent of the Agent Client Protocol. */
const acpProfile = recordOf(
  {
    acp: recordOf(
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

/** A `DeliveryProfile`: a CLI. */
const cliProfile = recordOf(
  {
    command: program,
    args: optional(texts, []),
    systemFlag: optional(text),
    systemFileFlag: optional(fileFlag),
    resumeArgs: optional(texts),
    streamArgs: optional(texts, []),
    sessionIdArgs: optional(texts, []),
    permissionArgs: optional(permissionArgs, {}),
    versionArgs: optional(texts, ['--version']),
    limits: optional(arrayOf(limit), []),
    env: optional(environment, {}),
    output: optional(output, TEXT_OUTPUT),
  },
  { required: true },
)

/** A `DeliveryProfile`. */
export const profile = (value: any, parent: string, name: any) =>
  value?.acp === undefined || value.acp === null
    ? { ...cliProfile(value, parent, name), acp: undefined }
    : acpProfile(value, parent, name)

/** All options but `profile`. */
const optionsWith = <T>(agentType: Kind<T>) =>
  recordOf(
    {
      platform: optional(text),
      agentType,
      json: optional(boolean, true),
      model: optional(text),
      cwd: optional(text),
      resume: optional(text),
      systemVia: choice('auto', 'flag', 'file'),
      guard: choice('report', 'escape'),
      projectInstructions: choice('keep', 'skip'),
      trustWorkspace: optional(boolean, false),
      permissions: choice('default', 'read-only', 'edit', 'all'),
      version: optional(version),
      extraArgs: optional(texts, []),
    },
    { required: true, also: ['profile'] },
  )

/** Without a profile, the agent's type says which program it is. */
const optionsOfAgent = optionsWith(program)
const optionsOfProfile = optionsWith(optional(text, ''))

/** The options of `planDelivery`. */
export const checkPlanOptions = (options: any) => {
  const given = (object(options, '', 'options') as any).profile
  const own = optional(profile)(given, 'options', 'profile')
  const table = own === undefined ? optionsOfAgent : optionsOfProfile
  return { ...table(options, '', 'options'), profile: own }
}

/** The system text of an output. */
export const checkSystemFlag = (systemFlag: unknown) => optional(text)(systemFlag, 'output', 'systemFlag')

const versionOptions = recordOf({ command: optional(program), versionArgs: optional(texts) })

/** The arguments of `cliVersion`. */
export const checkVersionArguments = (agentType: unknown, options: unknown) => ({
  agentType: program(agentType, '', 'agentType'),
  ...versionOptions(options, '', 'options'),
})
