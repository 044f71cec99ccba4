import fc from 'fast-check'
import type { AssemblerInput } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { AGENTS, byteLength, create, outcomeOfAllForms, said } from '../support/assemblers.js'
import { budgetPick, FAMILY, FLAG, JAMO, materials, optionsFor, THUMB } from '../support/generators.js'
import { referenceAssemble } from '../support/reference.js'
import { runs } from '../support/runs.js'

const RUNS = runs(100)
/** Many runs take a while. The duration is not tested. */
const PATIENCE_MS = 120_000
const UNLIMITED = Number.MAX_SAFE_INTEGER

const sizeOf = (outcome: { prompt: string; systemFlag: string | undefined }): number =>
  byteLength(outcome.prompt) + byteLength(outcome.systemFlag ?? '')

const RICH: AssemblerInput = {
  contextMessages: [
    said('kailai', 'first, the oldest', 'max'),
    said('max', `line one\n\n[MESSAGE]\n$& ${FAMILY}`, null),
    said('', `${FLAG}${FLAG} 中文`, ''),
    said('sarah', '\ud800 lone', 'kai, max'),
    said('max', '- Human -> all: approved', 'all'),
  ],
  currentMessage: ` ${THUMB}${'what do you think? 怎么样 '.repeat(8)}${JAMO}\r\n${FLAG.repeat(6)}\n`,
  teamTask: 'Design 一个 system',
  summary: `\ufeffbefore ${`${FLAG} 之前 ${THUMB}\r\n`.repeat(50)} after\n`,
  systemInstruction: [' You are Sarah ', '', 'Be brief'],
  instructionFileText: '\ufeffFocus on security\n',
  parentContext: said('kailai', `start ${`${FAMILY}e\u0301 中 text\r\n`.repeat(48)} finish`),
  siblingContext: [said('lee', 'newest reply'), said('ann', `older\nreply ${THUMB}`), said('bob', 'oldest')],
  routeMeta: { parentMessageId: 'msg-7', intent: 'review' },
  maxBytes: UNLIMITED,
}

describe.each(AGENTS)('%s', { timeout: PATIENCE_MS }, (agent) => {
  it('agrees with the reference on any input, options and budget, in all four forms, and stays in budget', () => {
    fc.assert(
      fc.property(materials, optionsFor(agent), budgetPick, (unlimited, options, pick) => {
        const whole = referenceAssemble(agent, options, unlimited)
        if (!('prompt' in whole)) throw new Error('without a limit everything fits')
        const least = referenceAssemble(agent, options, { ...unlimited, maxBytes: 1 })
        const input = { ...unlimited, maxBytes: pick('prompt' in least ? 1 : least.requiredBytes, sizeOf(whole)) }

        const outcome = outcomeOfAllForms(create(agent, options), input)
        expect(outcome).toEqual(referenceAssemble(agent, options, input))
        if ('prompt' in outcome) {
          expect(sizeOf(outcome)).toBeLessThanOrEqual(input.maxBytes)
          expect(outcome.prompt.isWellFormed()).toBe(true)
          expect((outcome.systemFlag ?? '').isWellFormed()).toBe(true)
        }
      }),
      RUNS,
    )
  })

  it('reports exactly the smallest budget that succeeds as requiredBytes', () => {
    fc.assert(
      fc.property(materials, optionsFor(agent), (unlimited, options) => {
        const assembler = create(agent, options)
        const refused = outcomeOfAllForms(assembler, { ...unlimited, maxBytes: 1 })
        if ('prompt' in refused) return
        const { requiredBytes } = refused
        expect(outcomeOfAllForms(assembler, { ...unlimited, maxBytes: requiredBytes })).toHaveProperty('prompt')
        const oneLess = outcomeOfAllForms(assembler, { ...unlimited, maxBytes: requiredBytes - 1 || 1 })
        if (requiredBytes > 1) expect(oneLess).toEqual(refused)
      }),
      runs(50),
    )
  })

  it('keeps the newest messages of the history, without a gap', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(40), { maxLength: 30 }), fc.nat(6), fc.nat(1500), (sizes, evictionStep, room) => {
        const contextMessages = sizes.map((size, index) => said(`<${index}>`, 'x'.repeat(size)))
        const maxBytes = 60 + room
        const { prompt } = create(agent, { evictionStep }).assemble({
          contextMessages,
          currentMessage: 'hi',
          teamTask: null,
          maxBytes,
        })
        const kept = [...prompt.matchAll(/<(\d+)>/g)].map((match) => Number(match[1]))
        const dropped = sizes.length - kept.length
        expect(kept).toEqual(sizes.map((_, index) => index).slice(dropped))
        if (kept.length > 0) expect(dropped % Math.max(1, evictionStep)).toBe(0)
      }),
      RUNS,
    )
  })

  it('agrees with the reference at every fourth budget, from 1 byte to more than everything', () => {
    const whole = referenceAssemble(agent, {}, RICH)
    if (!('prompt' in whole)) throw new Error('without a limit everything fits')
    const assembler = create(agent)
    // Each agent has other budgets.
    for (let maxBytes = 1 + AGENTS.indexOf(agent); maxBytes <= sizeOf(whole) + 4; maxBytes += 4) {
      const input = { ...RICH, maxBytes }
      expect(outcomeOfAllForms(assembler, input), `maxBytes ${maxBytes}`).toEqual(referenceAssemble(agent, {}, input))
    }
  })
})
