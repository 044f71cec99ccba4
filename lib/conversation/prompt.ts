/** What is sent to a member: a prompt, or a request to a model's API. */
import { LayoutAssembler } from '../prompts/assemblers.js'
import { linesOf } from '../prompts/materials.js'
import { takesSystemText } from './ask-agent.js'
import { briefingOf } from './briefing.js'
import { firstTokenizer } from './estimates.js'
import type { AgentContextOptions } from '../manager/options.js'
import type { ModelApi, ModelRequests } from '../prompts/model-requests.js'
import type { AssemblerReport } from '../prompts/report.js'
import type { AssemblerReportOutput } from '../prompts/results.js'
import type { MemberTokenizer } from './member.js'
import type { AskedMember } from './members.js'
import type { ConversationState } from './state.js'

type Request = ModelRequests[ModelApi]

export type Output =
  | (AssemblerReportOutput & { request?: undefined })
  | { request: Request; report: AssemblerReport; prompt?: undefined; systemFlag?: undefined }

/** The layout of functions, and of programs without their own. */
const DEFAULT_LAYOUT = 'openai-codex'

/** Whether a layout keeps the system text out of the prompt; undefined if there is no such layout. */
const isApart = ({ options }: ConversationState, layout: string) => {
  const own = options.layouts?.find(({ agentType, aliases }) => [agentType, ...(aliases ?? [])].includes(layout))
  const input = { contextMessages: [], currentMessage: 'x', teamTask: null, systemInstruction: 'x', maxBytes: 100_000 }
  try {
    const assembler = own === undefined ? LayoutAssembler.for(layout) : new LayoutAssembler(own)
    return assembler.assemble(input).systemFlag !== undefined
  } catch {
    return undefined
  }
}

/** Whether the member's program has no option for a system text that is not in its prompt. */
const takesNone = (state: ConversationState, { definition }: AskedMember, layout: string) =>
  definition.kind === 'agent' && isApart(state, layout) === true && !takesSystemText(definition)

const layoutFor = (state: ConversationState, member: AskedMember) => {
  const { definition } = member
  if (definition.layout !== undefined) return definition.layout
  if (definition.kind !== 'agent' || isApart(state, definition.agent) === undefined) return DEFAULT_LAYOUT
  // A program may replace the CLI.
  return takesNone(state, member, definition.agent) ? DEFAULT_LAYOUT : definition.agent
}

/** What the definition of a member decides for all its turns. To find out, prompts are made. */
interface Decided {
  layout: string
  takesNone: boolean
  tokenizer: MemberTokenizer | undefined
}

const known: WeakMap<object, Decided> = new WeakMap()

const decidedFor = (state: ConversationState, member: AskedMember) => {
  const { definition } = member
  const layout = layoutFor(state, member)
  const tokenizer = firstTokenizer(definition, layout)
  const decided = { layout, takesNone: takesNone(state, member, layout), tokenizer }
  known.set(definition, decided)
  return decided
}

const decidedOf = (state: ConversationState, member: AskedMember) =>
  known.get(member.definition) ?? decidedFor(state, member)

export const layoutOf = (state: ConversationState, member: AskedMember) => decidedOf(state, member).layout

/** The briefing of a member, if it can get it, and its own instructions. */
const systemOf = (state: ConversationState, member: AskedMember) => {
  const { system } = member.definition
  const briefing = briefingOf(state, member.name)
  if (briefing === undefined || (system === undefined && decidedOf(state, member).takesNone)) return system
  return [briefing, ...linesOf(system)]
}

/** What a member's tokens are counted with. */
export const tokenizerOf = (state: ConversationState, member: AskedMember) =>
  state.content.member(member.name).estimate ?? decidedOf(state, member).tokenizer

/** @param maxBytes The most bytes of a prompt that has to be shorter. */
export const turnOptions = (
  state: ConversationState,
  member: AskedMember,
  maxBytes: number | undefined,
): AgentContextOptions => ({
  session: 'delta',
  recipient: member.name,
  systemInstruction: systemOf(state, member),
  instructionFileText: member.instructions,
  ...(maxBytes === undefined
    ? { maxTokens: member.definition.maxTokens, tokenizer: tokenizerOf(state, member) }
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
