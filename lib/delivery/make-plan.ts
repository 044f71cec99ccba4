/**
 * Makes the whole plan: command, arguments, stdin, files, environment, and warnings.
 *
 * 1. The prompt always goes to stdin. Only the system text may be an argument or a file.
 * 2. What a CLI would reject, cut or ignore is an error or a warning before it is started.
 * 3. What a CLI would act on in the text is a warning, and is disarmed with `guard: 'escape'`.
 */
import { present } from '../present.js'
import { argumentsOf, environmentOf } from './arguments.js'
import { checkLimits, checkNotBlank, checkPermissions, checkWords } from './refusals.js'
import { insert, type Insertion } from './disarm.js'
import { findPlaces } from './guards.js'
import { checkCommandLine, type Platform } from './platforms.js'
import { type Profile, TEXT_OUTPUT } from './profiles/profile.js'
import { NONE, SYSTEM_FILE, passSystemText } from './system-text.js'
import { type DeliveryWarning, listPlaces, warningsOf } from './warnings.js'
import type { DeliveryPlan } from './plan.js'
import type { Options } from './plan-delivery.js'

/** What to deliver, and how. All strings are well-formed. */
export interface Request extends Omit<Options, 'agentType' | 'profile' | 'platform' | 'cwd'> {
  /** As UTF-8. */
  prompt: Buffer
  /** The system text that is passed separately. */
  systemFlag: string | undefined
  /** Where the CLI runs. */
  platform: Platform
  /** An absolute path. */
  cwd: string | undefined
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
export const makePlan = (profile: Profile, request: Request): DeliveryPlan => {
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
