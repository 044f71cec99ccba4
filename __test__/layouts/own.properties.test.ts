/** Random layouts against the plain reference, and the ways to use one against each other. */
import fc from 'fast-check'
import { ContextManager, LayoutAssembler, buildPrompt, isPromptmasonError } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { checkAccount, givenToAssembler } from '../support/account.js'
import { byteLength, inputOf, outcomeOfAllForms, said, thrownBy } from '../support/assemblers.js'
import { budgetPick, materials, optionsWith, shortText } from '../support/generators.js'
import { layout } from '../support/layout-generators.js'
import { referenceOfLayout } from '../support/reference.js'
import { runs } from '../support/runs.js'

const PATIENCE_MS = 120_000
const withOptions = layout.chain((given) => fc.tuple(fc.constant(given), optionsWith(given.systemPlacement === 'flag')))
const sizeOf = ({ prompt, systemFlag }: { prompt: string; systemFlag?: string | undefined }): number =>
  byteLength(prompt) + byteLength(systemFlag ?? '')

describe('random layouts', { timeout: PATIENCE_MS }, () => {
  it('agree with the reference on any input, options and budget, in all four forms, and stay in budget', () => {
    fc.assert(
      fc.property(withOptions, materials, budgetPick, ([definition, options], unlimited, pick) => {
        const whole = referenceOfLayout(definition, options, unlimited)
        if (!('prompt' in whole)) throw new Error('without a limit everything fits')
        const least = referenceOfLayout(definition, options, { ...unlimited, maxBytes: 1 })
        const input = { ...unlimited, maxBytes: pick('prompt' in least ? 1 : least.requiredBytes, sizeOf(whole)) }
        const outcome = outcomeOfAllForms(new LayoutAssembler(definition, options), input)
        expect(outcome).toEqual(referenceOfLayout(definition, options, input))
        if ('prompt' in outcome)
          checkAccount(
            new LayoutAssembler(definition, options).assemble(input, { report: true }).report,
            givenToAssembler(input),
          )
        if ('prompt' in outcome) {
          expect(sizeOf(outcome)).toBeLessThanOrEqual(input.maxBytes)
          expect(outcome.prompt.isWellFormed()).toBe(true)
        }
      }),
      runs(800),
    )
  })

  it('report exactly the smallest budget that succeeds as requiredBytes', () => {
    fc.assert(
      fc.property(withOptions, materials, ([definition, options], unlimited) => {
        const assembler = new LayoutAssembler(definition, options)
        const refused = outcomeOfAllForms(assembler, { ...unlimited, maxBytes: 1 })
        if ('prompt' in refused) return
        expect(outcomeOfAllForms(assembler, { ...unlimited, maxBytes: refused.requiredBytes })).toHaveProperty('prompt')
        if (refused.requiredBytes > 1) {
          expect(outcomeOfAllForms(assembler, { ...unlimited, maxBytes: refused.requiredBytes - 1 })).toEqual(refused)
        }
      }),
      runs(300),
    )
  })

  it('show every listed part that has a text, in the order of the layout, and nothing else', () => {
    const texts = {
      system: '<system>',
      teamTask: '<teamTask>',
      summary: '<summary>',
      context: '<context>',
      parent: '<parent>',
      siblings: '<siblings>',
      message: '<message>',
      routing: '<routing>',
    }
    const input = inputOf({
      systemInstruction: texts.system,
      teamTask: texts.teamTask,
      summary: texts.summary,
      contextMessages: [said('a', texts.context)],
      parentContext: said('a', texts.parent),
      siblingContext: [said('a', texts.siblings)],
      currentMessage: texts.message,
      routeMeta: { intent: texts.routing },
    })
    fc.assert(
      fc.property(layout, (definition) => {
        const { prompt, systemFlag, report } = new LayoutAssembler(definition).assemble(input, { report: true })
        const inFlag = definition.systemPlacement === 'flag'
        const listed = definition.sections.map(({ part }) => part)
        expect([...prompt.matchAll(/<(\w+)>/g)].map(([, part]) => part)).toEqual(
          listed.filter((part) => !(inFlag && part === 'system')),
        )
        expect(systemFlag).toBe(inFlag ? texts.system : undefined)
        expect(report.sections.map(({ name, action }) => [name, action])).toEqual(listed.map((part) => [part, 'kept']))
        expect(report.agentType).toBe('my-agent')
      }),
      runs(300),
    )
  })

  it('give the same prompts with buildPrompt and a ContextManager', () => {
    const messages = fc.array(fc.record({ from: shortText, content: shortText }), { minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(withOptions, messages, shortText, ([definition, chosen], given, systemInstruction) => {
        // A manager counts the step from the beginning of the conversation.
        const options = { ...chosen, evictionStep: 1 }
        const manager = new ContextManager({ layouts: [definition], assemblers: { 'my-agent': options } })
        for (const { from, content } of given)
          manager.addMessage({ speaker: { id: `x${from}`, type: 'human' }, content })
        const context = manager.getContextForAgent('a', 'My-Agent', { systemInstruction })
        const expected = new LayoutAssembler(definition, options).assemble(context)
        expect(manager.assembleForAgent('a', 'MY-AGENT ', { systemInstruction })).toEqual(expected)
        expect(manager.assemblePrompt('my-agent', context)).toEqual(expected)
        expect(
          buildPrompt({
            layout: definition,
            options,
            contextMessages: context.contextMessages,
            message: context.currentMessage,
            systemInstructionText: systemInstruction,
          }),
        ).toEqual(expected)
      }),
      runs(300),
    )
  })

  it('keep buildPrompt within budget with an uncut message, or it throws with the required budget', () => {
    const input = {
      contextMessages: [said('a', 'b'.repeat(50)), said('c', '中'.repeat(9))],
      message: 'the message',
      instructionFileText: 'line of a file\n'.repeat(300),
      summary: 'what was said 中 '.repeat(100),
    }
    fc.assert(
      fc.property(withOptions, fc.integer({ min: 1, max: 6000 }), ([definition, options], maxBytes) => {
        const listed = definition.sections.map(({ part }) => part)
        const build = (budget: number): void => {
          const output = buildPrompt({ ...input, layout: definition, options, maxBytes: budget }, { report: true })
          expect(sizeOf(output)).toBeLessThanOrEqual(budget)
          expect(output.prompt.includes(input.message)).toBe(listed.includes('message'))
          const shown = output.report.sections.map(({ name }) => name)
          expect(shown).toEqual(listed.filter((part) => shown.includes(part)))
        }
        try {
          build(maxBytes)
        } catch (error) {
          if (!isPromptmasonError(error, 'ERR_BUDGET_EXCEEDED')) throw error
          build(error.requiredBytes)
          expect(thrownBy(() => build(error.requiredBytes - 1)).code).toBe('ERR_BUDGET_EXCEEDED')
        }
      }),
      runs(150),
    )
  })
})
