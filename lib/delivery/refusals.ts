/** What a CLI, or its installed version, would refuse, cut or misunderstand. */
import { typeProblem } from '../checks/problems.js'
import { type Insertion, sizeOf } from './guards.js'
import { excess, type SizeUnit, UNITS } from './measure.js'
import { quoted } from './quoted.js'
import { skipSpaces } from './white-space.js'
import { makeError } from '../errors.js'
import type { Profile } from './profiles/profile.js'
import type { Request } from './arguments.js'

/**
 * The error for what a CLI would refuse, cut or lose.
 * @param problem Why not, and what a caller can do.
 * @param sizes If the size is the reason.
 */
export const undeliverable = (
  cli: string,
  problem: string,
  sizes?: { size: number; limit: number; unit: SizeUnit },
) => {
  const measured = sizes === undefined ? '' : ` (${sizes.size} ${UNITS[sizes.unit]}, at most ${sizes.limit})`
  return makeError('RangeError', `cannot deliver to ${cli}: ${problem}${measured}`, {
    code: 'ERR_UNDELIVERABLE',
    cli,
    ...sizes,
  })
}

/** Whether one version is older than another. What follows the numbers is not compared. */
const isOlder = (version: string, other: string) => {
  const [ours = [], theirs = []] = [version, other].map((each) =>
    each
      .split(/[^\d.]/, 1)[0]
      ?.split('.')
      .map(Number),
  )
  for (let part = 0; part < Math.max(ours.length, theirs.length); part++) {
    const difference = (ours[part] ?? 0) - (theirs[part] ?? 0)
    if (difference !== 0) return difference < 0
  }
  return false
}

/**
 * The version that is needed for some arguments, if the installed one is older.
 * @param version The installed one; without it, the measured one is assumed.
 */
const needed = ({ since }: Profile, args: readonly string[], version: string | undefined) =>
  version === undefined
    ? undefined
    : args
        .map((argument) => (Object.hasOwn(since, argument) ? since[argument] : undefined))
        .find((first) => first !== undefined && isOlder(version, first))

export const known = (profile: Profile, args: readonly string[], version: string | undefined) =>
  needed(profile, args, version) === undefined

/** Throws if a CLI lacks an argument that the turn depends on. */
export const checkKnown = (profile: Profile, args: readonly string[], version: string | undefined) => {
  const first = needed(profile, args, version)
  if (first === undefined) return
  throw undeliverable(profile.command, `version ${first} is needed for ${args[0]}, and ${version} is installed`)
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

/** An option, or something with a control character (`\p{Cc}`). */
const NO_NAME = /^(?:-|$)|\p{Cc}/u

const unusable = (option: string, expected: string, got: string): never => {
  throw typeProblem(`options.${option} must be ${expected}, got ${quoted(got)}`)
}

/** What becomes an argument must not be taken for an option, and what cannot be passed on must not be lost. */
export const checkWords = (profile: Profile, { resume, model, extraArgs, cwd }: Request) => {
  for (const [option, word] of Object.entries({ resume, model })) {
    if (word !== undefined && NO_NAME.test(word)) unusable(option, 'a name that does not begin with a dash', word)
  }
  if (resume !== undefined && profile.resume === undefined) {
    unusable('resume', 'left out: it is not known how this CLI resumes a session (profile.resumeArgs says so)', resume)
  }
  if (resume !== undefined && profile.resume?.onlyUuid === true && !UUID.test(resume)) {
    unusable('resume', 'the UUID of a session: with anything else this CLI may begin a new one', resume)
  }
  if (model !== undefined && profile.modelFlag === undefined && !profile.isAcp) {
    unusable('model', 'left out: it is not known how this CLI takes it (extraArgs can have it)', model)
  }
  for (const [index, argument] of extraArgs.entries()) {
    if (argument.includes('\0')) unusable(`extraArgs[${index}]`, 'without NUL', argument)
  }
  if (cwd?.includes('\0')) unusable('cwd', 'without NUL', cwd)
}

/** A CLI must support what was asked for. Otherwise it would do more or less than that. */
export const checkPermissions = (profile: Profile, { permissions, projectInstructions, version }: Request) => {
  const { command, skipInstructions } = profile
  const how = profile.permissions[permissions]
  if (permissions !== 'default' && how === undefined) {
    const problem = `it cannot be limited to the permissions '${permissions}' (a profile can set permissionArgs)`
    throw undeliverable(command, problem)
  }
  checkKnown(profile, how?.args ?? [], version)
  if (projectInstructions === 'skip') checkKnown(profile, skipInstructions?.args ?? [], version)
}

/** A CLI answers a prompt, not the lack of one. */
export const checkNotBlank = ({ command, refusesBlank }: Profile, prompt: Buffer) => {
  if (prompt.length === 0) throw undeliverable(command, 'the prompt is empty, and there is nothing to answer')
  if (refusesBlank && skipSpaces(prompt, 0) === prompt.length) {
    throw undeliverable(command, 'the prompt is white space alone, which it refuses')
  }
}

export const checkLimits = ({ command, limits }: Profile, prompt: Buffer, insertions: readonly Insertion[]) => {
  for (const { unit, max, beyond } of limits) {
    const added = sizeOf(insertions, unit)
    const size = excess(prompt, unit, Math.max(0, max - added))
    if (size === undefined) continue
    const problem = `the prompt is too long, and it would ${beyond}; lower maxBytes`
    throw undeliverable(command, problem, { size: size + added, limit: max, unit })
  }
}
