'use strict'
/** The system text as an argument, or in a file. */
const { allowsThroughShim } = require('./platforms.js')
const { tomlString } = require('./toml.js')
const { known } = require('./versions.js')
const { undeliverable } = require('./undeliverable.js')

/** @typedef {import('./profiles/profile.js').Profile} Profile */
/** @typedef {import('../../index.d.ts').DeliveryWarning} DeliveryWarning */

/** The name of the file with the system text. */
const SYSTEM_FILE = 'system-prompt.md'

/** The placeholder in the arguments for the path of that file, which is not written yet. */
const PLACEHOLDER = `{file:${SYSTEM_FILE}}`

/**
 * How a system text is passed: its arguments, and whether it has to be written to a file.
 * @typedef {object} SystemText
 * @property {readonly string[]} args
 * @property {boolean} isInFile
 * @property {readonly DeliveryWarning[]} warnings
 */

/** @type {SystemText} */
const NONE = { args: [], isInFile: false, warnings: [] }

/**
 * An option and its value: two arguments, or one if the option ends with `=`.
 * @param {string} flag
 * @param {string} value
 */
const withValue = (flag, value) => (flag.endsWith('=') ? [flag + value] : [flag, value])

/**
 * @param {import('./profiles/profile.js').SystemFlag} flag
 * @param {string} text
 */
const flagArgs = (flag, text) =>
  typeof flag === 'string' ? withValue(flag, text) : [flag.flag, `${flag.tomlKey}=${tomlString(text)}`]

/** @param {readonly string[]} args */
const hasNul = (args) => args.some((argument) => argument.includes('\0'))

/**
 * @param {Profile} profile
 * @param {string} option
 */
const noOption = ({ command }, option) =>
  undeliverable(
    command,
    `it has no option ${option}; assemble with systemPlacement 'inline', so that the prompt has it`,
  )

/**
 * @param {Profile} profile
 * @param {import('./platforms.js').Platform} platform
 * @param {readonly string[]} commandLine
 */
const flagWarnings = ({ command, system }, platform, commandLine) => {
  /** @type {DeliveryWarning[]} */
  const warnings = []
  if (typeof system.flag === 'object') {
    warnings.push({
      code: 'system-overrides',
      message: `this replaces ${system.flag.tomlKey} in the user's configuration`,
    })
  }
  if (platform.shim !== undefined && !allowsThroughShim(platform, command, commandLine)) {
    warnings.push({
      code: 'shim',
      message: 'a .cmd file would change or refuse this command line: start the program behind it, as deliver does',
    })
  }
  return warnings
}

/**
 * Decides how a system text is passed.
 * @param {Profile} profile
 * @param {import('./make-plan.js').Request} request
 * @param {string} text
 * @param {(systemArgs: readonly string[]) => readonly string[]} commandLine Returns all arguments, including these.
 * @returns {SystemText}
 */
const passSystemText = (profile, { platform, resume, systemVia, version }, text, commandLine) => {
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
  if (flag === undefined && file === undefined)
    throw noOption(profile, systemVia === 'file' ? 'for a file with a system text' : 'for a system text')
  const isSafe = (/** @type {readonly string[]} */ args) =>
    !hasNul(args) && allowsThroughShim(platform, command, commandLine(args))
  if (file !== undefined && (flag === undefined || !isSafe(flag))) return { args: file, isInFile: true, warnings: [] }
  const args = /** @type {readonly string[]} */ (flag)
  if (hasNul(args)) throw undeliverable(command, 'an argument cannot hold a NUL; remove it')
  return { args, isInFile: false, warnings: flagWarnings(profile, platform, commandLine(args)) }
}

module.exports = { NONE, SYSTEM_FILE, passSystemText }
