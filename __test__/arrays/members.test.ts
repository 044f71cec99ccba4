/* oxlint-disable no-await-in-loop -- one turn after another */
/** Functions that get requests to model APIs instead of prompts. */
import { type Member, openConversation } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { APIS } from './lists.js'
import { brokenByRequest, textsOf } from './made.js'

type Asked = { request?: any; prompt?: string; resume?: string | undefined }

/** A member that records its requests. */
const memberOf = (more: object, answer: (turn: number) => any = (turn) => `Answer ${turn}.`) => {
  const asked: Asked[] = []
  const run = (input: Asked) => {
    asked.push(input)
    return answer(asked.length)
  }
  return { asked, member: { run, ...more } as unknown as Member }
}

const open = (members: Record<string, Member>) =>
  openConversation<string>({ task: 'Design the login', members: { kailai: { human: true }, ...members } })

describe.each(APIS)('a member that asks for requests to %s', (as) => {
  it('gets them instead of prompts, with its own messages as the assistant', async () => {
    const { asked, member } = memberOf({ as, system: 'You are Sarah.' })
    const talk = await open({ sarah: member })
    await talk.say('kailai', 'Where do the tokens live?')
    await talk.send('sarah')
    await talk.say('kailai', 'Move them.')
    const preview = await talk.preview('sarah')
    const turn = await talk.send('sarah')
    expect(asked.map(({ prompt }) => prompt)).toEqual([undefined, undefined])
    for (const { request } of asked) expect(brokenByRequest(as, request)).toEqual([])
    const { request } = asked[1]!
    expect(JSON.parse(preview.prompt)).toEqual(request)
    const texts = textsOf(request).join('\n')
    for (const said of ['You are Sarah.', 'Design the login', 'Where do the tokens live?', 'Answer 1.', 'Move them.'])
      expect(texts).toContain(said)
    expect(texts).not.toMatch(/sarah -> |From sarah/)
    expect(turn.text).toBe('Answer 2.')
    expect(turn.report.agentType).toBe(as)
    const { givenBytes, sentBytes, leftOutBytes } = turn.report.account
    expect(givenBytes).toBe(sentBytes + leftOutBytes)
  })

  it('sees nothing that is private to others', async () => {
    const { asked, member } = memberOf({ as })
    const talk = await open({ sarah: member, max: memberOf({}).member })
    await talk.say('kailai', 'the secret', { to: 'max', private: true })
    await talk.say('kailai', 'For everybody.')
    await talk.send('sarah')
    expect(JSON.stringify(asked)).not.toContain('the secret')
    expect(JSON.stringify(asked)).toContain('For everybody.')
  })

  it('gets what is new to a session that it returned', async () => {
    const { asked, member } = memberOf({ as }, () => ({ text: 'Done.', session: 's1' }))
    const talk = await open({ sarah: member })
    await talk.say('kailai', 'The first one.')
    await talk.send('sarah')
    await talk.say('kailai', 'The second one.')
    const { report } = await talk.send('sarah')
    expect(report.session?.mode).toBe('delta')
    expect(asked[1]?.resume).toBe('s1')
    expect(brokenByRequest(as, asked[1]?.request)).toEqual([])
    expect(JSON.stringify(asked[1]?.request)).toContain('The second one.')
    expect(JSON.stringify(asked[1]?.request)).not.toContain('The first one.')
  })

  it('keeps its budget, with a tokenizer or without', async () => {
    const usage = { inputTokens: 300, outputTokens: 10 }
    const { member } = memberOf({ as, maxTokens: 400 }, () => ({ text: 'word '.repeat(40), usage }))
    const talk = await open({ sarah: member })
    for (let turn = 0; turn < 12; turn++) {
      await talk.say('kailai', 'word '.repeat(40))
      const { report } = await talk.send('sarah')
      expect(report.tokenizer).toBe(as.startsWith('openai') ? 'o200k' : 'estimate')
      expect(report.totalTokens).toBeLessThanOrEqual(400)
    }
  })
})

it('passes the cache options of the member', async () => {
  const claude = { as: 'anthropic', model: 'claude-opus-5', system: 'word '.repeat(1000) }
  const marksOf = async (more: object) => {
    const { asked, member } = memberOf({ ...claude, ...more })
    const talk = await open({ sarah: member })
    await talk.say('kailai', 'Hi.')
    await talk.send('sarah')
    return asked[0]?.request.system[0].cache_control
  }
  expect(await marksOf({})).toEqual({ type: 'ephemeral' })
  expect(await marksOf({ cache: { ttl: '1h' } })).toEqual({ type: 'ephemeral', ttl: '1h' })
  expect(await marksOf({ cache: 'none' })).toBeUndefined()
})

it.each([
  [{ as: 'mistral' }, 'options.members.sarah.as must be'],
  [{ as: 'string' }, 'options.members.sarah.as must be'],
  [{ cache: 'auto' }, 'options.members.sarah.cache must be given together with an API in as'],
  [{ model: 'm' }, 'options.members.sarah.model must be given together with an API in as'],
  [{ as: 'anthropic', cache: 'always' }, 'options.members.sarah.cache must be'],
  [{ as: 'anthropic', cache: { ttl: '2h' } }, "options.members.sarah.cache.ttl must be '5m' or '1h'"],
])('rejects %j', async (wrong, message) => {
  await expect(open({ sarah: memberOf(wrong).member })).rejects.toThrow(message)
})

it('can switch to requests and back', async () => {
  const { asked, member } = memberOf({})
  const talk = await open({ sarah: member })
  for (const as of ['gemini', null] as const) {
    await talk.say('kailai', 'Well?')
    await talk.send('sarah')
    await talk.change('sarah', { as } as any)
  }
  await talk.say('kailai', 'Well?')
  await talk.send('sarah')
  expect(asked.map(({ prompt, request }) => [typeof prompt, typeof request])).toEqual([
    ['string', 'undefined'],
    ['undefined', 'object'],
    ['string', 'undefined'],
  ])
})
