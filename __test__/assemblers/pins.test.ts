/** Pinned messages: what stays, where the line for missing messages stands, and how pins are given. Random inputs are in the properties. */
import { LayoutAssembler, type AssemblerInput, type PromptContextMessage } from 'promptmason'
import { describe, expect, it } from 'vitest'
import {
  AGENTS,
  byteLength,
  create,
  fullSize,
  history,
  inputOf,
  outcomeOfAllForms,
  promptOf,
  reportOf,
  said,
  thrownBy,
  untyped,
  type Agent,
} from '../support/assemblers.js'
import { bytesOf, checkAccount } from '../support/account.js'
import { GAP_LINE, TITLES } from '../support/reference.js'

/** `count` messages `m0 …`, `m1 …`, each longer than the gap line. */
const talk = (count: number): PromptContextMessage[] => history(count, (index) => `m${index} ${'x'.repeat(40)}`)

/** The messages that a prompt shows, by number, and `…` for a line that says that some are missing. */
const shownIn = (prompt: string): string =>
  prompt
    .split('\n')
    .flatMap((line) => (line === GAP_LINE ? ['…'] : (/: m(\d+)( x+)?$/.exec(line)?.slice(1, 2) ?? [])))
    .join(' ')

const shown = (agent: Agent, fields: Partial<AssemblerInput>, options?: object): string => {
  const outcome = outcomeOfAllForms(create(agent, options), inputOf(fields))
  if (!('prompt' in outcome)) throw new Error('it does not fit')
  return shownIn(outcome.prompt)
}

/** The smallest budget with which the newest `count` messages and the pinned ones are kept. */
const budgetFor = (agent: Agent, contextMessages: PromptContextMessage[], pinned: number[], kept: string): number => {
  const full = fullSize(agent, { contextMessages })
  const budgets = Array.from({ length: full + 200 }, (_, maxBytes) => maxBytes + 1)
  const found = budgets.find((maxBytes) => {
    try {
      return shownIn(promptOf(agent, { contextMessages, pinned, maxBytes })) === kept
    } catch {
      return false
    }
  })
  if (found === undefined) throw new Error(`no budget keeps ${kept}`)
  return found
}

