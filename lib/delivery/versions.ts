/** Versions of CLIs, and which options they have. */
import { undeliverable } from './undeliverable.js'
import type { Profile } from './profiles/profile.js'

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

/** Whether a CLI knows some arguments. */
export const known = (profile: Profile, args: readonly string[], version: string | undefined) =>
  needed(profile, args, version) === undefined

/** Throws if a CLI lacks an argument that the turn depends on. */
export const checkKnown = (profile: Profile, args: readonly string[], version: string | undefined) => {
  const first = needed(profile, args, version)
  if (first === undefined) return
  throw undeliverable(profile.command, `version ${first} is needed for ${args[0]}, and ${version} is installed`)
}
