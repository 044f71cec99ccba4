/**
 * Every byte that was given is sent, or is in the account. Two properties for each function:
 * on hostile text, that the account adds up to what was given; and on text in letters that occur
 * nowhere else, that what it lists as sent is in the output.
 *
 * `RUNS_FACTOR=500 npx vitest run __test__/reports/account.properties.test.ts` tries more inputs.
 */
import fc from 'fast-check'
import {
  buildPrompt,
  ContextManager,
  type AssemblerInput,
  type AssemblerReport,
  type ContextManagerOptions,
  type NewConversationMessage,
} from 'promptmason'
import { describe, expect, it } from 'vitest'
import { bytesOf, checkAccount, givenToAssembler, letterOf, sentBytes } from '../support/account.js'
import { AGENTS, create, thrownBy } from '../support/assemblers.js'
import { budgetPick, materials, optionsFor, shortText } from '../support/generators.js'
import { managerOptions, question, steps as anySteps, type GeneratedMessage } from '../support/manager-generators.js'
import { runs } from '../support/runs.js'

const RUNS = runs(200)
const PATIENCE_MS = 3_600_000

/** The result; undefined if the least does not fit. */
const ifFits = <T>(run: () => T): T | undefined => {
  try {
    return run()
  } catch (error) {
    expect(error).toHaveProperty('code', 'ERR_BUDGET_EXCEEDED')
    return undefined
  }
}

const letters = (text: number, most: number): fc.Arbitrary<string> =>
  fc.nat(most).map((length) => letterOf(text).repeat(length))
const lettered = (most: number, count: number, firstText: number) =>
  fc
    .array(fc.nat(most), { maxLength: count })
    .map((lengths) =>
      lengths.map((length, index) => ({ from: 'a', content: letterOf(firstText + index).repeat(length) })),
    )

/** An input in letters of their own, each text in its own. */
const letteredInput: fc.Arbitrary<AssemblerInput> = fc.record({
  contextMessages: lettered(40, 12, 100),
  currentMessage: letters(1, 300),
  teamTask: fc.option(letters(2, 20)),
  summary: fc.option(letters(10, 900)),
  systemInstruction: fc.oneof(letters(3, 20), fc.tuple(letters(3, 9), letters(4, 9))),
  instructionFileText: letters(5, 30),
  parentContext: fc.option(
    letters(6, 900).map((content) => ({ from: 'p', content })),
    { nil: undefined },
  ),
  siblingContext: lettered(40, 5, 200),
  routeMeta: fc.record({ parentMessageId: letters(7, 5), intent: letters(8, 5) }),
  maxBytes: fc.constant(Number.MAX_SAFE_INTEGER),
})

describe.each(AGENTS)('%s', { timeout: PATIENCE_MS }, (agent) => {
  const anyMarkers = fc.constantFrom('verbatim' as const, 'escape' as const)

  it('the account adds up to what was given, for any input, options and budget', () => {
    fc.assert(
      fc.property(materials, optionsFor(agent), anyMarkers, budgetPick, (unlimited, options, markers, pick) => {
        const assembler = create(agent, { ...options, markers })
        const whole = assembler.assemble(unlimited, { report: true })
        checkAccount(whole.report, givenToAssembler(unlimited))
        const least = thrownBy(() => {
          assembler.assemble({ ...unlimited, maxBytes: 1 })
          throw Object.assign(new Error('empty'), { requiredBytes: 1 })
        })
        const maxBytes = pick(least.requiredBytes ?? 1, whole.report.totalBytes)
        const fitting = ifFits(() => assembler.assemble({ ...unlimited, maxBytes }, { report: true }))
        if (fitting) checkAccount(fitting.report, givenToAssembler(unlimited))
      }),
      RUNS,
    )
  })

  it('what it lists as sent is in the output', () => {
    fc.assert(
      fc.property(letteredInput, optionsFor(agent), budgetPick, (unlimited, options, pick) => {
        // Headings may have letters, too.
        const assembler = create(agent, { ...options, headings: null })
        const whole = assembler.assemble(unlimited, { report: true })
        expect(whole.report.account.sentBytes).toBe(sentBytes(whole))
        const output = ifFits(() =>
          assembler.assemble({ ...unlimited, maxBytes: pick(400, whole.report.totalBytes) }, { report: true }),
        )
        if (!output) return
        checkAccount(output.report, givenToAssembler(unlimited))
        expect(output.report.account.sentBytes).toBe(sentBytes(output))
        for (const { part, index, bytes, from } of output.report.leftOut) {
          if (from === undefined || index === undefined) continue
          const list = part === 'context' ? unlimited.contextMessages : unlimited.siblingContext
          const content = list?.[index]?.content ?? ''
          expect(bytesOf(content) - bytes).toBe(content && output.prompt.includes(content) ? bytesOf(content) : 0)
        }
      }),
      RUNS,
    )
  })
})

