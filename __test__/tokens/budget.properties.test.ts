/**
 * No prompt has more tokens than its budget, by the count of the whole text; a report says how many
 * it has; and the error of a budget that is too small says which one suffices.
 *
 * `RUNS_FACTOR=100 npx vitest run __test__/tokens/budget.properties.test.ts` tries more inputs. With
 * `TOKEN_PROMPTS=file`, every prompt is written there, for `scripts/tokens/check_prompts.py`, which
 * counts them with OpenAI's own tokenizer.
 */
import { appendFileSync } from 'node:fs'
import fc from 'fast-check'
import {
  buildPrompt,
  ContextManager,
  countTokens,
  isPromptmasonError,
  LayoutAssembler,
  type AssemblerInput,
  type AssemblerOutput,
  type AssemblerReportOutput,
  type NewConversationMessage,
  type Tokenizer,
} from 'promptmason'
import { describe, expect, it } from 'vitest'
import { bytesOf, checkAccount, givenToAssembler } from '../support/account.js'
import { AGENTS, create, thrownBy } from '../support/assemblers.js'
import { materials, optionsFor, optionsWith } from '../support/generators.js'
import { layout } from '../support/layout-generators.js'
import { managerOptions, question, steps as anySteps } from '../support/manager-generators.js'
import { runs } from '../support/runs.js'

const RUNS = runs(120)
const PROMPTS = process.env['TOKEN_PROMPTS']
const PATIENCE_MS = 3_600_000

const exactly = fc.constantFrom('o200k' as const, 'cl100k' as const)
const tokenizer: fc.Arbitrary<Tokenizer> = fc.oneof(
  { weight: 3, arbitrary: exactly },
  {
    weight: 1,
    arbitrary: fc.constantFrom({ bytesPerToken: 3.3 }, { bytesPerToken: 4, byScript: { cjk: 1.7, symbols: 2 } }),
  },
)
/** Mostly less than everything. */
const share = fc.oneof(fc.double({ min: 0, max: 1.05, noNaN: true }), fc.double({ min: 0, max: 0.3, noNaN: true }))
/** Often no limit in bytes. */
const anyBytes = fc.constantFrom(Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, 400, 3000)

const countOf = ({ prompt, systemFlag }: AssemblerOutput, by: Tokenizer): number =>
  countTokens(prompt, by) + countTokens(systemFlag ?? '', by)

/** What holds for every prompt with a budget in tokens. */
const check = (output: AssemblerReportOutput, by: Tokenizer, maxTokens: number, maxBytes: number): void => {
  const { report } = output
  expect(countOf(output, by)).toBeLessThanOrEqual(maxTokens)
  expect(report).toMatchObject({
    maxTokens,
    totalTokens: countOf(output, by),
    promptTokens: countTokens(output.prompt, by),
    systemFlagTokens: countTokens(output.systemFlag ?? '', by),
    tokensExact: typeof by === 'string',
    tokenizer: typeof by === 'string' ? by : 'estimate',
  })
  expect(report.totalBytes).toBeLessThanOrEqual(maxBytes)
  const byBudget = report.leftOut.some(({ reason }) => reason === 'budget' || reason === 'step')
  if (byBudget) expect(report.limitedBy).toMatch(/^(bytes|tokens)$/)
  if (PROMPTS && typeof by === 'string') {
    appendFileSync(
      PROMPTS,
      `${JSON.stringify({ tokenizer: by, maxTokens, prompt: output.prompt, systemFlag: output.systemFlag ?? '' })}\n`,
    )
  }
}

/**
 * Assembles with some of the tokens that everything takes. If that is too few, the error says how many
 * suffice, and with one less it is thrown again.
 */
