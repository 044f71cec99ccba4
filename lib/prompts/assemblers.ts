/** The assembler classes. They differ only in layout. */
import native = require('../../binding.js')
import { assemblerInput, assemblerOptions, moreAssemblerFields } from './assembler-input.js'
import { readForm } from './form.js'
import { string } from '../checks/kinds.js'
import { layout as layoutKind } from './layout.js'
import { errorOf, wrongReceiver } from '../errors.js'
import { endsOf } from './long-text.js'
import { makePrompt } from './make-prompt.js'
import { nativeTokenizer } from '../tokens/token-functions.js'
import type { AssemblerOptions } from './assemblers-types.js'
import type { Form } from './form.js'
import type { Subject } from './make-prompt.js'
import type { LayoutDefinition } from './layouts-types.js'

const { construct } = Reflect

export const assembleInput = (
  assembler: InstanceType<typeof native.NativeAssembler>,
  tokenizer: unknown,
  given: unknown,
  form: Form,
  onReport?: (report: string) => void,
) => makePrompt(subjectOfInput(assembler, tokenizer, given), form, onReport)

/** @param internal Fields that only this package sets. */
const subjectOfInput = (
  assembler: InstanceType<typeof native.NativeAssembler>,
  tokenizer: unknown,
  given: unknown,
  internal?: object,
): Subject => {
  const input = assemblerInput(given)
  const {
    contextMessages: { list, count },
    currentMessage,
    parentContext,
    maxBytes,
  } = input
  // The whole message is needed, because it is compared with its parent.
  const ends = parentContext === undefined ? endsOf(currentMessage, maxBytes) : undefined
  const fields = internal === undefined ? input : ({ ...input, ...internal } as any)
  fields.systemInstruction = input.systemInstruction?.texts
  fields.ends = ends
  const begin: Subject['begin'] = (report, joins) => {
    try {
      return native.beginAssembly(assembler, fields, moreAssemblerFields(fields), count, report, joins)
    } catch (thrown) {
      throw errorOf(thrown)
    }
  }
  return { begin, messages: list, tokenizer }
}

/** The checked input of an assembler, for callers that need something other than a prompt. */
export let subjectOfAssembler: (assembler: any, input: unknown, internal?: object) => Subject

class ContextAssembler {
  #native
  #agentType
  #tokenizer

  /** @param layout Used instead of a known agent type. */
  constructor(agentType: unknown, options: unknown, layout?: unknown) {
    const layoutFields = agentType === undefined ? layoutKind(layout, '', 'layout') : undefined
    const known = layoutFields === undefined ? string(agentType, '', 'agentType') : undefined
    const checked = assemblerOptions(options, '', 'options')
    this.#tokenizer = checked.tokenizer
    const fields = { ...checked, tokenizer: nativeTokenizer(checked.tokenizer) }
    try {
      this.#native = new native.NativeAssembler(known, layoutFields, fields)
    } catch (thrown) {
      throw errorOf(thrown)
    }
    this.#agentType = this.#native.agentType
  }

  static #nativeOf(assembler: ContextAssembler) {
    try {
      return assembler.#native
    } catch {
      throw wrongReceiver('context assembler')
    }
  }

  static {
    // Not a method, because it would become part of the public classes.
    subjectOfAssembler = (assembler, input, internal) =>
      subjectOfInput(ContextAssembler.#nativeOf(assembler), assembler.#tokenizer, input, internal)
  }

  getAgentType() {
    ContextAssembler.#nativeOf(this)
    return this.#agentType
  }

  assemble(input: unknown, form?: unknown) {
    return assembleInput(ContextAssembler.#nativeOf(this), this.#tokenizer, input, readForm(form))
  }
}

export class ClaudeContextAssembler extends ContextAssembler {
  constructor(options?: AssemblerOptions | null) {
    super('claude-code', options)
  }
}

export class CodexContextAssembler extends ContextAssembler {
  constructor(options?: AssemblerOptions | null) {
    super('openai-codex', options)
  }
}

export class GeminiContextAssembler extends ContextAssembler {
  constructor(options?: AssemblerOptions | null) {
    super('google-gemini', options)
  }
}

export class PlainTextAssembler extends ContextAssembler {
  constructor(options?: AssemblerOptions | null) {
    super('unknown', options)
  }
}

export class LayoutAssembler extends ContextAssembler {
  constructor(layout: LayoutDefinition, options?: AssemblerOptions | null) {
    super(undefined, options, layout)
  }

  static for(agentType: string, options?: AssemblerOptions | null): LayoutAssembler {
    string(agentType, '', 'agentType')
    // An object of this class, made by the constructor that takes an agent type.
    return construct(ContextAssembler, [agentType, options], LayoutAssembler)
  }
}
