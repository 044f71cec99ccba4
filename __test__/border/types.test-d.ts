/** Checked by `npm run typecheck`, never run. */
import {
  type AgentType,
  type AnyAssemblerOutput,
  type AssemblerBufferOutput,
  type AssemblerBufferReportOutput,
  type AssemblerInput,
  type AssemblerIntoOutput,
  type AssemblerIntoReportOutput,
  type AssemblerOptions,
  type AssemblerOutput,
  type AssemblerReport,
  type AssemblerReportOutput,
  type BudgetExceededError,
  ClaudeContextAssembler,
  ContextManager,
  type IContextAssembler,
  LayoutAssembler,
  type LayoutDefinition,
  type LayoutPromptInput,
  type PromptContextMessage,
  type PromptForm,
  type PromptInput,
  type PromptOutput,
  type RoutingItem,
  buildPrompt,
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

// Every form of every function that assembles a prompt has its own result type.
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
declare const same: <A, B>(...given: Same<A, B> extends true ? [A] : [never]) => void
const assembler = new ClaudeContextAssembler()
const manager = new ContextManager()
const into = new Uint8Array(9)
const route: RoutingItem = { parentMessageId: 'msg-1', targetMemberId: 'x' }
for (const nothing of [undefined, null]) {
  same<AssemblerOutput, AssemblerOutput>(assembler.assemble(routed, nothing))
  same<AssemblerOutput, AssemblerOutput>(buildPrompt({ agentType: 'x', contextMessages: [], message: '' }, nothing))
  same<AssemblerOutput, AssemblerOutput>(manager.assemblePrompt('x', routed, nothing))
  same<AssemblerOutput, AssemblerOutput>(manager.assembleForAgent('a', 'x', nothing, nothing))
  same<AssemblerOutput, AssemblerOutput>(manager.assembleForRoute('a', 'x', route, nothing, nothing))
}
const plain = assembler.assemble(routed, { as: 'string', report: false, into: null, offset: undefined })
same<typeof plain, AssemblerOutput>(plain)
const reported = assembler.assemble(routed, { report: true })
same<typeof reported, AssemblerReportOutput>(reported)
const bytes = assembler.assemble(routed, { as: 'buffer' })
same<typeof bytes, AssemblerBufferOutput>(bytes)
const reportedBytes = assembler.assemble(routed, { as: 'buffer', report: true })
same<typeof reportedBytes, AssemblerBufferReportOutput>(reportedBytes)
const written = assembler.assemble(routed, { into, offset: 0 })
same<typeof written, AssemblerIntoOutput>(written)
const reportedWritten = assembler.assemble(routed, { into, offset: null, report: true })
same<typeof reportedWritten, AssemblerIntoReportOutput>(reportedWritten)
export const ofInput: [string, string, Buffer, Buffer, number, number] = [
  manager.assemblePrompt('x', routed).prompt,
  manager.assemblePrompt('x', routed, { report: true }).report.agentType,
  manager.assemblePrompt('x', routed, { as: 'buffer' }).prompt,
  manager.assemblePrompt('x', routed, { as: 'buffer', report: true }).prompt,
  manager.assemblePrompt('x', routed, { into }).bytes,
  manager.assemblePrompt('x', routed, { into, report: true }).report.maxBytes,
]
export const ofAgent: [string, string, Buffer, Buffer, number, number] = [
  manager.assembleForAgent('a', 'x').prompt,
  manager.assembleForAgent('a', 'x', {}, { report: true }).report.agentType,
  manager.assembleForAgent('a', 'x', null, { as: 'buffer' }).prompt,
  manager.assembleForAgent('a', 'x', undefined, { as: 'buffer', report: true }).prompt,
  manager.assembleForAgent('a', 'x', {}, { into }).bytes,
  manager.assembleForAgent('a', 'x', {}, { into, report: true }).report.maxBytes,
]
export const ofRoute: [string, string, Buffer, Buffer, number, number] = [
  manager.assembleForRoute('a', 'x', route).prompt,
  manager.assembleForRoute('a', 'x', route, {}, { report: true }).report.agentType,
  manager.assembleForRoute('a', 'x', route, null, { as: 'buffer' }).prompt,
  manager.assembleForRoute('a', 'x', route, undefined, { as: 'buffer', report: true }).prompt,
  manager.assembleForRoute('a', 'x', route, {}, { into }).bytes,
  manager.assembleForRoute('a', 'x', route, {}, { into, report: true }).report.maxBytes,
]
// A form that is known only at run time.
export const wrapped = (form: PromptForm | undefined): AnyAssemblerOutput[] => [
  assembler.assemble(routed, form),
  manager.assembleForAgent('a', 'x', {}, form),
  manager.assembleForRoute('a', 'x', route, {}, form),
]
export const sometimes = (report: boolean): AssemblerReport | undefined => assembler.assemble(routed, { report }).report
// @ts-expect-error a buffer is either made or filled
assembler.assemble(routed, { as: 'buffer', into })
// @ts-expect-error nothing to write into
assembler.assemble(routed, { offset: 3 })
// @ts-expect-error not a form
assembler.assemble(routed, { as: 'bytes' })
// @ts-expect-error misspelled
assembler.assemble(routed, { as: 'buffer', repotr: true })
// @ts-expect-error there is no report without `report: true`
export const { report: none } = assembler.assemble(routed, { as: 'buffer' })
export const needed = (error: BudgetExceededError): number | undefined => error.sections.system

// buildPrompt takes the input of a coordinator, and returns the same types.
const materials: PromptInput = {
  agentType: 'google-gemini',
  systemInstructionText: undefined,
  instructionFileText: 'text',
  contextMessages: [{ from: 'a', to: 'b', content: 'c', timestamp: new Date() }],
  message: 'd',
}
export const built: PromptOutput = buildPrompt(materials)
export const builtBuffer: Buffer = buildPrompt(
  { ...materials, maxContextMessages: 0, recipient: 'a' },
  { as: 'buffer' },
).prompt
export const builtBytes: number = buildPrompt({ ...materials, options }, { into: new Uint8Array(1) }).bytes
export const needed2: number | undefined = buildPrompt(materials, { report: true }).report.neededBytes

// Input may be readonly, and optional fields may be undefined or null.
const frozen = [{ from: 'a', to: undefined, content: 'c' }] as const
const nothing = {
  systemInstructionText: undefined,
  instructionFileText: null,
  recipient: undefined,
  options: undefined,
  maxBytes: undefined,
}
export const ofFrozen: PromptOutput = buildPrompt({
  ...materials,
  ...nothing,
  contextMessages: frozen,
  options: { headings: { context: undefined } },
})
export const assembledFrozen: AssemblerOutput = assembler.assemble({
  ...routed,
  contextMessages: frozen,
  siblingContext: frozen,
  systemInstruction: ['one'] as const,
  parentContext: undefined,
  routeMeta: { intent: undefined },
})

// The same field has another name in buildPrompt.
// @ts-expect-error it is systemInstructionText here
buildPrompt({ agentType: 'codex', contextMessages: [], message: '', systemInstruction: 'x' })
// @ts-expect-error it is systemInstruction here
assembler.assemble({ contextMessages: [], currentMessage: '', teamTask: null, maxBytes: 1, systemInstructionText: 'x' })

// Assemblers are separate classes; their base class is not exported.
export class Mine extends ClaudeContextAssembler {}
// @ts-expect-error not exported
export type Base = import('promptmason').ContextAssembler

// Custom layouts: constants with readonly arrays, or objects without optional fields.
const layout = {
  agentType: 'mine',
  aliases: ['my'],
  systemPlacement: 'flag',
  sections: [{ part: 'system' }, { part: 'message', title: '# Now', note: null }],
  messageLine: { open: '* ', arrow: undefined },
  quoteLine: null,
  labels: { intent: 'Intent: ' },
} as const
export const definition: LayoutDefinition = layout
export const ofLayout: IContextAssembler = new LayoutAssembler(layout, { markers: 'escape' })
export const ofType: LayoutAssembler = LayoutAssembler.for('qwen-code', null)
export const withLayouts = new ContextManager({ layouts: [layout, definition] as const })
const layoutInput: LayoutPromptInput = { layout, contextMessages: [], message: '' }
export const ofLayoutInput: PromptOutput = buildPrompt(layoutInput)
export const ofLayoutBytes: Buffer = buildPrompt({ ...layoutInput, agentType: 'mine' }, { as: 'buffer' }).prompt
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
