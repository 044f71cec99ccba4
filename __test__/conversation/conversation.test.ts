/* oxlint-disable no-await-in-loop -- one step after another */
import {
  type ConversationEvent,
  isPromptmasonError,
  openConversation,
  type RunInput,
  type StreamEvent,
  type TurnEvent,
} from 'promptmason'
import { describe, expect, it } from 'vitest'
import { Agent, failureOf, said, team } from '../support/team.js'

describe('a conversation', () => {
  it('asks a member, and keeps its answer', async () => {
    const { talk, sarah } = await team({ task: 'Design the login' })
    await talk.say('kailai', 'Where do the tokens live?', { to: ['sarah', 'max'] })
    const turn = await talk.send('sarah')
    expect(sarah.last.prompt).toBe(
      '[TEAM_TASK]\nDesign the login\n\n[MESSAGE]\n(from kailai to sarah, max)\nWhere do the tokens live?',
    )
    expect(turn).toMatchObject({
      member: 'sarah',
      text: 'sarah 1',
      session: 'sarah-session-1',
      attempts: 1,
      warnings: [],
    })
    expect(turn.message).toMatchObject({ id: 'msg-2', content: 'sarah 1', routing: { parentMessageId: 'msg-1' } })
    expect(turn.report.account.leftOutBytes).toBe(0)
    expect(said(talk)).toEqual(['msg-1 kailai>sarah+max: Where do the tokens live?', 'msg-2 sarah: sarah 1'])
  })

  it('sends a session only what is new, and a member without one everything', async () => {
    const max = new Agent('max').next('max 1', 'max 2')
    const { talk, sarah } = await team({ task: 'T' }, { max })
    await talk.say('kailai', 'one')
    await talk.send('sarah')
    await talk.send('max')
    await talk.say('kailai', 'two')
    await talk.send('sarah')
    await talk.send('max')
    expect(sarah.last).toMatchObject({
      resume: 'sarah-session-1',
      prompt: '[CONTEXT]\n- max -> all: max 1\n\n[MESSAGE]\n(from kailai to all)\ntwo',
    })
    expect(max.last.resume).toBeUndefined()
    expect(max.last.prompt).toBe(
      '[TEAM_TASK]\nT\n\n[CONTEXT]\n- kailai -> all: one\n- sarah -> all: sarah 1\n- max -> all: max 1\n- kailai -> all: two\n\n[MESSAGE]\n(from sarah to all)\nsarah 2',
    )
  })

  it('sends everything each time with session none', async () => {
    const { talk, sarah } = await team({}, { sarahIs: { session: 'none' } })
    await talk.say('kailai', 'one')
    expect((await talk.send('sarah')).session).toBeUndefined()
    await talk.say('kailai', 'two')
    await talk.send('sarah')
    expect(sarah.last.resume).toBeUndefined()
    expect(sarah.last.prompt).toContain('- kailai -> all: one\n- sarah -> all: sarah 1')
  })

  it('is fenced by default, with a key per member', async () => {
    const { talk, sarah, max } = await team({ markers: null })
    await talk.say('kailai', 'one')
    await talk.sendAll(['sarah', 'max'])
    const keys = [sarah, max].map(({ last }) => /=== (\w{12}) from kailai/.exec(last.prompt)?.[1])
    expect(new Set(keys).size).toBe(2)
    expect(keys).not.toContain(undefined)
  })

  it('asks a member to act on the messages of others, also if it spoke last', async () => {
    const { talk, max } = await team({}, { max: new Agent('max').next('max 1', 'max 2') })
    await talk.say('kailai', 'one')
    await talk.sendAll(['sarah', 'max'])
    expect(said(talk).slice(1).toSorted()).toEqual(['msg-2 sarah: sarah 1', 'msg-3 max: max 1'].toSorted())
    await talk.send('max')
    expect(max.last.prompt).toContain('[MESSAGE]\n(from sarah to all)\nsarah 1')
  })

  it('can start with only the task', async () => {
    const { talk, sarah } = await team({ task: 'Introduce yourself' })
    expect((await talk.send('sarah')).text).toBe('sarah 1')
    expect(sarah.last.prompt).toBe('[TEAM_TASK]\nIntroduce yourself')
  })

  it('has nothing to send to a member that has answered everything', async () => {
    const { talk, sarah, max } = await team({}, { max: new Agent('max').next('m') })
    expect(await failureOf(talk.send('sarah'))).toMatchObject({ code: 'ERR_NOTHING_TO_SEND' })
    await talk.say('kailai', 'one')
    await talk.send('sarah')
    const error = await failureOf(talk.send('sarah'))
    expect(isPromptmasonError(error, 'ERR_NOTHING_TO_SEND')).toBe(true)
    await talk.send('max')
    expect(await failureOf(talk.send('max'))).toMatchObject({ code: 'ERR_NOTHING_TO_SEND' })
    expect([sarah.asked.length, max.asked.length]).toEqual([1, 1])
    expect((await talk.send('sarah')).text).toBe('sarah 2')
  })
})

