/** The coordinator's own context manager: messages in an array, copied and cleaned for every prompt. */
import { ClaudeContextAssembler, CodexContextAssembler, GeminiContextAssembler, PlainTextAssembler } from './assemblers.js'
import type {
  AgentType, AssemblerInput, AssemblerOptions, AssemblerOutput, ContextSnapshot, ConversationMessage, IContextAssembler,
  NewConversationMessage,
} from './types.js'

export interface ContextManagerOptions {
  contextWindowSize?: number
  maxBytes?: number
  assemblers?: Partial<Record<AgentType, AssemblerOptions>>
  onMessageAdded?: (message: ConversationMessage) => void
  onTeamTaskChanged?: (task: string | null) => void
}

const MARKER = / ?\[(?:NEXT|FROM|DROP|TEAM_TASK):[^\]]*\]/gi
const stripMarkers = (text: string): string => text.replaceAll(MARKER, '').trim()

export class ContextManager {
  #messages: ConversationMessage[] = []
  #teamTask: string | null = null
  readonly #assemblers: Map<AgentType, IContextAssembler>

  constructor(readonly options: ContextManagerOptions = {}) {
    const given = options.assemblers ?? {}
    this.#assemblers = new Map<AgentType, IContextAssembler>([
      ['claude-code', new ClaudeContextAssembler(given['claude-code'])],
      ['openai-codex', new CodexContextAssembler(given['openai-codex'])],
      ['google-gemini', new GeminiContextAssembler(given['google-gemini'])],
    ])
  }

  addMessage(message: NewConversationMessage): ConversationMessage {
    if (typeof message.content !== 'string') throw new TypeError('Message content must be a string')
    if (!message.speaker?.id) throw new TypeError('Message speaker.id is required')
    const stored = { ...message, id: `msg-${this.#messages.length + 1}` }
    this.#messages.push(stored)
    this.options.onMessageAdded?.(stored)
    return stored
  }

  getMessages(): ConversationMessage[] {
    return [...this.#messages]
  }

  getLatestMessage(): ConversationMessage | null {
    return this.#messages.at(-1) ?? null
  }

  setTeamTask(task: string): void {
    this.#teamTask = task
    this.options.onTeamTaskChanged?.(task)
  }

  getTeamTask(): string | null {
    return this.#teamTask
  }

  getContextForAgent(
    _agentId: string,
    _agentType: AgentType,
    { systemInstruction, instructionFileText }: { systemInstruction?: string; instructionFileText?: string } = {},
  ): AssemblerInput {
    const size = this.options.contextWindowSize ?? 5
    const before = this.#messages.slice(0, -1)
    return {
      contextMessages: (size > 0 ? before.slice(-size) : []).map(({ speaker, content, routing }) => ({
        from: speaker.name ?? speaker.id,
        to: routing?.resolvedAddressees?.join(', ') || 'all',
        content: stripMarkers(content),
      })),
      currentMessage: stripMarkers(this.getLatestMessage()?.content ?? ''),
      teamTask: this.#teamTask,
      systemInstruction,
      instructionFileText,
      maxBytes: this.options.maxBytes ?? 768 * 1024,
    }
  }

  assemblePrompt(agentType: AgentType, input: AssemblerInput): AssemblerOutput {
    const assembler = this.#assemblers.get(agentType)
    if (assembler) return assembler.assemble(input)
    console.warn(`[ContextManager] Unknown agentType "${agentType}", using PlainTextAssembler`)
    return new PlainTextAssembler().assemble(input)
  }

  clear(): void {
    this.#messages = []
    this.#teamTask = null
    this.options.onTeamTaskChanged?.(null)
  }

  exportSnapshot(): ContextSnapshot {
    return { messages: this.getMessages(), teamTask: this.#teamTask, timestamp: Date.now(), version: 1 }
  }

  importSnapshot(snapshot: ContextSnapshot): void {
    if (!Array.isArray(snapshot?.messages)) throw new Error('Invalid snapshot format')
    this.#messages = [...snapshot.messages]
    this.#teamTask = snapshot.teamTask
  }
}