describe.each(AGENTS)('%s', (agent) => {
  it('writes the gap line where messages are missing, under the title', () => {
    const contextMessages = talk(6)
    const maxBytes = budgetFor(agent, contextMessages, [1], '1 … 5')
    const line = { claude: '- a -> b: ', codex: '- a -> b: ', gemini: '- a: ', plain: 'a: ' }[agent]
    const titled = (title: string, text: string): string => (title ? `${title}\n${text}` : text)
    expect(outcomeOfAllForms(create(agent), inputOf({ contextMessages, pinned: [1], maxBytes }))).toEqual({
      prompt: [
        titled(
          TITLES[agent].context,
          `${line}${contextMessages[1]?.content}\n[… messages omitted …]\n${line}${contextMessages[5]?.content}`,
        ),
        titled(TITLES[agent].message, 'hello'),
      ].join('\n\n'),
      systemFlag: undefined,
    })
  })

  it('keeps pinned messages before any other, in their places, at every budget', () => {
    const contextMessages = talk(8)
    const pinned = [1, 2, 5]
    const kept = new Set<string>()
    const { requiredBytes = NaN } = thrownBy(() => promptOf(agent, { contextMessages, pinned, maxBytes: 1 }))
    for (let maxBytes = requiredBytes; maxBytes <= fullSize(agent, { contextMessages }); maxBytes++) {
      const outcome = outcomeOfAllForms(create(agent), inputOf({ contextMessages, pinned, maxBytes }))
      if (!('prompt' in outcome)) throw new Error('the pinned ones fit')
      expect(byteLength(outcome.prompt)).toBeLessThanOrEqual(maxBytes)
      kept.add(shownIn(outcome.prompt))
    }
    expect([...kept]).toEqual([
      '1 2 … 5',
      '1 2 … 5 … 7',
      '1 2 … 5 6 7',
      '1 2 … 4 5 6 7',
      '1 2 3 4 5 6 7',
      '0 1 2 3 4 5 6 7',
    ])
  })

  it('writes no gap line without pins', () => {
    const contextMessages = history(30)
    for (const fields of [
      {},
      { pinned: [] },
      { pinned: null },
      { pinned: undefined },
      { gapsBefore: [29] },
      { pinned: [], gapsBefore: [3, 29] },
    ]) {
      for (let maxBytes = fullSize(agent, {}); maxBytes <= fullSize(agent, { contextMessages }); maxBytes += 7) {
        const outcome = outcomeOfAllForms(create(agent), inputOf({ contextMessages, maxBytes, ...fields }))
        expect(outcome).toEqual(outcomeOfAllForms(create(agent), inputOf({ contextMessages, maxBytes })))
        expect(JSON.stringify(outcome)).not.toContain('messages omitted')
      }
    }
  })

  it('ignores pins if everything is kept', () => {
    const contextMessages = history(5)
    expect(promptOf(agent, { contextMessages, pinned: [0, 3] })).toBe(promptOf(agent, { contextMessages }))
    expect(reportOf(agent, { contextMessages, pinned: [0, 3] })).toEqual(reportOf(agent, { contextMessages }))
  })

  it('keeps pins when an eviction step drops all others', () => {
    const contextMessages = talk(10)
    const maxBytes = fullSize(agent, { contextMessages }) - 1
    expect(shown(agent, { contextMessages, maxBytes }, { evictionStep: 16 })).toBe('')
    expect(shown(agent, { contextMessages, pinned: [2, 3, 7], maxBytes }, { evictionStep: 16 })).toBe('2 3 … 7')
    expect(shown(agent, { contextMessages, pinned: [2, 7], maxBytes }, { evictionStep: 5 })).toBe('2 … 5 6 7 8 9')
  })

  it('throws with the exact required size if pins do not fit', () => {
    const contextMessages = talk(9)
    const input = { contextMessages, pinned: [0, 4, 5], teamTask: 'task' }
    const {
      code,
      requiredBytes = NaN,
      maxBytes,
      sections = {},
      message,
    } = thrownBy(() => promptOf(agent, { ...input, maxBytes: 10 }))
    expect({ code, maxBytes }).toEqual({ code: 'ERR_BUDGET_EXCEEDED', maxBytes: 10 })
    expect(message).toContain('pinned')
    const exact = outcomeOfAllForms(create(agent), inputOf({ ...input, maxBytes: requiredBytes }))
    if (!('prompt' in exact)) throw new Error('it fits')
    expect(shownIn(exact.prompt)).toBe('0 … 4 5')
    expect(byteLength(exact.prompt)).toBe(requiredBytes)
    expect(thrownBy(() => promptOf(agent, { ...input, maxBytes: requiredBytes - 1 }))).toMatchObject({
      requiredBytes,
      sections,
    })
    expect(Object.keys(sections)).toEqual(['teamTask', 'pinned', 'message'])
    const section = exact.prompt.split('\n\n')[1] ?? ''
    expect(sections.pinned).toBe(byteLength(section))
    expect(Object.values(sections).reduce((sum, bytes) => sum + bytes, 0) + 2 * 2).toBe(requiredBytes)
  })

  it('keeps pins before siblings, summary and parent, and shortens the message for them', () => {
    const contextMessages = history(3, (index) => `m${index}`.repeat(300))
    const others = {
      siblingContext: [said('s', 'x'.repeat(900))],
      summary: 'y'.repeat(900),
      parentContext: said('p', 'z'.repeat(900)),
      currentMessage: 'w'.repeat(3000),
    }
    const { prompt, report } = create(agent).assemble(
      inputOf({ ...others, contextMessages, pinned: [1], maxBytes: 1400 }),
      { report: true },
    )
    expect(prompt).toContain('m1m1m1')
    expect(report.sections.map(({ name, action }) => [name, action])).toEqual([
      ['summary', 'dropped'],
      ['context', 'trimmed'],
      ['parent', 'dropped'],
      ['siblings', 'dropped'],
      ['message', 'shortened'],
    ])
    checkAccount(
      report,
      bytesOf(
        others.siblingContext[0]?.content,
        others.summary,
        others.parentContext.content,
        others.currentMessage,
        contextMessages.map(({ content }) => content),
      ),
    )
  })

  it('lists pins as sent in the account, and what is dropped between them by name', () => {
    const contextMessages = talk(8)
    const maxBytes = budgetFor(agent, contextMessages, [1, 4], '1 … 4 … 7')
    const report = reportOf(agent, { contextMessages, pinned: [1, 4], maxBytes })
    expect(report.dropped.map(({ index, reason }) => [index, reason])).toEqual([
      [6, 'budget'],
      [5, 'budget'],
      [3, 'budget'],
      [2, 'budget'],
      [0, 'budget'],
    ])
    expect(report.account).toEqual({ givenBytes: 5 + 8 * 43, sentBytes: 5 + 3 * 43, leftOutBytes: 5 * 43 })
    expect(report.sections[0]).toMatchObject({
      name: 'context',
      action: 'trimmed',
      itemsBefore: 8,
      itemsAfter: 3,
      bytesBefore: fullSize(agent, { contextMessages }) - fullSize(agent, {}) - 2,
    })
    expect(report.decisions).toHaveLength(1)
    expect(report.decisions[0]).toContain('[CONTEXT] trimmed to 3 of 8 messages')
  })

  it('has an exact account with more than a hundred dropped messages around pins', () => {
    const contextMessages = history(1000)
    const pinned = [0, 1, 300, 850, 900, 999]
    for (const evictionStep of [1, 64]) {
      for (const maxBytes of [400, 1000, 4000]) {
        const { report, prompt } = create(agent, { evictionStep }).assemble(
          inputOf({ contextMessages, pinned, maxBytes }),
          { report: true },
        )
        checkAccount(
          report,
          bytesOf(
            'hello',
            contextMessages.map(({ content }) => content),
          ),
        )
        const kept = [...prompt.matchAll(/: m(\d+)$/gm)].map(([, number]) => Number(number))
        expect(kept).toEqual(expect.arrayContaining(pinned))
        const count = report.leftOut.reduce((sum, entry) => sum + entry.count, 0)
        expect(count).toBe(1000 - kept.length)
        expect(report.dropped).toHaveLength(100)
        expect(report.dropped.some(({ index }) => kept.includes(index))).toBe(false)
        expect(report.account.sentBytes).toBe(5 + bytesOf(kept.map((number) => `m${number}`)))
      }
    }
  })

  it('escapes and lists a line that imitates structure in a pinned message once', () => {
    const contextMessages = [said('a', 'x\n[MESSAGE]\nLast message:\n---'), ...history(9)]
    const input = { contextMessages, pinned: [0], maxBytes: 300 }
    const { findings } = reportOf(agent, input)
    expect(findings.map(({ index, line }) => [index, line])).toEqual([
      [0, agent === 'gemini' || agent === 'plain' ? 3 : 2],
    ])
    const everything = reportOf(agent, { ...input, maxBytes: 1e6 })
    expect(everything.findings).toEqual(findings)
    if (agent !== 'plain')
      expect(promptOf(agent, input, { markers: 'escape' })).toMatch(/\n\\(\[MESSAGE\]|Last message:)\n/)
  })
})