describe('a briefing', () => {
  const named = 'You are sarah, in a conversation with kailai (human) and max.'
  const marker = 'To address your answer, write [NEXT: name], with one or more of these names'
  const first = async (options: object, sarahIs: object = {}) => {
    const { talk } = await team({ briefing: null, ...options }, { sarahIs })
    await talk.say('kailai', 'one')
    return talk.preview('sarah')
  }

  it('tells each member its name, its team, and how to address an answer', async () => {
    const { prompt, report } = await first({}, { system: 'Be brief.' })
    const system = `[SYSTEM]\n${named} ${marker}: everybody reads it.\nBe brief.`
    expect(prompt).toBe(`${system}\n\n[MESSAGE]\n(from kailai to all)\none`)
    expect(report.sections[0]).toMatchObject({ name: 'system', bytesAfter: Buffer.byteLength(system) })
    expect((await first({ visibility: 'addressed' })).prompt).toContain(`${marker}: only they read it;`)
  })

  it('does not mention markers that are not read', async () => {
    const { prompt } = await first({ parseReply: (text: string) => ({ text }) })
    expect(prompt).toContain(`[SYSTEM]\n${named}\n\n`)
  })

  it('can be left out, or be another text', async () => {
    expect((await first({ briefing: false })).prompt).not.toContain('[SYSTEM]')
    expect((await first({ briefing: '' })).prompt).not.toContain('[SYSTEM]')
    expect((await first({ briefing: 'Be kind.' })).prompt).toContain('[SYSTEM]\nBe kind.\n\n')
    const error = await failureOf(openConversation({ members: {}, briefing: 7 as never }))
    expect(error.message).toContain('options.briefing must be a boolean, got number')
  })

  it('is the same in every turn, and new to a session only if the team has changed', async () => {
    const { talk, sarah, max } = await team({ briefing: null }, { maxIs: { session: 'none' } })
    for (const text of ['one', 'two']) {
      await talk.say('kailai', text)
      await talk.sendAll(['sarah', 'max'])
    }
    expect(sarah.last.prompt).not.toContain('You are')
    const [before, after] = max.asked.map(({ prompt }) => prompt.slice(0, prompt.indexOf('[CONTEXT]')))
    expect(before?.startsWith(after?.trimEnd() ?? '')).toBe(true)
    await talk.addMember('lee', { human: true })
    await talk.say('kailai', 'three')
    await talk.send('sarah')
    expect(sarah.last.prompt).toContain('You are sarah, in a conversation with kailai (human), max and lee (human).')
  })

  it('is in the system text of a CLI and of a request, but not for a program that takes none', async () => {
    const members = {
      kailai: { human: true },
      cla: { agent: 'claude' },
      api: { as: 'anthropic', run: () => 'x' },
      cat: { agent: 'cat', layout: 'claude' },
    } as const
    const talk = await openConversation({ members })
    await talk.say('kailai', 'one')
    expect((await talk.preview('cla')).systemFlag).toContain('You are cla, in a conversation with')
    expect(JSON.parse((await talk.preview('api')).prompt).system[0].text).toContain('You are api')
    expect(await talk.preview('cat')).toMatchObject({
      systemFlag: undefined,
      prompt: expect.not.stringContaining('You'),
    })
    await talk.close()
  })
})

describe('private messages', () => {
  it('are read by their addressees and their sender alone, and answered privately', async () => {
    const { talk, sarah, max } = await team({}, { max: new Agent('max').next('m1', 'm2', 'm3') })
    await talk.say('kailai', 'SECRET', { to: 'sarah', private: true })
    expect(await failureOf(talk.send('max'))).toMatchObject({ code: 'ERR_NOTHING_TO_SEND' })
    await talk.send('sarah')
    expect(said(talk)).toEqual(['msg-1 kailai>sarah (private): SECRET', 'msg-2 sarah>kailai (private): sarah 1'])
    await talk.say('kailai', 'for all')
    const { turn } = (await talk.sendAll(['max']))[0] ?? {}
    expect(max.last.prompt).toBe('[MESSAGE]\n(from kailai to all)\nfor all')
    expect(JSON.stringify(turn?.report)).not.toMatch(/SECRET|sarah 1/)
    expect((await talk.preview('sarah')).prompt).toContain('for all')
    expect(talk.page()).not.toMatch(/SECRET/)
    await talk.send('sarah')
    expect(said(talk).at(-1)).toBe('msg-5 sarah: sarah 2')
    expect(sarah.last.prompt).not.toContain('SECRET')
  })

  it('require at least one reader', async () => {
    const { talk } = await team()
    await expect(talk.say('kailai', 'x', { private: true })).rejects.toThrow('options.to must name somebody')
    await expect(talk.say('kailai', 'x', { private: true, to: 'all' })).rejects.toThrow('options.to must name somebody')
  })

  it('stay private', async () => {
    const { talk } = await team()
    await talk.say('kailai', 'SECRET', { to: 'sarah', private: true })
    await talk.say('kailai', 'open', { to: 'sarah' })
    await expect(talk.update('msg-1', { to: ['sarah', 'max'] })).rejects.toThrow('it is private')
    await expect(talk.update('msg-1', { private: false as never })).rejects.toThrow('it is private')
    await expect(talk.update('msg-1', { content: 'x' } as never)).rejects.toThrow(
      'changes must have text, to or private',
    )
    await talk.update('msg-1', { text: 'SECRET 2' })
    await talk.update('msg-2', { private: true })
    expect(said(talk)).toEqual(['msg-1 kailai>sarah (private): SECRET 2', 'msg-2 kailai>sarah (private): open'])
    expect(await failureOf(talk.send('max'))).toMatchObject({ code: 'ERR_NOTHING_TO_SEND' })
  })

  it('include all addressed messages with visibility addressed', async () => {
    const { talk } = await team({ visibility: 'addressed' })
    await talk.say('kailai', 'only sarah', { to: 'sarah' })
    expect(await failureOf(talk.send('max'))).toMatchObject({ code: 'ERR_NOTHING_TO_SEND' })
    await talk.send('sarah')
    expect(said(talk).at(-1)).toContain('sarah>kailai')
    expect(await failureOf(talk.send('max'))).toMatchObject({ code: 'ERR_NOTHING_TO_SEND' })
  })
})

