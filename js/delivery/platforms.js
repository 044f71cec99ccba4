'use strict'
/**
 * The size limits of arguments and command lines. All of them leave room for what is not known when a
 * plan is made: the environment, or where a program is installed.
 */
const { undeliverable } = require('./undeliverable.js')

/**
 * An operating system, by how it starts programs.
 * @typedef {object} Platform
 * @property {number} [maxArgumentBytes] The most bytes of one argument, without the NUL at its end.
 * @property {'bytes' | 'utf16'} unit What is counted of a command line.
 * @property {number} maxCommandLine
 * @property {{ maxCommandLine: number, changed: RegExp }} [shim] The most that goes through one of the
 *   `.cmd` files that npm installs on Windows, which a shell runs, and what the shell changes.
 */

/** For the environment, which counts with the arguments. */
const ENVIRONMENT_BYTES = 128 * 1024

/** For the paths of Node and of a script, which take the place of the command. */
const RESOLVED_UNITS = 1024

/** A NUL and a pointer for each argument. */
const BYTES_PER_ARGUMENT = 1 + 8

/** @type {Platform} */
const LINUX = { maxArgumentBytes: 131_071, unit: 'bytes', maxCommandLine: 2 * 1024 * 1024 - ENVIRONMENT_BYTES }

/** @type {Platform} */
const DARWIN = { unit: 'bytes', maxCommandLine: 1024 * 1024 - ENVIRONMENT_BYTES }

/** @type {Platform} */
const WINDOWS = {
  unit: 'utf16',
  // With the NUL at its end.
  maxCommandLine: 32_767 - 1 - RESOLVED_UNITS,
  shim: { maxCommandLine: 8_191 - RESOLVED_UNITS, changed: /["%!^&|<>\n\r]/ },
}

/** @type {Record<string, Platform>} */
const PLATFORMS = { linux: LINUX, android: LINUX, win32: WINDOWS }

/**
 * The platform with this Node name. An unknown one gets the limits of macOS, the lowest among similar
 * systems.
 * @param {string} name
 */
const platformOf = (name) => (Object.hasOwn(PLATFORMS, name) ? /** @type {Platform} */ (PLATFORMS[name]) : DARWIN)

/**
 * The size of an argument on a Windows command line: quoted if it is empty or has spaces or quotes, with
 * a backslash before each quote, and backslashes before a quote doubled.
 * @param {string} argument
 */
const windowsUnits = (argument) => {
  if (argument !== '' && !/[ \t\n\v"]/.test(argument)) return argument.length
  let added = 2
  for (const { 0: found, index } of argument.matchAll(/\\+"?|"/g)) {
    const isBeforeQuote = found.endsWith('"') || index + found.length === argument.length
    if (isBeforeQuote) added += found.length
  }
  return argument.length + added
}

/**
 * @param {Platform} platform
 * @param {string} command
 * @param {readonly string[]} args
 */
const commandLineSize = ({ unit }, command, args) => {
  const sizeOf =
    unit === 'utf16'
      ? (/** @type {string} */ word) => windowsUnits(word) + 1
      : (/** @type {string} */ word) => Buffer.byteLength(word) + BYTES_PER_ARGUMENT
  return [command, ...args].reduce((sum, word) => sum + sizeOf(word), 0)
}

/**
 * The error if a program cannot be started with these arguments.
 * @param {Platform} platform
 * @param {string} command
 * @param {readonly string[]} args
 * @returns {Error | undefined}
 */
const problemOf = (platform, command, args) => {
  const { maxArgumentBytes, maxCommandLine, unit } = platform
  const tooLong =
    maxArgumentBytes === undefined ? -1 : args.findIndex((argument) => Buffer.byteLength(argument) > maxArgumentBytes)
  if (tooLong !== -1) {
    const problem = `argument ${tooLong} is too long for this platform; put a long system text into a file or, with systemPlacement 'inline', into the prompt`
    return undeliverable(command, problem, {
      size: Buffer.byteLength(args[tooLong] ?? ''),
      limit: maxArgumentBytes ?? 0,
      unit: 'bytes',
    })
  }
  const size = commandLineSize(platform, command, args)
  if (size <= maxCommandLine) return undefined
  return undeliverable(command, 'the command line is too long for this platform', { size, limit: maxCommandLine, unit })
}

/**
 * @param {Platform} platform
 * @param {string} command
 * @param {readonly string[]} args
 */
const checkCommandLine = (platform, command, args) => {
  const problem = problemOf(platform, command, args)
  if (problem !== undefined) throw problem
}

/**
 * Whether a program can be started like this, even through a `.cmd` file.
 * @param {Platform} platform
 * @param {string} command
 * @param {readonly string[]} args
 */
const allowsThroughShim = (platform, command, args) => {
  const { shim } = platform
  if (shim === undefined) return problemOf(platform, command, args) === undefined
  return (
    commandLineSize(platform, command, args) <= shim.maxCommandLine &&
    !args.some((argument) => shim.changed.test(argument))
  )
}

module.exports = { allowsThroughShim, checkCommandLine, platformOf, windowsUnits }
