/** What the page shows for another budget is what the addon does with it. */
import fc from 'fast-check'
import {
  buildPrompt,
  isPromptmasonError,
  LayoutAssembler,
  type AssemblerInput,
  type AssemblerOptions,
  type AssemblerReport,
  type LayoutPromptInput,
  type PromptInput,
} from 'promptmason'
import { describe, expect, it } from 'vitest'
import { sourceOf, type FullTable } from '../../dist/explain/budget-table.js'
import { fateOf, rowAt, type BudgetRow } from '../../dist/explain/page/state.js'
import { FAMILY, FLAG, materials, optionsWith } from '../support/generators.js'
import { runs } from '../support/runs.js'

const CONVERSATIONS = runs(5).numRuns
const BUDGETS = 100
const AGENTS = ['claude-code', 'openai-codex', 'google-gemini', 'opencode', 'unknown']
const LAYOUT = {
  agentType: 'own',
  sections: [{ part: 'message', title: '# Now' }, { part: 'context', title: '# Before' }, { part: 'system' }],
  messageLine: { colon: ' said ' },
} as const

/** A prompt with another budget. */
type Run = (maxBytes: number) => { report: AssemblerReport }
type Sizes = [name: string, bytes: number | undefined][]

/** What a row says, in the words of a report, or of an error. */
const told = ({ indices, lineBytes, pinned, sections }: FullTable, row: BudgetRow) => {
  const sizes = sections.map((name, at): Sizes[0] => [name, row.sections[at]])
  const { fits, totalBytes } = row
  if (!fits) return { totalBytes, sections: sizes.filter(([, bytes]) => bytes !== 0) }
  const isDropped = (line: number): boolean =>
    lineBytes.length > 0 && !pinned.includes(line) && fateOf(row, line) !== 'kept'
  const dropped = indices.flatMap((index, line): [number, string][] =>
    isDropped(line) ? [[index, fateOf(row, line)]] : [],
  )
  const messages = sections.includes('context') ? row.messages : undefined
  const siblings = sections.includes('siblings') ? row.siblings : undefined
  return { totalBytes, sections: sizes, messages, siblings, dropped: dropped.toReversed().slice(0, 100) }
}

/** What the addon does. */
const done = (run: () => { report: AssemblerReport }): ReturnType<typeof told> => {
  try {
    const { totalBytes, sections, dropped } = run().report
    const itemsOf = (part: string): number | undefined => sections.find(({ name }) => name === part)?.itemsAfter
    return {
      totalBytes,
      sections: sections.map(({ name, bytesAfter }) => [name, bytesAfter]),
      messages: itemsOf('context'),
      siblings: itemsOf('siblings'),
      dropped: dropped
        .filter(({ reason }) => reason === 'budget' || reason === 'step')
        .map(({ index, reason }) => [index, reason]),
    }
  } catch (error) {
    if (!isPromptmasonError(error, 'ERR_BUDGET_EXCEEDED')) throw error
    return {
      totalBytes: error.requiredBytes,
      // The note of a fenced prompt is not in a section.
      sections: Object.entries(error.sections)
        .filter(([name]) => name !== 'fence')
        .map(([name, bytes]) => [name === 'pinned' ? 'context' : name, bytes]),
    }
  }
}

/** What does not depend on where a text is cut. */
const kept = ({ messages, siblings, dropped }: ReturnType<typeof told>) => ({ messages, siblings, dropped })

/** The budgets at, around and between rows of a table, and evenly spread ones. */
const budgetsOf = ({ rows, required, unit, whole: everything }: FullTable): number[] => {
  const whole = unit === 'tokens' ? rows.at(-1)!.totalTokens! : everything.totalBytes
  const near = [required, whole].flatMap((budget) => [-2, -1, 0, 1, 2].map((delta) => budget + delta))
  const nth = Math.ceil(rows.length / 20)
  const atRows = rows
    .filter((_, at) => at % nth === 0)
    .flatMap(({ from, to }) => [from - 1, from, Math.floor((from + Math.min(to, whole)) / 2), to, to + 1])
  const spread = Array.from({ length: BUDGETS }, (_, at) => Math.ceil(((at + 1) / BUDGETS) * whole))
  return [...near, ...atRows, ...spread].filter((budget) => budget > 0 && budget < Number.MAX_SAFE_INTEGER)
}

const expectAgreement = (table: FullTable, run: Run, budgets = budgetsOf(table)): void => {
  const { whole } = table
  const isCut = (row: BudgetRow): boolean => JSON.stringify(row.cuts) !== JSON.stringify(whole.cuts)
  for (const budget of budgets) {
    const row = rowAt(table, budget)
    const shown = Math.min(budget, row.to)
    expect(told(table, row), `budget ${shown} of ${whole.totalBytes}`).toEqual(done(() => run(shown)))
    if (shown === budget) continue
    // There is not a row for each cut, but for each change of what is kept.
    expect(isCut(row), `budget ${budget}`).toBe(true)
    expect(kept(told(table, row)), `budget ${budget} of ${whole.totalBytes}`).toEqual(kept(done(() => run(budget))))
  }
}

