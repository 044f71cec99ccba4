'use strict'
/**
 * The sizes of everything that a prompt is made of, as the addon measures them: what the page needs
 * to say what another budget would keep. Nothing is measured here. The addon is asked with other
 * inputs, and its reports have the sizes.
 */
const { randomUUID } = require('node:crypto')
const native = require('../../binding.js')
const { LayoutAssembler } = require('../assemblers.js')
const { buildPrompt } = require('../build-prompt.js')
const { isPromptmasonError } = require('../errors.js')
const { planAt } = require('./page/budget.js')

/** @typedef {import('../../index.d.ts').AssemblerInput} AssemblerInput */
/** @typedef {import('../../index.d.ts').AssemblerReport} AssemblerReport */
/** @typedef {import('../../index.d.ts').AssemblerReportOutput} AssemblerReportOutput */
/** @typedef {import('../../index.d.ts').PromptInput} PromptInput */
/** @typedef {import('../../index.d.ts').PromptContextMessage} PromptContextMessage */
/** @typedef {import('./page/budget.js').Sizes} Sizes */
/** @typedef {import('./page/budget.js').Cuttable} Cuttable */

/** Any prompt fits into this. */
const AMPLE = Number.MAX_SAFE_INTEGER
/** A report lists so many dropped messages. */
const LISTED = 100
/** Beyond these, the page does not have the sizes of replies, and not where a text can be cut. */
const MAX_SIBLINGS = 200
const MAX_RUNS = 100_000
const DEFAULT_WINDOW = 5
const MAX_MESSAGES = 50_000

/**
 * An input together with the function that it is for.
 * @typedef {{
 *   kind: 'assembler' | 'buildPrompt',
 *   messages: readonly PromptContextMessage[],
 *   run(changes: object): AssemblerReportOutput,
 *   again(maxBytes: number): AssemblerReport | undefined,
 *   bare(messages: readonly PromptContextMessage[], maxBytes: number): AssemblerReportOutput,
 *   input: AssemblerInput | PromptInput,
 * }} Subject
 */

/** A budget in tokens is not looked at here. */
const BYTES_ONLY = { maxTokens: undefined, tokenizer: undefined }

/** @template T @param {() => T} make @returns {T | undefined} */
const ifItFits = (make) => {
  try {
    return make()
  } catch (error) {
    if (isPromptmasonError(error, 'ERR_BUDGET_EXCEEDED')) return undefined
    throw error
  }
}

/** @param {string} agentType */
const knownAssembler = (agentType) => {
  try {
    return LayoutAssembler.for(agentType)
  } catch {
    return undefined
  }
}

/**
 * @param {AssemblerInput | PromptInput | import('../../index.d.ts').LayoutPromptInput} input
 * @param {import('../../index.d.ts').LayoutAssembler | undefined} assembler
 * @param {string} agentType
 * @returns {Subject | undefined} Nothing if the layout of the agent type is not known.
 */
const subjectOf = (input, assembler, agentType) => {
  const messages = input.contextMessages
  if ('currentMessage' in input) {
    const used = assembler ?? knownAssembler(agentType)
    if (used === undefined) return undefined
    // The method of ours, which refuses what is no assembler of ours.
    const assemble = (/** @type {AssemblerInput} */ given) => LayoutAssembler.prototype.assemble.call(used, given, { report: true })
    return {
      kind: 'assembler', input, messages,
      run: (changes) => assemble({ ...input, ...BYTES_ONLY, ...changes }),
      again: (maxBytes) => ifItFits(() => assemble({ ...input, maxBytes }).report),
      bare: (contextMessages, maxBytes) => assemble({ contextMessages, currentMessage: 'x', teamTask: null, maxBytes }),
    }
  }
  const given = /** @type {PromptInput} */ (input)
  const { agentType: type, layout, options } = given
  return {
    kind: 'buildPrompt', input: given, messages,
    run: (changes) => buildPrompt({ ...given, ...BYTES_ONLY, ...changes }, { report: true }),
    again: (maxBytes) => ifItFits(() => buildPrompt({ ...given, maxBytes }, { report: true }).report),
    bare: (contextMessages, maxBytes) =>
      buildPrompt({ agentType: type, layout, options, contextMessages, message: 'x', maxBytes, maxContextMessages: contextMessages.length }, { report: true }),
  }
}

/**
 * The indices of the messages that a prompt may show: those that the recipient may see, in the
 * window or pinned. The addon decides, on messages with numbers for contents.
 * @param {Subject} subject
 */
const chosenMessages = ({ kind, input, messages }) => {
  if (kind === 'assembler') return messages.map((_, index) => index)
  const { recipient, maxContextMessages } = /** @type {PromptInput} */ (input)
  const mark = randomUUID()
  /** @type {{ prompt: string }} */
  const { prompt } = buildPrompt({
    layout: { agentType: 'numbered', sections: [{ part: 'context' }, { part: 'message' }], messageLine: { colon: mark } },
    contextMessages: messages.map(({ from, to }, index) => ({ from, to, content: String(index) })),
    message: 'x',
    recipient, maxContextMessages, pinned: input.pinned,
    maxBytes: AMPLE,
  })
  const lines = prompt.split('\n').filter((line) => line.includes(mark))
  return lines.map((line) => Number(line.slice(line.lastIndexOf(mark) + mark.length)))
}

