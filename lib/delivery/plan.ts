/** `planDelivery`: how to run a CLI with a prompt. */
import { isUtf8 } from 'node:buffer'
import path = require('node:path')
import { types } from 'node:util'
import { misspelled, quoted } from '../prompts/agent-types.js'
import { checkPlanOptions, checkSystemFlag } from './check-options.js'
import { wrongType } from '../checks/problems.js'
import { invalidArgument } from '../errors.js'
import { bufferOf } from './bytes.js'
import { makePlan } from './make-plan.js'
import { platformOf } from './platforms.js'
import { ACP, profileOf } from './profiles/index.js'
import { NOTHING_KNOWN } from './profiles/profile.js'
import type { Profile } from './profiles/profile.js'
import type { DeliveryOptions, DeliveryPlan, DeliveryWarning } from './types.js'
import type { AssemblerBufferOutput, AssemblerOutput } from '../prompts/forms-types.js'

const { isSharedArrayBuffer, isUint8Array } = types

export type Options = ReturnType<typeof checkPlanOptions>

/** The prompt as bytes. Undefined if it is neither text nor bytes. */
const bytesOf = (prompt: unknown): Buffer | undefined => {
  if (typeof prompt === 'string') return Buffer.from(prompt)
  if (!isUint8Array(prompt)) return undefined
  const bytes = bufferOf(prompt)
  if (bytes === undefined || !isUtf8(bytes)) throw invalidArgument('output.prompt must be UTF-8')
  // Another thread could write to shared memory between the checks and the delivery.
  return isSharedArrayBuffer(bytes.buffer) ? Buffer.from(bytes) : bytes
}

/** A directory that means the same wherever the child runs. */
const absolute = (cwd: string, platform: string) => {
  const { isAbsolute } = platform === 'win32' ? path.win32 : path.posix
  return isAbsolute(cwd) ? cwd : path.resolve(cwd)
}

/** The CLI of an agent, or the caller's own. */
const profileFor = ({ agentType, profile }: Options): Profile => {
  if (profile === undefined) return profileOf(agentType) ?? { ...NOTHING_KNOWN, command: agentType }
  if (profile.acp !== undefined) return { ...ACP, ...(profile.acp as any) }
  const { systemFlag, systemFileFlag, resumeArgs, permissionArgs, limits, ...same } = profile
  return {
    ...NOTHING_KNOWN,
    ...same,
    system: { flag: systemFlag, fileFlag: systemFileFlag },
    permissions: Object.fromEntries(
      Object.entries(permissionArgs).flatMap(([name, args]) => (args === undefined ? [] : [[name, { args }]])),
    ),
    resume: resumeArgs === undefined ? undefined : { args: resumeArgs, directory: 'any' as const },
    limits: limits.map(({ unit, max }) => ({ unit, max, beyond: 'not take it' })),
  }
}

/** A name that is treated as a program but looks like an agent's. */
const agentWarnings = ({ agentType, profile }: Options): DeliveryWarning[] => {
  const meant = profile === undefined ? misspelled(agentType) : undefined
  if (meant === undefined) return []
  const message = `agent type ${quoted(agentType)} is unknown, so a program of that name is run: did you mean '${meant}'?`
  return [{ code: 'unknown-agent', message }]
}

export const planDelivery = (
  output: AssemblerOutput | AssemblerBufferOutput,
  options: DeliveryOptions,
): DeliveryPlan => {
  if (typeof output !== 'object' || output === null) throw invalidArgument('output must be an object with a prompt')
  const given = output.prompt
  const prompt = bytesOf(given)
  const systemFlag = checkSystemFlag(output.systemFlag)
  const checked = checkPlanOptions(options)
  if (prompt === undefined) return wrongType('a string, a Buffer or a Uint8Array', given, 'output', 'prompt')
  const { cwd, platform = process.platform } = checked
  // From here on, no caller code runs.
  const made = makePlan(profileFor(checked), {
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
