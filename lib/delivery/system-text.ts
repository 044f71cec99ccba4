/** The system text as an argument, or in a file. */
import { allowsThroughShim, type Platform } from './platforms.js'
import { tomlString } from './quoted.js'
import { known, undeliverable } from './refusals.js'
import type { Profile, SystemFlag } from './profiles/profile.js'
import type { DeliveryWarning } from './warnings.js'
import type { Request } from './arguments.js'

export const SYSTEM_FILE = 'system-prompt.md'

/** The placeholder in the arguments for the path of that file, which is not written yet. */
const PLACEHOLDER = `{file:${SYSTEM_FILE}}`

/** How a system text is passed: its arguments, and whether it has to be written to a file. */
export interface SystemText {
  args: readonly string[]
  isInFile: boolean
  warnings: readonly DeliveryWarning[]
}

export const NONE: SystemText = { args: [], isInFile: false, warnings: [] }

/** An option and its value: two arguments, or one if the option ends with `=`. */
const withValue = (flag: string, value: string) => (flag.endsWith('=') ? [flag + value] : [flag, value])

const flagArgs = (flag: SystemFlag, text: string) =>
  typeof flag === 'string' ? withValue(flag, text) : [flag.flag, `${flag.tomlKey}=${tomlString(text)}`]

const hasNul = (args: readonly string[]) => args.some((argument) => argument.includes('\0'))

const flagWarnings = ({ command, system }: Profile, platform: Platform, commandLine: readonly string[]) => {
  const warnings: DeliveryWarning[] = []
  if (typeof system.flag === 'object') {
    const message = `this replaces ${system.flag.tomlKey} in the user's configuration`
    warnings.push({ code: 'system-overrides', message })
  }
  if (platform.shim !== undefined && !allowsThroughShim(platform, command, commandLine)) {
    const message = 'a .cmd file would change or refuse this command line: start the program behind it, as deliver does'
    warnings.push({ code: 'shim', message })
  }
  return warnings
}

/**
 * Decides how a system text is passed.
 * @param commandLine Returns all arguments, including these.
 */
export const passSystemText = (
  profile: Profile,
  { platform, resume, systemVia, version }: Request,
  text: string,
  commandLine: (systemArgs: readonly string[]) => readonly string[],
): SystemText => {
  const { command, system } = profile
  const isResumed = resume !== undefined
  if (isResumed && system.onResume === 'ignored') {
    const message = `${command} keeps the system text of the first turn: this one is not passed; assemble inline to change it`
    return { ...NONE, warnings: [{ code: 'system-ignored', message }] }
  }
  const appliedWith = isResumed && typeof system.onResume === 'object' ? system.onResume.appliedWith : []
  // Versions without this argument apply it anyway.
  const extra = known(profile, appliedWith, version) ? appliedWith : []
  const asFlag = () => (system.flag === undefined ? undefined : [...flagArgs(system.flag, text), ...extra])
  const asFile = () =>
    system.fileFlag === undefined ? undefined : [...withValue(system.fileFlag, PLACEHOLDER), ...extra]

  const flag = systemVia === 'file' ? undefined : asFlag()
  const file = systemVia === 'flag' ? undefined : asFile()
  const isSafe = (args: readonly string[]) => !hasNul(args) && allowsThroughShim(platform, command, commandLine(args))
  if (file !== undefined && (flag === undefined || !isSafe(flag))) return { args: file, isInFile: true, warnings: [] }
  if (flag === undefined) {
    const option = systemVia === 'file' ? 'for a file with a system text' : 'for a system text'
    const problem = `it has no option ${option}; assemble with systemPlacement 'inline', so that the prompt has it`
    throw undeliverable(command, problem)
  }
  if (hasNul(flag)) throw undeliverable(command, 'an argument cannot hold a NUL; remove it')
  return { args: flag, isInFile: false, warnings: flagWarnings(profile, platform, commandLine(flag)) }
}
