/** The arguments and the environment of a CLI. */
import { withoutRepeated } from './repeated-arguments.js'
import { known } from './versions.js'
import type { Profile, Switch } from './profiles/profile.js'
import type { Request } from './make-plan.js'

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

/**
 * Arguments for partial text and for a session id, which `deliver` adds unless the caller has them
 * already.
 */
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

/** All arguments, including those for the system text, and warnings about them. */
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