const checkBudgets = <I extends { maxBytes?: number | null | undefined; maxTokens?: number | null | undefined }>(
  assemble: (input: I) => AssemblerReportOutput,
  input: I,
  by: Tokenizer,
  part: number,
  maxBytes: number,
): AssemblerReportOutput | undefined => {
  const whole = assemble({ ...input, maxTokens: Number.MAX_SAFE_INTEGER })
  check(whole, by, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)
  expect(whole.report.limitedBy).toBeUndefined()
  const maxTokens = Math.max(1, Math.floor(part * (whole.report.totalTokens ?? 0)))
  try {
    const output = assemble({ ...input, maxTokens, maxBytes })
    check(output, by, maxTokens, maxBytes)
    return output
  } catch (error) {
    const {
      unit,
      requiredTokens = 0,
      maxTokens: limit,
      sections = {},
    } = thrownBy(() => {
      throw error
    })
    expect(error).toMatchObject({ code: 'ERR_BUDGET_EXCEEDED', maxTokens })
    expect(limit).toBe(maxTokens)
    if (unit === 'bytes') return undefined
    expect(unit).toBe('tokens')
    expect(Object.keys(sections)).not.toHaveLength(0)
    expect(requiredTokens).toBeGreaterThan(maxTokens)
    const least = assemble({ ...input, maxTokens: requiredTokens, maxBytes })
    check(least, by, requiredTokens, maxBytes)
    expect(thrownBy(() => assemble({ ...input, maxTokens: requiredTokens - 1, maxBytes }))).toHaveProperty(
      'code',
      'ERR_BUDGET_EXCEEDED',
    )
    return undefined
  }
}

/** If tokens were short and only messages were dropped, there was no room for one more. */
const checkNoRoomForOneMore = (
  output: AssemblerReportOutput,
  input: AssemblerInput,
  assemble: (input: AssemblerInput) => AssemblerReportOutput,
): void => {
  const { report } = output
  const context = report.sections.find(({ name }) => name === 'context')
  const onlyContext = report.sections.every(({ name, action }) => action === 'kept' || name === 'context')
  if (report.limitedBy !== 'tokens' || !onlyContext || context?.itemsAfter === undefined || input.pinned?.length) return
  const contextMessages = input.contextMessages.slice(-context.itemsAfter - 1)
  const longer = assemble({
    ...input,
    contextMessages,
    pinned: null,
    gapsBefore: null,
    maxTokens: Number.MAX_SAFE_INTEGER,
  })
  expect(longer.report.totalTokens).toBeGreaterThan(report.maxTokens ?? 0)
}

describe.each(AGENTS)('%s', { timeout: PATIENCE_MS }, (agent) => {
  it('is within both budgets, for any input, options and tokenizer, in every form', () => {
    const anyMarkers = fc.constantFrom('verbatim' as const, 'escape' as const)
    fc.assert(
      fc.property(
        materials,
        optionsFor(agent),
        anyMarkers,
        tokenizer,
        share,
        anyBytes,
        (unlimited, options, markers, by, part, maxBytes) => {
          const assembler = create(agent, { ...options, markers, tokenizer: by })
          const assemble = (input: AssemblerInput) => assembler.assemble(input, { report: true })
          const output = checkBudgets(assemble, unlimited, by, part, maxBytes)
          if (!output) return
          checkAccount(output.report, givenToAssembler(unlimited))
          const limited = { ...unlimited, maxBytes, maxTokens: output.report.maxTokens }
          const { prompt, systemFlag } = output
          expect(assembler.assemble(limited)).toEqual({ prompt, systemFlag })
          expect(assembler.assemble(limited, { as: 'buffer' })).toEqual({ prompt: Buffer.from(prompt), systemFlag })
          const into = Buffer.alloc(Buffer.byteLength(prompt))
          expect(assembler.assemble(limited, { into })).toEqual({ bytes: into.length, systemFlag })
          expect(into.toString()).toBe(prompt)
          if ((options.evictionStep ?? 1) <= 1) checkNoRoomForOneMore(output, unlimited, assemble)
        },
      ),
      RUNS,
    )
  })
})

it('is within both budgets with custom layouts', { timeout: PATIENCE_MS }, () => {
  const anyLayout = layout.chain((own) => fc.tuple(fc.constant(own), optionsWith(own.systemPlacement === 'flag')))
  fc.assert(
    fc.property(anyLayout, materials, tokenizer, share, anyBytes, ([own, options], unlimited, by, part, maxBytes) => {
      const assembler = new LayoutAssembler(own, { ...options, tokenizer: by })
      const assemble = (input: AssemblerInput) => assembler.assemble(input, { report: true })
      const output = checkBudgets(assemble, unlimited, by, part, maxBytes)
      if (output && (options.evictionStep ?? 1) <= 1) checkNoRoomForOneMore(output, unlimited, assemble)
    }),
    runs(240),
  )
})