describe('answers', () => {
  it.each([
    ['Done. [NEXT: max]', 'Done.', ['max']],
    ['[NEXT: max, kailai] Done.', 'Done.', ['max', 'kailai']],
    ['Done [next:MAX] now', 'Done now', ['max']],
    ['A\n\n[NEXT: @max]\n\nB', 'A\n\n\nB', ['max']],
    ['Use `[NEXT: max]` so.', 'Use `[NEXT: max]` so.', undefined],
    ['```\n[NEXT: max]\n```\n[NEXT: kailai]', '```\n[NEXT: max]\n```', ['kailai']],
    ['[NEXT: all] Hello', 'Hello', undefined],
    ['[NEXT: max]', '', ['max']],
    ['No markers [here]', 'No markers [here]', undefined],
    ['[NEXT: ma', '[NEXT: ma', undefined],
  ])('%j', async (answer, text, to) => {
    const { talk } = await team({}, { sarah: new Agent('sarah').next(answer) })
    await talk.say('kailai', 'one')
    const turn = await talk.send('sarah')
    expect([turn.text, turn.message.content, turn.message.routing?.addressees]).toEqual([text, text, to])
    expect(turn.warnings).toEqual([])
  })

  it('that address nobody cause a warning', async () => {
    const { talk } = await team({}, { sarah: new Agent('sarah').next('Hi [NEXT: mx, max]') })
    await talk.say('kailai', 'one')
    const turn = await talk.send('sarah')
    expect(turn.message.routing?.addressees).toEqual(['max'])
    expect(turn.warnings).toEqual([
      { code: 'unknown-addressee', message: "sarah has addressed 'mx', who is not a member" },
    ])
  })

  it('of many markers take linear time', async () => {
    const answer = '[NEXT: '.repeat(50_000) + '`'.repeat(50_000) + '` ``'.repeat(20_000)
    const { talk } = await team({}, { sarah: new Agent('sarah').next(answer) })
    await talk.say('kailai', 'one')
    expect((await talk.send('sarah')).text).toBe(answer)
  })

  it('are parsed by parseReply', async () => {
    const sarah = new Agent('sarah').next('{"say":"hi","to":"max"}', 'not json', 'x')
    const parseReply = (text: string) => {
      const { say, to } = JSON.parse(text)
      return { text: say, to, private: true }
    }
    const { talk } = await team({ parseReply }, { sarah })
    await talk.say('kailai', 'one')
    await talk.send('sarah')
    expect(said(talk).at(-1)).toBe('msg-2 sarah>max (private): hi')
    await talk.say('kailai', 'two')
    const error = await failureOf(talk.send('sarah'))
    expect(error).toMatchObject({ code: 'ERR_TURN_FAILED', partialText: 'not json', delivered: 'yes' })
    expect(error.cause).toBeInstanceOf(SyntaxError)
    expect(talk.messages()).toHaveLength(3)
  })
})

describe('sendAll', () => {
  it('asks everybody from the same state, and keeps the answers that succeed', async () => {
    const sarah = new Agent('sarah').next(new Error('no'))
    const { talk, max } = await team({}, { sarah })
    await talk.say('kailai', 'one')
    const results = await talk.sendAll(['sarah', 'max'])
    expect(results.map(({ member }) => member)).toEqual(['sarah', 'max'])
    expect(results[0]?.error).toMatchObject({ code: 'ERR_TURN_FAILED', reason: 'other' })
    expect(results[1]?.turn?.text).toBe('max 1')
    expect(max.last.prompt).not.toContain('sarah 1')
    expect(said(talk)).toEqual(['msg-1 kailai: one', 'msg-2 max: max 1'])
    expect((await talk.send('sarah')).text).toBe('sarah 1')
    expect(sarah.last.prompt).toContain('max 1')
  })

  it('does not put a quick answer into a slow member’s prompt', async () => {
    const { talk, max } = await team({}, { maxIs: { instructions: { directory: import.meta.dirname } } })
    await talk.say('kailai', 'one')
    await talk.sendAll(['sarah', 'max'])
    expect(max.last.prompt).not.toContain('sarah 1')
  })

  it('rejects a member that is listed twice', async () => {
    const { talk } = await team()
    await talk.say('kailai', 'one')
    const results = await talk.sendAll(['sarah', 'sarah'])
    expect(results[0]?.turn?.text).toBe('sarah 1')
    expect(results[1]?.error).toMatchObject({ code: 'ERR_BUSY', member: 'sarah' })
  })
})

