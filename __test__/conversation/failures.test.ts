/* oxlint-disable no-await-in-loop -- one step after another */
/** A failed turn leaves nothing behind. */
import { type ConversationEvent, isPromptmasonError, type RunInput } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { FlakyStore } from '../support/flaky-store.js'
import { Agent, coded, failureOf, quiet, said, team } from '../support/team.js'

describe('a failed turn', () => {
  it.each([
    [coded('rate-limit', { retryAfterMs: 1500 }), { reason: 'rate-limit', retryAfterMs: 1500, delivered: 'no' }],
    [coded('not-logged-in'), { reason: 'not-logged-in', delivered: 'no' }],
    [coded('interrupted', { partialText: 'Hal' }), { reason: 'interrupted', partialText: 'Hal', delivered: 'unknown' }],
    [new Error('whatever'), { reason: 'other', delivered: 'unknown' }],
    [coded('session-not-found'), { reason: 'session-not-found', delivered: 'no' }],
  ])('%s changes nothing', async (cause, expected) => {
    const events: ConversationEvent[] = []
    const { talk, sarah } = await team(
      { task: 'T', onEvent: (event) => events.push(event) },
      { sarah: new Agent('sarah').next(cause) },
    )
    await talk.say('kailai', 'one')
    const error = await failureOf(talk.send('sarah'))
    if (!isPromptmasonError(error, 'ERR_TURN_FAILED')) throw error
    expect(error).toMatchObject({ member: 'sarah', attempts: 1, ...expected })
    expect(error.cause).toBe(cause)
    expect(events.map(({ type }) => type)).toEqual(['begun', 'failed'])
    expect(said(talk)).toEqual(['msg-1 kailai: one'])
    await talk.send('sarah')
    expect(sarah.asked[1]?.prompt).toBe(sarah.asked[0]?.prompt)
  })

  it('keeps a session that did not get the prompt, and abandons one that may have it', async () => {
    for (const [cause, resume] of [
      [coded('rate-limit'), 'sarah-session-1'],
      [new Error('lost'), undefined],
      [coded('rate-limit', { delivered: 'unknown' }), undefined],
    ] as const) {
      const sarah = new Agent('sarah')
      const { talk } = await team({}, { sarah })
      await talk.say('kailai', 'one')
      await talk.send('sarah')
      await talk.say('kailai', 'two')
      sarah.next(cause)
      await failureOf(talk.send('sarah'))
      await talk.send('sarah')
      expect(sarah.last.resume).toBe(resume)
      expect(sarah.last.prompt.includes('one')).toBe(resume === undefined)
      expect(sarah.last.prompt).toContain('two')
    }
  })

  it('that was aborted says so', async () => {
    const { talk } = await team({}, { sarah: new Agent('sarah').next(() => new Promise(() => {})) })
    await talk.say('kailai', 'one')
    const controller = new AbortController()
    const turn = failureOf(talk.send('sarah', { signal: controller.signal }))
    const reason = new Error('enough')
    setImmediate(() => controller.abort(reason))
    const error = await turn
    expect(error).toMatchObject({ code: 'ERR_TURN_FAILED', reason: 'aborted' })
    expect(error.cause).toBe(reason)
    const late = await failureOf(talk.send('sarah', { signal: AbortSignal.abort(reason) }))
    expect(late).toMatchObject({ code: 'ERR_TURN_FAILED', reason: 'aborted' })
    expect((await talk.send('sarah')).text).toBe('sarah 1')
  })

  it('that takes too long says so', async () => {
    let signal: AbortSignal | undefined
    const never = (input: RunInput): Promise<string> => {
      signal = input.signal
      return new Promise(() => {})
    }
    const { talk } = await team({}, { sarah: new Agent('sarah').next(never, never), sarahIs: { timeoutMs: 20 } })
    await talk.say('kailai', 'one')
    expect(await failureOf(talk.send('sarah'))).toMatchObject({ reason: 'timed-out', delivered: 'unknown' })
    expect(signal?.aborted).toBe(true)
    expect(await failureOf(talk.send('sarah', { timeoutMs: 10 }))).toMatchObject({ reason: 'timed-out' })
  })

  it.each([[7], [{}], [{ text: 1 }], [null], [{ text: 'x', session: 7 }]])(
    'includes a function that returns %j',
    async (returned) => {
      const { talk } = await team({}, { sarah: new Agent('sarah').next((() => returned) as never) })
      await talk.say('kailai', 'one')
      const error = await failureOf(talk.send('sarah'))
      expect(error.message).toContain('the result of run')
      expect(talk.messages()).toHaveLength(1)
    },
  )

  it('is caused by a hook that throws', async () => {
    const sarah = new Agent('sarah').next(({ onText }) => {
      onText('x')
      return 'x'
    })
    const { talk } = await team({}, { sarah })
    await talk.say('kailai', 'one')
    const mine = new Error('mine')
    const error = await failureOf(
      talk.send('sarah', {
        onText: () => {
          throw mine
        },
      }),
    )
    expect(error.cause).toBe(mine)
    expect(talk.messages()).toHaveLength(1)
  })

  it('is caused by the error of the budget if there is no room', async () => {
    const events: ConversationEvent[] = []
    const options = { maxBytes: 100, onEvent: (event: ConversationEvent) => events.push(event) }
    const { talk, sarah } = await team(options, { sarahIs: { system: 'x'.repeat(200) } })
    await talk.say('kailai', 'one')
    const error = await failureOf(talk.send('sarah'))
    expect(error).toMatchObject({ code: 'ERR_TURN_FAILED', reason: 'budget', delivered: 'no', attempts: 0 })
    expect(isPromptmasonError(error.cause, 'ERR_BUDGET_EXCEEDED')).toBe(true)
    expect(events).toEqual([{ type: 'failed', member: 'sarah', error }])
    const [result] = await talk.sendAll(['sarah'])
    expect(result?.error).toMatchObject({ code: 'ERR_TURN_FAILED', reason: 'budget' })
    expect(sarah.asked).toEqual([])
    await talk.change('sarah', { system: 'x' })
    expect((await talk.send('sarah')).text).toBe('sarah 1')
  })

  it('is caused by whatever else keeps it from being sent', async () => {
    const instructions = { directory: 7 } as never
    const { talk } = await team({}, { sarahIs: { instructions } })
    await talk.say('kailai', 'one')
    const error = await failureOf(talk.send('sarah'))
    expect(error).toMatchObject({ code: 'ERR_TURN_FAILED', reason: 'other', delivered: 'no' })
    expect(isPromptmasonError(error.cause, 'ERR_INVALID_ARG_TYPE')).toBe(true)
  })
})

