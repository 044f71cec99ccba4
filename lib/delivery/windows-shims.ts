/**
 * What npm installs on Windows is a `.cmd` file, which only a shell can run. A shell changes quotes, percent signs and
 * line breaks in arguments, and takes 8,191 characters. So the program behind the file is started instead.
 */
import fs = require('node:fs')
import path = require('node:path')
import { makeError } from '../errors.js'

const { win32 } = path

const DEFAULT_EXTENSIONS = '.COM;.EXE;.BAT;.CMD'
const PROGRAMS = new Set(['.exe', '.com'])
const SCRIPTS = new Set(['.js', '.cjs', '.mjs'])

/** A variable, in any letter case. */
const variable = (env: Record<string, string | undefined>, name: string) =>
  env[Object.keys(env).find((key) => key.toUpperCase() === name) ?? name]

const isFile = (file: string) => {
  try {
    return fs.statSync(file).isFile()
  } catch {
    return false
  }
}

/** Finds a command the way the system would. */
const find = (
  command: string,
  env: Record<string, string | undefined>,
  cwd: string,
  paths: typeof win32,
): string | undefined => {
  const extensions = (variable(env, 'PATHEXT') ?? DEFAULT_EXTENSIONS).split(';').filter(Boolean)
  const hasExtension = extensions.some((extension) => command.toUpperCase().endsWith(extension.toUpperCase()))
  const names = hasExtension
    ? [command]
    : extensions.flatMap((extension) => [command + extension.toLowerCase(), command + extension])
  const isPath = /[\\/]/.test(command)
  const directories = isPath ? [cwd] : (variable(env, 'PATH') ?? '').split(paths.delimiter).filter(Boolean)
  for (const directory of directories) {
    const found = names.map((name) => paths.resolve(cwd, directory, name)).find(isFile)
    if (found !== undefined) return found
  }
  return undefined
}

/**
 * What the last command of a `.cmd` file runs. npm, pnpm and yarn write them alike: a program in
 * quotes, and `%*` for the arguments. `%dp0%` and `%~dp0` are the directory of the file.
 */
const readShim = (text: string): { target: string; options: string[]; isScript: boolean } | undefined => {
  const line = text.split(/\r?\n/).findLast((each) => each.includes('%*'))
  const found =
    line === undefined ? null : /^(.*?)((?:\s+--?[\w=./-]+)*)\s*"%(?:dp0%|~dp0)\\?([^"%]+)"\s*%\*\s*\)?\s*$/.exec(line)
  if (found === null) return undefined
  const [, before = '', options = '', target = ''] = found
  const extension = win32.extname(target).toLowerCase()
  const isScript = SCRIPTS.has(extension)
  if (!isScript && !PROGRAMS.has(extension)) return undefined
  if (isScript && !/(?:%_prog%|\bnode(?:\.exe)?)"?\s*$/i.test(before)) return undefined
  return { target, options: options.trim().split(/\s+/).filter(Boolean), isScript }
}

/**
 * The program to start for a command, on Windows.
 * @param paths Path functions of another system, for tests.
 */
export const resolveShim = (
  command: string,
  args: readonly string[],
  env: Record<string, string | undefined>,
  cwd: string,
  paths: typeof win32 = win32,
): { command: string; args: readonly string[] } => {
  const file = find(command, env, cwd, paths)
  // Let the system report that there is none.
  if (file === undefined) return { command, args }
  if (PROGRAMS.has(paths.extname(file).toLowerCase())) return { command: file, args }
  const shim = readShim(fs.readFileSync(file, 'utf8'))
  if (shim === undefined) {
    const message = `${file} can only be run by a shell, which would change the arguments: pass the program behind it as profile.command`
    throw makeError('RangeError', message, { code: 'ERR_UNDELIVERABLE', cli: command })
  }
  const directory = paths.dirname(file)
  const target = paths.resolve(directory, ...shim.target.split('\\'))
  if (!shim.isScript) return { command: target, args }
  const beside = paths.join(directory, 'node.exe')
  const node = isFile(beside) ? beside : (find('node', env, cwd, paths) ?? process.execPath)
  return { command: node, args: [...shim.options, target, ...args] }
}