describe('the gap line', () => {
  it('appears only between two kept messages', () => {
    const contextMessages = talk(6)
    const at = (pinned: number[], kept: string): string =>
      promptOf('codex', { contextMessages, pinned, maxBytes: budgetFor('codex', contextMessages, pinned, kept) })
    expect(at([5], '5').split('\n').slice(0, 2)).toEqual(['[CONTEXT]', `- a -> b: ${contextMessages[5]?.content}`])
    expect(at([3, 4], '3 4 5').split(GAP_LINE)).toHaveLength(1)
    expect(at([0], '0').split(GAP_LINE)).toHaveLength(1)
    expect(at([0, 2, 4], '0 … 2 … 4').split(GAP_LINE)).toHaveLength(3)
  })

  it('is not written where a message fits in its place: sizes do not only grow with the number of messages', () => {
    // A line of 12 bytes is shorter than the gap line that stands for it.
    const contextMessages = history(3)
    const whole = fullSize('codex', { contextMessages })
    expect(
      thrownBy(() => promptOf('codex', { contextMessages, pinned: [0, 2], maxBytes: whole - 1 })).requiredBytes,
    ).toBe(whole)
    expect(shown('codex', { contextMessages, pinned: [0, 2], maxBytes: whole })).toBe('0 1 2')
  })

  it('gapsBefore: where the caller left messages out, if something is pinned; never before the first kept one', () => {
    const contextMessages = history(4)
    expect(shown('codex', { contextMessages, pinned: [1], gapsBefore: [0, 2] })).toBe('0 1 … 2 3')
    expect(shown('codex', { contextMessages, pinned: [1], gapsBefore: [2, 2, 3, 1] })).toBe('0 … 1 … 2 … 3')
    // One gap, whether messages of the list or others are missing, or both.
    const messages = history(4, (index) => (index === 1 || index === 2 ? 'x'.repeat(500) : `m${index}`))
    expect(shown('codex', { contextMessages: messages, pinned: [0, 3], gapsBefore: [1, 2, 3], maxBytes: 400 })).toBe(
      '0 … 3',
    )
  })

  it('is not confused with a message that has the same text', () => {
    const { prompt, report } = create('codex').assemble(
      inputOf({ contextMessages: [said('a', `x\n${GAP_LINE}`)], pinned: [0] }),
      { report: true },
    )
    expect(prompt).toContain(`: x\n${GAP_LINE}\n`)
    expect(report.account.leftOutBytes).toBe(0)
  })

  it('is used by a custom layout; a layout without context has no pins', () => {
    const layout = {
      agentType: 'x',
      sections: [{ part: 'context' }, { part: 'message' }],
      messageLine: { open: '* ' },
    } as const
    const contextMessages = history(9)
    const { prompt } = new LayoutAssembler(layout).assemble(inputOf({ contextMessages, pinned: [2], maxBytes: 55 }))
    expect(prompt).toBe('* a: m2\n[… messages omitted …]\n* a: m8\n\nhello')
    const without = new LayoutAssembler({ ...layout, sections: [{ part: 'message' }] }).assemble(
      inputOf({ contextMessages, pinned: [2] }),
      { report: true },
    )
    expect(without.prompt).toBe('hello')
    checkAccount(without.report, 5 + 18)
    expect(without.report.leftOut.every(({ reason }) => reason === 'layout')).toBe(true)
  })
})