describe('a turn ends in time', () => {
  const never = () => new Promise<never>(() => {})
  const long = { contextWindowSize: 1, evictionStep: 1, logger: quiet }

  it.each(['summarise', 'parseReply'])(
    'although %s never returns: by timeoutMs, by a signal, and by close',
    async (hook) => {
      const isAsked = hook === 'parseReply'
      const { talk, sarah } = await team({ ...long, [hook]: never })
      for (const text of ['one', 'two', 'three']) await talk.say('kailai', text)
      const delivered = isAsked ? 'yes' : 'no'
      expect(await failureOf(talk.send('sarah', { timeoutMs: 200 }))).toMatchObject({ reason: 'timed-out', delivered })
      const controller = new AbortController()
      const turn = failureOf(talk.send('sarah', { signal: controller.signal }))
      setTimeout(() => controller.abort(), 200)
      expect(await turn).toMatchObject({ reason: 'aborted', delivered })
      const last = failureOf(talk.send('sarah'))
      await new Promise((resolve) => setTimeout(resolve, 30))
      await talk.close()
      expect(await last).toMatchObject({ reason: 'aborted', delivered })
      expect(sarah.asked).toHaveLength(isAsked ? 3 : 0)
      expect(talk.messages()).toHaveLength(3)
    },
  )

  it('with all its attempts', async () => {
    const slow = async () => {
      await new Promise((resolve) => setTimeout(resolve, 600))
      throw coded('session-not-found')
    }
    const { talk, sarah } = await team()
    await talk.say('kailai', 'one')
    await talk.send('sarah')
    await talk.say('kailai', 'two')
    sarah.next(slow, never)
    const began = performance.now()
    expect(await failureOf(talk.send('sarah', { timeoutMs: 1000 }))).toMatchObject({ reason: 'timed-out', attempts: 2 })
    expect(performance.now() - began).toBeLessThan(1550)
  })

  it('and not earlier, however long its time is', async () => {
    const { talk } = await team({}, { sarahIs: { timeoutMs: 2 ** 40 } })
    await talk.say('kailai', 'one')
    expect((await talk.send('sarah')).text).toBe('sarah 1')
  })

  it('that was aborted while it was recorded that it begins: nothing is sent, and its session continues', async () => {
    const store = new FlakyStore()
    const { talk, sarah } = await team({ id: 'a', store })
    await talk.say('kailai', 'one')
    await talk.send('sarah')
    await talk.say('kailai', 'two')
    const controller = new AbortController()
    const { append } = store
    store.append = async (...args) => {
      controller.abort()
      return append.apply(store, args)
    }
    const error = await failureOf(talk.send('sarah', { signal: controller.signal }))
    expect(error).toMatchObject({ reason: 'aborted', delivered: 'no' })
    expect(sarah.asked).toHaveLength(1)
    await talk.send('sarah')
    expect(sarah.last.resume).toBe('sarah-session-1')
  })
})

