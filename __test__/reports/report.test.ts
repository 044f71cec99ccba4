import type { AssemblerInput, AssemblerReport, PromptPart, SectionReport } from 'promptmason'
import { describe, expect, it } from 'vitest'
import {
  AGENTS,
  byteLength,
  create,
  fullSize,
  history,
  inputOf,
  reportOf,
  said,
  thrownBy,
  type Agent,
} from '../support/assemblers.js'

/** Many budgets take a while. The duration is not tested. */
const PATIENCE_MS = 120_000
const PARTS: PromptPart[] = ['system', 'teamTask', 'summary', 'context', 'parent', 'siblings', 'message', 'routing']

const RICH = inputOf({
  contextMessages: [
    said('kai', 'the first 中文', 'max'),
    said('max', 'second'),
    said('kai', 'third\nof two lines', 'max'),
  ],
  currentMessage: `message ${'m'.repeat(150)}`,
  teamTask: 'task',
  summary: `${'中'.repeat(360)}\n`,
  systemInstruction: 'system',
  parentContext: said('p', 'p'.repeat(1200)),
  siblingContext: [said('s', 'newest'), said('t', 'older')],
  routeMeta: { intent: 'ask' },
})

const sectionOf = ({ sections }: AssemblerReport, name: PromptPart): SectionReport | undefined =>
  sections.find((section) => section.name === name)

const atEveryBudget = (
  agent: Agent,
  check: (report: AssemblerReport, output: { prompt: string; systemFlag?: string | undefined }) => void,
  options = {},
) => {
  const least = thrownBy(() => create(agent, options).assemble({ ...RICH, maxBytes: 1 })).requiredBytes ?? NaN
  for (let maxBytes = least; maxBytes <= fullSize(agent, RICH, options) + 1; maxBytes++) {
    const { report, ...output } = create(agent, options).assemble({ ...RICH, maxBytes }, { report: true })
    expect(report.maxBytes).toBe(maxBytes)
    check(report, output)
  }
}

const line = (agent: Agent, { from, to, content }: AssemblerInput['contextMessages'][number]): string =>
  ({
    claude: `- ${from} -> ${to ?? 'all'}: ${content}`,
    codex: `- ${from} -> ${to ?? 'all'}: ${content}`,
    gemini: `- ${from}: ${content}`,
    plain: `${from}: ${content}`,
  })[agent]

describe.each(AGENTS)('%s, at every budget', { timeout: PATIENCE_MS }, (agent) => {
  it.each(agent === 'claude' ? (['flag', 'inline', 'both'] as const) : (['inline'] as const))(
    'the sections and the blank lines between them add up to what is sent: system %s',
    (systemPlacement) => {
      const everything = fullSize(agent, RICH, { systemPlacement })
      atEveryBudget(
        agent,
        ({ sections, totalBytes, neededBytes, promptBytes, systemFlagBytes, agentType }, { prompt, systemFlag }) => {
          expect(neededBytes).toBe(everything)
          expect(agentType).toBe(create(agent).getAgentType())
          expect(promptBytes).toBe(byteLength(prompt))
          expect(systemFlagBytes).toBe(byteLength(systemFlag ?? ''))
          expect(totalBytes).toBe(promptBytes + systemFlagBytes)
          const inPrompt = sections.filter(
            ({ name, bytesAfter }) => bytesAfter > 0 && !(name === 'system' && systemPlacement === 'flag'),
          )
          const sum = sections.reduce((bytes, { bytesAfter }) => bytes + bytesAfter, 0)
          expect(sum + 2 * (inPrompt.length - 1)).toBe(totalBytes)
        },
        { systemPlacement },
      )
    },
  )

  it('sections are in prompt order, with their original sizes and what happened', () => {
    const before = reportOf(agent, RICH).sections
    expect(before.map(({ name }) => name)).toEqual(agent === 'plain' ? PARTS.slice(0, -1) : PARTS)
    expect(before.every(({ action, bytesBefore, bytesAfter }) => action === 'kept' && bytesBefore === bytesAfter)).toBe(
      true,
    )
    atEveryBudget(agent, ({ sections }) => {
      expect(sections.map(({ name }) => name)).toEqual(before.map(({ name }) => name))
      for (const [
        index,
        { name, action, bytesBefore = NaN, bytesAfter, itemsBefore, itemsAfter },
      ] of sections.entries()) {
        expect(bytesBefore).toBe(before[index]?.bytesAfter)
        expect(itemsBefore).toBe({ context: 3, parent: 1, siblings: 2 }[String(name)])
        const expected =
          bytesAfter === 0
            ? 'dropped'
            : itemsAfter !== itemsBefore
              ? 'trimmed'
              : bytesAfter < bytesBefore
                ? 'shortened'
                : 'kept'
        expect(action).toBe(expected)
        if (['system', 'teamTask', 'routing'].includes(name)) expect(action).toBe('kept')
        if (itemsBefore === undefined) expect(sections[index]).not.toHaveProperty('itemsAfter')
      }
    })
  })

  it('dropped messages are listed newest first, with what their line would have taken', () => {
    atEveryBudget(agent, (report, { prompt }) => {
      const kept = sectionOf(report, 'context')?.itemsAfter ?? NaN
      const expected = RICH.contextMessages.map((message, index) => ({
        index,
        from: message.from,
        bytes: byteLength(line(agent, message)),
        reason: 'budget',
      }))
      expect(report.dropped).toEqual(expected.slice(0, 3 - kept).toReversed())
      expect(prompt.includes('the first')).toBe(kept === 3)
    })
  })

  it('there is exactly one decision for every section that was not kept', () => {
    atEveryBudget(agent, ({ sections, decisions }) => {
      const layout = agent === 'plain' ? ['[ROUTING_META] left out: the layout has no such part'] : []
      expect(decisions).toHaveLength(layout.length + sections.filter(({ action }) => action !== 'kept').length)
      expect(decisions).toEqual(expect.arrayContaining(layout))
    })
  })
})

