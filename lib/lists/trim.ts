/**
 * Trims a list. Native code decides (`src/arrays/list.rs`): it learns whose the newest messages are and which calls
 * and results belong together, and says in which order it needs their texts. Only the roles of dropped messages are
 * read, and the ids of some.
 */
import native = require('../../binding.js')
import { isMissing, isObject } from '../checks/kinds.js'
import { type Name, pathOf, typeProblem, wrongType } from '../checks/problems.js'
import { callNative } from '../errors.js'
import { Links, type ListForm, Measure, objectAt, USER } from './forms/form.js'
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

/** Few texts have more tokens. Messages are passed until there is no room, by this. */
const UNITS_PER_TOKEN = 3

/** So many messages are planned first, and then twice as many each time. */
const FIRST_PLANNED = 32

/** Why a message is not kept, by its fate; a kept one has the fate 0. */
const REASONS: readonly DroppedFromList['reason'][] = ['budget', 'budget', 'unpaired', 'before-first-turn']

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

export const trimList = (input: TrimInput) => {
  const { as, list, maxTokens, tokenizer, fileTokens, system, tools } = input
  const form = FORMS[as]
  const count = typeof tokenizer === 'function' ? tokenizer : undefined
  const counting = typeof tokenizer === 'function' ? COUNTED : tokenizer
  const costs = native.listCosts(as, counting, maxTokens)
  const measure = () => new Measure(costs, count, fileTokens)
  const [instructions, definitions] = [measure(), measure()]
  if (!isMissing(system)) {
    instructions.tokens += costs.system
    measureSystem(system, 'options', 'system', instructions)
  }
  if (!isMissing(tools)) measureTools(tools, definitions)
  const [staying, others]: [number[], number[]] = [[], []]
  for (let index = 0; index < list.length; index++) {
    const isInstruction = form.isInstruction(objectAt(list[index], 'messages', index))
    ;(isInstruction ? staying : others).push(index)
  }
  for (const index of staying) measureMessage(form, list, index, instructions)
  const trimmed = callNative(
    () => new native.NativeList(as, counting, maxTokens, sizeOf(instructions), sizeOf(definitions)),
  )
  const { fates, tokens } = new Trimming(trimmed, form, list, others, staying.length + others.length, measure).run()
  for (const index of staying) fates[index] = 0
  const messages = list.filter((_, index) => fates[index] === 0)
  return input.report ? { messages, report: reportOf(input, fates, messages.length, tokens) } : { messages }
}

const sizeOf = ({ texts, tokens }: Measure): [string[], number] => [texts, tokens]

const measureMessage = (form: ListForm, list: readonly unknown[], index: number, measure: Measure) => {
  const message = objectAt(list[index], 'messages', index)
  measure.count('message')
  form.measure(message, pathOf('messages', index), measure)
}

const measureTools = (tools: unknown, measure: Measure) => {
  const count = isArray(tools) ? tools.length : 1
  if (count === 0) return
  measure.tokens += measure.costs.tools + count * measure.costs.tool
  measure.data(tools, 'options', 'tools')
}

class Trimming {
  #native
  #form
  #list
  /** The indices of all messages but instructions. A place is an index in this list. */
  #others
  /** The number of all messages, even if a getter changes the list. */
  #count
  #measure
  #links = new Links()
  /** What is before this place is not planned. */
  #start
  #most = FIRST_PLANNED

  constructor(
    trimmed: native.NativeList,
    form: ListForm,
    list: readonly unknown[],
    others: number[],
    count: number,
    measure: () => Measure,
  ) {
    this.#count = count
    this.#native = trimmed
    this.#form = form
    this.#list = list
    this.#others = others
    this.#measure = measure
    this.#start = others.length
  }

  run() {
    for (;;) {
      const order = this.#plan()
      let next = 0
      do {
        const batch = this.#batch(order, next)
        next += batch.sizes.length / 2
        const kept = callNative(() => this.#native.pass(batch.texts, batch.sizes, this.#count))
        if (kept !== null) return kept
      } while (next < order.length)
    }
  }

  /** Passes what ties some more turns together. Returns in which order their messages are needed. */
  #plan(): Uint32Array {
    const end = Math.max(0, this.#start - this.#most)
    let speaker
    while (this.#start > end || (this.#start > 0 && speaker !== USER)) {
      this.#start -= 1
      const index = this.#others[this.#start] as number
      speaker = this.#form.links(objectAt(this.#list[index], 'messages', index), this.#links)
      this.#links.end(index, speaker)
    }
    this.#most *= 2
    const { order, orphan } = callNative(() => this.#native.plan(this.#links.take(), this.#start === 0))
    if (orphan !== undefined) this.#refuse(orphan)
    return order ?? this.#plan()
  }

  /** As many messages as there is room for. */
  #batch(order: Uint32Array, start: number) {
    const measure = this.#measure()
    const { texts } = measure
    const sizes: number[] = []
    let { room } = this.#native
    for (let next = start; next < order.length && (room > 0 || next === start); next++) {
      const [count, { units }] = [texts.length, measure]
      measure.tokens = 0
      try {
        measureMessage(this.#form, this.#list, order[next] as number, measure)
      } catch (error) {
        if (next === start) throw error
        // Perhaps it is not needed.
        texts.length = count
        break
      }
      sizes.push(texts.length - count, measure.tokens)
      room -= measure.tokens + (measure.units - units) / UNITS_PER_TOKEN
    }
    return { texts, sizes: Float64Array.from(sizes) }
  }

  #refuse([index, id]: number[]): never {
    const path = pathOf('messages', index as number)
    const call = this.#links.ids[(id as number) - 1]
    throw typeProblem(`${path} must stay, but the tool call of the result '${call}' is not in the list`)
  }
}

const reportOf = (
  { as, list, maxTokens, tokenizer }: TrimInput,
  fates: Uint32Array,
  keptMessages: number,
  totalTokens: number,
): TrimReport => {
  const dropped: DroppedFromList[] = []
  for (const [index, fate] of fates.entries()) {
    if (fate !== 0) dropped.push({ index, reason: REASONS[fate] ?? 'budget' })
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
