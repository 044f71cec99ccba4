'use strict'
/**
 * What is counted of a message: its texts, and how many parts of each kind it has. The forms in
 * `js/lists/forms/` write it, native code counts it.
 */
const { writeJson } = require('../checks/json.js')
const { isMissing } = require('../checks/kinds.js')
const { outOfRange, pathOf, typeProblem, wrongType } = require('../checks/problems.js')
const { tokenCount } = require('../checks/tokens.js')
const { countWith } = require('../tokens.js')

const { isArray } = Array

/**
 * A sealed text, such as the reasoning that only the provider can read, is base64: four characters
 * are three bytes, and few tokens have less than three bytes.
 */
const SEALED_CHARACTERS_PER_TOKEN = 4

/** @typedef {import('../checks/problems.js').Name} Name */
/** @typedef {number | ((part: any) => number) | undefined} FileTokens */

class Measure {
  /** @type {string[]} */
  texts = []
  shape = { messages: 0, parts: 0, calls: 0, results: 0, images: 0, tokens: 0 }
  /** @type {((text: string) => number) | undefined} */
  #tokenizer
  /** @type {FileTokens} */
  #fileTokens

  /**
   * @param {((text: string) => number) | undefined} tokenizer A caller-supplied function, which is called here.
   * @param {FileTokens} fileTokens
   */
  constructor(tokenizer, fileTokens) {
    this.#tokenizer = tokenizer
    this.#fileTokens = fileTokens
  }

  message() {
    this.shape.messages += 1
  }

  /** A part that is a text. @param {unknown} value @param {string} parent @param {Name} name */
  part(value, parent, name) {
    this.shape.parts += 1
    this.text(value, parent, name)
  }

  /** @param {unknown} value @param {string} parent @param {Name} name */
  text(value, parent, name) {
    if (typeof value !== 'string') wrongType('a string', value, parent, name)
    this.#add(/** @type {string} */ (value))
  }

  /** A text that may be missing. @param {unknown} value @param {string} parent @param {Name} name */
  optionalText(value, parent, name) {
    if (!isMissing(value)) this.text(value, parent, name)
  }

  /** Data, as the text that is sent. @param {unknown} value @param {string} parent @param {Name} name */
  data(value, parent, name) {
    this.#add(typeof value === 'string' ? value : (writeJson(value, parent, name) ?? ''))
  }

  /** A part that is not known here. @param {unknown} value @param {string} parent @param {Name} name */
  unknownPart(value, parent, name) {
    this.shape.parts += 1
    this.data(value, parent, name)
  }

  /** @param {unknown} value What only the provider can read. */
  sealed(value) {
    this.shape.parts += 1
    if (typeof value === 'string') this.shape.tokens += Math.ceil(value.length / SEALED_CHARACTERS_PER_TOKEN)
  }

  call() {
    this.shape.calls += 1
  }

  result() {
    this.shape.results += 1
  }

  /**
   * A file, which is not text.
   * @param {any} part
   * @param {boolean} isImage
   * @param {string} path
   */
  file(part, isImage, path) {
    this.shape.parts += 1
    if (this.#fileTokens !== undefined) {
      const tokens = typeof this.#fileTokens === 'function' ? this.#fileTokens(part) : this.#fileTokens
      this.shape.tokens += tokenCount(tokens, '', 'the result of fileTokens')
    } else if (isImage) this.shape.images += 1
    else {
      throw typeProblem(
        `the tokens of the file in ${path} cannot be known: pass fileTokens, a number or a function of the part`,
      )
    }
    if (!Number.isSafeInteger(this.shape.tokens)) {
      outOfRange('a number of tokens', this.shape.tokens, '', 'the sum of fileTokens')
    }
  }

  /** @param {string} text */
  #add(text) {
    if (text === '') return
    if (this.#tokenizer === undefined) this.texts.push(text)
    else this.shape.tokens += countWith(this.#tokenizer, text)
  }
}

/**
 * An object in a list.
 * @param {unknown} value
 * @param {string} parent
 * @param {Name} name
 * @returns {any}
 */
const objectAt = (value, parent, name) => {
  if (typeof value !== 'object' || value === null || isArray(value)) wrongType('an object', value, parent, name)
  return value
}

/**
 * Calls a function for each part of a content, with its path.
 * @param {any} parts
 * @param {string} parent
 * @param {Name} name
 * @param {(part: any, path: string) => void} visit
 */
const eachPart = (parts, parent, name, visit) => {
  if (!isArray(parts)) wrongType('a string or an array of parts', parts, parent, name)
  const path = pathOf(parent, name)
  for (let index = 0; index < parts.length; index++) {
    visit(objectAt(parts[index], path, index), pathOf(path, index))
  }
}

module.exports = { Measure, eachPart, objectAt }
