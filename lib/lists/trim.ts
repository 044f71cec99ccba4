/**
 * Trims a list. It is read from its end, step by step; native code counts
 * and decides (`src/arrays/list.rs`). Only the roles and ids of dropped messages are read.
 */
import native = require('../../binding.js')
import { isMissing, isObject } from '../checks/kinds.js'
import { type Name, pathOf, typeProblem, wrongType } from '../checks/problems.js'
import { callNative } from '../errors.js'
import { type Links, type ListForm, Measure, objectAt } from './forms/form.js'
import { anthropic } from './forms/anthropic.js'
import { openai } from './forms/openai.js'
import { openaiChat } from './forms/openai-chat.js'
import { gemini } from './forms/gemini.js'
import { aiSdk } from './forms/ai-sdk.js'
import type { DroppedFromList, FileTokens, ListApi, TrimReport } from './trim-messages.js'
import type { CheckedTokenizer } from '../tokens/tokenizer.js'

const { isArray } = Array

const FORMS: Record<ListApi, ListForm> = { anthropic, openai, 'openai-chat': openaiChat, gemini, 'ai-sdk': aiSdk }

/** Counts nothing: a caller-supplied function has counted every text. */
const COUNTED = { bytesPerToken: 1 }

interface TrimInput {
  as: ListApi
  list: readonly unknown[]
  maxTokens: number
  tokenizer: CheckedTokenizer
  fileTokens?: FileTokens
  system?: unknown
  tools?: unknown
  report: boolean
}

interface KeptStep {
  places: number[]
  opening: number
}

type DropReason = DroppedFromList['reason']

export const trimList = (input: TrimInput) => {
  const trimming = new Trimming(input)
  trimming.countWhatStays()
  trimming.offerSteps()
  return trimming.finish()
}

class Trimming {
  #input
  #form
  #budget
  #counts
  /** The indices of instructions. */
  #staying: number[] = []
  /** The indices of all other messages. A place is an index in this list. */
  #others: number[] = []
  /** What was offered, newest first. */
  #offered: KeptStep[] = []
  /** Why a message is not kept, if not for the budget. */
  #unfit: Map<number, DropReason> = new Map()
  /** The place of the message that begins the turn whose steps are offered. */
  #opening = -1
  #isBeforeFirstTurn = false
  #links: (Links | undefined)[] = []

  constructor(input: TrimInput) {
    this.#input = input
    this.#form = FORMS[input.as]
    const { tokenizer } = input
    this.#counts = typeof tokenizer === 'function' ? tokenizer : undefined
    const counting = typeof tokenizer === 'function' ? COUNTED : tokenizer
    this.#budget = callNative(() => new native.NativeListBudget(input.as, counting, input.maxTokens))
  }