describe('one turn at a time', () => {
  it('per member', async () => {
    const { talk } = await team()
    await talk.say('kailai', 'one')
    const first = talk.send('sarah')
    const error = await failureOf(talk.send('sarah'))
    expect(isPromptmasonError(error, 'ERR_BUSY') && error.member).toBe('sarah')
    await expect(talk.preview('sarah')).rejects.toMatchObject({ code: 'ERR_BUSY' })
    await expect(talk.change('sarah', { system: 'x' })).rejects.toMatchObject({ code: 'ERR_BUSY' })
    expect((await first).text).toBe('sarah 1')
    await talk.say('kailai', 'two')
    expect((await talk.send('sarah')).text).toBe('sarah 2')
  })
})

describe('preview', () => {
  it('returns what would be sent, and changes nothing', async () => {
    const { talk, sarah } = await team({ task: 'T' })
    await talk.say('kailai', 'one')
    const { prompt, report } = await talk.preview('sarah')
    expect((await talk.preview('sarah')).prompt).toBe(prompt)
    const turn = await talk.send('sarah')
    expect(sarah.last.prompt).toBe(prompt)
    expect(turn.report.account).toEqual(report.account)
    await talk.say('kailai', 'two')
    expect((await talk.preview('sarah')).prompt).toBe('[MESSAGE]\n(from kailai to all)\ntwo')
    await talk.send('sarah')
    expect(sarah.last.prompt).toBe('[MESSAGE]\n(from kailai to all)\ntwo')
  })
})

describe('events', () => {
  it('report what happens in turns', async () => {
    const events: ConversationEvent[] = []
    const { talk } = await team({ onEvent: (event) => events.push(event) })
    await talk.say('kailai', 'one')
    await talk.send('sarah')
    expect(events.map(({ type, member }) => [type, member])).toEqual([
      ['begun', 'sarah'],
      ['delivered', 'sarah'],
      ['answered', 'sarah'],
    ])
  })

  it('of deliveries name the member, also for the whole conversation', async () => {
    const [ofTurns, ofAll, texts]: [TurnEvent[], ConversationEvent[], string[]] = [[], [], []]
    const say = ({ onText, member }: RunInput) => {
      onText(`I am ${member}`)
      return 'x'
    }
    const { talk } = await team(
      { onEvent: (event) => ofAll.push(event) },
      { sarah: new Agent('sarah').next(say), max: new Agent('max').next(say) },
    )
    await talk.say('kailai', 'one')
    const onText = (text: string, member: string) => void texts.push(`${member}: ${text}`)
    await talk.sendAll(['sarah', 'max'], { onEvent: (event) => ofTurns.push(event), onText })
    expect(texts.toSorted()).toEqual(['max: I am max', 'sarah: I am sarah'])
    expect(ofTurns.map(({ type, member }) => [type, member])).toEqual([
      ['text', 'sarah'],
      ['text', 'max'],
    ])
    expect(ofAll.filter(({ type }) => type === 'text')).toEqual(ofTurns)
  })

  it('may throw in listeners without failing the turn', async () => {
    const warnings: string[] = []
    const logger = { debug() {}, info() {}, warn: (text: string) => void warnings.push(text), error() {} }
    const onEvent = () => {
      throw new Error('mine')
    }
    const { talk } = await team({ onEvent, logger })
    await talk.say('kailai', 'one')
    expect((await talk.send('sarah')).text).toBe('sarah 1')
    expect(warnings).toEqual([expect.stringContaining('threw: mine')])
  })

  it('are streamed', async () => {
    const sarah = new Agent('sarah').next(({ onText }) => {
      onText('Hel')
      onText('lo')
      return 'Hello'
    })
    const { talk } = await team({}, { sarah })
    await talk.say('kailai', 'one')
    const events: StreamEvent[] = []
    for await (const event of talk.stream('sarah')) events.push(event)
    expect(events.map((event) => (event.type === 'text' ? event.text : event.type))).toEqual(['Hel', 'lo', 'turn'])
    await talk.say('kailai', 'two')
    const texts: string[] = []
    await talk.send('sarah', { onText: (text) => texts.push(text) })
    expect(texts).toEqual([])
  })

  it('are streamed in order, however many there are', async () => {
    const count = 100_000
    const sarah = new Agent('sarah').next(({ onText }) => {
      for (let index = 0; index < count; index++) onText(`${index}`)
      return 'done'
    })
    const { talk } = await team({}, { sarah })
    await talk.say('kailai', 'one')
    let next = 0
    for await (const event of talk.stream('sarah')) {
      next += Number(event.type === 'text' && event.text === `${next}`)
    }
    expect(next).toBe(count)
  })

  it('end the turn when nobody reads the stream any more', async () => {
    let signal: AbortSignal | undefined
    const sarah = new Agent('sarah').next((input) => {
      signal = input.signal
      input.onText('Hel')
      return new Promise(() => {})
    })
    const { talk } = await team({}, { sarah })
    await talk.say('kailai', 'one')
    for await (const event of talk.stream('sarah')) {
      expect(event.type).toBe('text')
      break
    }
    expect(signal?.aborted).toBe(true)
    expect(talk.messages()).toHaveLength(1)
    expect((await talk.send('sarah')).text).toBe('sarah 1')
  })

  it('include the failure of a turn', async () => {
    const { talk } = await team({}, { sarah: new Agent('sarah').next(new Error('no')) })
    await talk.say('kailai', 'one')
    const read = async () => {
      for await (const event of talk.stream('sarah')) void event
    }
    expect(await failureOf(read())).toMatchObject({ code: 'ERR_TURN_FAILED' })
  })

  it('have no fields that are undefined', async () => {
    const usage = { inputTokens: 12, outputTokens: undefined }
    const { talk } = await team({}, { sarah: new Agent('sarah').next({ text: 'x', usage } as never) })
    await talk.say('kailai', 'one')
    expect(Object.keys((await talk.send('sarah')).usage ?? {})).toEqual(['inputTokens'])
  })

  it('have the fields of OpenTelemetry', async () => {
    const usage = { inputTokens: 12, outputTokens: 3, cachedInputTokens: 4 }
    const { talk } = await team(
      { id: 'design' },
      { sarah: new Agent('sarah').next({ text: 'x', usage, model: 'm-1' }, new Error('no')) },
    )
    await talk.say('kailai', 'one')
    const { telemetry } = await talk.send('sarah')
    expect(telemetry).toEqual({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'sarah',
      'gen_ai.agent.id': 'sarah',
      'gen_ai.conversation.id': 'design',
      'gen_ai.response.model': 'm-1',
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.usage.input_tokens': 12,
      'gen_ai.usage.output_tokens': 3,
      'gen_ai.usage.cache_read.input_tokens': 4,
    })
    await talk.say('kailai', 'two')
    expect((await failureOf(talk.send('sarah'))).telemetry['error.type']).toBe('other')
  })
})