describe('a lost session', () => {
  it('is restarted with the whole prompt, once', async () => {
    const events: ConversationEvent[] = []
    const sarah = new Agent('sarah')
    const { talk } = await team({ task: 'T', onEvent: (event) => events.push(event) }, { sarah })
    await talk.say('kailai', 'one')
    await talk.send('sarah')
    await talk.say('kailai', 'two')
    sarah.next(coded('session-not-found'))
    const turn = await talk.send('sarah')
    expect(sarah.asked.map(({ resume }) => resume)).toEqual([undefined, 'sarah-session-1', undefined])
    expect(sarah.last.prompt).toContain('- kailai -> all: one\n- sarah -> all: sarah 1')
    expect(turn).toMatchObject({ attempts: 2, session: 'sarah-session-2', warnings: [{ code: 'session-not-found' }] })
    expect(events.map(({ type }) => type).slice(3)).toEqual(['begun', 'retried', 'begun', 'delivered', 'answered'])
    expect(said(talk)).toHaveLength(4)
    await talk.say('kailai', 'three')
    await talk.send('sarah')
    expect(sarah.last).toMatchObject({ resume: 'sarah-session-2', prompt: '[MESSAGE]\n(from kailai to all)\nthree' })
  })

  it('fails the turn if it is lost twice in a row', async () => {
    const sarah = new Agent('sarah')
    const { talk } = await team({}, { sarah })
    await talk.say('kailai', 'one')
    await talk.send('sarah')
    await talk.say('kailai', 'two')
    sarah.next(coded('session-not-found'), coded('session-not-found'))
    expect(await failureOf(talk.send('sarah'))).toMatchObject({ reason: 'session-not-found', attempts: 2 })
    expect(said(talk)).toHaveLength(3)
  })
})

describe('too long', () => {
  const summarise = ({
    messages,
    previous,
    member,
  }: {
    messages: { content: string }[]
    previous: string | undefined
    member: string
  }) => `${member}: ${previous ?? ''}${messages.map(({ content }) => content).join('+')};`

  it('for a session: a new one gets the newest messages, and a summary of the rest', async () => {
    const sarah = new Agent('sarah')
    const { talk } = await team({ contextWindowSize: 2, evictionStep: 1, summarise }, { sarah })
    for (const text of ['one', 'two', 'three']) {
      await talk.say('kailai', text)
      await talk.send('sarah')
    }
    await talk.say('kailai', 'four')
    sarah.next(coded('too-long'))
    const turn = await talk.send('sarah')
    expect(turn).toMatchObject({ attempts: 2, warnings: [{ code: 'too-long' }] })
    expect(sarah.last.resume).toBeUndefined()
    expect(sarah.last.prompt).toBe(
      '[SUMMARY]\nsarah: one+sarah 1+two+sarah 2;\n\n[CONTEXT]\n- kailai -> all: three\n- sarah -> all: sarah 3\n\n[MESSAGE]\n(from kailai to all)\nfour',
    )
  })

  it('for a prompt: tries shorter ones, until nothing can be left out', async () => {
    const sarah = new Agent('sarah')
    const tooLong = (input: RunInput) => {
      if (input.prompt.length > 1000) throw coded('too-long')
      return 'fine'
    }
    const { talk } = await team({ summarise: ({ messages }) => `${messages.length} messages` }, { sarah })
    for (let index = 0; index < 20; index++) {
      await talk.say('kailai', `${index} ${'x'.repeat(100)}`)
    }
    sarah.next(tooLong, tooLong)
    const turn = await talk.send('sarah')
    expect(turn.text).toBe('fine')
    expect(turn.attempts).toBeGreaterThan(1)
    expect(sarah.last.prompt.length).toBeLessThan(1000)
    expect(sarah.last.prompt).toContain('[SUMMARY]')
    const never = () => {
      throw coded('too-long')
    }
    await talk.say('kailai', 'last')
    sarah.next(never, never, never, never, never, never)
    expect(await failureOf(talk.send('sarah'))).toMatchObject({ reason: 'too-long' })
    expect(said(talk)).toHaveLength(22)
  })
})