/** Rows of tokens are of single budgets, apart from the first and the last one. */
const expectTokenAgreement = (table: FullTable, own: number, run: Run): void => {
  expect(table.unit).toBe('tokens')
  expect(rowAt(table, own).to).toBeGreaterThanOrEqual(own)
  for (const budget of [...budgetsOf(table), own]) {
    const row = rowAt(table, budget)
    const shown = Math.min(budget, row.to)
    const say = `${shown} tokens`
    if (row.fits)
      expect({ ...told(table, row), tokens: row.totalTokens }, say).toEqual({
        ...done(() => run(shown)),
        tokens: run(shown).report.totalTokens,
      })
    else expect(() => run(shown), say).toThrow('tokens')
    if (row.fits) expectSectionTokens(table, row, run(shown).report)
  }
  // A list that is empty is left out.
  expect(table.lineTokens ?? []).toHaveLength(table.lineBytes.length)
}

/** To join the lines of a conversation may save a token each; the lines for gaps, where something is pinned, are not in the sum. */
const expectSectionTokens = (table: FullTable, row: BudgetRow, { sections }: AssemblerReport): void => {
  const gaps = table.pinned.length * 20
  for (const { name, tokensAfter = 0, itemsAfter = 0 } of sections) {
    const tokens = row.sectionTokens?.[table.sections.indexOf(name)] ?? Number.NaN
    if (name === 'context') {
      expect(tokens - tokensAfter).toBeLessThanOrEqual(itemsAfter + 1)
      expect(tokensAfter - tokens).toBeLessThanOrEqual(itemsAfter + 1 + gaps)
    } else expect(tokens, name).toBe(tokensAfter)
  }
}

const tableOf = (
  input: AssemblerInput | PromptInput | LayoutPromptInput,
  assembler: LayoutAssembler | undefined,
  agentType: string,
  maxBytes: number,
  maxTokens?: number,
): FullTable => {
  const table = sourceOf(input, assembler, { agentType, maxBytes })?.table(maxTokens)
  if (table === undefined) throw new Error('no assembler')
  return table
}

const OWN = 1500
const expectAssemblerAgreement = (input: AssemblerInput, agentType: string, options: AssemblerOptions): FullTable => {
  const assembler = LayoutAssembler.for(agentType, options)
  const table = tableOf(input, assembler, agentType, OWN)
  expectAgreement(table, (maxBytes) => assembler.assemble({ ...input, maxBytes }, { report: true }))
  return table
}

const expectPromptAgreement = (input: PromptInput | LayoutPromptInput, budgets?: number[]): void => {
  const table = tableOf(input, undefined, '', OWN)
  const { from, to } = rowAt(table, OWN)
  expect(from <= OWN && OWN <= to).toBe(true)
  expectAgreement(table, (maxBytes) => buildPrompt({ ...input, maxBytes } as PromptInput, { report: true }), budgets)
}

const { seed = 1 } = fc.readConfigureGlobal()
const sample = <T>(arbitrary: fc.Arbitrary<T>): T[] => fc.sample(arbitrary, { numRuns: CONVERSATIONS, seed })

/** Longer texts than those of the other tests: what is cut has to be long. */
const pieces = fc.constantFrom(
  'word ',
  '中文 ',
  FAMILY,
  FLAG,
  'e\u0301',
  '\r\n',
  '[SYSTEM]\n',
  '\ud800',
  '- a -> b: c\n',
)
const long = fc
  .tuple(fc.array(pieces, { minLength: 1, maxLength: 12 }), fc.integer({ min: 20, max: 200 }))
  .map(([texts, times]) => texts.join('').repeat(times))

const assemblerInput: fc.Arbitrary<[AssemblerInput, string, AssemblerOptions]> = fc
  .constantFrom(...AGENTS)
  .chain((agent) =>
    fc.tuple(
      fc
        .tuple(materials, long, long, long, fc.nat(15))
        .map(([input, a, b, c, which]) =>
          Object.assign(
            input,
            which & 1 && { summary: a },
            which & 2 && { parentContext: { from: 'p', content: b } },
            which & 4 && { currentMessage: c },
            which & 8 && { showSender: true, messageFrom: 'max', messageTo: 'sarah' },
          ),
        ),
      fc.constant(agent),
      optionsWith(agent === 'claude-code'),
    ),
  )

const promptInput: fc.Arbitrary<PromptInput> = fc.constantFrom(...AGENTS).chain((agentType) =>
  fc
    .tuple(
      materials,
      optionsWith(agentType === 'claude-code'),
      fc.option(fc.nat(9)),
      fc.option(fc.constantFrom('a', 'b')),
      fc.option(long),
      fc.option(long),
      fc.option(fc.integer({ min: 9000, max: 12_000 })),
      fc.option(fc.constantFrom('tester', 'x'.repeat(600))),
      fc.nat(1),
    )
    .map(
      ([
        input,
        options,
        maxContextMessages,
        recipient,
        instructionFileText,
        summary,
        systemMaxBytes,
        roleSummary,
        own,
      ]) => ({
        agentType,
        options,
        maxContextMessages,
        recipient,
        instructionFileText,
        summary,
        systemMaxBytes,
        roleSummary,
        systemInstructionText: input.systemInstruction,
        teamTask: input.teamTask,
        message: input.currentMessage,
        pinned: input.pinned,
        contextMessages: input.contextMessages.map(({ from, to, content }, index) => ({
          from,
          content,
          to: ['all', 'a', 'b, c', to][(index + own) % 4],
        })),
      }),
    ),
)