describe('messages', () => {
  it('can be pinned, changed and removed', async () => {
    const { talk, sarah } = await team({ contextWindowSize: 1, evictionStep: 1 }, { sarahIs: { session: 'none' } })
    await talk.say('kailai', 'one')
    await talk.say('kailai', 'two', { replyTo: 'msg-1', pinned: true })
    await talk.pin('msg-1')
    await talk.unpin('msg-2')
    await talk.say('kailai', 'three')
    await talk.say('kailai', 'four')
    await talk.update('msg-1', { text: 'one!', to: 'max' })
    await talk.remove('msg-3')
    await talk.send('sarah')
    expect(sarah.last.prompt).toContain('- kailai -> max: one!')
    expect(said(talk)).toEqual([
      'msg-1 kailai>max: one!',
      'msg-2 kailai: two',
      'msg-4 kailai: four',
      'msg-5 sarah: sarah 1',
    ])
    for (const work of [
      talk.pin('msg-9'),
      talk.remove('msg-3'),
      talk.update('x', { text: 'y' }),
      talk.say('kailai', 'x', { replyTo: 'y' }),
    ])
      expect(await failureOf(work)).toMatchObject({ code: 'ERR_UNKNOWN_MESSAGE' })
  })

  it('that changed are shown again', async () => {
    const { talk, sarah } = await team()
    await talk.say('kailai', 'one')
    await talk.send('sarah')
    await talk.update('msg-1', { text: 'uno' })
    await talk.setTask('another')
    await talk.say('kailai', 'two')
    await talk.send('sarah')
    expect(sarah.last.prompt).toContain('uno')
    expect(sarah.last.prompt).toContain('[TEAM_TASK]\nanother')
  })
})

describe('a message that is addressed to somebody later', () => {
  it.each(['s', undefined])('is new to them, with the session %s, unless they have seen it', async (session) => {
    const asked: string[] = []
    const sarah = new Agent('sarah')
    const answer = ({ prompt }: RunInput) => {
      asked.push(prompt)
      return { text: 'x', session }
    }
    sarah.next(answer, answer, answer, answer)
    const { talk } = await team({ visibility: 'addressed' }, { sarah })
    await talk.say('kailai', 'old', { to: 'max' })
    await talk.say('kailai', 'for all')
    await talk.send('sarah')
    await talk.update('msg-2', { text: 'For all' })
    expect(await failureOf(talk.send('sarah'))).toMatchObject({ code: 'ERR_NOTHING_TO_SEND' })
    await talk.update('msg-1', { to: ['max', 'sarah'] })
    await talk.send('sarah')
    expect(asked.map((prompt) => prompt.includes('old'))).toEqual([false, true])
    expect(await failureOf(talk.send('sarah'))).toMatchObject({ code: 'ERR_NOTHING_TO_SEND' })
  })

  it('while they answer is new afterwards', async () => {
    const { talk, sarah } = await team({ visibility: 'addressed' }, { sarahIs: { session: 'none' } })
    await talk.say('kailai', 'old', { to: 'max' })
    await talk.say('kailai', 'for all')
    await talk.send('sarah')
    await talk.say('kailai', 'more')
    sarah.next(async () => {
      await talk.update('msg-1', { to: ['max', 'sarah'] })
      return 'x'
    })
    await talk.send('sarah')
    expect(sarah.last.prompt).not.toContain('old')
    await talk.send('sarah')
    expect(sarah.last.prompt).toContain('old')
  })
})