describe.each(AGENTS)('%s', (agent) => {
  it('has exactly its fields, as plain data', () => {
    const report = reportOf(agent, RICH)
    expect(Object.keys(report)).toEqual([
      'agentType',
      'maxBytes',
      'totalBytes',
      'neededBytes',
      'promptBytes',
      'systemFlagBytes',
      'sections',
      'dropped',
      'leftOut',
      'account',
      'decisions',
      'findings',
    ])
    expect(JSON.parse(JSON.stringify(report))).toStrictEqual(report)
    const decisions = agent === 'plain' ? ['[ROUTING_META] left out: the layout has no such part'] : []
    expect(report).toMatchObject({ dropped: [], decisions, findings: [] })
  })

  it('leaves out sections that had nothing in them', () => {
    expect(reportOf(agent, {}).sections.map(({ name }) => name)).toEqual(['message'])
    expect(reportOf(agent, { currentMessage: ' ' })).toMatchObject({
      sections: [],
      totalBytes: 0,
      promptBytes: 0,
      systemFlagBytes: 0,
    })
    expect(sectionOf(reportOf(agent, {}), 'message')).toStrictEqual({
      name: 'message',
      action: 'kept',
      bytesBefore: fullSize(agent, {}),
      bytesAfter: fullSize(agent, {}),
    })
  })

  it('a budget beyond 32 bits is an ordinary number', () => {
    expect(reportOf(agent, { maxBytes: Number.MAX_SAFE_INTEGER }).maxBytes).toBe(Number.MAX_SAFE_INTEGER)
  })

  it.each([
    [100, true],
    [101, false],
  ])('with %i dropped messages the size before is known: %s', (count, known) => {
    const contextMessages = [...history(count, (index) => `m${index}`), said('k', 'kept', 'all')]
    const whole = reportOf(agent, { contextMessages })
    const maxBytes = fullSize(agent, { contextMessages: contextMessages.slice(-1) })
    const report = reportOf(agent, { contextMessages, maxBytes })
    const context = sectionOf(report, 'context')
    expect(context).toMatchObject({ action: 'trimmed', itemsBefore: count + 1, itemsAfter: 1 })
    expect(context?.bytesBefore).toBe(known ? sectionOf(whole, 'context')?.bytesAfter : undefined)
    expect(context !== undefined && 'bytesBefore' in context).toBe(known)
    expect(report.dropped.map(({ index }) => index)).toEqual(Array.from({ length: 100 }, (_, nth) => count - 1 - nth))
    expect(report.neededBytes).toBe(known ? whole.totalBytes : undefined)
    expect('neededBytes' in report).toBe(known)
    expect(report.decisions).toEqual([
      expect.stringMatching(new RegExp(`^\\[CONTEXT\\] trimmed to 1 of ${count + 1} messages: `)),
    ])
  })

  it('the report form reads the dropped messages it lists, so they must be valid; the plain form does not', () => {
    const contextMessages = [
      said('a', 'x'),
      { from: 'a', content: 5 },
      said('a', 'y'.repeat(50)),
      said('a', 'z'),
    ] as AssemblerInput['contextMessages']
    const input = inputOf({ contextMessages, maxBytes: fullSize(agent, { contextMessages: contextMessages.slice(3) }) })
    expect(create(agent).assemble(input).prompt).toContain('z')
    expect(thrownBy(() => create(agent).assemble(input, { report: true })).message).toBe(
      'contextMessages[1].content must be a string, got number',
    )
  })

  it('counts what evictionStep dropped in addition', () => {
    const contextMessages = history(10)
    const report = reportOf(
      agent,
      { contextMessages, maxBytes: fullSize(agent, { contextMessages }) - 1 },
      { evictionStep: 4 },
    )
    expect(sectionOf(report, 'context')).toMatchObject({ action: 'trimmed', itemsBefore: 10, itemsAfter: 6 })
    expect(report.dropped.map(({ index }) => index)).toEqual([3, 2, 1, 0])
  })
})

