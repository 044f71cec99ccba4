import { ContextManager, type RequestForm, buildPrompt } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { APIS, numbersOf } from './lists.js'
import { brokenByRequest, managerOf, talkOf } from './made.js'

const words = (tokens: number, word = 'a') => word.repeat(tokens * 4)
const SONNET = { as: 'anthropic', model: 'claude-sonnet-4-5' } as const

const talk = (messages: number, options = {}) => {
  const manager = new ContextManager({ contextWindowSize: 1000, ...options })
  for (let n = 1; n <= messages; n++)
    manager.addMessage({ speaker: { id: 'kailai', type: 'human' }, content: `${n} ${words(100)}` })
  return manager
}

/** The texts that end with a mark. */
const markedIn = (request: any): string[] => {
  const blocks = [...(request.system ?? []), ...request.messages.flatMap(({ content }: any) => content)]
  const isMarked = ({ cache_control, providerOptions }: any) => cache_control ?? providerOptions
  return blocks.filter((block) => typeof block === 'object' && isMarked(block)).map(({ text }) => text.trim())
}
const numberOf = (text: string) => Number(/:\n(\d+) /.exec(text)?.[1])

describe('marks for the cache of Anthropic', () => {
  it('are placed after what changes least, and after the newest message', () => {
    const manager = talk(60)
    manager.setTeamTask('Design the login')
    const system = words(1024, 's')
    const request = manager.assembleForAgent('sarah', 'x', { systemInstruction: system }, SONNET)
    const [first, second, ...others] = markedIn(request)
    expect([first, second]).toEqual([system, 'Conversation so far:'])
    expect(others.map(numberOf)).toEqual([41, 60])
  })

  it('are at most four, and never below the minimum of the model', () => {
    const manager = talk(200)
    const options = { systemInstruction: 'You are Sarah.' }
    expect(markedIn(manager.assembleForAgent('sarah', 'x', options, SONNET)).map(numberOf)).toEqual([
      143, 162, 181, 200,
    ])
    const few = talk(9)
    for (const [model, marks] of [
      ['claude-sonnet-4-5', 0],
      ['claude-opus-5', 1],
      ['claude-haiku-4-5', 0],
      [undefined, 0],
    ] as const)
      expect(markedIn(few.assembleForAgent('sarah', 'x', {}, { as: 'anthropic', model })).length, model).toBe(marks)
    expect(markedIn(talk(11).assembleForAgent('sarah', 'x', {}, SONNET)).map(numberOf)).toEqual([11])
  })

  it('are placed where the next request still matches, not on a message that changes later', () => {
    const contextMessages = Array.from({ length: 30 }, (_, n) => ({ from: 'kailai', content: `${n} ${words(100)}` }))
    const input = { contextMessages, message: 'Go on.', recipient: 'sarah', maxContextMessages: 50 }
    expect(markedIn(buildPrompt(input, SONNET)).map(numberOf)).toEqual([10, 29])
    const sent = markedIn(buildPrompt({ ...input, messageFrom: 'kailai' }, SONNET))
    expect(sent.at(-1)).toBe('From kailai to all:\nGo on.')
    const manager = talk(30)
    const route = { parentMessageId: 'msg-30', targetMemberId: 'sarah', intent: 'review' }
    // The line with the addressee of the answer is not in the next request.
    expect(markedIn(manager.assembleForRoute('sarah', 'x', route, {}, SONNET)).map(numberOf)).toEqual([11, 30])
  })

  it('are not placed in a conversation that drops messages every turn', () => {
    const system = words(1024, 's')
    const marked = (manager: ContextManager, options: object = {}) =>
      markedIn(manager.assembleForAgent('sarah', 'x', { systemInstruction: system, ...options }, SONNET))
    const full = talk(60, { contextWindowSize: 40 })
    expect(marked(full)).toEqual([system])
    full.setTeamTask('Design the login')
    expect(marked(full)).toEqual([system, 'Conversation so far:'])
    // What is pinned stays.
    full.pin('msg-3')
    expect(marked(full).slice(1).map(numberOf)).toEqual([3])
    // There is still room, and with a step there is room for some turns.
    const answered = (options: object) => {
      const manager = talk(30, options)
      for (let turn = 0; turn < 15; turn++) {
        manager.addMessage({ speaker: { id: 'sarah', type: 'ai' }, content: `Done. ${words(100)}` })
        manager.addMessage({ speaker: { id: 'kailai', type: 'human' }, content: `${31 + turn} ${words(100)}` })
      }
      return marked(manager).slice(1)
    }
    expect(answered({ contextWindowSize: 100 })).toHaveLength(3)
    expect(answered({ contextWindowSize: 40, evictionStep: 8 })).toHaveLength(2)
    expect(answered({ contextWindowSize: 40, evictionStep: 2 })).toEqual([])
    // The same applies if the budget drops them.
    expect(answered({ contextWindowSize: 100, maxBytes: 20_000 })).toEqual([])
    expect(answered({ contextWindowSize: 100, maxBytes: 20_000, evictionStep: 8 })).not.toEqual([])
  })

  it('are not placed in a session delta, nor in a full window of buildPrompt', () => {
    const manager = talk(30)
    const marked = (session?: 'delta') => markedIn(manager.assembleForAgent('sarah', 'x', { session }, SONNET))
    expect(marked('delta').map(numberOf)).toEqual([11, 30])
    manager.confirm('sarah')
    for (let n = 31; n <= 60; n++)
      manager.addMessage({ speaker: { id: 'kailai', type: 'human' }, content: `${n} ${words(100)}` })
    expect(marked('delta')).toEqual([])
    const contextMessages = Array.from({ length: 30 }, (_, n) => ({ from: 'kailai', content: `${n} ${words(100)}` }))
    const input = { contextMessages, message: 'Go on.', recipient: 'sarah' }
    expect(markedIn(buildPrompt({ ...input, maxContextMessages: 30 }, SONNET))).toEqual([])
    expect(markedIn(buildPrompt({ ...input, maxContextMessages: 31 }, SONNET)).map(numberOf)).toEqual([10, 29])
  })

  it('have the requested lifetime', () => {
    const marksOf = (cache: RequestForm['cache']) => {
      const { messages } = talk(30).assembleForAgent('sarah', 'x', {}, { ...SONNET, cache })
      return messages.flatMap(({ content }) => content.flatMap((block) => block.cache_control ?? []))
    }
    expect(marksOf('auto')).toEqual([{ type: 'ephemeral' }, { type: 'ephemeral' }])
    expect(marksOf({ ttl: '1h' })[0]).toEqual({ type: 'ephemeral', ttl: '1h' })
    expect(marksOf({ ttl: '5m' })[0]).toEqual({ type: 'ephemeral', ttl: '5m' })
    expect(marksOf('none')).toEqual([])
    expect(marksOf(null)).toHaveLength(2)
  })

  it('are the same with a report, which compares requests without them', () => {
    const manager = talk(30)
    const { report, ...request } = manager.assembleForAgent('sarah', 'x', {}, { ...SONNET, report: true })
    expect(request).toEqual(manager.assembleForAgent('sarah', 'x', {}, SONNET))
    manager.addMessage({ speaker: { id: 'kailai', type: 'human' }, content: 'Go on.' })
    const next = manager.assembleForAgent('sarah', 'x', {}, { ...SONNET, report: true }).report
    expect(next.stablePrefixBytes).toBeGreaterThan(report.totalBytes)
  })

  it('are added to AI SDK parts only for Anthropic models, and never to the system text', () => {
    const manager = talk(30)
    const options = { systemInstruction: words(2000) }
    const form = { as: 'ai-sdk', model: 'anthropic/claude-sonnet-4.5', cache: { ttl: '1h' } } as const
    const { system, messages } = manager.assembleForAgent('sarah', 'x', options, form)
    expect(system).toBe(words(2000))
    expect(markedIn({ messages }).map(numberOf)).toEqual([11, 30])
    expect(messages[0]?.content.at(-1)?.providerOptions).toEqual({
      anthropic: { cacheControl: { type: 'ephemeral', ttl: '1h' } },
    })
    for (const model of [undefined, 'gpt-5'])
      expect(markedIn(manager.assembleForAgent('sarah', 'x', options, { as: 'ai-sdk', model }))).toEqual([])
  })

  it('break no rule of the API for any input', () => {
    for (let seed = 0; seed < 100; seed++) {
      const number = numbersOf(seed)
      const manager = managerOf(number, talkOf(number, 60))
      manager.addMessage({ speaker: { id: 'kailai' }, content: words(600) })
      const options = { systemInstruction: number(2) === 0 ? words(600) : 'You are Sarah.' }
      for (const as of ['anthropic', 'ai-sdk'] as const) {
        const form = { as, model: 'claude-opus-5' }
        try {
          const request = manager.assembleForAgent('sarah', 'x', options, form)
          expect(brokenByRequest(as, request), `seed ${seed}`).toEqual([])
        } catch (error: any) {
          expect(error.code, `seed ${seed}`).toBe('ERR_BUDGET_EXCEEDED')
        }
      }
    }
  })
})