/**
 * The size of each message's line.
 * @param {Subject} subject
 * @param {readonly PromptContextMessage[]} messages
 */
const lineSizes = ({ bare }, messages) => {
  const { totalBytes } = bare([], AMPLE).report
  /** @type {number[]} */
  const sizes = []
  for (let start = 0; start < messages.length; start += LISTED) {
    // Without room for any of them, all are listed, newest first.
    const { dropped } = bare(messages.slice(start, start + LISTED), totalBytes).report
    sizes.push(...dropped.map(({ bytes }) => bytes).toReversed())
  }
  return sizes
}

/** @param {string | null | undefined} text @returns {Cuttable | null} */
const cuttable = (text) => {
  if (typeof text !== 'string' || text === '') return null
  const runs = Array.from(native.graphemeSizes(text), ({ size, count }) => /** @type {[size: number, count: number]} */ ([size, count]))
  return { bytes: Buffer.byteLength(text), runs: runs.length > MAX_RUNS ? [] : runs }
}

/** Nothing, if the page does not know where the text can be cut. */
const known = (/** @type {Cuttable | null} */ text) => text === null || text.runs.length === 0 ? null : text

/** The smallest budget that suffices. @param {Subject} subject */
const requiredBytes = ({ run }) => {
  try {
    run({ maxBytes: 1 })
    return 1
  } catch (error) {
    if (isPromptmasonError(error, 'ERR_BUDGET_EXCEEDED')) return /** @type {{ requiredBytes: number }} */ (error).requiredBytes
    throw error
  }
}

/**
 * A prompt with everything but the conversation, of which it has one message of our own.
 * @param {Subject} subject
 */
const wholeOutput = ({ kind, run }) => run({
  contextMessages: [{ from: 'a', content: 'x' }],
  pinned: undefined,
  maxBytes: AMPLE,
  ...(kind === 'assembler' ? { gapsBefore: undefined } : { recipient: undefined, maxContextMessages: 1, systemMaxBytes: AMPLE }),
})

/** @param {Subject} subject @param {AssemblerReportOutput} whole */
const systemSizes = ({ kind, input, run }, whole) => {
  if (kind === 'assembler' || !whole.report.sections.some(({ name }) => name === 'system')) return null
  const alone = { contextMessages: [], pinned: undefined, teamTask: null, summary: undefined, roleSummary: undefined, systemMaxBytes: AMPLE, maxBytes: AMPLE }
  const sizesWith = (/** @type {object} */ changes) => {
    const { sections, systemFlagBytes } = run({ ...alone, ...changes }).report
    const bytes = sections.find(({ name }) => name === 'system')?.bytesAfter ?? 0
    return { prompt: bytes - systemFlagBytes, flag: systemFlagBytes }
  }
  const probe = sizesWith({ systemInstructionText: 'x', instructionFileText: undefined })
  const { roleSummary, systemMaxBytes } = /** @type {PromptInput} */ (input)
  const without = sizesWith({ roleSummary, instructionFileText: undefined })
  const heading = Math.max(0, probe.prompt - 1)
  return {
    instruction: without.flag || Math.max(0, without.prompt - heading),
    heading,
    inPrompt: probe.prompt > 0,
    inFlag: probe.flag > 0,
    max: systemMaxBytes ?? null,
  }
}

/** The size of each sibling reply's line; none if there are too many. @param {Subject} subject */
const siblingSizes = ({ kind, input, run }) => {
  const siblings = kind === 'assembler' ? /** @type {AssemblerInput} */ (input).siblingContext ?? [] : []
  if (siblings.length > MAX_SIBLINGS) return []
  // Nothing else, however large it is.
  const alone = {
    contextMessages: [], pinned: undefined, gapsBefore: undefined, currentMessage: 'x', teamTask: null, summary: undefined, parentContext: undefined,
    systemInstruction: undefined, instructionFileText: undefined, maxBytes: AMPLE,
  }
  const sums = siblings.map((_, index) => run({ ...alone, siblingContext: siblings.slice(0, index + 1) }).report.sections
    .find(({ name }) => name === 'siblings')?.bytesAfter ?? 0)
  // The first line has no line break before it, and the heading is in its size.
  return sums.map((sum, index) => index === 0 ? 0 : sum - (sums[index - 1] ?? 0) - 1)
}

/**
 * Where the parent message can be cut; nothing if what is cut is also escaped.
 * @param {Subject} subject
 * @param {AssemblerReportOutput} whole
 */
