/** `cliVersion`: asks a program for its version, once. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { fields } from '../checks/fields.js'
import { optional } from '../checks/kinds.js'
import { inherited } from './environment.js'
import { program, texts } from './kinds.js'
import { profileOf } from './profiles/index.js'
import { NOTHING_KNOWN } from './profiles/profile.js'
import { resolveShim } from './windows-shims.js'
import type { AgentType } from '../prompts/agents.js'

/** Options of `cliVersion`. */
export interface CliVersionOptions {
  /**
   * The program, if it is not the default one of the agent type.
   * @default undefined
   */
  command?: string | null | undefined
  /**
   * Its arguments.
   * @default ['--version'], or what is known of the CLI
   */
  versionArgs?: readonly string[] | null | undefined
}

const versionOptions = fields<CliVersionOptions>()({ command: optional(program), versionArgs: optional(texts) })

const run = promisify(execFile)

const TIMEOUT_MS = 30_000

const VERSION = /\d+\.\d+(?:\.\d+)*(?:-[\w.]+)?/

/** The output of programs, by command line. */
const asked: Map<string, Promise<string | undefined>> = new Map()

const ask = async (command: string, versionArgs: readonly string[]) => {
  const env = inherited(process.env)
  const started =
    process.platform === 'win32'
      ? resolveShim(command, versionArgs, env, process.cwd())
      : { command, args: versionArgs }
  const { stdout } = await run(started.command, [...started.args], { env, timeout: TIMEOUT_MS, windowsHide: true })
  return VERSION.exec(stdout)?.[0]
}

/**
 * Returns the version of an agent's CLI, for `version` of `planDelivery`. The program is asked once, and
 * the answer is cached. Undefined if it prints none. Rejects if it cannot be started.
 */
export async function cliVersion(
  agentType: AgentType,
  options?: CliVersionOptions | null,
): Promise<string | undefined> {
  const name = program(agentType, '', 'agentType')
  const profile = profileOf(name) ?? { ...NOTHING_KNOWN, command: name }
  const { command = profile.command, versionArgs = profile.versionArgs } = versionOptions(options, '', 'options')
  const key = JSON.stringify([command, versionArgs])
  const known = asked.get(key)
  if (known !== undefined) return known
  const version = ask(command, versionArgs)
  asked.set(key, version)
  // It may be installed later.
  version.catch(() => asked.delete(key))
  return version
}
