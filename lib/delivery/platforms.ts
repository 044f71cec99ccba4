/**
 * The size limits of arguments and command lines. All of them leave room for what is not known when a
 * plan is made: the environment, or where a program is installed.
 */
import { undeliverable } from './refusals.js'

/** An operating system, by how it starts programs. */
export interface Platform {
  /** The most bytes of one argument, without the NUL at its end. */
  maxArgumentBytes?: number
  /** What is counted of a command line. */
  unit: 'bytes' | 'utf16'
  maxCommandLine: number
  /**
   * The most that goes through one of the
   * `.cmd` files that npm installs on Windows, which a shell runs, and what the shell changes.
   */
  shim?: { maxCommandLine: number; changed: RegExp }
}

/** For the environment, which counts with the arguments. */
const ENVIRONMENT_BYTES = 128 * 1024

/** For the paths of Node and of a script, which take the place of the command. */
const RESOLVED_UNITS = 1024

/** A NUL and a pointer for each argument. */
const BYTES_PER_ARGUMENT = 1 + 8

const LINUX: Platform = {
  maxArgumentBytes: 131_071,
  unit: 'bytes',
  maxCommandLine: 2 * 1024 * 1024 - ENVIRONMENT_BYTES,
}

const DARWIN: Platform = { unit: 'bytes', maxCommandLine: 1024 * 1024 - ENVIRONMENT_BYTES }

const WINDOWS: Platform = {
  unit: 'utf16',
  // With the NUL at its end.
  maxCommandLine: 32_767 - 1 - RESOLVED_UNITS,
  shim: { maxCommandLine: 8_191 - RESOLVED_UNITS, changed: /["%!^&|<>\n\r]/ },
}

const PLATFORMS: Record<string, Platform> = { linux: LINUX, android: LINUX, win32: WINDOWS }

/** The platform with this Node name. An unknown one gets the limits of macOS, the lowest among similar systems. */
export const platformOf = (name: string) => (Object.hasOwn(PLATFORMS, name) ? (PLATFORMS[name] as Platform) : DARWIN)

/**
 * The size of an argument on a Windows command line: quoted if it is empty or has spaces or quotes, with
 * a backslash before each quote, and backslashes before a quote doubled.
 */
export const windowsUnits = (argument: string) => {
  if (argument !== '' && !/[ \t\n\v"]/.test(argument)) return argument.length
  let added = 2
  for (const { 0: found, index } of argument.matchAll(/\\+"?|"/g)) {
    const isBeforeQuote = found.endsWith('"') || index + found.length === argument.length
    if (isBeforeQuote) added += found.length
  }
  return argument.length + added
}

const commandLineSize = ({ unit }: Platform, command: string, args: readonly string[]) => {
  const sizeOf =
    unit === 'utf16'
      ? (word: string) => windowsUnits(word) + 1
      : (word: string) => Buffer.byteLength(word) + BYTES_PER_ARGUMENT
  return [command, ...args].reduce((sum, word) => sum + sizeOf(word), 0)
}

const problemOf = (platform: Platform, command: string, args: readonly string[]): Error | undefined => {
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

export const checkCommandLine = (platform: Platform, command: string, args: readonly string[]) => {
  const problem = problemOf(platform, command, args)
  if (problem !== undefined) throw problem
}

/** Whether a program can be started like this, even through a `.cmd` file. */
export const allowsThroughShim = (platform: Platform, command: string, args: readonly string[]) => {
  const { shim } = platform
  if (shim === undefined) return problemOf(platform, command, args) === undefined
  return (
    commandLineSize(platform, command, args) <= shim.maxCommandLine &&
    !args.some((argument) => shim.changed.test(argument))
  )
}
