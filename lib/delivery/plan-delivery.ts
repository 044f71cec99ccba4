/**
 * `planDelivery`: how to run a CLI with a prompt.
 *
 * 1. The prompt always goes to stdin. Only the system text may be an argument or a file.
 * 2. What a CLI would reject, cut or ignore is an error or a warning before it is started.
 * 3. What a CLI would act on in the text is a warning, and is disarmed unless there is `guard: 'report'`.
 */
import path = require('node:path')
import { isUtf8 } from 'node:buffer'
import { types } from 'node:util'
import { fields } from '../checks/fields.js'
import { boolean, type Kind, object, oneOf, optional, refined } from '../checks/kinds.js'
import { typeProblem, unknownValue, wrongType } from '../checks/problems.js'
import { misspelled, quoted } from '../prompts/misspelled.js'
import { bufferOf, program, text, texts, wellFormed } from './kinds.js'
import { checkCommandLine, platformOf } from './platforms.js'
import { customProfile, type DeliveryProfile } from './profiles/custom.js'
import { profileOf } from './profiles/index.js'
import { NOTHING_KNOWN, type Profile, TEXT_OUTPUT } from './profiles/profile.js'
import { type DeliveryWarning, listPlaces, warningsOf } from './warnings.js'
import { present } from '../present.js'
import { argumentsOf, environmentOf, type Request } from './arguments.js'
import { checkLimits, checkNotBlank, checkPermissions, checkWords } from './refusals.js'
import { findPlaces, insert, type Insertion } from './guards.js'
import { NONE, passSystemText, SYSTEM_FILE } from './system-text.js'
import type { AgentType } from '../prompts/agents.js'
import type { AssemblerBufferOutput, AssemblerOutput } from '../prompts/results.js'
import type { DeliveryPlan } from './plan.js'

/** Options of `planDelivery`. */
export interface DeliveryOptions {
  /**
   * The CLI: `claude-code`, `openai-codex`, `google-gemini`, `opencode`, `qwen-code`, `github-copilot`,
   * or the short names `claude`, `codex`, `gemini`, `qwen`, `copilot`, in any letter case. Anything else
   * is a program of that name, which gets the prompt on stdin and no arguments.
   */
  agentType: AgentType
  /**
   * The platform the CLI will run on. Linux, macOS and Windows have different limits for arguments.
   * @default process.platform
   */
  platform?: NodeJS.Platform | null | undefined
  /**
   * Whether the CLI writes JSON events for `deliver` and `parseOutput` to read. Otherwise its stdout is
   * the answer, and there is no session id and no usage.
   * @default true
   */
  json?: boolean | null | undefined
  /** The model, as the CLI names it. @default undefined (the model that the CLI is configured for) */
  model?: string | null | undefined
  /**
   * The CLI's working directory. Gemini, Qwen and opencode resume a session only in the directory where it began.
   * @default undefined (that of this process)
   */
  cwd?: string | null | undefined
  /** The id of the CLI session to resume: the `sessionId` of an earlier result. @default undefined (a new session) */
  resume?: string | null | undefined
  /**
   * How to pass the system text: as an argument, in a file, or (`'auto'`) as an argument if the platform
   * passes it unchanged, otherwise in a file.
   * @default 'auto'
   */
  systemVia?: 'auto' | 'flag' | 'file' | null | undefined
  /**
   * What to do with text that the CLI would act on, such as `@/etc/passwd` or a leading `/clear`.
   * `'report'` lists it in `warnings`; `'escape'` also disarms it, with the CLI's own switch if there is
   * one. Whoever writes a message cannot be told apart in the text, so yours is disarmed, too.
   * @default 'escape'
   */
  guard?: 'report' | 'escape' | null | undefined
  /** Whether the CLI may read the project's instruction files (`AGENTS.md`, `CLAUDE.md`, …) itself. @default 'keep' */
  projectInstructions?: 'keep' | 'skip' | null | undefined
  /**
   * Whether Gemini may run in a directory that is not trusted (`--skip-trust`). It then also trusts the
   * project's own settings. The other CLIs do not ask.
   * @default false
   */
  trustWorkspace?: boolean | null | undefined
  /**
   * What the agent may do without asking: what the CLI is configured for, read only, also edit project
   * files, or anything. What it would ask for is denied. If the CLI cannot be restricted this way,
   * `ERR_UNDELIVERABLE` is thrown.
   * @default 'default'
   */
  permissions?: 'default' | 'read-only' | 'edit' | 'all' | null | undefined
  /**
   * The installed version of the CLI, as `cliVersion` returns it. Options that this version does not
   * know are left out. If the turn would be wrong without them, `ERR_UNDELIVERABLE` is thrown.
   * @default undefined (the version that was measured is assumed)
   */
  version?: string | null | undefined
  /**
   * Additional arguments, passed unchanged. Arguments that repeat what the plan already has, such as
   * `--json`, or `--output-format` with any value, are left out with a warning.
   * @default []
   */
  extraArgs?: readonly string[] | null | undefined
  /** The profile of a custom CLI, instead of the one of `agentType`. @default undefined */
  profile?: DeliveryProfile | null | undefined
}