describe.each(['openai', 'openai-chat'] as const)('the key of a request to %s', (as) => {
  const keyOf = (manager: ContextManager, agent = 'sarah', form = {}) =>
    manager.assembleForAgent(agent, 'x', {}, { as, ...form }).prompt_cache_key

  it('depends on the conversation and the member', () => {
    const manager = talk(3, { contextWindowSize: 2 })
    const key = keyOf(manager)
    expect(key).toMatch(/^[\w-]{1,64}$/)
    manager.addMessage({ speaker: { id: 'sarah', type: 'ai' }, content: 'Done.' })
    expect(keyOf(manager)).toBe(key)
    expect(keyOf(manager, 'max')).not.toBe(key)
    const other = new ContextManager()
    other.addMessage({ speaker: { id: 'kailai', type: 'human' }, content: 'Something else.' })
    expect(keyOf(other)).not.toBe(key)
    expect(keyOf(manager, 'sarah', { cache: 'none' })).toBeUndefined()
  })

  it('does not depend on what the member may not see', () => {
    const keys = ['one secret', 'another secret'].map((content) => {
      const manager = new ContextManager({ visibility: 'addressed' })
      const routing = { rawNextMarkers: '', resolvedAddressees: [{ identifier: 'max' }] }
      manager.addMessage({ speaker: { id: 'kailai', type: 'human' }, content, routing } as any)
      manager.addMessage({ speaker: { id: 'kailai', type: 'human' }, content: 'For all.' })
      return manager.assembleForAgent('sarah', 'x', { recipient: 'sarah' }, { as }).prompt_cache_key
    })
    expect(keys[0]).toBe(keys[1])
  })
})

