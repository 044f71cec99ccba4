/** Asks an agent CLI, and waits for its answer. */
import path = require('node:path')
import { cliVersion } from '../delivery/cli-version.js'
import { deliver } from '../delivery/deliver.js'
import { planDelivery } from '../delivery/plan-delivery.js'
import { failed, type Outcome, type Question } from './outcome.js'
import type { DeliveryPlan } from '../delivery/plan.js'
import type { DeliveryProfile } from '../delivery/profiles/custom.js'
import type { AssemblerOutput } from '../prompts/results.js'
import type { AgentDefinition } from './member.js'

/** The output of a program that is not a known CLI. */
const TEXT_OUTPUT = 'text'

/**
 * The installed version of a known CLI, which may lack a switch of the measured version. Unknown programs
 * are not run for this.
 */
const versionOf = async ({ output }: DeliveryPlan, agent: string, profile: DeliveryProfile | undefined) =>
  output === TEXT_OUTPUT || profile !== undefined ? undefined : cliVersion(agent).catch(() => undefined)

export const askAgent = async (
  { agent, model, cwd, args, env, permissions, idleTimeoutMs, profile }: AgentDefinition,
  { output, resume, signal, timeoutMs, onEvent, isStreamed }: Question,
): Promise<Outcome> => {
  // Requests are for functions only.
  const prompt = output as AssemblerOutput
  const options = {
    agentType: agent,
    model,
    cwd: cwd === undefined ? undefined : path.resolve(cwd),
    resume,
    // Text from one member must not trigger actions in another member's CLI.
    guard: 'escape' as const,
    extraArgs: args,
    profile,
    permissions,
  }
  let plan: DeliveryPlan
  try {
    plan = planDelivery(prompt, options)
    const version = await versionOf(plan, agent, profile)
    if (version !== undefined) plan = planDelivery(prompt, { ...options, version })
  } catch (error) {
    return failed(error, [])
  }
  const { warnings } = plan
  plan.env = { ...plan.env, ...env }
  try {
    const result = await deliver(plan, { signal, timeoutMs, onEvent, stream: isStreamed, idleTimeoutMs })
    const { error, delivered, text = '', partialText } = result
    if (error === undefined) return { answer: { ...result, text }, delivered, warnings }
    const { code, message, retryAfterMs } = error
    const failure = { reason: code, message, cause: error, retryAfterMs, partialText }
    return { failure, delivered, reported: result, warnings }
  } catch (error) {
    return failed(error, warnings)
  }
}