describe('members', () => {
  it('can be replaced: the next prompt is whole', async () => {
    const { talk } = await team({ task: 'T' }, { sarahIs: { system: 'You are Sarah.' } })
    await talk.say('kailai', 'one')
    await talk.send('sarah')
    const other = new Agent('other')
    await talk.change('sarah', { run: other.run })
    expect((await talk.send('sarah')).text).toBe('other 1')
    expect(other.last.resume).toBeUndefined()
    expect(other.last.prompt).toBe(
      '[SYSTEM]\nYou are Sarah.\n\n[TEAM_TASK]\nT\n\n[CONTEXT]\n- sarah -> all: sarah 1\n\n[MESSAGE]\n(from kailai to all)\none',
    )
  })

  it('can get other instructions in their session', async () => {
    const { talk, sarah } = await team({}, { sarahIs: { system: 'Be brief.' } })
    await talk.say('kailai', 'one')
    await talk.send('sarah')
    await talk.change('sarah', { system: 'Be kind.' })
    await talk.say('kailai', 'two')
    await talk.send('sarah')
    expect(sarah.last).toMatchObject({ resume: 'sarah-session-1' })
    expect(sarah.last.prompt).toContain('[SYSTEM]\nBe kind.')
  })

  it('can come and go', async () => {
    const { talk } = await team()
    const lee = new Agent('lee')
    await talk.addMember('lee', { run: lee.run })
    await talk.say('kailai', 'one', { to: 'lee' })
    expect((await talk.send('lee')).text).toBe('lee 1')
    await talk.removeMember('lee')
    expect(talk.members()).toEqual(['kailai', 'sarah', 'max'])
    expect(talk.messages()).toHaveLength(2)
    await expect(talk.send('lee')).rejects.toThrow("member is 'lee', who is not a member")
    await talk.addMember('lee', { run: lee.run })
    await talk.say('kailai', 'two')
    await talk.send('lee')
    expect(lee.last.prompt).toContain('- kailai -> lee: one')
    await expect(talk.addMember('Lee', { human: true })).rejects.toThrow("there is a member 'lee'")
  })

  it('have layouts', async () => {
    const layout = {
      agentType: 'mine',
      sections: [
        { part: 'context', title: 'So far' },
        { part: 'message', title: 'Now' },
      ],
      messageLine: { open: '* ', colon: ' says ' },
    } as const
    const { talk, sarah, max } = await team(
      { layouts: [layout] },
      { sarahIs: { layout: 'mine' }, maxIs: { layout: 'claude', system: 'Be Max.' } },
    )
    await talk.say('kailai', 'one')
    await talk.sendAll(['sarah', 'max'])
    expect(sarah.last.prompt).toBe('Now\nFrom kailai to all:\none')
    expect(max.last.systemFlag).toBe('Be Max.')
  })

  it('are named in errors if they are unknown', async () => {
    const { talk } = await team()
    for (const [work, text] of [
      [talk.say('sara' as never, 'x'), "from is 'sara', who is not a member: did you mean 'sarah'?"],
      [talk.say('kailai', 'x', { to: ['sarah', 'mxa'] as never }), "options.to[1] is 'mxa', who is not a member"],
      [talk.send('Sarah' as never), "did you mean 'sarah'?"],
      [talk.send('kailai'), "member is 'kailai', a human"],
      [talk.sendAll(['sarah', 'kailai']), "names[1] is 'kailai', a human"],
      [talk.send(7 as never), 'member must be the name of a member, got number'],
      [talk.say('kailai', 7 as never), 'text must be a string, got number'],
      [talk.send('sarah', { onTxt() {} } as never), 'did you mean options.onText?'],
    ] as const) {
      const error = await failureOf(work)
      expect(isPromptmasonError(error, 'ERR_INVALID_ARG_TYPE')).toBe(true)
      expect(error.message).toContain(text)
    }
    expect(talk.messages()).toEqual([])
  })

  it.each<[unknown, string]>([
    [{}, 'options.members must be an object, got undefined'],
    [{ members: { a: {} } }, 'options.members.a must have one of agent, run and human, and has none'],
    [
      { members: { a: { run() {}, agent: 'x' } } },
      'options.members.a must have one of agent, run and human, got agent and run',
    ],
    [{ members: { all: { human: true } } }, "that is not 'all', got 'all'"],
    [{ members: { 'a, b': { human: true } } }, 'a name without commas'],
    [{ members: { max: { human: true }, Max: { human: true } } }, 'must differ in more than letter case'],
    [{ members: { a: { agent: 'codex', modle: 'x' } } }, 'did you mean options.members.a.model?'],
    [{ members: { a: { run() {}, timeoutMs: 0 } } }, 'options.members.a.timeoutMs must be a positive safe integer'],
    [{ members: {}, id: '' }, 'options.id must be a well-formed string'],
    [{ members: {}, windowSize: 3, contextWindowsize: 3 }, 'did you mean options.contextWindowSize?'],
  ])('%j are refused', async (options, text) => {
    const error = await failureOf(openConversation(options as never))
    expect(error.message).toContain(text)
  })
})

