/** The base class of the assemblers. Not exported by the package. */
import type { AgentType } from './agents.js'
import type { AssemblerInput, IContextAssembler } from './assemblers.js'
import type {
  AnyAssemblerOutput,
  AssemblerBufferOutput,
  AssemblerBufferReportOutput,
  AssemblerIntoOutput,
  AssemblerIntoReportOutput,
  AssemblerOutput,
  AssemblerReportOutput,
  BufferForm,
  IntoForm,
  PromptForm,
  StringForm,
} from './forms.js'

/** What all assemblers have in common. */
export declare class ContextAssembler implements IContextAssembler {
  protected constructor()
  /** The agent whose layout this is. */
  getAgentType(): AgentType
  /** The prompt of an input, as a new Buffer, with a report. */
  assemble(input: AssemblerInput, form: BufferForm & { report: true }): AssemblerBufferReportOutput
  /** The prompt of an input, as a new Buffer. */
  assemble(input: AssemblerInput, form: BufferForm<false>): AssemblerBufferOutput
  /** The prompt of an input, written into your buffer, with a report. */
  assemble(input: AssemblerInput, form: IntoForm & { report: true }): AssemblerIntoReportOutput
  /** The prompt of an input, written into your buffer. */
  assemble(input: AssemblerInput, form: IntoForm<false>): AssemblerIntoOutput
  /** The prompt of an input, as a string, with a report. */
  assemble(input: AssemblerInput, form: StringForm & { report: true }): AssemblerReportOutput
  /** The prompt of an input, as a string. */
  assemble(input: AssemblerInput, form: StringForm<false>): AssemblerOutput
  /** The prompt of an input, in a form that is only known at run time. */
  assemble(input: AssemblerInput, form: PromptForm | null | undefined): AnyAssemblerOutput
  /** The prompt of an input, as a string. */
  assemble(input: AssemblerInput, form?: null): AssemblerOutput
}
