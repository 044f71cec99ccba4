/**
 * What a list form is, and what is read of a message: whose it is, the ids of its calls and results, its texts,
 * and the tokens of everything else in it. Native code counts the tokens of texts.
 */
import { writeJson } from '../../messages/json.js'
import { isMissing, isObject, object, string } from '../../checks/kinds.js'
import { type Name, outOfRange, pathOf, typeProblem, wrongType } from '../../checks/problems.js'
import { tokenCount, type TokenFunction } from '../../tokens/tokenizer.js'
import { countWith } from '../../tokens/token-functions.js'
import type { ListCosts } from '../../../binding.js'
import type { FileTokens } from '../trim-messages.js'

/** Whose a message is, as native code numbers it. */
export const [USER, MODEL, TOOLS] = [0, 1, 2]

export interface ListForm {
  /** Whether a message is an instruction, which stays. */
  isInstruction: (message: Fields) => boolean
  /** Adds the calls that need a result in another message, and the results. Returns whose the message is. */
  links: (message: Fields, links: Links) => number
  measure: (message: Fields, path: string, measure: Measure) => void
}

/** What ties messages to each other, as numbers. Equal ids have the same number, from 1. */
export class Links {
  readonly ids: string[] = []
  #numbers: Map<string, number> = new Map()
  #all: number[] = []
  #calls: number[] = []
  #results: number[] = []

  call(id: unknown, mayWait = false) {
    this.#calls.push(mayWait ? -this.#numberOf(id) : this.#numberOf(id))
  }

  result(id: unknown) {
    this.#results.push(this.#numberOf(id))
  }

  get hasResults() {
    return this.#results.length > 0
  }

  /** Ends a message. */
  end(index: number, speaker: number) {
    this.#all.push(index, speaker, this.#calls.length, this.#results.length)
    for (const call of this.#calls) this.#all.push(call)
    for (const result of this.#results) this.#all.push(result)
    this.#calls.length = 0
    this.#results.length = 0
  }

  /** All of them. Later ones are separate. */
  take() {
    const taken = Float64Array.from(this.#all)
    this.#all.length = 0
    return taken
  }

  #numberOf(given: unknown) {
    const id = String(given)
    const known = this.#numbers.get(id)
    if (known !== undefined) return known
    const number = this.ids.push(id)
    this.#numbers.set(id, number)
    return number
  }
}

const { isArray } = Array

/**
 * A sealed text, such as the reasoning that only the provider can read, is base64: four characters
 * are three bytes, and few tokens have less than three bytes.
 */
const SEALED_CHARACTERS_PER_TOKEN = 4

export type Fields = Readonly<Record<PropertyKey, unknown>>

export class Measure {
  texts: string[] = []
  /** The length of all texts. */
  units = 0
  /** The tokens of everything but the texts. */
  tokens = 0
  readonly costs
  #countTokens
  #fileTokens

  /** @param count A caller-supplied function that counts tokens, which is called here. */
  constructor(costs: ListCosts, count: TokenFunction | undefined, fileTokens: FileTokens | undefined) {
    this.costs = costs
    this.#countTokens = count
    this.#fileTokens = fileTokens
  }

  part(value: unknown, parent: string, name: Name) {
    this.tokens += this.costs.part
    this.text(value, parent, name)
  }

  text(value: unknown, parent: string, name: Name) {
    this.#add(string(value, parent, name))
  }

  /** A text, or an array of parts. */
  content(value: unknown, parent: string, name: Name, visit: PartKind) {
    if (typeof value === 'string') this.part(value, parent, name)
    else eachPart(value, parent, name, (part, path) => visit(part, path, this))
  }

  optionalText(value: unknown, parent: string, name: Name) {
    if (!isMissing(value)) this.text(value, parent, name)
  }

  /** Data, as the text that is sent. */
  data(value: unknown, parent: string, name: Name) {
    this.#add(typeof value === 'string' ? value : (writeJson(value, parent, name) ?? ''))
  }

  unknownPart(value: unknown, parent: string, name: Name) {
    this.tokens += this.costs.part
    this.data(value, parent, name)
  }

  /** @param value What only the provider can read. */
  sealed(value: unknown) {
    this.tokens += this.costs.part
    if (typeof value === 'string') this.tokens += Math.ceil(value.length / SEALED_CHARACTERS_PER_TOKEN)
  }

  count(what: 'message' | 'call' | 'result') {
    this.tokens += this.costs[what]
  }

  file(part: Fields, isImage: boolean, path: string) {
    this.tokens += this.costs.part
    if (this.#fileTokens !== undefined) {
      const tokens = typeof this.#fileTokens === 'function' ? this.#fileTokens(part) : this.#fileTokens
      this.tokens += tokenCount(tokens, '', 'the result of fileTokens')
    } else if (isImage) this.tokens += this.costs.image
    else {
      throw typeProblem(
        `the tokens of the file in ${path} cannot be known: pass fileTokens, a number or a function of the part`,
      )
    }
    if (!Number.isSafeInteger(this.tokens)) {
      outOfRange('a number of tokens', this.tokens, '', 'the sum of fileTokens')
    }
  }

  #add(text: string) {
    if (text === '') return
    if (this.#countTokens !== undefined) {
      this.tokens += countWith(this.#countTokens, text)
      return
    }
    const { mostUnits } = this.costs
    this.texts.push(text.length > mostUnits ? text.slice(0, mostUnits) : text)
    this.units += text.length
  }
}

export const objectAt = (value: unknown, parent: string, name: Name): Fields =>
  isArray(value) ? wrongType('an object', value, parent, name) : object(value, parent, name)

/** The fields of what should be an object. Anything else has none. */
export const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : NOTHING)

const NOTHING: Fields = Object.freeze({ __proto__: null })

export const eachPart = (value: unknown, parent: string, name: Name, visit: (part: Fields, path: string) => void) => {
  const parts: readonly unknown[] = isArray(value)
    ? value
    : wrongType('a string or an array of parts', value, parent, name)
  const path = pathOf(parent, name)
  for (let index = 0; index < parts.length; index++) {
    visit(objectAt(parts[index], path, index), pathOf(path, index))
  }
}

/** Visits parts until one is not an object, which is an error once the message is measured. */
export const eachLinked = (value: unknown, visit: (part: Fields) => void) => {
  if (!isArray(value)) return
  for (let index = 0; index < value.length; index++) {
    const part: unknown = value[index]
    if (!isObject(part)) return
    visit(part)
  }
}

export type PartKind = (part: Fields, path: string, measure: Measure) => void

/** A part with a text in one of its fields. */
export const textIn =
  (field: string): PartKind =>
  (part, path, measure) =>
    measure.part(part[field], path, field)

export const image: PartKind = (part, path, measure) => measure.file(part, true, path)

export const file: PartKind = (part, path, measure) => measure.file(part, false, path)

const unknownKind: PartKind = (part, path, measure) => measure.unknownPart(part, path, 'type')

export const partsOf = (kinds: Readonly<Record<string, PartKind>>, other = unknownKind): PartKind => {
  const known: ReadonlyMap<unknown, PartKind> = new Map(Object.entries(kinds))
  return (part, path, measure) => (known.get(part.type) ?? other)(part, path, measure)
}
