/** Checked by `npm run typecheck`, never run. */
import {
  type AgentType,
  type AssemblerInput,
  type AssemblerOptions,
  type AssemblerOutput,
  type BudgetExceededError,
  ClaudeContextAssembler,
  ContextManager,
  type IContextAssembler,
  LayoutAssembler,
  type LayoutDefinition,
  type LayoutPromptInput,
  type PromptContextMessage,
  type PromptInput,
  type PromptOutput,
  buildPrompt,
  buildPromptInto,
  buildPromptToBuffer,
  buildPromptWithReport,
} from 'promptmason'

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
  summary: null,
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

// Nothing that is passed in has to be mutable, and what is optional can be undefined or null.
const frozen = [{ from: 'a', to: undefined, content: 'c' }] as const
const nothing = { systemInstructionText: undefined, instructionFileText: null, recipient: undefined, options: undefined, maxBytes: undefined }
export const ofFrozen: PromptOutput = buildPrompt({ ...materials, ...nothing, contextMessages: frozen, options: { headings: { context: undefined } } })
export const assembledFrozen: AssemblerOutput = assembler.assemble({
  ...routed, contextMessages: frozen, siblingContext: frozen, systemInstruction: ['one'] as const, parentContext: undefined, routeMeta: { intent: undefined },
})

// The same field has another name in buildPrompt.
// @ts-expect-error it is systemInstructionText here
buildPrompt({ agentType: 'codex', contextMessages: [], message: '', systemInstruction: 'x' })
// @ts-expect-error it is systemInstruction here
assembler.assemble({ contextMessages: [], currentMessage: '', teamTask: null, maxBytes: 1, systemInstructionText: 'x' })

// Assemblers are classes of their own; what they have in common is not exported.
export class Mine extends ClaudeContextAssembler {}
// @ts-expect-error not exported
export type Base = import('promptmason').ContextAssembler

// Layouts of one's own: constants, with readonly arrays, or objects with nothing optional given.
const layout = {
  agentType: 'mine', aliases: ['my'], systemPlacement: 'flag', sections: [{ part: 'system' }, { part: 'message', title: '# Now', note: null }],
  messageLine: { open: '* ', arrow: undefined }, quoteLine: null, labels: { intent: 'Intent: ' },
} as const
export const definition: LayoutDefinition = layout
export const ofLayout: IContextAssembler = new LayoutAssembler(layout, { markers: 'escape' })
export const ofType: LayoutAssembler = LayoutAssembler.for('qwen-code', null)
export const withLayouts = new ContextManager({ layouts: [layout, definition] as const })
const layoutInput: LayoutPromptInput = { layout, contextMessages: [], message: '' }
export const ofLayoutInput: PromptOutput = buildPrompt(layoutInput)
export const ofLayoutBytes: Buffer = buildPromptToBuffer({ ...layoutInput, agentType: 'mine' }).prompt
// @ts-expect-error neither an agent type nor a layout
buildPrompt({ contextMessages: [], message: '' })
// @ts-expect-error not a part
export const badSection: LayoutDefinition = { agentType: 'x', sections: [{ part: 'footer' }], messageLine: {} }
// @ts-expect-error not a placement of a layout
export const badLayout: LayoutDefinition = { ...layout, systemPlacement: 'both' }
// @ts-expect-error quotes show no addressee
export const badQuote: LayoutDefinition = { ...layout, quoteLine: { arrow: '' } }
// @ts-expect-error an agent type is no layout
export const badDefinition = new LayoutAssembler('codex')