const choice = <T extends string>(first: T, ...others: T[]) => optional(wellFormed(oneOf([first, ...others])), first)

const platformName: Kind<string, NodeJS.Platform> = (value, parent, name) => text(value, parent, name)

const version = refined(text, (value, parent, name) =>
  /^\d+(?:\.\d+)*/.test(value) ? value : unknownValue("a version such as '1.2.3'", value, parent, name),
)

/** Options of `deliver`. */
const OF_DELIVER = ['signal', 'timeoutMs', 'idleTimeoutMs', 'onEvent', 'onText', 'stream', 'spawn', 'files', 'detached']

const optionsWith = (agentType: Kind<string, AgentType>) =>
  fields<Omit<DeliveryOptions, 'profile'>>()(
    {
      platform: optional(platformName),
      agentType,
      json: optional(boolean, true),
      model: optional(text),
      cwd: optional(text),
      resume: optional(text),
      systemVia: choice('auto', 'flag', 'file'),
      guard: optional(wellFormed(oneOf(['report', 'escape'])), 'escape' as const),
      projectInstructions: choice('keep', 'skip'),
      trustWorkspace: optional(boolean, false),
      permissions: choice('default', 'read-only', 'edit', 'all'),
      version: optional(version),
      extraArgs: optional(texts, []),
    },
    { required: true, also: ['profile'], elsewhere: { deliver: OF_DELIVER } },
  )

/** Without a profile, the agent's type says which program it is. */
const optionsOfAgent = optionsWith(program)
const optionsOfProfile = optionsWith((value, parent, name) => optional(text, '')(value, parent, name))

const checkOptions = (options: unknown) => {
  const { profile } = object(options, '', 'options')
  const own = optional(customProfile)(profile, 'options', 'profile')
  const table = own === undefined ? optionsOfAgent : optionsOfProfile
  return { ...table(options, '', 'options'), profile: own }
}

export type Options = ReturnType<typeof checkOptions>

/** The prompt as bytes. Undefined if it is neither text nor bytes. */
const bytesOf = (prompt: unknown): Buffer | undefined => {
  if (typeof prompt === 'string') return Buffer.from(prompt)
  if (!isUint8Array(prompt)) return undefined
  const bytes = bufferOf(prompt)
  if (bytes === undefined || !isUtf8(bytes)) throw typeProblem('output.prompt must be UTF-8')
  // Another thread could write to shared memory between the checks and the delivery.
  return isSharedArrayBuffer(bytes.buffer) ? Buffer.from(bytes) : bytes
}

/** A directory that means the same wherever the child runs. */
const absolute = (cwd: string, platform: string) => {
  const { isAbsolute } = platform === 'win32' ? path.win32 : path.posix
  return isAbsolute(cwd) ? cwd : path.resolve(cwd)
}

/** A name that is treated as a program but looks like an agent's. */
const agentWarnings = ({ agentType, profile }: Options): DeliveryWarning[] => {
  const meant = profile === undefined ? misspelled(agentType) : undefined
  if (meant === undefined) return []
  const message = `agent type ${quoted(agentType)} is unknown, so a program of that name is run: did you mean '${meant}'?`
  return [{ code: 'unknown-agent', message }]
}