describe('buildPrompt', { timeout: PATIENCE_MS }, () => {
  const anyAgent = fc.constantFrom('claude', 'codex', 'gemini', 'other')
  const anyLimits = fc.record({
    maxContextMessages: fc.option(fc.nat(6), { nil: undefined }),
    systemMaxBytes: fc.option(fc.integer({ min: 5000, max: 9000 }), { nil: undefined }),
    recipient: fc.option(fc.constantFrom('a', 'A ', 'b', 'nobody', 'x, y'), { nil: undefined }),
  })

  it('the account adds up to what was given, for any input, options and budget', () => {
    const role = fc.tuple(shortText, fc.constantFrom(1, 1, 40)).map(([text, times]) => text.repeat(times))
    const addressee = fc.constantFrom('a', 'b', 'a, b', 'x, y', null, ['b', 'x, y'])
    fc.assert(
      fc.property(
        materials,
        anyAgent,
        anyLimits,
        role,
        fc.array(addressee, { minLength: 8, maxLength: 8 }),
        budgetPick,
        (unlimited, agentType, limits, roleSummary, to, pick) => {
          const input = {
            agentType,
            ...limits,
            roleSummary,
            message: unlimited.currentMessage,
            teamTask: unlimited.teamTask,
            summary: unlimited.summary,
            instructionFileText: (unlimited.instructionFileText ?? '').repeat(99),
            systemInstructionText: unlimited.systemInstruction,
            contextMessages: unlimited.contextMessages.map((message, index) => ({ ...message, to: to[index] })),
            maxBytes: unlimited.maxBytes,
          }
          const given = bytesOf(
            input.message,
            input.teamTask,
            input.summary,
            input.instructionFileText,
            input.systemInstructionText,
            roleSummary,
            input.contextMessages.map(({ content }) => content),
          )
          const whole = buildPrompt(input, { report: true })
          checkAccount(whole.report, given)
          const fitting = ifFits(() =>
            buildPrompt({ ...input, maxBytes: pick(200, whole.report.totalBytes) }, { report: true }),
          )
          if (fitting) checkAccount(fitting.report, given)
        },
      ),
      RUNS,
    )
  })

  it('what it lists as sent is in the output, and what is not for the recipient is only a sum', () => {
    const anyMessages = fc.array(fc.tuple(fc.nat(40), fc.constantFrom('a', 'b', null)), { maxLength: 130 })
    fc.assert(
      fc.property(
        letteredInput,
        anyAgent,
        anyLimits,
        letters(9, 300),
        anyMessages,
        budgetPick,
        (unlimited, agentType, limits, roleSummary, addressed, pick) => {
          const contextMessages = addressed.map(([length, to], index) => ({
            from: to === 'a' ? 'secret' : 'c',
            to,
            content: letterOf(100 + index).repeat(length),
          }))
          const input = {
            agentType,
            ...limits,
            roleSummary,
            message: unlimited.currentMessage,
            teamTask: unlimited.teamTask,
            summary: unlimited.summary,
            instructionFileText: (unlimited.instructionFileText ?? '').repeat(99),
            systemInstructionText: unlimited.systemInstruction,
            contextMessages,
            maxBytes: unlimited.maxBytes,
          }
          const whole = buildPrompt(input, { report: true })
          const fitting = ifFits(() =>
            buildPrompt({ ...input, maxBytes: pick(400, whole.report.totalBytes) }, { report: true }),
          )
          for (const output of [whole, fitting ?? whole]) {
            checkAccount(
              output.report,
              bytesOf(
                input.message,
                input.teamTask,
                input.summary,
                input.instructionFileText,
                input.systemInstructionText,
                roleSummary,
                contextMessages.map(({ content }) => content),
              ),
            )
            expect(output.report.account.sentBytes).toBe(sentBytes(output))
            if (limits.recipient === 'b') {
              const hidden = contextMessages.filter(({ to }) => to === 'a')
              const entries = output.report.leftOut.filter(({ reason }) => reason === 'recipient')
              expect(entries).toEqual(
                hidden.length === 0
                  ? []
                  : [
                      {
                        part: 'context',
                        action: 'dropped',
                        reason: 'recipient',
                        bytes: bytesOf(hidden.map(({ content }) => content)),
                        count: hidden.length,
                      },
                    ],
              )
              expect(JSON.stringify(output.report)).not.toContain('secret')
            }
          }
        },
      ),
      RUNS,
    )
  })
})

