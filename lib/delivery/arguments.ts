/**
 * The arguments and the environment of a CLI. `extraArgs` that repeat what a plan already has are left out:
 * coordinators keep their own lists of CLI arguments, and some CLIs reject a repeated option, or use the other value.
 */
import { known } from './refusals.js'
import { quoted } from './quoted.js'
import type { Profile, Switch } from './profiles/profile.js'
import type { Options } from './plan-delivery.js'
import type { Platform } from './platforms.js'
import type { DeliveryWarning } from './warnings.js'

/** What to deliver, and how. All strings are well-formed. */
export interface Request extends Omit<Options, 'agentType' | 'profile' | 'platform' | 'cwd'> {
  /** As UTF-8. */
  prompt: Buffer
  /** The system text that is passed separately. */
  systemFlag: string | undefined
  /** Where the CLI runs. */
  platform: Platform
  /** An absolute path. */
  cwd: string | undefined
}

const isOption = (argument: string | undefined) => argument !== undefined && /^-./.test(argument)

/** The key of a setting such as `key=value`. */
const keyOf = (setting: string | undefined) => setting?.split('=', 1)[0]

/** The name and the value of `--option=value`. */
const splitOption = ({ synonyms }: Profile, argument: string) => {
  const [written = argument] = argument.startsWith('--') ? argument.split('=', 1) : []
  return {
    name: (Object.hasOwn(synonyms, written) ? synonyms[written] : undefined) ?? written,
    value: written === argument ? undefined : argument.slice(written.length + 1),
  }
}

/** The options of a plan, each with its values. Those that take none have undefined. */
const optionsOf = (profile: Profile, planned: readonly (readonly string[])[]) => {
  const options: Map<string, (string | undefined)[]> = new Map()
  for (const group of planned) {
    for (let index = 0; index < group.length; index++) {
      const argument = group[index] as string
      if (!isOption(argument)) continue
      const { name, value } = splitOption(profile, argument)
      const next = group[index + 1]
      // The value of the last option may begin with a dash.
      const isValue = value === undefined && (index + 2 === group.length || !isOption(next))
      if (isValue) index++
      options.set(name, [...(options.get(name) ?? []), isValue ? next : value])
    }
  }
  return options
}

/**
 * @param planned The arguments of the plan: the first ones, which have
 * the subcommand, and groups of options with their values.
 * @returns What is left of `extraArgs`.
 */
const withoutRepeated = (
  profile: Profile,
  planned: readonly (readonly string[])[],
  extraArgs: readonly string[],
): { args: string[]; warnings: DeliveryWarning[] } => {
  const { command, settingOptions, isKnown } = profile
  const options = optionsOf(profile, planned)
  const args: string[] = []
  const dropped: string[] = []

  const isRepeated = (name: string, value: string | undefined) => {
    const values = options.get(name)
    if (values === undefined) return false
    if (settingOptions.includes(name)) return values.some((each) => keyOf(each) === keyOf(value))
    // An unknown CLI may accept an option several times, with different values.
    return isKnown || values.includes(value)
  }

  const subcommand = (planned[0] ?? []).filter((word) => !isOption(word))
  const hasSubcommand = subcommand.length > 0 && subcommand.every((word, at) => extraArgs[at] === word)
  if (hasSubcommand) dropped.push(...subcommand)
  for (let index = hasSubcommand ? subcommand.length : 0; index < extraArgs.length; index++) {
    const argument = extraArgs[index] as string
    const { name, value } = splitOption(profile, argument)
    const takesValue = value === undefined && options.get(name)?.some((each) => each !== undefined) === true
    const next = takesValue ? extraArgs[++index] : undefined
    const whole = next === undefined ? [argument] : [argument, next]
    const isStdin = argument === '-' && planned.at(-1)?.at(-1) === '-' && index === extraArgs.length - 1
    const isLeftOut = isStdin || (isOption(argument) && isRepeated(name, next ?? value))
    ;(isLeftOut ? dropped : args).push(...whole)
  }
  if (dropped.length === 0) return { args, warnings: [] }
  const message = `extraArgs that ${command} gets anyway were left out: ${dropped.map(quoted).join(' ')}`
  return { args, warnings: [{ code: 'repeated-argument', message }] }
}

const resumeArgs = ({ resume: how }: Profile, { resume: id, cwd }: Request) => {
  if (id === undefined || how === undefined) return []
  const args = how.args.map((argument) => argument.replaceAll('{id}', () => id))
  return typeof how.directory === 'object' && cwd !== undefined ? [...args, how.directory.named, cwd] : args
}

/** The arguments and variables for what the request switches on or off. */
const switchesOf = (profile: Profile, { trustWorkspace, projectInstructions, permissions }: Request): Switch[] => [
  profile.permissions[permissions] ?? {},
  trustWorkspace ? { args: profile.trustArgs } : {},
  projectInstructions === 'skip' ? (profile.skipInstructions ?? {}) : {},
]

/** Arguments for partial text and for a session id, which `deliver` adds unless the caller has them already. */
const additionsOf = (profile: Profile, request: Request) => {
  const { json, resume, extraArgs, version } = request
  const isFree = (args: readonly string[]) =>
    args.length > 0 &&
    !extraArgs.some((argument) => argument.split('=', 1)[0] === args[0]) &&
    known(profile, args, version)
  return {
    ...(json && isFree(profile.streamArgs) && { streamArgs: [...profile.streamArgs] }),
    ...(resume === undefined && isFree(profile.sessionIdArgs) && { sessionIdArgs: [...profile.sessionIdArgs] }),
  }
}

export const argumentsOf = (profile: Profile, request: Request, systemArgs: readonly string[]) => {
  const { json, model, extraArgs, resume } = request
  const before = [
    (resume === undefined ? undefined : profile.resume?.firstArgs) ?? profile.firstArgs,
    json ? profile.jsonArgs : profile.textArgs,
    profile.args,
    profile.modelFlag !== undefined && model !== undefined ? [profile.modelFlag, model] : [],
    ...switchesOf(profile, request).map(({ args = [] }) => args),
    systemArgs,
  ]
  const after = [resumeArgs(profile, request), profile.lastArgs]
  const extra = withoutRepeated(profile, [...before, ...after], extraArgs)
  const first = before.flat()
  const additions = additionsOf(profile, request)
  return {
    args: [...first, ...extra.args, ...after.flat()],
    additions: Object.keys(additions).length === 0 ? undefined : { at: first.length, ...additions },
    warnings: extra.warnings,
  }
}

/** Variables to set or, without a value, to remove. */
export const environmentOf = (profile: Profile, request: Request): [name: string, value: string | undefined][] => [
  ...Object.entries(profile.env),
  ...switchesOf(profile, request).flatMap(({ env = {} }) => Object.entries(env)),
]