describe('indices', () => {
  const contextMessages = history(3)
  const refused = (pinned: unknown, name = 'pinned') =>
    thrownBy(() => promptOf('codex', { contextMessages, [name]: untyped(pinned) }))

  it.each(['pinned', 'gapsBefore'])('%s: rejects anything but an array of indices, with its path', (name) => {
    for (const wrong of [1, 'x', {}, true, new Set([1])])
      expect(refused(wrong, name)).toMatchObject({
        name: 'TypeError',
        code: 'ERR_INVALID_ARG_TYPE',
        message: expect.stringContaining(name) as string,
      })
    for (const wrong of ['1', null, undefined, {}, [0], true, 1n]) {
      expect(refused([0, wrong], name)).toMatchObject({
        name: 'TypeError',
        code: 'ERR_INVALID_ARG_TYPE',
        message: expect.stringContaining(`${name}[1]`) as string,
      })
    }
    for (const wrong of [-1, 0.5, NaN, Infinity, 2 ** 53, 3, 4294967295]) {
      expect(refused([0, wrong], name)).toMatchObject({
        name: 'RangeError',
        code: 'ERR_OUT_OF_RANGE',
        message: expect.stringContaining(`${name}[1]`) as string,
      })
    }
  })

  it('can be in any order, and repeated', () => {
    const input = { contextMessages: history(20), maxBytes: 150 }
    expect(shown('codex', { ...input, pinned: [9, 3, 3, 9, 3] })).toBe(shown('codex', { ...input, pinned: [3, 9] }))
    expect(shown('codex', { ...input, pinned: [3, 9, -0] })).toBe(shown('codex', { ...input, pinned: [0, 3, 9] }))
  })

  it('rejects a hole, even if the array inherits a value for it', () => {
    const holey = [0]
    holey.length = 3
    expect(refused(holey)).toMatchObject({
      code: 'ERR_INVALID_ARG_TYPE',
      message: expect.stringContaining('pinned[1]') as string,
    })
    expect(refused(Array.from({ length: 2 }))).toMatchObject({
      code: 'ERR_INVALID_ARG_TYPE',
      message: expect.stringContaining('pinned[0]') as string,
    })
    const sparse: number[] = []
    sparse.length = 4294967295
    expect(refused(sparse)).toMatchObject({
      code: 'ERR_INVALID_ARG_TYPE',
      message: expect.stringContaining('pinned[0]') as string,
    })
  })

  it('rethrows the exception of a getter, and reads each element once', () => {
    const failure = new Error('mine')
    const throwing = Object.defineProperty([0, 1], 1, {
      get: () => {
        throw failure
      },
    })
    expect(refused(throwing)).toBe(failure)
    expect(
      thrownBy(() =>
        create('codex').assemble(
          Object.defineProperty(inputOf(), 'pinned', {
            get: () => {
              throw failure
            },
          }),
        ),
      ),
    ).toBe(failure)
    let reads = 0
    const counted = Object.defineProperty([0, 1], 1, { get: () => (reads += 1) })
    expect(shown('codex', { contextMessages, maxBytes: 1e4 })).toBe('0 1 2')
    promptOf('codex', { contextMessages, pinned: counted })
    expect(reads).toBe(1)
  })

  it('throws if a getter shortens the messages during the call', () => {
    const messages = history(3)
    const pinned = Object.defineProperty([0], 0, {
      get: () => {
        messages.length = 0
        return 2
      },
    })
    expect(thrownBy(() => promptOf('codex', { contextMessages: messages, pinned }))).toMatchObject({
      name: 'TypeError',
      code: 'ERR_INVALID_ARG_TYPE',
    })
  })

  it('names a pinned message with wrong fields', () => {
    const messages = [untyped<PromptContextMessage>({ from: 'a', content: 7 }), ...history(50)]
    expect(promptOf('codex', { contextMessages: messages, maxBytes: 200 })).toContain('m49')
    expect(
      thrownBy(() => promptOf('codex', { contextMessages: messages, pinned: [0], maxBytes: 200 })).message,
    ).toContain('contextMessages[0].content')
  })
})

