import { type TrimMessagesOptions, countTokens, isPromptmasonError, trimMessages } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { APIS, type Api, brokenBy, conversationOf, listOf, numbersOf } from './lists.js'
import { runs } from '../support/runs.js'

const RUNS = runs(50).numRuns
const options = (as: Api, maxTokens: number): TrimMessagesOptions & { report: true } => {
  return { as, maxTokens, tokenizer: 'o200k', report: true }
}

/** The smallest budget that suffices. */
const requiredFor = (list: object[], as: Api): number => {
  try {
    return trimMessages(list, options(as, 1)).report.totalTokens
  } catch (error) {
    if (!isPromptmasonError(error, 'ERR_BUDGET_EXCEEDED')) throw error
    return error.requiredTokens ?? NaN
  }
}

describe.each(APIS)('a list in the form of %s', (as) => {
  const lists = Array.from({ length: RUNS }, (_, seed) => listOf(as, conversationOf(seed)))

  it('is valid before it is trimmed, by an independent check', () => {
    for (const list of lists) expect(brokenBy(as, list)).toEqual([])
  })

  it('stays valid and within every budget', () => {
    for (const [seed, list] of lists.entries()) {
      const all = trimMessages(list, options(as, 1e9))
      expect(all.messages).toEqual(list)
      const least = requiredFor(list, as)
      const number = numbersOf(seed)
      let before = 0
      for (const share of [0, number(100), 50, 100].toSorted((a, b) => a - b)) {
        const maxTokens = least + Math.floor(((all.report.totalTokens - least) * share) / 100)
        const { messages, report } = trimMessages(list, options(as, maxTokens))
        expect(brokenBy(as, messages)).toEqual([])
        expect(report.totalTokens).toBeLessThanOrEqual(maxTokens)
        expect(messages.length).toBeGreaterThanOrEqual(before)
        before = messages.length
        // The same objects, in their order; the last one and the instructions among them.
        const places = messages.map((message) => list.indexOf(message))
        expect(places).toEqual(places.toSorted((a, b) => a - b))
        expect(messages.at(-1)).toBe(list.at(-1))
        for (const message of list) if (/system|developer/.test(message.role)) expect(messages).toContain(message)
        const dropped = report.dropped.map(({ index }) => index)
        expect([...places, ...dropped].toSorted((a, b) => a - b)).toEqual([...list.keys()])
        expect(report.keptMessages + dropped.length).toBe(report.givenMessages)
        // What is kept takes the same when it is trimmed again.
        expect(trimMessages(messages, options(as, maxTokens)).report.totalTokens).toBe(report.totalTokens)
      }
      expect(before).toBe(list.length)
    }
  })

  it('requires exactly the tokens that the error reports', () => {
    for (const list of lists.slice(0, 100)) {
      const least = requiredFor(list, as)
      expect(trimMessages(list, options(as, least)).report.totalTokens).toBe(least)
      expect(() => trimMessages(list, options(as, least - 1))).toThrow(
        `needs ${least} tokens, but maxTokens is ${least - 1}`,
      )
    }
  })

  it('keeps as much as fits', () => {
    for (const list of lists.slice(0, 8)) {
      const { totalTokens } = trimMessages(list, options(as, 1e9)).report
      const sizes = new Set<number>()
      for (let maxTokens = requiredFor(list, as); maxTokens <= totalTokens; maxTokens++) {
        const { report, messages } = trimMessages(list, options(as, maxTokens))
        sizes.add(report.totalTokens)
        // A budget that is larger than needed would have been enough for the same list.
        expect(trimMessages(list, options(as, report.totalTokens)).messages).toEqual(messages)
        maxTokens += 15
      }
      expect(sizes.size).toBeGreaterThan(0)
    }
  })

  it('can be counted by estimates and functions', () => {
    const list = listOf(as, conversationOf(5))
    const calls: string[] = []
    const own = (text: string) => {
      calls.push(text)
      return countTokens(text, 'o200k')
    }
    const exact = trimMessages(list, options(as, 1e6)).report
    const counted = trimMessages(list, { ...options(as, 1e6), tokenizer: own }).report
    expect(counted).toEqual({ ...exact, tokenizer: 'function', tokensExact: false })
    expect(calls.length).toBeGreaterThan(list.length / 2)
    const estimate = trimMessages(list, { ...options(as, 1e6), tokenizer: { bytesPerToken: 4 } }).report
    expect([estimate.tokenizer, estimate.tokensExact]).toEqual(['estimate', false])
    expect(() => trimMessages(list, { ...options(as, 1e6), tokenizer: () => -1 })).toThrow('non-negative integer')
  })

  it('counts the system text and the tools beside it', () => {
    const list = listOf(as, conversationOf(7))
    const alone = trimMessages(list, options(as, 1e6)).report.totalTokens
    const system = 'Be brief.'
    const systemText = { ...options(as, 1e6), system }
    expect(trimMessages(list, systemText).report.totalTokens).toBeGreaterThan(alone + countTokens(system, 'o200k'))
    for (const given of [
      [{ type: 'text', text: system }],
      { parts: [{ text: system }] },
      [{ role: 'system', content: system }],
    ]) {
      expect(trimMessages(list, { ...systemText, system: given }).report).toEqual(trimMessages(list, systemText).report)
    }
    const tools = [{ name: 'bash', description: 'Runs a command.', inputSchema: { type: 'object' } }]
    const { totalTokens } = trimMessages(list, { ...options(as, 1e6), tools }).report
    expect(totalTokens).toBeGreaterThan(alone + countTokens(JSON.stringify(tools), 'o200k'))
  })

  it('leaves out calls without results and results without calls, unless they are last', () => {
    for (let seed = 0; seed < RUNS; seed++) {
      const list = listOf(as, { ...conversationOf(seed), isWorking: false })
      const number = numbersOf(seed)
      const isQuestion = (message: any) =>
        message === list.at(-1) || message === list.find(({ role }) => role === 'user')
      const withHoles = list.filter(
        (message) => isQuestion(message) || /system|developer/.test(message.role) || number(4) > 0,
      )
      const { messages, report } = trimMessages(withHoles, options(as, 1e6))
      // APIs join neighbours of one role themselves.
      expect(brokenBy(as, messages).filter((rule) => rule !== 'roles alternate')).toEqual([])
      expect(report.dropped.every(({ reason }) => reason === 'unpaired')).toBe(true)
    }
  })
})

