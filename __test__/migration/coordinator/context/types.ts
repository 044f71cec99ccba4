/** The coordinator's own interfaces. */

export type AgentType = 'claude-code' | 'openai-codex' | 'google-gemini' | (string & {})

export interface PromptContextMessage {
  from: string
  to?: string | null
  content: string
}

export interface AssemblerInput {
  contextMessages: PromptContextMessage[]
  currentMessage: string
  teamTask: string | null | undefined
  systemInstruction?: string | string[] | null
  instructionFileText?: string | null
  maxBytes: number
}

export interface AssemblerOutput {
  prompt: string
  systemFlag?: string
}

export interface AssemblerOptions {
  systemPlacement?: 'flag' | 'inline' | 'both'
  headings?: { teamTask?: string; context?: string; message?: string }
}

export interface IContextAssembler {
  getAgentType(): AgentType
  assemble(input: AssemblerInput): AssemblerOutput
}

export interface NewConversationMessage {
  timestamp?: Date
  speaker: { id: string; name?: string; type?: string }
  content: string
  routing?: { resolvedAddressees?: string[] }
}

export interface ConversationMessage extends NewConversationMessage {
  id: string
}

export interface ContextSnapshot {
  messages: ConversationMessage[]
  teamTask: string | null
  timestamp: number
  version: 1
}
