/** What is sent to a member: a prompt, or a request to a model's API. */
import { LayoutAssembler } from '../prompts/assemblers.js'
import { firstTokenizer } from './estimates.js'
import type { AgentContextOptions } from '../manager/options.js'
import type { ModelApi, ModelRequests } from '../prompts/model-requests.js'
import type { AssemblerReport } from '../prompts/report.js'
import type { AssemblerReportOutput } from '../prompts/results.js'
import type { AcpProfile, CliProfile } from '../delivery/profiles/custom.js'
import type { AskedMember } from './members.js'
import type { ConversationState } from './state.js'

type Request = ModelRequests[ModelApi]

export type Output =
  | (AssemblerReportOutput & { request?: undefined })
  | { request: Request; report: AssemblerReport; prompt?: undefined; systemFlag?: undefined }

/** The layout of functions, and of programs without their own. */
const DEFAULT_LAYOUT = 'openai-codex'

export const layoutOf = ({ options }: ConversationState, definition: AskedMember['definition']) => {
  if (definition.layout !== undefined) return definition.layout
  if (definition.kind !== 'agent') return DEFAULT_LAYOUT
  const { agent, profile } = definition
  const isOwn = options.layouts?.some(({ agentType, aliases }) => [agentType, ...(aliases ?? [])].includes(agent))
  if (isOwn === true) return agent
  // A program that replaces the CLI and has no option for a system text.
  const { acp, systemFlag, systemFileFlag }: Partial<AcpProfile & CliProfile> = profile ?? {}
  const takesNone = profile !== undefined && !acp && !systemFlag && !systemFileFlag
  try {
    return isApart(agent) && takesNone ? DEFAULT_LAYOUT : agent
  } catch {
    return DEFAULT_LAYOUT
  }
}

/** Whether an agent's layout does not put the system text into the prompt. Throws if it has none. */
const isApart = (agent: string) => {
  const input = { contextMessages: [], currentMessage: 'x', teamTask: null, systemInstruction: 'x', maxBytes: 1000 }
  return LayoutAssembler.for(agent).assemble(input).systemFlag !== undefined
}

/** What a member's tokens are counted with. */
export const tokenizerOf = (state: ConversationState, { name, definition }: AskedMember, layout: string) =>
  state.content.member(name).estimate ?? firstTokenizer(definition, layout)

/** @param maxBytes The most bytes of a prompt that has to be shorter. */
export const turnOptions = (
  state: ConversationState,
  member: AskedMember,
  layout: string,
  maxBytes: number | undefined,
): AgentContextOptions => ({
  session: 'delta',
  recipient: member.name,
  systemInstruction: member.definition.system,
  instructionFileText: member.instructions,
  ...(maxBytes === undefined
    ? { maxTokens: member.definition.maxTokens, tokenizer: tokenizerOf(state, member, layout) }
    : { maxTokens: maxBytes, tokenizer: { bytesPerToken: 1 } }),
})

export const makeOutput = (
  state: ConversationState,
  member: AskedMember,
  layout: string,
  options: AgentContextOptions,
): Output => {
  const { manager } = state
  const { name, definition } = member
  if (definition.kind === 'agent' || definition.as === undefined) {
    return manager.assembleForAgent(name, layout, options, { report: true })
  }
  const { as, cache, model } = definition
  const { report, ...request } = manager.assembleForAgent(name, layout, options, { as, cache, model, report: true })
  return { request, report }
}

/** What is sent, for estimates. */
export const sentBy = ({ prompt, systemFlag = '', report }: Output) =>
  prompt === undefined ? { bytes: report.totalBytes } : { text: `${prompt}${systemFlag}` }