  countWhatStays() {
    const { list, system, tools } = this.#input
    if (!isMissing(system)) {
      const measure = this.#measure()
      measureSystem(system, 'options', 'system', measure)
      this.#budget.addSystem(measure.texts, measure.shape)
    }
    if (!isMissing(tools)) {
      const measure = this.#measure()
      measure.data(tools, 'options', 'tools')
      const count = isArray(tools) ? tools.length : 1
      if (count > 0) this.#budget.addTools(count, measure.texts, measure.shape)
    }
    for (let index = 0; index < list.length; index++) {
      const isSystem = this.#form.isSystem(objectAt(list[index], 'messages', index))
      ;(isSystem ? this.#staying : this.#others).push(index)
    }
    for (const index of this.#staying) {
      const measure = this.#measure([index])
      this.#budget.addStaying(measure.texts, measure.shape)
    }
  }

  offerSteps() {
    const steps = new Steps(this.#others.length, (place) => this.#linksAt(place), this.#form)
    for (const step of steps.newestFirst()) {
      const places = placesOf(step)
      const isLast = step.last === this.#others.length - 1
      if (isLast && step.orphan !== undefined) this.#refuse(step)
      if (places.includes(this.#opening)) {
        // The turn that was offered begins here.
        if (!this.#offerOpening()) return
        places.splice(places.indexOf(this.#offered.at(-1)?.opening ?? -1), 1)
        if (places.length === 0) continue
      }
      const isUnpaired = step.orphan !== undefined || (step.unanswered !== undefined && !isLast)
      if (isUnpaired) this.#leaveOut(places, 'unpaired')
      else if (step.isOpening) {
        if (!this.#openTurn(step.first) || !this.#offerOpening()) return
      } else {
        if (this.#opening === -1 && !this.#isBeforeFirstTurn) {
          const opening = steps.openingBefore(step.first)
          this.#isBeforeFirstTurn = opening === -1
          if (opening !== -1 && !this.#openTurn(opening)) return
        }
        if (this.#isBeforeFirstTurn && this.#form.startsWithUser && !isLast) {
          this.#leaveOut(places, 'before-first-turn')
          continue
        }
        const measure = this.#measure(places.map((place) => this.#indexAt(place)))
        this.#offered.push({ places, opening: this.#opening })
        if (!this.#budget.offer(measure.texts, measure.shape)) return
      }
    }
  }

  finish() {
    const { list, report } = this.#input
    const { steps, tokens } = callNative(() => this.#budget.finish())
    const kept = new Uint8Array(list.length)
    for (const index of this.#staying) kept[index] = 1
    for (const { places, opening } of this.#offered.slice(0, steps)) {
      for (const place of places) kept[this.#indexAt(place)] = 1
      if (opening !== -1) kept[this.#indexAt(opening)] = 1
    }
    const messages = list.filter((_, index) => kept[index] === 1)
    return report ? { messages, report: this.#report(kept, messages.length, tokens) } : { messages }
  }

  #report(kept: Uint8Array, keptMessages: number, totalTokens: number): TrimReport {
    const { as, list, maxTokens, tokenizer } = this.#input
    const dropped: DroppedFromList[] = []
    for (let index = 0; index < list.length; index++) {
      if (kept[index] === 0) dropped.push({ index, reason: this.#unfit.get(index) ?? 'budget' })
    }
    // The vocabularies are those of the check.
    const ours = typeof tokenizer === 'function' ? 'function' : (tokenizer.vocabulary ?? 'estimate')
    const name = ours as TrimReport['tokenizer']
    return {
      as,
      tokenizer: name,
      tokensExact: name !== 'function' && name !== 'estimate',
      maxTokens,
      totalTokens,
      givenMessages: list.length,
      keptMessages,
      dropped,
    }
  }

  #openTurn(place: number) {
    this.#opening = place
    const measure = this.#measure([this.#indexAt(place)])
    return this.#budget.openTurn(measure.texts, measure.shape)
  }

  #offerOpening() {
    const opening = this.#opening
    this.#opening = -1
    this.#offered.push({ places: [opening], opening })
    return this.#budget.offerOpening()
  }

  #leaveOut(places: number[], reason: DropReason) {
    for (const place of places) this.#unfit.set(this.#indexAt(place), reason)
  }

  #refuse({ last, orphan }: Step): never {
    throw typeProblem(
      `${pathOf('messages', this.#indexAt(last))} must stay, but the tool call of the result '${orphan}' is not in the list`,
    )
  }

  #indexAt(place: number) {
    return this.#others[place] as number
  }

  #linksAt(place: number) {
    const known = this.#links[place]
    if (known !== undefined) return known
    const index = this.#indexAt(place)
    const links = this.#form.links(objectAt(this.#input.list[index], 'messages', index), pathOf('messages', index))
    this.#links[place] = links
    return links
  }

  #measure(indices: number[] = []) {
    const measure = new Measure(this.#counts, this.#input.fileTokens)
    for (const index of indices) {
      const message = objectAt(this.#input.list[index], 'messages', index)
      measure.count('messages')
      this.#form.measure(message, pathOf('messages', index), measure)
    }
    return measure
  }
}

const placesOf = ({ first, last }: Step) => Array.from({ length: last - first + 1 }, (_, offset) => first + offset)

/** A system text as APIs take it: a string, a block with a text, a message, or an array of these. */
const measureSystem = (value: unknown, parent: string, name: Name, measure: Measure, depth = 0): void => {
  if (typeof value === 'string') return measure.part(value, parent, name)
  const path = pathOf(parent, name)
  if (!isObject(value) || depth > MAX_SYSTEM_DEPTH) {
    return wrongType('a string, a block with a text, or an array of these', value, parent, name)
  }
  if (isArray(value)) {
    for (let index = 0; index < value.length; index++) measureSystem(value[index], path, index, measure, depth + 1)
    return
  }
  const key = ['text', 'content', 'parts'].find((each) => !isMissing(value[each])) ?? 'text'
  measureSystem(value[key], path, key, measure, depth + 1)
}

/** An array of contents, which have parts, which have texts. */
const MAX_SYSTEM_DEPTH = 4

/**
 * A unit that is kept or dropped as a whole: a message of the user that begins a turn, or a message of the
 * model with the results of its tool calls.
 */
interface Step {
  /** The place of its first message, not counting instructions. */
  first: number
  last: number
  /** Whether it is the message of the user that begins a turn. */
  isOpening: boolean
  /** The id of a call without a result. */
  unanswered?: string | undefined
  /** The id of a result without a call. */
  orphan?: string | undefined
}

class Steps {
  #count
  #links
  #form
  /** Where each call is first, if somebody had to know. */
  #calls: Map<string, number> | undefined

  constructor(count: number, links: (place: number) => Links, form: ListForm) {
    this.#count = count
    this.#links = links
    this.#form = form
  }

  *newestFirst(): Generator<Step, void, void> {
    for (let last = this.#count - 1; last >= 0; ) {
      const step = this.#endingAt(last)
      yield step
      last = step.first - 1
    }
  }

  /** The place of the message that begins the turn of what comes before `place`; -1 if there is none. */
  openingBefore(place: number) {
    let at = place - 1
    while (at >= 0 && this.#links(at).kind !== 'user') at -= 1
    return at
  }

  #endingAt(last: number): Step {
    /** Results whose calls are still to be found, and how many. */
    const open: Map<string, number> = new Map()
    let unanswered: string | undefined
    for (let first = last; first >= 0; first--) {
      const { kind, calls, results, waiting } = this.#links(first)
      if (kind === 'user') {
        if (first === last) return { first, last, isOpening: true }
        if (this.#callsAreBefore(first, open)) continue
        return { first: first + 1, last, isOpening: false, unanswered, orphan: firstOf(open) }
      }
      for (const id of results) open.set(id, (open.get(id) ?? 0) + 1)
      for (const id of calls) {
        if (open.has(id)) takeOne(open, id)
        else if (waiting?.has(id) !== true) unanswered ??= id
      }
      if (kind === 'results') continue
      if (this.#form.runsTogether && first > 0 && this.#links(first - 1).kind === 'model') continue
      if (open.size > 0 && this.#callsAreBefore(first, open)) continue
      return { first, last, isOpening: false, unanswered, orphan: firstOf(open) }
    }
    return { first: 0, last, isOpening: false, unanswered, orphan: firstOf(open) }
  }

  /** Whether the calls of all these results are before a place, where the form allows that. */
  #callsAreBefore(place: number, open: Map<string, number>) {
    if (!this.#form.resultsAnywhere) return false
    if (this.#calls === undefined) {
      this.#calls = new Map()
      for (let at = place - 1; at >= 0; at--) {
        for (const id of this.#links(at).calls) this.#calls.set(id, at)
      }
    }
    for (const id of open.keys()) if ((this.#calls.get(id) ?? Infinity) >= place) return false
    return true
  }
}

const firstOf = (open: Map<string, number>) => open.keys().next().value

const takeOne = (open: Map<string, number>, id: string) => {
  const left = (open.get(id) ?? 0) - 1
  if (left > 0) open.set(id, left)
  else open.delete(id)
}
