/**
 * Checked by `npm run typecheck`, never run. Without `exactOptionalPropertyTypes`, as it is in a
 * coordinator that writes `systemFlag?: string` and returns `systemFlag: undefined`.
 */
import {
  type AgentType,
  type AssemblerInput,
  type AssemblerOutput,
  ClaudeContextAssembler,
  CodexContextAssembler,
  ContextManager,
  GeminiContextAssembler,
  type IContextAssembler,
  type PromptContextMessage,
  PlainTextAssembler,
} from 'promptmason'
import type * as Existing from '../support/existing-interfaces.js'

// Ours stand in for theirs, and theirs for ours.
const assemblers: Existing.IContextAssembler[] = [
  new ClaudeContextAssembler(),
  new CodexContextAssembler({}),
  new GeminiContextAssembler(undefined),
  new PlainTextAssembler(),
]
const registry = new Map<AgentType, IContextAssembler>(
  [new ClaudeContextAssembler(), new PlainTextAssembler()].map((assembler) => [assembler.getAgentType(), assembler]),
)
export const theirInput: Existing.AssemblerInput = {
  contextMessages: [{ from: 'a', content: 'b', timestamp: new Date() }],
  currentMessage: 'c',
  teamTask: null,
  systemInstruction: undefined,
  maxBytes: 1,
}
export const theirOutput: Existing.AssemblerOutput | undefined = registry.get('codex')?.assemble(theirInput)
export const { prompt, systemFlag }: AssemblerOutput = assemblers[0]!.assemble(theirInput)
export const flag: string | undefined = systemFlag

declare const theirs: Existing.IContextAssembler
export const ours: IContextAssembler = theirs
export const ourOutput: AssemblerOutput = theirs.assemble(theirInput)
export const ourInput: AssemblerInput = theirInput
export const ourMessage: PromptContextMessage = theirInput.contextMessages[0]!

// What a manager gives for an agent can be changed before it is assembled.
const context = new ContextManager().getContextForAgent('max', 'codex')
context.contextMessages.push({ from: 'a', content: 'b' })
context.contextMessages = context.contextMessages.slice(1)
export const task: string | null = context.teamTask

/** The interface of a coordinator that has its own context module. */
interface TheirMessage {
  id: string
  timestamp: Date
  speaker: { id: string; name: string; displayName: string; type: 'ai' | 'human' | 'system' }
  content: string
  routing?: { resolvedAddressees?: { identifier: string }[]; parentMessageId?: string; intent?: string }
}
interface TheirProvider {
  addMessage(message: Omit<TheirMessage, 'id'>): TheirMessage
  getMessages(): TheirMessage[]
  getLatestMessage(): TheirMessage | null
  setTeamTask(task: string): void
  getTeamTask(): string | null
  getContextForAgent(
    agentId: string,
    agentType: AgentType,
    options?: { windowSizeOverride?: number; systemInstruction?: string; instructionFileText?: string },
  ): Existing.AssemblerInput
  assemblePrompt(agentType: AgentType, input: Existing.AssemblerInput): Existing.AssemblerOutput
  clear(): void
}
export class TheirManager extends ContextManager<TheirMessage> implements TheirProvider {}
export const provider: TheirProvider = new TheirManager({ contextWindowSize: 3 })
