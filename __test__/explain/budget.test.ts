/** What the page says of another budget is what the addon does with it. */
import fc from 'fast-check'
import {
  buildPrompt, isPromptmasonError, LayoutAssembler, type AssemblerInput, type AssemblerOptions, type AssemblerReport, type PromptInput,
} from 'promptmason'
import { describe, expect, it } from 'vitest'
import { agrees, measure, subjectOf as subjectOfAny, type Subject } from '../../js/explain/measure.js'
import { fateOf, planAt, type Sizes } from '../../js/explain/page/budget.js'
import { FAMILY, FLAG, materials, optionsWith } from '../support/generators.js'

const subjectOf = (...given: Parameters<typeof subjectOfAny>): Subject => {
  const subject = subjectOfAny(...given)
  if (subject === undefined) throw new Error('no assembler')
  return subject
}

const CONVERSATIONS = 20
const BUDGETS = 200
const AGENTS = ['claude-code', 'openai-codex', 'google-gemini', 'opencode', 'unknown']
const LAYOUT = {
  agentType: 'own', sections: [{ part: 'message', title: '# Now' }, { part: 'context', title: '# Before' }, { part: 'system' }], messageLine: { colon: ' said ' },
} as const

const reportAt = (run: (changes: object) => { report: AssemblerReport }, maxBytes: number): AssemblerReport | undefined => {
  try {
    return run({ maxBytes }).report
  } catch (error) {
    if (isPromptmasonError(error, 'ERR_BUDGET_EXCEEDED')) return undefined
    throw error
  }
}

/** What a plan from sizes says, in the words of a report. */
const told = (sizes: Sizes, chosen: number[], budget: number) => {
  const plan = planAt(sizes, budget)
  if (!plan.fits) return { unknown: plan.unknown }
  const { context } = sizes
  const isDropped = (_: number, position: number): boolean => context !== null && ['budget', 'step'].includes(fateOf(context, plan, position))
  const dropped = chosen.flatMap((index, position) => isDropped(index, position) ? [[index, fateOf(context!, plan, position)]] : [])
  return {
    unknown: null,
    totalBytes: plan.totalBytes,
    sections: plan.sections.map(({ name, prompt, flag }) => [name, prompt + flag]),
    siblings: sizes.siblings.length > 0 ? plan.siblings : undefined,
    dropped: dropped.toReversed().slice(0, 100),
  }
}

const done = (report: AssemblerReport | undefined) => report === undefined ? { unknown: null } : {
  unknown: null,
  totalBytes: report.totalBytes,
  sections: report.sections.map(({ name, bytesAfter }) => [name, bytesAfter]),
  siblings: report.sections.find(({ name }) => name === 'siblings')?.itemsAfter,
  dropped: report.dropped.map(({ index, reason }) => [index, reason]),
}

const expectAgreement = (subject: Subject): number => {
  const { sizes, chosen } = measure(subject)
  const whole = subject.run({ maxBytes: Number.MAX_SAFE_INTEGER }).report.totalBytes
  const near = [sizes.required, whole].flatMap((budget) => [-2, -1, 0, 1, 2].map((delta) => budget + delta))
  const spread = Array.from({ length: BUDGETS - near.length }, (_, at) => Math.ceil(((at + 1) / (BUDGETS - near.length)) * whole))
  let unknown = 0
  for (const budget of [...near, ...spread]) {
    if (budget < 1) continue
    const [shown, made] = [told(sizes, chosen, budget), done(reportAt(subject.run, budget))]
    if (shown.unknown === null) expect(shown, `budget ${budget} of ${whole}`).toEqual(made)
    else unknown++
  }
  expect(agrees(subject, sizes, [1, sizes.required, whole])).toBe(true)
  return unknown
}

const { seed = 1 } = fc.readConfigureGlobal()
const sample = <T>(arbitrary: fc.Arbitrary<T>): T[] => fc.sample(arbitrary, { numRuns: CONVERSATIONS, seed })