describe('options in a place where they have no effect', () => {
  it.each<[object, string]>([
    [{ permissions: 'read-only' }, 'options.permissions is not read here: it belongs to a member'],
    [{ maxTokens: 100 }, 'options.maxTokens is not read here: it belongs to a member'],
    [{ signal: AbortSignal.abort() }, 'options.signal is not read here: it belongs to send'],
    [{ members: { a: { run() {}, permissions: 'read-only' } } }, 'belongs to a member with agent'],
    [{ members: { a: { agent: 'codex', as: 'openai-chat' } } }, 'belongs to a member with run'],
    [{ members: { a: { human: true, system: 'x' } } }, 'belongs to a member with agent or run'],
    [
      { members: { a: { run() {}, maxBytes: 100 } } },
      'members.a.maxBytes is not read here: it belongs to openConversation',
    ],
  ])('%j are refused', async (options, text) => {
    const error = await failureOf(openConversation({ members: { kailai: { human: true } }, ...options } as never))
    expect(isPromptmasonError(error, 'ERR_INVALID_ARG_TYPE')).toBe(true)
    expect(error.message).toContain(text)
  })

  it('are refused by methods', async () => {
    const { talk } = await team()
    for (const [work, text] of [
      [talk.say('kailai', 'x', { pin: true } as never), 'options.pin is not read here: did you mean options.pinned?'],
      [talk.send('sarah', { model: 'opus' } as never), 'options.model is not read here: it belongs to a member'],
      [
        talk.send('sarah', { maxBytes: 7 } as never),
        'options.maxBytes is not read here: it belongs to openConversation',
      ],
      [talk.addMember('lee', { human: true, cwd: '/' } as never), 'member.cwd is not read here'],
      [talk.change('sarah', { permissions: 'all' } as never), 'member.permissions is not read here'],
    ] as const) {
      const error = await failureOf(work)
      expect(isPromptmasonError(error, 'ERR_INVALID_ARG_TYPE')).toBe(true)
      expect(error.message).toContain(text)
    }
    await talk.say('kailai', 'one')
    await expect(talk.update('msg-1', { text: 'x', pinned: true } as never)).rejects.toThrow('it belongs to pin')
  })
})

describe('a member that becomes another program', () => {
  const script = 'process.stdin.on("data", (text) => process.stdout.write(process.env.MINE + text))'
  const profile = { command: process.execPath, args: ['-e', script] }
  const sarahIs = { env: { MINE: 'mine' }, permissions: 'read-only', tokenizer: 'o200k', layout: 'claude' } as const

  it('keeps what it can have, and nothing is lost without a word', async () => {
    const talk = await openConversation({
      members: { kailai: { human: true }, sarah: { agent: 'claude', model: 'opus', args: [], ...sarahIs } },
    })
    await expect(talk.change('sarah', { agent: 'codex' })).rejects.toThrow('changes.model must be given, or null')
    await talk.change('sarah', { agent: 'codex', model: null })
    // It cannot be restricted, so it is not asked.
    await expect(talk.change('sarah', { agent: 'cat' })).rejects.toMatchObject({ code: 'ERR_UNDELIVERABLE' })
    for (const field of ['permissions', 'env'] as const) {
      const changes = { run: () => 'x', permissions: null, env: null, [field]: undefined }
      delete changes[field]
      await expect(talk.change('sarah', changes as never)).rejects.toThrow(`member.${field} is not read here`)
    }
    await talk.change('sarah', { agent: 'cat', permissions: null, profile })
    await talk.say('kailai', 'one')
    expect((await talk.send('sarah')).text).toContain('mine')
    await talk.change('sarah', { run: () => 'x', profile: null, env: null })
    await talk.change('sarah', { human: true })
    await talk.close()
  })
})

