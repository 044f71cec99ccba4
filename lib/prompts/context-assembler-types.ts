/** The base class of the assemblers. Not exported by the package. */
import type { AgentType } from './agents.js'
import type { AssemblerInput, IContextAssembler } from './assemblers-types.js'
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
} from './forms-types.js'

/** What all assemblers share. */
export declare class ContextAssembler implements IContextAssembler {
  protected constructor()
  /** Returns the agent type of the layout. */
  getAgentType(): AgentType
  /** Assembles a prompt as a new Buffer, with a report. */
  assemble(input: AssemblerInput, form: BufferForm & { report: true }): AssemblerBufferReportOutput
  /** Assembles a prompt as a new Buffer. */
  assemble(input: AssemblerInput, form: BufferForm<false>): AssemblerBufferOutput
  /** Assembles a prompt into your buffer, with a report. */
  assemble(input: AssemblerInput, form: IntoForm & { report: true }): AssemblerIntoReportOutput
  /** Assembles a prompt into your buffer. */
  assemble(input: AssemblerInput, form: IntoForm<false>): AssemblerIntoOutput
  /** Assembles a prompt as a string, with a report. */
  assemble(input: AssemblerInput, form: StringForm & { report: true }): AssemblerReportOutput
  /** Assembles a prompt as a string. */
  assemble(input: AssemblerInput, form: StringForm<false>): AssemblerOutput
  /** Assembles a prompt in a form known only at run time. */
  assemble(input: AssemblerInput, form: PromptForm | null | undefined): AnyAssemblerOutput
  /** Assembles a prompt as a string. */
  assemble(input: AssemblerInput, form?: null): AssemblerOutput
}