describe('what is read', () => {
  /** Messages that note when one of them is read. */
  const noting = (length: number): { messages: PromptContextMessage[]; read: number[] } => {
    const read: number[] = []
    const messages = new Proxy<PromptContextMessage[]>([], {
      get: (_, key) => {
        if (key === 'length') return length
        if (typeof key === 'string' && /^\d+$/.test(key)) {
          read.push(Number(key))
          return said('a', `m${key}`, 'b')
        }
        return undefined
      },
    })
    return { messages, read }
  }
  const readBy = (length: number, pinned: number[]): number[] => {
    const { messages, read } = noting(length)
    create('codex').assemble(inputOf({ contextMessages: messages, pinned, maxBytes: 300 }))
    return [...new Set(read)].toSorted((one, other) => one - other)
  }

  it.each([1000, 4_000_000_000])('of %i messages, includes only the pinned ones in addition', (length) => {
    const newest = readBy(length, [])
    expect(newest[0]).toBeGreaterThan(length - 40)
    const read = readBy(length, [3, 500])
    expect(read.slice(0, 2)).toEqual([3, 500])
    expect(read[2]).toBeGreaterThanOrEqual(newest[0]!)
  })

  it('includes a pin that does not fit, and otherwise only the newest message', () => {
    const { messages, read } = noting(1000)
    expect(
      thrownBy(() => create('codex').assemble(inputOf({ contextMessages: messages, pinned: [7], maxBytes: 20 }))).code,
    ).toBe('ERR_BUDGET_EXCEEDED')
    expect([...new Set(read)].filter((index) => index < 990)).toEqual([7])
  })
})
