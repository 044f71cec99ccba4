/** `cliVersion`: asks a program for its version, once. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { checkVersionArguments } from './check-options.js'
import { inherited } from './environment.js'
import { profileOf } from './profiles/index.js'
import { NOTHING_KNOWN } from './profiles/profile.js'
import { resolveShim } from './windows-shims.js'
import type { CliVersionOptions } from './types.js'

const run = promisify(execFile)

/** How long a program may take to print its version. */
const TIMEOUT_MS = 30_000

const VERSION = /\d+\.\d+(?:\.\d+)*(?:-[\w.]+)?/

/** The output of programs, by command line. */
const asked: Map<string, Promise<string | undefined>> = new Map()

const ask = async (command: string, versionArgs: readonly string[]) => {
  const env = inherited(process.env)
  const program =
    process.platform === 'win32'
      ? resolveShim(command, versionArgs, env, process.cwd())
      : { command, args: versionArgs }
  const { stdout } = await run(program.command, [...program.args], { env, timeout: TIMEOUT_MS, windowsHide: true })
  return VERSION.exec(stdout)?.[0]
}

export const cliVersion = async (
  agentType: string,
  options?: CliVersionOptions | null,
): Promise<string | undefined> => {
  const checked = checkVersionArguments(agentType, options)
  const profile = profileOf(checked.agentType) ?? { ...NOTHING_KNOWN, command: checked.agentType }
  const { command = profile.command, versionArgs = profile.versionArgs } = checked
  const key = JSON.stringify([command, versionArgs])
  const known = asked.get(key)
  if (known !== undefined) return known
  const version = ask(command, versionArgs)
  asked.set(key, version)
  // It may be installed later.
  version.catch(() => asked.delete(key))
  return version
}
