/**
 * What a list form is, and what it counts of a message: its texts, and how many parts of each kind it has.
 * Native code counts the tokens.
 */
import { writeJson } from '../../messages/json.js'
import { isMissing, isObject, object, string } from '../../checks/kinds.js'
import { type Name, outOfRange, pathOf, typeProblem, wrongType } from '../../checks/problems.js'
import { tokenCount, type TokenFunction } from '../../tokens/tokenizer.js'
import { countWith } from '../../tokens/count-tokens.js'
import type { FileTokens } from '../trim-messages.js'

/** What ties a message to others. */
export interface Links {
  /** Whether the user begins a turn with it, the model has written it, or it has the results of tool calls. */
  kind: 'user' | 'model' | 'results'
  /** The ids of tool calls that need a result in another message. */
  calls: string[]
  /** The ids of the calls whose results it has. */
  results: string[]
  /** The calls that need no result yet. */
  waiting?: Set<string>
}

export interface ListForm {
  /** Whether the first message has to be from the user. */
  startsWithUser?: true
  /** Whether results may be anywhere after their calls. Otherwise, they follow the message with the calls. */
  resultsAnywhere?: true
  /** Whether consecutive messages of the model belong together. */
  runsTogether?: true
  /** Whether a message is an instruction, which stays. */
  isSystem: (message: Fields) => boolean
  links: (message: Fields, path: string) => Links
  measure: (message: Fields, path: string, measure: Measure) => void
}

export const noLinks = (kind: Links['kind']): Links => ({ kind, calls: [], results: [] })

const { isArray } = Array

/**
 * A sealed text, such as the reasoning that only the provider can read, is base64: four characters
 * are three bytes, and few tokens have less than three bytes.
 */
const SEALED_CHARACTERS_PER_TOKEN = 4

export type Fields = Readonly<Record<PropertyKey, unknown>>

export class Measure {
  texts: string[] = []
  shape = { messages: 0, parts: 0, calls: 0, results: 0, images: 0, tokens: 0 }
  #countTokens
  #fileTokens

  /** @param count A caller-supplied function that counts tokens, which is called here. */
  constructor(count: TokenFunction | undefined, fileTokens: FileTokens | undefined) {
    this.#countTokens = count
    this.#fileTokens = fileTokens
  }

  part(value: unknown, parent: string, name: Name) {
    this.shape.parts += 1
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
    this.shape.parts += 1
    this.data(value, parent, name)
  }

  /** @param value What only the provider can read. */
  sealed(value: unknown) {
    this.shape.parts += 1
    if (typeof value === 'string') this.shape.tokens += Math.ceil(value.length / SEALED_CHARACTERS_PER_TOKEN)
  }

  count(what: 'messages' | 'calls' | 'results') {
    this.shape[what] += 1
  }

  file(part: Fields, isImage: boolean, path: string) {
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

  #add(text: string) {
    if (text === '') return
    if (this.#countTokens === undefined) this.texts.push(text)
    else this.shape.tokens += countWith(this.#countTokens, text)
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