it('adds nothing for Gemini', () => {
  const request = talk(30).assembleForAgent('sarah', 'x', {}, { as: 'gemini', cache: { ttl: '1h' } })
  expect(Object.keys(request)).toEqual(['contents'])
  expect(JSON.stringify(request)).not.toMatch(/cache/i)
})

describe('errors', () => {
  const assemble = (form: object) => () => new ContextManager().assembleForAgent('sarah', 'x', {}, form as any)

  it.each([
    [{ as: 'anthropic', cache: 'always' }, "form.cache must be 'auto', 'none' or { ttl: '5m' | '1h' }"],
    [{ as: 'anthropic', cache: 7 }, "form.cache must be 'auto', 'none' or { ttl: '5m' | '1h' }"],
    [{ as: 'anthropic', cache: [] }, "form.cache must be 'auto', 'none' or { ttl: '5m' | '1h' }"],
    [{ as: 'anthropic', cache: { ttl: '2h' } }, "form.cache.ttl must be '5m' or '1h'"],
    [{ as: 'anthropic', cache: {} }, 'form.cache.ttl must be a string'],
    [{ as: 'anthropic', model: 5 }, 'form.model must be a string'],
    [{ cache: 'auto' }, 'form.cache must be given together with an API in form.as'],
    [{ as: 'buffer', model: 'm' }, 'form.model must be given together with an API in form.as'],
    [{ into: Buffer.alloc(9), cache: 'none' }, 'form.cache must be given together with an API in form.as'],
  ])('%j', (form, message) => expect(assemble(form)).toThrow(message))

  it.each(APIS)('accepts %s without a value', (as) => {
    expect(assemble({ as, cache: null, model: undefined })).not.toThrow()
  })
})
