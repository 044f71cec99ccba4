/** The assembler classes. They differ only in layout. */
import native = require('../../binding.js')
import { assemblerInput, moreAssemblerFields } from './assembler-input.js'
import { assemblerOptions, nativeOptions } from './assembler-options.js'
import { readForm } from './form.js'
import { string } from '../checks/kinds.js'
import { layout as layoutKind } from './layout.js'
import { callNative } from '../errors.js'
import { linesOf } from './materials.js'
import { endsOf, frameOf, makePrompt, type Frame, type Subject } from './make-prompt.js'
import type { AgentType } from './agents.js'
import { wrongReceiver } from '../checks/problems.js'
import type { AssemblerInput } from './assembler-input.js'
import type { AssemblerOptions } from './assembler-options.js'
import type { BufferForm, Form, IntoForm, PromptForm, StringForm } from './form.js'
import type { LayoutDefinition } from './layout.js'
import type { AnyAssemblerOutput, AssemblerOutput, BufferOutput, IntoOutput, StringOutput } from './results.js'
import type { CheckedTokenizer } from '../tokens/tokenizer.js'

const { construct } = Reflect

/** Fields that only this package sets. */
type InternalFields = Pick<native.MoreAssemblerFields, 'outside' | 'parentMaxBytes' | 'redact'>

/** An assembler on both sides. */
export interface BoundAssembler {
  native: native.NativeAssembler
  frame: Frame
  tokenizer: CheckedTokenizer | undefined
}

export const assembleInput = (
  assembler: BoundAssembler,
  given: unknown,
  form: Form,
  onReport?: (report: string) => void,
) => makePrompt(subjectOfInput(assembler, given), form, onReport)

const subjectOfInput = (assembler: BoundAssembler, given: unknown, internal?: InternalFields): Subject => {
  const input = assemblerInput(given)
  const {
    contextMessages: { list, count },
    currentMessage,
    teamTask,
    instructionFileText,
    systemInstruction,
    parentContext,
    maxBytes,
  } = input
  const fields: typeof input & native.MoreAssemblerFields = internal === undefined ? input : { ...input, ...internal }
  // The whole message is needed, because it is compared with its parent.
  const ends = parentContext === undefined ? endsOf(currentMessage, maxBytes) : undefined
  if (ends !== undefined) fields.ends = ends
  const more = moreAssemblerFields(fields)
  return {
    begin: (batch, texts, output) => assembler.native.assemble(more, batch.numbers, texts, batch.extras, output),
    frame: assembler.frame,
    list,
    count,
    texts: [ends === undefined ? currentMessage : '', teamTask, instructionFileText],
    instruction: linesOf(systemInstruction),
    maxBytes,
    maxMessages: undefined,
    isForOne: false,
    isSpecial: more !== undefined,
    tokenizer: assembler.tokenizer,
  }
}

/** The checked input of an assembler, for callers that need something other than a prompt. */
export let subjectOfAssembler: (assembler: ContextAssembler, input: unknown, internal?: InternalFields) => Subject

/** What every assembler implements. */
export interface IContextAssembler {
  /** The agent that the prompts are for. */
  getAgentType(): AgentType
  /** Assembles the prompt as a string. */
  assemble(input: AssemblerInput): AssemblerOutput
}

/** What all assemblers share. */
export class ContextAssembler implements IContextAssembler {
  #assembler: BoundAssembler
  #agentType

  /** @param layout Used instead of a known agent type. */
  protected constructor(agentType: unknown, options: unknown, layout?: unknown) {
    const layoutFields = agentType === undefined ? layoutKind(layout, '', 'layout') : undefined
    const known = layoutFields === undefined ? string(agentType, '', 'agentType') : undefined
    const checked = assemblerOptions(options, '', 'options')
    const fields = nativeOptions(checked)
    const made = callNative(() => new native.NativeAssembler(known, layoutFields, fields))
    this.#assembler = { native: made, frame: frameOf(made), tokenizer: checked.tokenizer }
    this.#agentType = made.agentType
  }

  static #of(assembler: ContextAssembler) {
    try {
      return assembler.#assembler
    } catch {
      throw wrongReceiver('context assembler')
    }
  }

  static {
    // Not a method, because it would become part of the public classes.
    subjectOfAssembler = (assembler, input, internal) =>
      subjectOfInput(ContextAssembler.#of(assembler), input, internal)
  }

  /** Returns the agent type of the layout. */
  getAgentType(): AgentType {
    ContextAssembler.#of(this)
    return this.#agentType
  }

  /** Assembles a prompt as a new Buffer. */
  assemble<R extends boolean = false>(input: AssemblerInput, form: BufferForm<R>): BufferOutput<R>
  /** Assembles a prompt in your buffer. */
  assemble<R extends boolean = false>(input: AssemblerInput, form: IntoForm<R>): IntoOutput<R>
  /** Assembles a prompt as a string. */
  assemble<R extends boolean = false>(input: AssemblerInput, form: StringForm<R>): StringOutput<R>
  /** Assembles a prompt in a form known only at run time. */
  assemble(input: AssemblerInput, form: PromptForm | null | undefined): AnyAssemblerOutput
  /** Assembles a prompt as a string. */
  assemble(input: AssemblerInput, form?: null): AssemblerOutput
  assemble(input: unknown, form?: unknown): unknown {
    return assembleInput(ContextAssembler.#of(this), input, readForm(form))
  }
}

/**
 * For Claude Code: bracketed titles. The system text is not in the prompt but in `systemFlag`, for
 * `--append-system-prompt`.
 */
export class ClaudeContextAssembler extends ContextAssembler {
  /** Creates an assembler with the given options. */
  constructor(options?: AssemblerOptions | null) {
    super('claude-code', options)
  }
}

/** For Codex: bracketed titles, the system text first. */
export class CodexContextAssembler extends ContextAssembler {
  /** Creates an assembler with the given options. */
  constructor(options?: AssemblerOptions | null) {
    super('openai-codex', options)
  }
}

/** For Gemini: titles in plain words, the system text first. */
export class GeminiContextAssembler extends ContextAssembler {
  /** Creates an assembler with the given options. */
  constructor(options?: AssemblerOptions | null) {
    super('google-gemini', options)
  }
}

/** For any other agent: only the texts, without titles. */
export class PlainTextAssembler extends ContextAssembler {
  /** Creates an assembler with the given options. */
  constructor(options?: AssemblerOptions | null) {
    super('unknown', options)
  }
}

/** For an agent with a custom or built-in layout. */
export class LayoutAssembler extends ContextAssembler {
  /**
   * Creates an assembler for a layout. The layout is validated and copied: later changes to the object have no effect.
   */
  constructor(layout: LayoutDefinition, options?: AssemblerOptions | null) {
    super(undefined, options, layout)
  }

  /**
   * Creates an assembler for a built-in agent type, by name or alias, in any letter case. `unknown` is
   * plain text; any other unknown type is an error.
   */
  static for(agentType: AgentType, options?: AssemblerOptions | null): LayoutAssembler {
    string(agentType, '', 'agentType')
    // An object of this class, made by the constructor that takes an agent type.
    return construct(ContextAssembler, [agentType, options], LayoutAssembler)
  }
}