it('counts what it keeps and at most one step more, each text once', () => {
  const counted: string[] = []
  const tokenizer = (text: string) => {
    counted.push(text)
    return 10
  }
  const list = Array.from({ length: 1000 }, (_, at) => ({
    role: at % 2 === 0 ? 'user' : 'assistant',
    content: `${at}`,
  }))
  const { messages } = trimMessages([...list, { role: 'user', content: 'last' }], {
    as: 'anthropic',
    maxTokens: 200,
    tokenizer,
  })
  expect(messages.length).toBeGreaterThan(8)
  expect(new Set(counted).size).toBe(counted.length)
  expect(counted.length).toBeLessThanOrEqual(messages.length + 2)
})

it('keeps the question of a turn whose older steps are dropped', () => {
  const steps = Array.from({ length: 50 }, (_, at) => [
    { role: 'assistant', content: [{ type: 'tool_use', id: `t${at}`, name: 'bash', input: { command: `run ${at}` } }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: `t${at}`, content: 'output '.repeat(20) }] },
  ])
  const list = [{ role: 'user', content: 'Fix the build.' }, ...steps.flat()]
  const { messages } = trimMessages(list, { as: 'anthropic', maxTokens: 500, tokenizer: 'o200k' })
  expect(messages[0]).toBe(list[0])
  expect(messages.slice(1)).toEqual(list.slice(1 - messages.length))
  expect(messages.length).toBeGreaterThan(4)
  expect(brokenBy('anthropic', messages)).toEqual([])
})