describe('ContextManager', { timeout: PATIENCE_MS }, () => {
  /** Adds what was generated, and returns all that was given. */
  const fill = (manager: ContextManager, messages: readonly GeneratedMessage[]): void => {
    for (const { routing, ...message } of messages) {
      const ids = manager.getMessages().map(({ id }) => id)
      const parentMessageId =
        routing?.parent === null || routing === undefined ? undefined : (ids.at(routing.parent) ?? 'msg-3')
      manager.addMessage({ ...message, routing: { ...routing, parentMessageId } } as NewConversationMessage)
    }
  }
  const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

  it('the account adds up to what was given, for any conversation, turn and options, in every form', () => {
    fc.assert(
      fc.property(anySteps, managerOptions, question, (steps, options, { agentType, route, options: asked }) => {
        const reports: AssemblerReport[] = []
        const manager = new ContextManager({
          ...options,
          onMissingParent: 'latest',
          logger: quiet,
          onAssembled: ({ report }) => void reports.push(report),
        })
        let task: string | null = null
        for (const step of steps) {
          const last = manager.getMessages().at(-1)
          if (step.kind === 'add') fill(manager, [step.message])
          else if (step.kind === 'repeat' && last) manager.addMessage(last)
          else if (step.kind === 'task') manager.setTeamTask((task = step.task))
          else if (step.kind === 'update' && last)
            manager.updateMessage(last.id, { content: step.changes.content ?? 'new [NEXT:a]' })
          else if (step.kind === 'remove' && last) manager.removeMessage(manager.getMessages()[0]?.id ?? '')
        }
        const parentMessageId = manager.getMessages().at(route.place)?.id ?? 'gone'
        const given = bytesOf(
          manager.getMessages().map(({ content }) => content),
          task,
          asked?.systemInstruction,
          asked?.instructionFileText,
        )
        const turns = {
          [given]: [
            () => manager.assembleForAgent('x', agentType, asked, { report: true }),
            () => manager.assembleForAgent('x', agentType, asked),
            () => manager.assembleForAgent('x', agentType, asked, { as: 'buffer' }),
            () => manager.assembleForAgent('x', agentType, asked, { into: Buffer.alloc(20_000) }),
          ],
          [given + bytesOf(parentMessageId, route.intent)]: [
            () => manager.assembleForRoute('x', agentType, { ...route, parentMessageId }, asked, { report: true }),
            () => manager.assembleForRoute('x', agentType, { ...route, parentMessageId }, asked),
          ],
        }
        for (const [expected, forms] of Object.entries(turns)) {
          reports.length = 0
          if (!forms.every((form) => ifFits<unknown>(form) !== undefined)) continue
          expect(reports).toHaveLength(forms.length)
          for (const { stablePrefixBytes: _, ...report } of reports) {
            checkAccount(report, Number(expected))
            expect(report.account).toEqual(reports[0]?.account)
            expect(report.leftOut).toEqual(reports[0]?.leftOut)
          }
        }
      }),
      RUNS,
    )
  })

  it('what it lists as sent is in the output, for routes with siblings, code, markers and recipients', () => {
    const text = (index: number) =>
      fc
        .tuple(
          letters(index, 12),
          fc.constantFrom('', '', '[NEXT:a]', '[FROM:b]'),
          fc.constantFrom('', '', '```', '``````'),
          letters(index, 90),
        )
        .map(([one, marker, code, two]) => one + marker + code + two + (code.length === 3 ? code : ''))
    const message = (index: number) =>
      fc.record({
        speaker: fc.constantFrom('max', 'sarah', 'lee'),
        type: fc.constantFrom('ai' as const, 'human' as const),
        content: text(100 + index),
        to: fc.constantFrom('max', 'sarah', undefined, undefined),
        parent: index < 2 ? fc.constant(undefined) : fc.constantFrom(undefined, 'msg-1', 'msg-2', 'msg-9'),
      })
    const conversation = fc
      .nat(14)
      .chain((count) => fc.tuple(...Array.from({ length: count }, (_, index) => message(index))))
    const anyLimits: fc.Arbitrary<ContextManagerOptions> = fc.record({
      contextWindowSize: fc.nat(12),
      maxBytes: fc.constantFrom(500, 900, 1500, 100_000),
      defaultMaxSiblings: fc.nat(4),
      siblingContentMaxLength: fc.constantFrom(0, 5, 30, 200),
      evictionStep: fc.constantFrom(1, 3),
    })
    fc.assert(
      fc.property(
        conversation,
        anyLimits,
        fc.constantFrom('max', 'sarah', null),
        fc.constantFrom('codex', 'gemini', 'other'),
        letters(3, 5),
        (messages, limits, recipient, agentType, instruction) => {
          const manager = new ContextManager({ ...limits, logger: quiet })
          for (const { speaker, type, content, to, parent } of messages) {
            manager.addMessage({
              speaker: { id: speaker, name: speaker, type },
              content,
              routing: { addressees: to ? [to] : [], parentMessageId: parent },
            })
          }
          const options = { systemInstruction: instruction, recipient }
          for (const assembled of [
            ifFits(() => manager.assembleForAgent('x', agentType, options, { report: true })),
            ifFits(() =>
              manager.assembleForRoute('x', agentType, { parentMessageId: 'msg-2', targetMemberId: 'max' }, options, {
                report: true,
              }),
            ),
          ]) {
            if (!assembled) continue
            const { account, leftOut } = assembled.report
            const routing = leftOut.filter(({ part }) => part === 'routing').reduce((sum, { bytes }) => sum + bytes, 0)
            const shownRouting =
              account.givenBytes -
              bytesOf(
                instruction,
                messages.map(({ content }) => content),
              ) -
              routing
            expect(account.sentBytes - shownRouting).toBe(sentBytes(assembled))
          }
        },
      ),
      RUNS,
    )
  })
})