describe('a program', () => {
  it('can be started elsewhere, with its files', async () => {
    const { spawn } = await import('node:child_process')
    const [commands, files]: [string[], string[]] = [[], []]
    const answer = JSON.stringify({ type: 'result', is_error: false, result: 'far away', session_id: 's' })
    const sarah = {
      agent: 'claude',
      system: 'x'.repeat(200_000),
      cwd: '/nowhere',
      spawn: (command: string) => {
        commands.push(command)
        return spawn(process.execPath, ['-e', `console.log(${JSON.stringify(answer)})`])
      },
      files: { write: (name: string) => `/far/${files.push(name)}`, remove: () => {} },
    }
    const talk = await openConversation({ members: { kailai: { human: true }, sarah } })
    await talk.say('kailai', 'one')
    expect((await talk.send('sarah')).text).toBe('far away')
    expect([commands, files]).toEqual([['claude'], ['system-prompt.md']])
    await talk.close()
  })

  it('whose tools were not allowed, and what it cost, can be seen in its turn', async () => {
    const denied = { tool_name: 'Write', tool_use_id: '1', tool_input: {} }
    const result = { type: 'result', is_error: false, result: 'done', session_id: 's', total_cost_usd: 0.25 }
    const line = JSON.stringify({ ...result, permission_denials: [denied] })
    const profile = {
      command: process.execPath,
      args: ['-e', `console.log(${JSON.stringify(line)})`],
      output: 'claude',
    }
    const talk = await openConversation({ members: { kailai: { human: true }, sarah: { agent: 'claude', profile } } })
    await talk.say('kailai', 'one')
    const turn = await talk.send('sarah')
    expect(turn).toMatchObject({ costUsd: 0.25, denials: [{ name: 'Write' }] })
    expect(turn.warnings).toEqual([{ code: 'denied', message: 'these tools were not allowed: Write' }])
    await talk.close()
  })

  it('whose directory is missing is not said to be missing itself', async () => {
    const profile = { command: process.execPath }
    for (const [cwd, text] of [
      ['/nope', 'its directory does not exist: /nope'],
      [import.meta.filename, 'ENOTDIR'],
    ] as const) {
      const talk = await openConversation({ members: { kailai: { human: true }, bot: { agent: 'x', profile, cwd } } })
      await talk.say('kailai', 'one')
      const error = await failureOf(talk.send('bot'))
      expect(error).toMatchObject({ reason: 'other', delivered: 'no', message: expect.stringContaining(text) })
      await talk.close()
    }
  })

  it.skipIf(process.platform === 'win32')('that does not say its version in time is not started', async () => {
    const { chmodSync, existsSync, mkdtempSync, writeFileSync } = await import('node:fs')
    const { delimiter, join } = await import('node:path')
    const { tmpdir } = await import('node:os')
    const directory = mkdtempSync(join(tmpdir(), 'promptmason-slow-'))
    writeFileSync(
      join(directory, 'claude'),
      `#!/bin/sh\n[ "$1" = --version ] && exec sleep 5\ntouch ${directory}/started\n`,
    )
    chmodSync(join(directory, 'claude'), 0o755)
    const before = process.env.PATH
    process.env.PATH = [directory, before].join(delimiter)
    try {
      const talk = await openConversation({ members: { kailai: { human: true }, bot: { agent: 'claude' } } })
      await talk.say('kailai', 'one')
      const began = performance.now()
      const error = await failureOf(talk.send('bot', { timeoutMs: 300 }))
      expect(error).toMatchObject({ reason: 'timed-out', delivered: 'no' })
      const controller = new AbortController()
      setTimeout(() => controller.abort(), 300)
      expect(await failureOf(talk.send('bot', { signal: controller.signal }))).toMatchObject({ reason: 'aborted' })
      expect(performance.now() - began).toBeLessThan(4000)
      expect(existsSync(join(directory, 'started'))).toBe(false)
      await talk.close()
    } finally {
      process.env.PATH = before
    }
  })

  it('with a profile has the layout of its agent', async () => {
    const profile = { command: 'x' }
    const members = {
      kailai: { human: true },
      gem: { agent: 'gemini', profile },
      cla: { agent: 'claude', profile },
    } as const
    const talk = await openConversation({ members, task: 'T', markers: 'verbatim' })
    await talk.say('kailai', 'one')
    await talk.addMember('gem2', { run: () => 'x', layout: 'gemini' })
    const titles = (prompt: string) => prompt.match(/^[<#[].*/gm)
    const [mine, known] = [await talk.preview('gem'), await talk.preview('gem2' as 'gem')]
    expect(titles(mine.prompt)).toEqual(titles(known.prompt))
    // Claude's would need an option for the system text.
    expect((await talk.preview('cla')).systemFlag).toBeUndefined()
    await talk.close()
  })
})

describe('instructions', () => {
  it('are read from the directory of the member', async () => {
    const { mkdtempSync, writeFileSync } = await import('node:fs')
    const { join } = await import('node:path')
    const { tmpdir } = await import('node:os')
    const cwd = mkdtempSync(join(tmpdir(), 'promptmason-team-'))
    writeFileSync(join(cwd, 'AGENTS.md'), 'Use tabs.')
    const { talk, sarah } = await team({}, { sarahIs: { cwd, instructions: true, system: 'You are Sarah.' } })
    await talk.say('kailai', 'one')
    await talk.send('sarah')
    expect(sarah.last.prompt).toContain(`You are Sarah.\n\nInstructions from: ${join(cwd, 'AGENTS.md')}\nUse tabs.`)
  })
})

describe('a closed conversation', () => {
  it('rejects further calls', async () => {
    const { talk } = await team({ id: 'closed' })
    await talk.say('kailai', 'one')
    await talk.close()
    await talk.close()
    for (const work of [talk.say('kailai', 'x'), talk.send('sarah'), talk.setTask('x'), talk.preview('sarah')])
      expect(await failureOf(work)).toMatchObject({ code: 'ERR_CONFLICT', conversation: 'closed' })
    expect(talk.messages()).toHaveLength(1)
  })

  it('ends running turns', async () => {
    const sarah = new Agent('sarah').next(() => new Promise(() => {}))
    const { talk } = await team({}, { sarah })
    await talk.say('kailai', 'one')
    const turn = failureOf(talk.send('sarah'))
    while (sarah.asked.length === 0) await new Promise(setImmediate)
    await talk.close()
    expect(sarah.last.signal.aborted).toBe(true)
    expect(await turn).toMatchObject({ code: 'ERR_TURN_FAILED', reason: 'aborted' })
  })
})
