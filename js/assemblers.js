'use strict'
/** The assembler classes. They differ in nothing but the layout. */
const { agentTypeOfAssembler, assemble, createAssembler, createLayoutAssembler } = require('../binding.js')
const { errorOf, wrongReceiver } = require('./errors.js')
const { passAssemblerInput } = require('./fields.js')
const { assemblerHandle } = require('./handles.js')
const { FORMS, allocate, bufferOutput, intoOutput, reportOutput, textOutput } = require('./output.js')

/** @typedef {import('../index.d.ts').AssemblerInput} AssemblerInput */
/** @typedef {import('../index.d.ts').AssemblerOptions} AssemblerOptions */
/** @typedef {import('../index.d.ts').LayoutDefinition} LayoutDefinition */

const { construct } = Reflect

/**
 * The prompt as a string.
 * @param {number} handle
 * @param {AssemblerInput} input
 * @param {unknown[]} functions Tokenizers that are functions.
 * @param {number} [flags] Added to the form.
 */
const assembleText = (handle, input, functions, flags = 0) => {
  /** @type {string[]} */
  const contents = []
  try {
    return textOutput(passAssemblerInput(assemble, handle, FORMS.text + flags, input, undefined, undefined, contents, functions), contents)
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

  /** @param {AssemblerInput} input */
  assemble(input) {
    return assembleText(ContextAssembler.#handleOf(this), input, this.#functions)
  }

  /** @param {AssemblerInput} input */
  assembleWithReport(input) {
    const handle = ContextAssembler.#handleOf(this)
    try {
      return reportOutput(passAssemblerInput(assemble, handle, FORMS.report, input, undefined, undefined, undefined, this.#functions))
    } catch (thrown) {
      throw errorOf(thrown)
    }
  }

  /** @param {AssemblerInput} input */
  assembleToBuffer(input) {
    const handle = ContextAssembler.#handleOf(this)
    try {
      return bufferOutput(passAssemblerInput(assemble, handle, FORMS.buffer, input, allocate, undefined, undefined, this.#functions))
    } catch (thrown) {
      throw errorOf(thrown)
    }
  }

  /**
   * @param {AssemblerInput} input
   * @param {Uint8Array} buffer
   * @param {number} [offset]
   */
  assembleInto(input, buffer, offset) {
    const handle = ContextAssembler.#handleOf(this)
    try {
      return intoOutput(passAssemblerInput(assemble, handle, FORMS.into, input, buffer, offset ?? 0, undefined, this.#functions))
    } catch (thrown) {
      throw errorOf(thrown)
    }
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
  ClaudeContextAssembler, CodexContextAssembler, GeminiContextAssembler, LayoutAssembler, PlainTextAssembler, assembleText,
}
