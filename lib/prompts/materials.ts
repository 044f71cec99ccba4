/** The input that all functions that build prompts share. */
import { arrayOf, array, integer, optional, refined, string, strings } from '../checks/kinds.js'
import { outOfRange, wrongType } from '../checks/problems.js'
import type { PromptContextMessage } from '../messages/messages.js'
import type { Kind } from '../checks/kinds.js'

/** The common input of assemblers, `buildPrompt` and the turns of a `ContextManager`. */
export interface PromptMaterials {
  /** The conversation so far, oldest first. */
  contextMessages: readonly PromptContextMessage[]
  /** What the team works on. @default undefined */
  teamTask?: string | null | undefined
  /**
   * What was said before `contextMessages`, such as a model's summary of older messages. It is placed before them. If
   * bytes run short after all context messages have been dropped, it is shortened to no less than 1 KiB, then dropped.
   * @default undefined
   */
  summary?: string | null | undefined
  /** The text of the member's instruction file. It follows the instructions. @default undefined */
  instructionFileText?: string | null | undefined
  /**
   * The maximum tokens of `prompt` and `systemFlag` together, counted by the `tokenizer`. Both budgets
   * apply. A limit without a tokenizer is an error, except for Codex, which uses `'o200k'`.
   * @default undefined (no limit)
   */
  maxTokens?: number | null | undefined
  /**
   * Indices into `contextMessages` of messages to keep before any other, in their places. Where messages
   * are missing between two that are shown, a line says so. Pins that do not fit throw a
   * `BudgetExceededError` with a section `pinned`.
   * @default undefined
   */
  pinned?: readonly number[] | null | undefined
  /**
   * Who wrote the message to act on. Required by `showSender` and `markers: 'fence'`, otherwise unused.
   * @default undefined
   */
  messageFrom?: string | null | undefined
  /** Who the message to act on is for; an array for several. Used with `messageFrom`. @default undefined (`all`) */
  messageTo?: string | readonly string[] | null | undefined
  /**
   * The key of a fenced prompt: 12 letters and digits. Required by `markers: 'fence'`. Create a random
   * key for each member of a conversation, for example with `crypto.randomBytes(6).toString('hex')`, and
   * keep it from turn to turn: a new key invalidates prompt caches. Never use it in prompts for anybody
   * else. A `ContextManager` manages keys itself.
   * @default undefined
   */
  fenceKey?: string | null | undefined
}

/** The caller's messages, none of them read yet, and how many there are. */
export const messages: Kind<{ list: readonly unknown[]; count: number }, readonly PromptContextMessage[]> = (
  value,
  parent,
  name,
) => {
  const list = array(value, parent, name)
  const { length } = list
  // A proxy can return anything here.
  if (typeof length !== 'number') wrongType('an array', { length }, parent, name)
  return { list, count: length >>> 0 }
}

/** One text or several, for native code, which gets a copy of an array. */
export const instruction: Kind<string | string[], string | readonly string[]> = (value, parent, name) =>
  typeof value === 'string' ? value : strings(value, parent, name)

/** The texts of an instruction; each becomes a line. */
export const linesOf = (given: string | string[] | undefined): readonly string[] =>
  given === undefined ? [] : typeof given === 'string' ? [given] : given

export const indices = arrayOf(integer(0))

/** Rejects anything that is not an index into the messages. */
export const checkIndices = (given: number[] | undefined, count: number, name: string) => {
  given?.forEach((index, place) => {
    if (index >= count) outOfRange('an index of contextMessages', index, name, place)
  })
}

const nameList = arrayOf(string, 'a string or an array of strings')

/** Names in an array of addressees, without blank ones. */
export const addresseeNames: Kind<string[], readonly string[]> = refined(nameList, (names) =>
  names.filter((name) => name.trim() !== ''),
)

/** One addressee, or several as one text. */
const addresseeText: Kind<string, string | readonly string[]> = (value, parent, name) =>
  typeof value === 'string' ? value : addresseeNames(value, parent, name).join(', ')

const fenceKey: Kind<string> = (value, parent, name) => {
  const key = string(value, parent, name)
  return /^[A-Za-z0-9]{12}$/.test(key) ? key : wrongType('12 letters and digits', value, parent, name)
}

/** The fields that all inputs share. */
export const shared = { teamTask: optional(string), instructionFileText: optional(string) }

/** The same, of those that most inputs lack. */
export const sharedMore = {
  summary: optional(string),
  pinned: optional(indices),
  maxTokens: optional(integer(1)),
  messageFrom: optional(string),
  messageTo: optional(addresseeText),
  fenceKey: optional(fenceKey),
}

/**
 * Returns a function of an input, which returns it if it has any of these fields, which most inputs lack.
 * Native code reads them separately.
 */
export const moreOf = (table: object) => {
  const names = [...Object.keys(table), 'ends']
  return <Input extends object>(input: Input): Input | undefined => {
    for (const name of names) if (input[name as keyof Input] !== undefined) return input
    return undefined
  }
}

/** Six of a hundred syllables are 10^12 keys, and half as many tokens as twelve letters and digits: 4 instead of 7. */
const [CONSONANTS, VOWELS, SYLLABLES] = ['bcdfghjkmnpqrstvwxyz', 'aeiou', 6]

/** A key for fenced prompts. It is made here: native code has no source of randomness. */
export const newFenceKey = () => {
  // Loaded on first use.
  const { randomInt } = require('node:crypto') as typeof import('node:crypto')
  const oneOf = (letters: string) => letters[randomInt(letters.length)]
  return Array.from({ length: SYLLABLES }, () => `${oneOf(CONSONANTS)}${oneOf(VOWELS)}`).join('')
}