/** The places at which the CLI would act: warnings, and what disarms them if that is wanted. */
const guardPrompt = (profile: Profile, request: Request) => {
  const warnings: DeliveryWarning[] = []
  const insertions: Insertion[] = []
  const env: [string, string][] = []
  for (const guard of profile.guards) {
    const places = findPlaces(guard.trigger, request.prompt)
    warnings.push(...listPlaces(profile, guard, request, places))
    if (request.guard === 'report') continue
    const { disarm } = guard
    if ('env' in disarm) env.push(...Object.entries(disarm.env))
    else if (places.length === 0) continue
    else if ('before' in disarm) insertions.push({ text: disarm.before, offsets: places })
    else insertions.push({ text: disarm.after, offsets: places.map((at) => at + 1) })
  }
  return { warnings, insertions, env }
}

/** Makes a plan, or throws if something would keep the prompt from reaching the CLI. */
const makePlan = (profile: Profile, request: Request): DeliveryPlan => {
  const { prompt, systemFlag: system = '', platform, cwd, json, resume, model, permissions } = request
  checkWords(profile, request)
  checkPermissions(profile, request)
  checkNotBlank(profile, prompt)

  const commandLine = (systemArgs: readonly string[]) => argumentsOf(profile, request, systemArgs)
  const passed =
    system === '' ? NONE : passSystemText(profile, request, system, (systemArgs) => commandLine(systemArgs).args)
  const { args, additions, warnings: argumentWarnings } = commandLine(passed.args)
  checkCommandLine(platform, profile.command, args)

  const guarded = guardPrompt(profile, request)
  const warnings = [...argumentWarnings, ...passed.warnings, ...warningsOf(profile, request), ...guarded.warnings]
  checkLimits(profile, prompt, guarded.insertions)
  return present({
    command: profile.command,
    args,
    stdin: guarded.insertions.length === 0 ? prompt : insert(prompt, guarded.insertions),
    files: passed.isInFile ? [{ name: SYSTEM_FILE, content: Buffer.from(system) }] : [],
    // Not by assignment: a variable may be called `__proto__`.
    env: Object.fromEntries([...environmentOf(profile, request), ...guarded.env]),
    cwd,
    resume,
    additions,
    warnings,
    output: json || profile.isAcp ? profile.output : TEXT_OUTPUT,
    acp: profile.isAcp ? present({ protocolVersion: profile.protocolVersion, model, permissions }) : undefined,
  })
}

const { isSharedArrayBuffer, isUint8Array } = types

/**
 * Plans how to pass an assembled prompt to a CLI so that it arrives complete and unchanged: the command,
 * its arguments, stdin, files and environment. If the CLI would reject, cut or lose something,
 * `ERR_UNDELIVERABLE` is thrown. What it would act on or strip is listed in `warnings`.
 */
export function planDelivery(output: AssemblerOutput | AssemblerBufferOutput, options: DeliveryOptions): DeliveryPlan {
  if (typeof output !== 'object' || output === null) throw typeProblem('output must be an object with a prompt')
  const given = output.prompt
  const prompt = bytesOf(given)
  const systemFlag = optional(text)(output.systemFlag, 'output', 'systemFlag')
  const checked = checkOptions(options)
  if (prompt === undefined) return wrongType('a string, a Buffer or a Uint8Array', given, 'output', 'prompt')
  const { agentType, profile, cwd, platform = process.platform } = checked
  // From here on, no caller code runs.
  const made = makePlan(profile ?? profileOf(agentType) ?? { ...NOTHING_KNOWN, command: agentType }, {
    ...checked,
    prompt,
    systemFlag,
    platform: platformOf(platform),
    cwd: cwd === undefined ? undefined : absolute(cwd, platform),
  })
  const plan = { ...made, warnings: [...agentWarnings(checked), ...made.warnings] }
  // A Buffer is passed on as is, not as another view of its memory.
  const isAsGiven = plan.stdin === prompt && Buffer.isBuffer(given) && !isSharedArrayBuffer(given.buffer)
  return isAsGiven ? { ...plan, stdin: given } : plan
}
