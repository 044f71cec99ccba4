/** Checked by `npm run typecheck`, never run. */
import {
  type AgentType,
  type AssemblerInput,
  type AssemblerOptions,
  type AssemblerOutput,
  type BudgetExceededError,
  ClaudeContextAssembler,
  CodexContextAssembler,
  GeminiContextAssembler,
  type IContextAssembler,
  PlainTextAssembler,
  type PromptContextMessage,
  type PromptInput,
  type PromptOutput,
  buildPrompt,
  buildPromptInto,
  buildPromptToBuffer,
  buildPromptWithReport,
} from 'promptmason'
import type * as Existing from './support/existing-interfaces.js'

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

export class MyAssembler implements IContextAssembler {
  getAgentType(): AgentType {
    return 'unknown' as AgentType
  }
  assemble(input: AssemblerInput): AssemblerOutput {
    const lines = input.contextMessages.map((message: PromptContextMessage) => `${message.from}: ${message.content}`)
    return { prompt: lines.join('\n'), systemFlag: undefined }
  }
}

// Routed conversations.
export const routed: AssemblerInput = {
  contextMessages: [{ from: 'a', to: null, content: 'b' }],
  currentMessage: 'c',
  teamTask: undefined,
  systemInstruction: ['one', 'two'],
  maxBytes: 1,
  parentContext: { from: 'a', content: 'b' },
  siblingContext: [{ from: 'a', content: 'b' }],
  routeMeta: { parentMessageId: 'msg-1', intent: 'review' },
}

// Agent types complete to the known ones and accept any other.
export const known: AgentType = 'claude-code'
export const other: AgentType = 'my-own-agent'

// Options are literal unions and known parts.
export const options: AssemblerOptions = {
  systemPlacement: 'both',
  headings: { context: '## Context', message: '' },
  evictionStep: 16,
  markers: 'escape',
}
// @ts-expect-error not a placement
export const badPlacement = new ClaudeContextAssembler({ systemPlacement: 'above' })
// @ts-expect-error not a part
export const badPart = new ClaudeContextAssembler({ headings: { footer: 'x' } })
// @ts-expect-error maxBytes is missing
new ClaudeContextAssembler().assemble({ contextMessages: [], currentMessage: '', teamTask: null })

// The four forms.
const assembler = new ClaudeContextAssembler()
export const buffer: Buffer = assembler.assembleToBuffer(routed).prompt
export const bytes: number = assembler.assembleInto(routed, new Uint8Array(9), 0).bytes
export const decisions: string[] = assembler.assembleWithReport(routed).report.decisions
export const needed = (error: BudgetExceededError): number | undefined => error.sections.system

// buildPrompt takes the materials as a coordinator has them, and agrees in what it returns.
const materials: PromptInput = {
  agentType: 'google-gemini',
  systemInstructionText: undefined,
  instructionFileText: 'text',
  contextMessages: [{ from: 'a', to: 'b', content: 'c', timestamp: new Date() }],
  message: 'd',
}
export const built: PromptOutput = buildPrompt(materials)
export const builtBuffer: Buffer = buildPromptToBuffer({ ...materials, maxContextMessages: 0, recipient: 'a' }).prompt
export const builtBytes: number = buildPromptInto({ ...materials, options }, new Uint8Array(1)).bytes
export const needed2: number | undefined = buildPromptWithReport(materials).report.neededBytes
