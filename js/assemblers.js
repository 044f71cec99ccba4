'use strict'
/** The assembler classes. They differ only in layout. */
const native = require('../binding.js')
const { assemblerInput, assemblerOptions, moreAssemblerFields } = require('./checks/assemblers.js')
const { readForm } = require('./checks/form.js')
const { string } = require('./checks/kinds.js')
const { layout: layoutKind } = require('./checks/layouts.js')
const { errorOf, wrongReceiver } = require('./errors.js')
const { endsOf } = require('./long-text.js')
const { makePrompt } = require('./prompts.js')
const { nativeTokenizer } = require('./token-functions.js')

/** @typedef {import('../index.d.ts').AssemblerOptions} AssemblerOptions */

const { construct } = Reflect

/**
 * @param {InstanceType<typeof native.NativeAssembler>} assembler
 * @param {unknown} tokenizer
 * @param {unknown} given
 * @param {import('./checks/form.js').Form} form
 * @param {(report: string) => void} [onReport]
 */
const assembleInput = (assembler, tokenizer, given, form, onReport) =>
  makePrompt(subjectOfInput(assembler, tokenizer, given), form, onReport)

/**
 * @param {InstanceType<typeof native.NativeAssembler>} assembler
 * @param {unknown} tokenizer
 * @param {unknown} given
 * @param {object} [internal] Fields that only this package sets.
 * @returns {import('./prompts.js').Subject}
 */
const subjectOfInput = (assembler, tokenizer, given, internal) => {
  const input = assemblerInput(given)
  const {
    contextMessages: { list, count },
    currentMessage,
    parentContext,
    maxBytes,
  } = input
  // The whole message is needed, because it is compared with its parent.
  const ends = parentContext === undefined ? endsOf(currentMessage, maxBytes) : undefined
  const fields = /** @type {any} */ (internal === undefined ? input : { ...input, ...internal })
  fields.systemInstruction = input.systemInstruction?.texts
  fields.ends = ends
  /** @type {import('./prompts.js').Subject['begin']} */
  const begin = (report, joins) => {
    try {
      return native.beginAssembly(assembler, fields, moreAssemblerFields(fields), count, report, joins)
    } catch (thrown) {
      throw errorOf(thrown)
    }
  }
  return { begin, messages: list, tokenizer }
}

/**
 * The checked input of an assembler, for callers that need something other than a prompt.
 * @type {(assembler: any, input: unknown, internal?: object) => import('./prompts.js').Subject}
 */
let subjectOfAssembler

class ContextAssembler {
  #native
  #agentType
  #tokenizer

  /**
   * @param {unknown} agentType
   * @param {unknown} options
   * @param {unknown} [layout] Used instead of a known agent type.
   */
  constructor(agentType, options, layout) {
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

  /** @param {ContextAssembler} assembler */
  static #nativeOf(assembler) {
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

  /**
   * @param {unknown} input
   * @param {unknown} [form]
   */
  assemble(input, form) {
    return assembleInput(ContextAssembler.#nativeOf(this), this.#tokenizer, input, readForm(form))
  }
}

class ClaudeContextAssembler extends ContextAssembler {
  /** @param {AssemblerOptions | null} [options] */
  constructor(options) {
    super('claude-code', options)
  }
}

class CodexContextAssembler extends ContextAssembler {
  /** @param {AssemblerOptions | null} [options] */
  constructor(options) {
    super('openai-codex', options)
  }
}

class GeminiContextAssembler extends ContextAssembler {
  /** @param {AssemblerOptions | null} [options] */
  constructor(options) {
    super('google-gemini', options)
  }
}

class PlainTextAssembler extends ContextAssembler {
  /** @param {AssemblerOptions | null} [options] */
  constructor(options) {
    super('unknown', options)
  }
}

class LayoutAssembler extends ContextAssembler {
  /**
   * @param {import('../index.d.ts').LayoutDefinition} layout
   * @param {AssemblerOptions | null} [options]
   */
  constructor(layout, options) {
    super(undefined, options, layout)
  }

  /**
   * @param {string} agentType
   * @param {AssemblerOptions | null} [options]
   * @returns {LayoutAssembler}
   */
  static for(agentType, options) {
    string(agentType, '', 'agentType')
    // An object of this class, made by the constructor that takes an agent type.
    return construct(ContextAssembler, [agentType, options], LayoutAssembler)
  }
}

module.exports = {
  ClaudeContextAssembler,
  CodexContextAssembler,
  GeminiContextAssembler,
  LayoutAssembler,
  PlainTextAssembler,
  assembleInput,
  subjectOfAssembler,
}