describe('summaries', () => {
  it('are requested for each member when a prompt would leave messages out', async () => {
    const asked: string[] = []
    const { talk, sarah, max } = await team(
      {
        contextWindowSize: 2,
        evictionStep: 1,
        summarise: async ({ messages, previous, member }) => {
          asked.push(`${member} ${messages.length} ${previous}`)
          return `SUMMARY ${asked.length}`
        },
      },
      { sarahIs: { session: 'none' }, maxIs: { session: 'none' } },
    )
    await talk.say('kailai', 'SECRET', { to: 'max', private: true })
    for (const text of ['one', 'two', 'three']) await talk.say('kailai', text)
    await talk.sendAll(['sarah', 'max'])
    expect(asked).toEqual(['max 1 undefined'])
    expect(sarah.last.prompt).not.toContain('SUMMARY')
    expect(max.last.prompt).toContain('[SUMMARY]\nSUMMARY 1')
    await talk.say('kailai', 'four')
    await talk.send('max')
    expect(asked[1]).toBe('max 3 SUMMARY 1')
    expect(talk.manager.getSummary('sarah')).toBeNull()
  })

  it('that fail cause a warning', async () => {
    const { talk } = await team({
      contextWindowSize: 1,
      evictionStep: 1,
      summarise: () => {
        throw new Error('no model')
      },
    })
    for (const text of ['one', 'two', 'three']) await talk.say('kailai', text)
    const turn = await talk.send('sarah')
    expect(turn.warnings).toEqual([{ code: 'summary-failed', message: 'could not summarise for sarah: no model' }])
  })
})

describe('estimates of tokens', () => {
  const text = 'The quick brown fox jumps over the lazy dog. '

  it('learn from what a function reports', async () => {
    const tokens = (prompt: string) => Math.round(prompt.length / 4.5)
    const sarah = new Agent('sarah')
    const { talk } = await team({}, { sarah, sarahIs: { maxTokens: 300, layout: 'claude' } })
    for (let turn = 0; turn < 6; turn++) {
      await talk.say('kailai', text.repeat(4))
      sarah.next(({ prompt }) => ({ text: 'ok', usage: { inputTokens: tokens(prompt), outputTokens: 1 } }))
      await talk.send('sarah')
    }
    const { report } = await talk.say('kailai', text.repeat(4)).then(() => talk.preview('sarah'))
    const real = tokens((await talk.preview('sarah')).prompt)
    expect(report.tokenizer).toBe('estimate')
    expect(Math.abs((report.totalTokens ?? 0) - real) / real).toBeLessThan(0.1)
    expect(report.totalTokens).toBeLessThanOrEqual(300)
  })

  it('learn from a session what the turn added, without what the CLI adds', async () => {
    const OVERHEAD = 20_000
    let before = OVERHEAD
    const answer = ({ prompt }: RunInput) => {
      const inputTokens = before + Math.round(prompt.length / 4.5)
      before = inputTokens + 10
      return { text: 'ok', session: 's', usage: { inputTokens, outputTokens: 10 } }
    }
    const sarah = new Agent('sarah').next(answer, answer, answer, answer)
    const tokenizer = { bytesPerToken: 2 }
    const { talk } = await team({}, { sarah, sarahIs: { tokenizer, maxTokens: 5000 } })
    for (let turn = 0; turn < 4; turn++) {
      await talk.say('kailai', text.repeat(20))
      await talk.send('sarah')
    }
    await talk.say('kailai', text.repeat(20))
    const { report, prompt } = await talk.preview('sarah')
    const real = prompt.length / 4.5
    expect(Math.abs((report.totalTokens ?? 0) - real) / real).toBeLessThan(0.1)
    expect(tokenizer).toEqual({ bytesPerToken: 2 })
  })
})
