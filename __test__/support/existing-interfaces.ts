/** The interfaces as a coordinator that has its own assemblers declares them. */
import type { AgentType } from 'promptmason'

export interface PromptContextMessage {
  from: string
  to?: string
  content: string
  timestamp?: Date
}
export interface AssemblerInput {
  contextMessages: PromptContextMessage[]
  currentMessage: string
  teamTask: string | null
  systemInstruction?: string
  instructionFileText?: string
  maxBytes: number
}
export interface AssemblerOutput {
  prompt: string
  systemFlag?: string
}
export interface IContextAssembler {
  getAgentType(): AgentType
  assemble(input: AssemblerInput): AssemblerOutput
}
