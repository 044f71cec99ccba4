'use strict'
/**
 * `trimMessages`. The list is read from its end, step by step (`js/lists/steps.js`); native code
 * counts and decides (`src/arrays/list.rs`). Only the roles and ids of dropped messages are read.
 */
const native = require('../../binding.js')
const { readTrim } = require('../checks/lists.js')
const { isMissing } = require('../checks/kinds.js')
const { pathOf, typeProblem, wrongType } = require('../checks/problems.js')
const { callNative } = require('../errors.js')
const { Measure, objectAt } = require('./measure.js')
const { Steps } = require('./steps.js')

const { isArray } = Array

/** @type {Record<string, import('./forms/form.js').ListForm>} */
const FORMS = {
  anthropic: require('./forms/anthropic.js'),
  openai: require('./forms/openai.js'),
  'openai-chat': require('./forms/openai-chat.js'),
  gemini: require('./forms/gemini.js'),
  'ai-sdk': require('./forms/ai-sdk.js'),
}

/** Counts nothing: a caller-supplied function has counted every text. */
const COUNTED = { bytesPerToken: 1 }

/** @typedef {ReturnType<typeof readTrim>} TrimInput */
/** @typedef {{ places: number[], opening: number }} KeptStep Its messages, and what begins its turn. */
/** @typedef {'budget' | 'unpaired' | 'before-first-turn'} DropReason */

/** @param {unknown} messages @param {unknown} options */
const trimMessages = (messages, options) => trimList(readTrim(messages, options))

/** @param {TrimInput} input */
const trimList = (input) => {
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
  /** @type {number[]} The indices of instructions. */
  #staying = []
  /** @type {number[]} The indices of all other messages. A place is an index in this list. */
  #others = []
  /** @type {KeptStep[]} What was offered, newest first. */
  #offered = []
  /** @type {Map<number, DropReason>} Why a message is not kept, if not for the budget. */
  #unfit = new Map()
  /** The place of the message that begins the turn whose steps are offered. */
  #opening = -1
  #isBeforeFirstTurn = false
  /** @type {(import('./forms/form.js').Links | undefined)[]} */
  #links = []

  /** @param {TrimInput} input */
  constructor(input) {
    this.#input = input
    this.#form = /** @type {import('./forms/form.js').ListForm} */ (FORMS[input.as])
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

  /** @param {Uint8Array} kept @param {number} keptMessages @param {number} totalTokens */
  #report(kept, keptMessages, totalTokens) {
    const { as, list, maxTokens, tokenizer } = this.#input
    /** @type {{ index: number, reason: DropReason }[]} */
    const dropped = []
    for (let index = 0; index < list.length; index++) {
      if (kept[index] === 0) dropped.push({ index, reason: this.#unfit.get(index) ?? 'budget' })
    }
    const name = typeof tokenizer === 'function' ? 'function' : (tokenizer.vocabulary ?? 'estimate')
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

  /** @param {number} place */
  #openTurn(place) {
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

  /** @param {number[]} places @param {DropReason} reason */
  #leaveOut(places, reason) {
    for (const place of places) this.#unfit.set(this.#indexAt(place), reason)
  }

  /** @param {import('./steps.js').Step} step @returns {never} */
  #refuse({ last, orphan }) {
    throw typeProblem(
      `${pathOf('messages', this.#indexAt(last))} must stay, but the tool call of the result '${orphan}' is not in the list`,
    )
  }

  /** @param {number} place */
  #indexAt(place) {
    return /** @type {number} */ (this.#others[place])
  }

  /** @param {number} place */
  #linksAt(place) {
    const known = this.#links[place]
    if (known !== undefined) return known
    const index = this.#indexAt(place)
    const links = this.#form.links(objectAt(this.#input.list[index], 'messages', index), pathOf('messages', index))
    this.#links[place] = links
    return links
  }

  /** What is counted of messages. @param {number[]} [indices] */
  #measure(indices = []) {
    const measure = new Measure(this.#counts, this.#input.fileTokens)
    for (const index of indices) {
      const message = objectAt(this.#input.list[index], 'messages', index)
      this.#form.measure(message, pathOf('messages', index), measure)
    }
    return measure
  }
}

/** @param {import('./steps.js').Step} step */
const placesOf = ({ first, last }) => Array.from({ length: last - first + 1 }, (_, offset) => first + offset)

/**
 * A system text as APIs take it: a string, a block with a text, a message, or an array of these.
 * @param {any} value
 * @param {string} parent
 * @param {import('../checks/problems.js').Name} name
 * @param {InstanceType<typeof Measure>} measure
 * @param {number} [depth]
 */
const measureSystem = (value, parent, name, measure, depth = 0) => {
  if (typeof value === 'string') return measure.part(value, parent, name)
  const path = pathOf(parent, name)
  if (typeof value !== 'object' || value === null || depth > MAX_SYSTEM_DEPTH) {
    return wrongType('a string, a block with a text, or an array of these', value, parent, name)
  }
  if (isArray(value)) {
    for (let index = 0; index < value.length; index++) measureSystem(value[index], path, index, measure, depth + 1)
    return undefined
  }
  const key = ['text', 'content', 'parts'].find((each) => !isMissing(value[each])) ?? 'text'
  return measureSystem(value[key], path, key, measure, depth + 1)
}

/** An array of contents, which have parts, which have texts. */
const MAX_SYSTEM_DEPTH = 4

module.exports = { trimList, trimMessages }