it('is within both budgets with buildPrompt, in every form', { timeout: PATIENCE_MS }, () => {
  const limits = fc.record({
    agentType: fc.constantFrom('claude', 'codex', 'gemini', 'other'),
    maxContextMessages: fc.option(fc.nat(6), { nil: undefined }),
    systemMaxBytes: fc.option(fc.integer({ min: 5000, max: 9000 }), { nil: undefined }),
    recipient: fc.option(fc.constantFrom('a', 'b'), { nil: undefined }),
  })
  fc.assert(
    fc.property(
      materials,
      limits,
      tokenizer,
      share,
      anyBytes,
      fc.constantFrom(1, 99),
      (unlimited, given, by, part, maxBytes, times) => {
        const input = {
          ...given,
          message: unlimited.currentMessage,
          teamTask: unlimited.teamTask,
          summary: unlimited.summary,
          pinned: unlimited.pinned,
          tokenizer: by,
          instructionFileText: (unlimited.instructionFileText ?? '').repeat(times),
          systemInstructionText: unlimited.systemInstruction,
          contextMessages: unlimited.contextMessages,
          maxBytes: Number.MAX_SAFE_INTEGER,
        }
        const output = checkBudgets(
          (one: typeof input) => buildPrompt(one, { report: true }),
          input,
          by,
          part,
          maxBytes,
        )
        if (!output) return
        const limited = { ...input, maxBytes, maxTokens: output.report.maxTokens }
        const { prompt, systemFlag } = output
        expect(buildPrompt(limited)).toEqual({ prompt, systemFlag })
        expect(buildPrompt(limited, { as: 'buffer' })).toEqual({ prompt: Buffer.from(prompt), systemFlag })
        expect(buildPrompt(limited, { into: Buffer.alloc(Buffer.byteLength(prompt)) })).toEqual({
          bytes: Buffer.byteLength(prompt),
          systemFlag,
        })
      },
    ),
    RUNS,
  )
})

it('is within both budgets with a manager, whatever was added, changed, pinned and summarised', {
  timeout: PATIENCE_MS,
}, () => {
  const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
  fc.assert(
    fc.property(
      anySteps,
      managerOptions,
      question,
      exactly,
      share,
      fc.boolean(),
      (steps, options, { agentType, route, options: asked }, by, part, isDelta) => {
        const manager = new ContextManager({ ...options, onMissingParent: 'latest', logger: quiet, tokenizer: by })
        const session = isDelta ? { session: 'delta' as const } : {}
        const turns = [
          (maxTokens: number) =>
            manager.assembleForAgent('x', agentType, { ...asked, ...session, maxTokens }, { report: true }),
          (maxTokens: number) =>
            manager.assembleForRoute(
              'x',
              agentType,
              { ...route, parentMessageId: manager.getMessages().at(route.place)?.id ?? 'gone' },
              { ...asked, maxTokens },
              { report: true },
            ),
        ]
        const assembleAll = (): void => {
          for (const turn of turns) {
            let maxTokens = Math.max(1, Math.floor(part * 300))
            try {
              check(turn(maxTokens), by, maxTokens, options.maxBytes ?? 768 * 1024)
            } catch (error) {
              // A delta may be empty.
              if (isDelta && isPromptmasonError(error, 'ERR_NOTHING_TO_SEND')) continue
              if (!(error instanceof RangeError)) throw error
              const { unit, requiredTokens } = thrownBy(() => {
                throw error
              })
              if (unit === 'bytes') continue
              maxTokens = requiredTokens ?? 0
              check(turn(maxTokens), by, maxTokens, options.maxBytes ?? 768 * 1024)
              expect(thrownBy(() => turn(maxTokens - 1))).toHaveProperty('code', 'ERR_BUDGET_EXCEEDED')
            }
          }
        }
        for (const step of steps) {
          const last = manager.getMessages().at(-1)
          if (step.kind === 'add') manager.addMessage({ ...step.message, routing: undefined } as NewConversationMessage)
          else if (step.kind === 'repeat' && last) manager.addMessage(last)
          else if (step.kind === 'task') manager.setTeamTask(step.task)
          else if (step.kind === 'update' && last)
            manager.updateMessage(last.id, { content: step.changes.content ?? 'new [NEXT:a]' })
          else if (step.kind === 'remove' && last) manager.removeMessage(manager.getMessages()[0]?.id ?? '')
          else if (step.kind === 'export' && last) manager.setSummary({ upTo: last.id, text: last.content })
          else if (step.kind === 'import') manager.importSnapshot(manager.exportSnapshot())
          // Cached counts must follow every change.
          assembleAll()
          if (isDelta && step.kind === 'add') manager.confirm('x')
        }
        expect(bytesOf(manager.getMessages().map(({ content }) => content))).toBeGreaterThanOrEqual(0)
      },
    ),
    RUNS,
  )
})