const parentText = ({ kind, input, bare }, whole) => {
  const parent = kind === 'assembler' ? /** @type {AssemblerInput} */ (input).parentContext : undefined
  if (!parent || !whole.report.sections.some(({ name }) => name === 'parent')) return null
  // A line of this layout inside a message: the addon says whether it is escaped.
  const line = bare([{ from: 'a', content: 'x' }], AMPLE).prompt.split('\n').find((text) => text.includes('x')) ?? ''
  const { findings } = bare([{ from: 'a', content: `y\n${line}` }], AMPLE).report
  // A line break in a name is always replaced.
  const ofParent = whole.report.findings.filter(({ part }) => part === 'parent')
  const isEscaped = [...findings, ...ofParent].some(({ escaped, pretends }) => escaped && pretends !== 'lineBreak')
  return isEscaped ? null : known(cuttable(parent.content))
}

/** The eviction step, as far as so many messages can tell. @param {Subject} subject @param {number} count */
const evictionStep = ({ bare }, count) => {
  if (count < 2) return 1
  const messages = Array.from({ length: count }, () => ({ from: 'a', content: 'x' }))
  const { report } = bare(messages, bare(messages, AMPLE).report.totalBytes - 1)
  const { itemsBefore = 0, itemsAfter = 0 } = report.sections.find(({ name }) => name === 'context') ?? {}
  return Math.max(1, itemsBefore - itemsAfter)
}

/**
 * @param {Subject} subject
 * @param {number[]} chosen
 * @returns {import('./page/budget.js').ContextSizes | null}
 */
const contextSizes = (subject, chosen) => {
  const { kind, input, messages } = subject
  const one = bareContext(subject)
  if (one === undefined) return null
  const positions = new Map(chosen.map((index, position) => [index, position]))
  const pins = ascending(input.pinned).flatMap((index) => positions.get(index) ?? [])
  const limit = kind === 'assembler' ? chosen.length : /** @type {PromptInput} */ (input).maxContextMessages ?? DEFAULT_WINDOW
  const olderPins = Math.max(0, chosen.length - limit)
  const isDetached = (/** @type {number} */ position) => position > 0 && (chosen[position] ?? 0) > (chosen[position - 1] ?? 0) + 1
  const detached = kind === 'assembler'
    ? ascending(/** @type {AssemblerInput} */ (input).gapsBefore)
    : chosen.map((_, position) => position).slice(0, olderPins + 1).filter(isDetached)
  return {
    heading: one.heading,
    lines: lineSizes(subject, chosen.map((index) => /** @type {PromptContextMessage} */ (messages[index]))),
    pinned: pins,
    windowStart: olderPins,
    detached: pins.length > 0 ? detached : [],
    step: evictionStep(subject, chosen.length),
  }
}

/** Each number once. @param {readonly number[] | null | undefined} numbers */
const ascending = (numbers) => [...new Set(numbers ?? [])].toSorted((a, b) => a - b)

/** The heading of the context section; nothing if the layout has no such section. @param {Subject} subject */
const bareContext = (subject) => {
  const message = { from: 'a', content: 'x' }
  const section = subject.bare([message], AMPLE).report.sections.find(({ name }) => name === 'context')
  if (section === undefined || section.bytesAfter === 0) return undefined
  return { heading: section.bytesAfter - (lineSizes(subject, [message])[0] ?? 0) }
}

/**
 * The sizes of everything, and the messages that they belong to.
 * @param {Subject} subject
 * @returns {{ sizes: Sizes, chosen: number[], whole: AssemblerReportOutput }}
 */
const measure = (subject) => {
  const { kind, input } = subject
  const whole = wholeOutput(subject)
  const chosen = chosenMessages(subject)
  const context = contextSizes(subject, chosen)
  const flagOf = (/** @type {string} */ name) => name === 'system' ? whole.report.systemFlagBytes : 0
  const sections = whole.report.sections.map(({ name, bytesAfter }) => {
    const flag = flagOf(name)
    return { name, prompt: name === 'context' ? 0 : bytesAfter - flag, flag }
  }).filter(({ name }) => name !== 'context' || chosen.length > 0)
  const text = (/** @type {string | null | undefined} */ given) => cuttable(given?.trim())
  const sizes = {
    policy: kind,
    sections,
    context,
    siblings: siblingSizes(subject),
    system: systemSizes(subject, whole),
    required: requiredBytes(subject),
    summary: known(text(input.summary)),
    parent: parentText(subject, whole),
    message: kind === 'assembler' ? known(text(/** @type {AssemblerInput} */ (input).currentMessage)) : null,
    file: kind === 'assembler' ? null : text(input.instructionFileText),
  }
  return { sizes, chosen, whole }
}

/**
 * Whether the plan from sizes is what the addon does, at some budgets from too little to more than
 * enough.
 * @param {Subject} subject
 * @param {Sizes} sizes
 * @param {number[]} budgets
 */
const agrees = ({ run }, sizes, budgets) => budgets.every((maxBytes) => {
  const plan = planAt(sizes, maxBytes)
  if (plan.unknown !== null) return true
  const made = ifItFits(() => run({ maxBytes }).report.totalBytes)
  return made === (plan.fits ? plan.totalBytes : undefined)
})

module.exports = { AMPLE, MAX_MESSAGES, agrees, measure, subjectOf }
