'use strict'
/** The assembler classes. They differ in nothing but the layout. */
const { agentTypeOfAssembler, assemble, createAssembler, createLayoutAssembler } = require('../binding.js')
const { errorOf, wrongReceiver } = require('./errors.js')
const { passAssemblerInput } = require('./fields.js')
const { assemblerHandle } = require('./handles.js')
const { readForm } = require('./form.js')
const { formNumber, outputOf, targetOf } = require('./output.js')

/** @typedef {import('../index.d.ts').AssemblerInput} AssemblerInput */
/** @typedef {import('../index.d.ts').AssemblerOptions} AssemblerOptions */
/** @typedef {import('../index.d.ts').LayoutDefinition} LayoutDefinition */

const { construct } = Reflect

/**
 * @param {number} handle
 * @param {AssemblerInput} input
 * @param {unknown[]} functions Tokenizers that are functions.
 * @param {import('./form.js').Form} form
 * @param {number} [report] `WITH_REPORT` if somebody else wants one, too.
 */
const assembleInput = (handle, input, functions, form, report) => {
  /** @type {string[]} */
  const contents = []
  try {
    const made = passAssemblerInput(assemble, handle, formNumber(form, report), input, targetOf(form), form.offset, contents, functions)
    return outputOf(form, made, contents)
  } catch (thrown) {
    throw errorOf(thrown)
  }
}

class ContextAssembler {
  #handle
  #agentType
  /** @type {unknown[]} The tokenizer, if it is a function. */
  #functions = []

  /**
   * @param {unknown} layout What `create` makes an assembler of.
   * @param {AssemblerOptions | null} [options]
   * @param {(layout: unknown, options: unknown, functions: unknown) => number} [create]
   */
  constructor(layout, options, create = createAssembler) {
    try {
      this.#handle = assemblerHandle(this, create(layout, options, this.#functions))
      this.#agentType = agentTypeOfAssembler(this.#handle)
    } catch (thrown) {
      throw errorOf(thrown)
    }
  }

  /** @param {ContextAssembler} assembler */
  static #handleOf(assembler) {
    try {
      return assembler.#handle
    } catch {
      throw wrongReceiver('context assembler')
    }
  }

  getAgentType() {
    ContextAssembler.#handleOf(this)
    return this.#agentType
  }

  /**
   * @param {AssemblerInput} input
   * @param {import('../index.d.ts').PromptForm | null} [form]
   */
  assemble(input, form) {
    return assembleInput(ContextAssembler.#handleOf(this), input, this.#functions, readForm(form))
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
   * @param {LayoutDefinition} layout
   * @param {AssemblerOptions | null} [options]
   */
  constructor(layout, options) {
    super(layout, options, createLayoutAssembler)
  }

  /**
   * @param {string} agentType
   * @param {AssemblerOptions | null} [options]
   * @returns {LayoutAssembler}
   */
  static for(agentType, options) {
    // An object of this class, made by the constructor that takes an agent type.
    return construct(ContextAssembler, [agentType, options], LayoutAssembler)
  }
}

module.exports = {
  ClaudeContextAssembler, CodexContextAssembler, GeminiContextAssembler, LayoutAssembler, PlainTextAssembler, assembleInput,
}