describe('another budget, in the table', () => {
  it('is what an assembler does', () => {
    for (const [input, agent, options] of sample(assemblerInput)) expectAssemblerAgreement(input, agent, options)
  })

  it('is what buildPrompt does', () => {
    for (const input of sample(promptInput)) expectPromptAgreement(input)
  })

  it('is what a custom layout does', () => {
    for (const input of sample(promptInput)) {
      const { agentType: _, options: __, ...rest } = input
      expectPromptAgreement({ ...rest, layout: LAYOUT })
    }
  })

  it('is what an assembler does that escapes, apart from marks in a parent', () => {
    const tables = sample(assemblerInput).map(([input, agent, options]) =>
      expectAssemblerAgreement(input, agent, { ...options, markers: 'escape' }),
    )
    expect(tables.some(({ sections, texts }) => sections.includes('parent') && texts.parent === 0)).toBe(true)
  })

  it('is what an assembler does that fences, also in tokens', () => {
    const key = { fenceKey: 'wordwordword', messageFrom: 'max' }
    for (const [input, agent, options] of sample(assemblerInput)) {
      const content = `${input.currentMessage}\nWORDword${input.currentMessage}wordword`
      const fenced = { ...input, ...key, currentMessage: content }
      expectAssemblerAgreement(fenced, agent, { ...options, markers: 'fence' })
    }
    for (const [input, agentType, options] of sample(assemblerInput).slice(0, 5)) {
      const assembler = LayoutAssembler.for(agentType, { ...options, markers: 'fence', tokenizer: 'o200k' })
      const fenced = { ...input, ...key }
      const table = tableOf({ ...fenced, maxTokens: 400 }, assembler, agentType, 60_000, 400)
      expectTokenAgreement(table, 400, (maxTokens) =>
        assembler.assemble({ ...fenced, maxTokens, maxBytes: 60_000 }, { report: true }),
      )
    }
  })

  it('is what buildPrompt does with a file whose share follows the budget', () => {
    const contextMessages = Array.from({ length: 40 }, (_, index) => ({
      from: 'a',
      content: `message ${index} `.repeat(index),
    }))
    const input = {
      agentType: 'claude',
      contextMessages,
      message: 'Go on.',
      maxContextMessages: 40,
      instructionFileText: `${FAMILY} rule ${FLAG}. `.repeat(100),
    }
    expectPromptAgreement(
      input,
      Array.from({ length: 1500 }, (_, at) => at * 10 + 1),
    )
  })

  it.each(['o200k', { bytesPerToken: 3.7 }, (text: string) => Math.ceil(text.length / 3)] as const)(
    'is what buildPrompt does with a budget in tokens (%#)',
    (tokenizer) => {
      for (const input of sample(promptInput).slice(0, 8)) {
        const table = tableOf({ ...input, tokenizer, maxTokens: 400 }, undefined, '', 6000, 400)
        expectTokenAgreement(table, 400, (maxTokens) =>
          buildPrompt({ ...input, tokenizer, maxTokens, maxBytes: 6000 }, { report: true }),
        )
      }
    },
  )

  it('is what an assembler does with a budget in tokens', () => {
    for (const [input, agentType, options] of sample(assemblerInput).slice(0, 8)) {
      const assembler = LayoutAssembler.for(agentType, { ...options, tokenizer: 'cl100k' })
      const table = tableOf({ ...input, maxTokens: 400 }, assembler, agentType, 60_000, 400)
      expectTokenAgreement(table, 400, (maxTokens) =>
        assembler.assemble({ ...input, maxTokens, maxBytes: 60_000 }, { report: true }),
      )
    }
  })

  it('has rows with gaps if there are too many messages for a row each', () => {
    const contextMessages = Array.from({ length: 12_000 }, (_, index) => ({ from: 'a', content: `message ${index}` }))
    const assembler = LayoutAssembler.for('codex')
    const input = { contextMessages, currentMessage: 'Go on.', teamTask: null, maxBytes: OWN }
    const table = tableOf(input, assembler, 'codex', 77_777)
    expect(table.rows.length).toBeLessThan(6000)
    expect(rowAt(table, 77_777).to).toBeGreaterThanOrEqual(77_777)
    for (const budget of [1, 50, 100, 4000, 77_777, 200_000, table.whole.totalBytes - 1, table.whole.totalBytes]) {
      const row = rowAt(table, budget)
      const shown = Math.min(budget, row.to)
      expect(budget - shown).toBeLessThan(200)
      expect(told(table, row)).toEqual(done(() => assembler.assemble({ ...input, maxBytes: shown }, { report: true })))
    }
  })
})