/** Longer texts than those of the other tests: what is cut has to be long. */
const pieces = fc.constantFrom('word ', '中文 ', FAMILY, FLAG, 'e\u0301', '\r\n', '[SYSTEM]\n', '\ud800', '- a -> b: c\n')
const long = fc.tuple(fc.array(pieces, { minLength: 1, maxLength: 12 }), fc.integer({ min: 20, max: 200 })).map(([texts, times]) => texts.join('').repeat(times))

const assemblerInput: fc.Arbitrary<[AssemblerInput, string, AssemblerOptions]> = fc.constantFrom(...AGENTS).chain((agent) => fc.tuple(
  fc.tuple(materials, long, long, long, fc.nat(7)).map(([input, a, b, c, which]) => Object.assign(input,
    which & 1 && { summary: a }, which & 2 && { parentContext: { from: 'p', content: b } }, which & 4 && { currentMessage: c })),
  fc.constant(agent),
  optionsWith(agent === 'claude-code'),
))

const promptInput: fc.Arbitrary<PromptInput> = fc.constantFrom(...AGENTS).chain((agentType) => fc.tuple(
  materials, optionsWith(agentType === 'claude-code'), fc.option(fc.nat(9)), fc.option(fc.constantFrom('a', 'b')), fc.option(long), fc.option(long),
  fc.option(fc.nat(3000)), fc.option(fc.constantFrom('tester', 'x'.repeat(600))), fc.nat(1),
).map(([input, options, maxContextMessages, recipient, instructionFileText, summary, systemMaxBytes, roleSummary, own]) => ({
  agentType, options, maxContextMessages, recipient, instructionFileText, summary, systemMaxBytes, roleSummary,
  systemInstructionText: input.systemInstruction, teamTask: input.teamTask, message: input.currentMessage, pinned: input.pinned,
  contextMessages: input.contextMessages.map(({ from, to, content }, index) => ({ from, content, to: ['all', 'a', 'b, c', to][(index + own) % 4] })),
})))

describe('another budget, from sizes', () => {
  it('is what an assembler does', () => {
    for (const [input, agent, options] of sample(assemblerInput)) {
      expect(expectAgreement(subjectOf(input, LayoutAssembler.for(agent, options), agent))).toBe(0)
    }
  })

  it('is what buildPrompt does', () => {
    for (const input of sample(promptInput)) expect(expectAgreement(subjectOf(input, undefined, ''))).toBe(0)
  })

  it('is what a layout of one\'s own does', () => {
    for (const input of sample(promptInput)) {
      const { agentType: _, options: __, ...rest } = input
      expect(expectAgreement(subjectOf({ ...rest, layout: LAYOUT }, undefined, ''))).toBe(0)
    }
  })

  it('is what an assembler does that escapes, except where the parent is cut', () => {
    let unknown = 0
    for (const [input, agent, options] of sample(assemblerInput)) {
      unknown += expectAgreement(subjectOf(input, LayoutAssembler.for(agent, { ...options, markers: 'escape' }), agent))
    }
    expect(unknown).toBeGreaterThan(0)
  })

  it('is what buildPrompt does with a file whose share follows the budget', () => {
    const contextMessages = Array.from({ length: 40 }, (_, index) => ({ from: 'a', content: `message ${index} `.repeat(index) }))
    const input = { agentType: 'claude', contextMessages, message: 'Go on.', maxContextMessages: 40, instructionFileText: `${FAMILY} rule ${FLAG}. `.repeat(300) }
    const subject = subjectOf(input, undefined, '')
    const { sizes, chosen } = measure(subject)
    for (let budget = 1; budget < 30_000; budget += 7) {
      expect(told(sizes, chosen, budget), `budget ${budget}`).toEqual(done(reportAt((changes) => buildPrompt({ ...input, ...changes }, { report: true }), budget)))
    }
  })
})