describe('decisions', () => {
  const decisions = (fields: Partial<AssemblerInput>) => reportOf('codex', fields).decisions
  const least = byteLength('[MESSAGE]\nhello')

  it('context trimmed', () => {
    const [text, ...others] = decisions({ contextMessages: history(12, () => 'x'.repeat(90)), maxBytes: 400 })
    expect(text).toMatch(/^\[CONTEXT\] trimmed to 3 of 12 messages: the next one needs \d+ bytes, 71 bytes left$/)
    expect(others).toEqual([])
  })

  it.each<[string, Partial<AssemblerInput>, string[]]>([
    ['context dropped', { contextMessages: history(2), maxBytes: least }, ['[CONTEXT] dropped, all 2 messages']],
    [
      'siblings trimmed',
      { siblingContext: [said('a', 'x'), said('b', 'y'.repeat(100))], maxBytes: 150 },
      ['[RELATED_CONTEXT] trimmed to 1 of 2 replies'],
    ],
    [
      'siblings dropped',
      { siblingContext: [said('a', 'x')], maxBytes: least },
      ['[RELATED_CONTEXT] dropped, all 1 reply'],
    ],
    ['summary shortened', { summary: 'x'.repeat(10_230), maxBytes: 2066 }, ['[SUMMARY] shortened to 2 KB of 10 KB']],
    ['summary dropped', { summary: 'x'.repeat(20), maxBytes: least }, ['[SUMMARY] dropped, all of 30 bytes']],
    [
      'parent shortened',
      { parentContext: said('a', 'x'.repeat(10_163)), maxBytes: 2066 },
      ['[PARENT_CONTEXT] shortened to 2 KB of 10 KB'],
    ],
    [
      'parent dropped',
      { parentContext: said('a', 'x'.repeat(20)), maxBytes: least },
      ['[PARENT_CONTEXT] dropped, all of 98 bytes'],
    ],
    [
      'message shortened',
      { currentMessage: 'x'.repeat(990), maxBytes: 500 },
      ['[MESSAGE] shortened to 500 bytes of 1000 bytes'],
    ],
    [
      'large sizes',
      { currentMessage: 'x'.repeat(3 * 2 ** 20), maxBytes: 1536 * 1024 },
      ['[MESSAGE] shortened to 1.5 MB of 3 MB'],
    ],
  ])('%s', (_, fields, expected) => {
    expect(decisions(fields)).toEqual(expected)
  })

  it('name only what does not fit as the reason for trimming', () => {
    const contextMessages = history(9)
    for (let maxBytes = least + 24; maxBytes < fullSize('codex', { contextMessages }); maxBytes++) {
      const [text = ''] = decisions({ contextMessages, maxBytes })
      const [, needs, left] = /needs (\d+) bytes, (\d+) bytes? left$/.exec(text) ?? []
      expect(Number(needs), text).toBeGreaterThan(Number(left))
    }
  })

  it('are in prompt order', () => {
    const currentMessage = 'm'.repeat(500)
    const fields = {
      contextMessages: history(2),
      siblingContext: [said('a', 'x')],
      parentContext: said('a', 'y'),
      summary: 'z',
      currentMessage,
      maxBytes: 400,
    }
    expect(decisions(fields).map((text) => text.split(' ')[0])).toEqual([
      '[SUMMARY]',
      '[CONTEXT]',
      '[PARENT_CONTEXT]',
      '[RELATED_CONTEXT]',
      '[MESSAGE]',
    ])
  })
})
