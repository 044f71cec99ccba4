/** Asks an agent CLI, and waits for its answer. */
import { stat } from 'node:fs/promises'
import path = require('node:path')
import { cliVersion, dependsOnVersion } from '../delivery/cli-version.js'
import { deliver } from '../delivery/deliver.js'
import { planDelivery } from '../delivery/plan-delivery.js'
import { propertyOf } from '../thrown.js'
import { failed, type Outcome, type Question } from './outcome.js'
import { waitFor } from './waiting.js'
import type { DeliveryPlan } from '../delivery/plan.js'
import type { AssemblerOutput } from '../prompts/results.js'
import type { AgentDefinition } from './member.js'

/** The output of a program that is not a known CLI. */
const TEXT_OUTPUT = 'text'

/**
 * The installed version of a known CLI, if it may lack a switch of the measured version. Unknown programs
 * are not run for this, and nothing is known of another machine.
 */
const versionOf = async (
  { output }: DeliveryPlan,
  { agent, profile, spawn, env }: AgentDefinition,
  signal: AbortSignal,
) =>
  output === TEXT_OUTPUT || profile !== undefined || spawn !== undefined || !dependsOnVersion(agent)
    ? undefined
    : cliVersion(agent, { env, signal }).catch(() => undefined)

/** What a program that was not found means: Node says the same if its directory is missing. */
const notStarted = async (error: unknown, { cwd, spawn }: AgentDefinition) => {
  const isElsewhere = cwd === undefined || spawn !== undefined
  if (isElsewhere || propertyOf(error, 'code') !== 'ENOENT') return error
  const isThere = await stat(cwd).then(
    () => true,
    () => false,
  )
  if (isThere) return error
  return Object.assign(new Error(`its directory does not exist: ${path.resolve(cwd)}`), {
    cause: error,
    delivered: 'no',
  })
}

const deliveryOptions = ({ agent, model, cwd, args, permissions, profile }: AgentDefinition) => ({
  agentType: agent,
  model,
  cwd,
  extraArgs: args,
  profile,
  permissions,
})

/** Throws an `UndeliverableError` if a program cannot have the settings of its member. */
export const checkProgram = (definition: AgentDefinition) =>
  void planDelivery({ prompt: 'x' }, deliveryOptions(definition))

/** Whether a program can have a system text besides the prompt. */
export const takesSystemText = (definition: AgentDefinition) => {
  try {
    planDelivery({ prompt: 'x', systemFlag: 'x' }, deliveryOptions(definition))
    return true
  } catch {
    return false
  }
}

export const askAgent = async (
  definition: AgentDefinition,
  { output, resume, mark, limits, onEvent, isStreamed }: Question,
): Promise<Outcome> => {
  const { agent, env, idleTimeoutMs, spawn, files } = definition
  // Requests are for functions only.
  const prompt = output as AssemblerOutput
  const wanted = { ...deliveryOptions(definition), resume }
  let plan: DeliveryPlan
  try {
    plan = planDelivery(prompt, wanted)
    const version = await waitFor(agent, limits(), (end) => versionOf(plan, definition, end))
    if (version !== undefined) plan = planDelivery(prompt, { ...wanted, version })
  } catch (error) {
    return { ...failed(error, []), delivered: 'no' }
  }
  const { warnings } = plan
  plan.env = { ...plan.env, ...env, ...mark }
  try {
    const result = await deliver(plan, { ...limits(), idleTimeoutMs, onEvent, stream: isStreamed, spawn, files })
    const { error, delivered, text = '', partialText } = result
    if (error === undefined) return { answer: { ...result, text }, delivered, warnings }
    const { code, message, retryAfterMs } = error
    const failure = { reason: code, message, cause: error, retryAfterMs, partialText }
    return { failure, delivered, reported: result, warnings }
  } catch (error) {
    return failed(await notStarted(error, definition), warnings)
  }
}
