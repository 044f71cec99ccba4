/** The same with version 2 of the protocol, whose draft is in the protocol's package. */
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DeliverOptions, type DeliveryEvent, type DeliveryOptions, deliver, planDelivery } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { thrownBy } from '../../support/assemblers.js'

const SUPPORT = join(import.meta.dirname, '..', '..', 'support')

type Settings = Pick<DeliveryOptions, 'resume' | 'model' | 'permissions'> & { agent?: string; args?: string[] }

const planOf = (steps: readonly string[], { agent = 'acp-agent-2.mjs', args = [], ...options }: Settings = {}) => {
  const acp = { command: process.execPath, args: [join(SUPPORT, agent), ...args], protocolVersion: 2 } as const
  return planDelivery({ prompt: steps.join('\n') }, { agentType: 'any', profile: { acp }, cwd: tmpdir(), ...options })
}

/** A turn that is aborted when the agent has said something. */
const aborted = (steps: readonly string[]) => {
  const controller = new AbortController()
  return run(steps, {}, { signal: controller.signal, onText: () => controller.abort() })
}

const run = async (steps: readonly string[], settings: Settings = {}, options: DeliverOptions = {}) => {
  const events: DeliveryEvent[] = []
  const result = await deliver(planOf(steps, settings), { ...options, onEvent: (event) => events.push(event) })
  return { result, events, types: events.map(({ type }) => type).join(' ') }
}

describe('a turn', () => {
  it('has one answer: the last message after the last tool', async () => {
    const { result, types, events } = await run(
      ['take', 'busy', 'think Hm.', 'say-as a Let me look.', 'tool read', 'say-as b FINAL', 'say-as b !', 'end-used'],
      { permissions: 'read-only' },
    )
    expect(result).toMatchObject({
      text: 'FINAL!',
      finishReason: 'stop',
      sessionId: 'session-1',
      delivered: 'yes',
      usage: { inputTokens: 15, cachedInputTokens: 5, outputTokens: 3 },
    })
    expect(types).toBe('session reasoning text permission tool-call tool-result text text usage')
    expect(events).toContainEqual(expect.objectContaining({ type: 'tool-call', name: 'tool-read' }))
    expect(events).toContainEqual(expect.objectContaining({ type: 'tool-result', output: 'chosen: yes' }))
  })

  it('ends when the session is idle, before or after the prompt is acknowledged', async () => {
    for (const steps of [
      ['busy', 'say-as a done', 'end end_turn', 'take'],
      ['take', 'busy', 'say-as a done', 'end end_turn'],
    ]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect((await run(steps)).result).toMatchObject({ text: 'done', delivered: 'yes' })
    }
  })

  it('does not end when the agent repeats how the last one ended', async () => {
    const { result } = await run(['idle end_turn', 'take', 'idle end_turn', 'busy', 'say-as a done', 'end end_turn'])
    expect(result.text).toBe('done')
  })

  it('returns final messages, and reports what is new', async () => {
    const { result, events } = await run([
      'take',
      'busy',
      'say-as a In a',
      'whole-as a In a cookie.',
      'whole-as a In a cookie.',
      'end end_turn',
    ])
    expect(result.text).toBe('In a cookie.')
    expect(events.flatMap((event) => (event.type === 'text' ? [event.text] : []))).toEqual(['In a', ' cookie.'])
  })

  it('separates messages whose chunks alternate', async () => {
    const { result } = await run([
      'take',
      'busy',
      'say-as a x',
      'say-as b 1',
      'say-as a y',
      'say-as b 2',
      'end end_turn',
    ])
    expect(result.text).toBe('12')
  })

  it.each([
    ['max_tokens', { text: 'half', finishReason: 'length' }],
    ['refusal', { text: 'half', finishReason: 'refused' }],
    ['max_turn_requests', { partialText: 'half', error: { code: 'interrupted' } }],
    // Nobody knows why it ended.
    ['', { partialText: 'half', error: { code: 'interrupted' } }],
  ])('reports that it ended with %j', async (reason, expected) => {
    const { result } = await run(['take', 'busy', 'say-as a half', `end ${reason}`])
    expect(result).toMatchObject(expected)
  })

  it('uses the requested model', async () => {
    const { result } = await run(['take', 'busy', 'recall', 'end end_turn'], { model: 'large' })
    expect(result.text).toMatch(/^model=large\|/)
  })
})

describe('permissions', () => {
  it.each([
    ['default', 'no'],
    ['read-only', 'no'],
    ['edit', 'no'],
    ['all', 'yes'],
  ] as const)('%s for a command: %s', async (permissions, chosen) => {
    const { result } = await run(['take', 'busy', 'command rm', 'end end_turn'], { permissions })
    expect(result.text).toBe(`chosen: ${chosen}`)
    expect(result.denials?.[0]?.input).toEqual(chosen === 'no' ? { command: 'rm', cwd: '/' } : undefined)
  })

  it('reports a cancelled call as failed', async () => {
    const { events } = await run(['take', 'busy', 'tool read cancelled', 'say-as a ok', 'end end_turn'])
    expect(events).toContainEqual(expect.objectContaining({ type: 'tool-result', isError: true }))
  })
})

describe('whether the session has the prompt', () => {
  it('is known once it is acknowledged, however the turn ends', async () => {
    const error = { name: 'AbortError', delivered: 'yes', sessionId: 'session-1', partialText: 'half' }
    await expect(aborted(['take', 'busy', 'say-as a half', 'wait'])).rejects.toMatchObject(error)
    const { result } = await run(['take', 'busy', 'fail rate limit reached'])
    expect(result).toMatchObject({ error: { code: 'rate-limit' }, delivered: 'yes' })
  })

  it('is not known before, even if the agent is busy', async () => {
    const error = { name: 'AbortError', delivered: 'unknown', partialText: 'half' }
    await expect(aborted(['busy', 'say-as a half', 'wait'])).rejects.toMatchObject(error)
    const { result } = await run(['busy', 'say-as a half', 'reject'])
    expect(result).toMatchObject({ error: { code: 'rate-limit' }, delivered: 'unknown' })
  })

  it('has no answer if the agent crashes', async () => {
    const { result } = await run(['take', 'busy', 'say-as a half', 'crash'])
    expect(result).toMatchObject({ partialText: 'half', delivered: 'yes', error: expect.anything() })
  })
})

describe('a session', () => {
  it('can be continued', async () => {
    const { result } = await run(['take', 'busy', 'recall', 'end end_turn'], { resume: 'old' })
    expect(result.text).toMatch(/^old prompt\|/)
    expect(result.sessionId).toBe('old')
  })

  it('that does not exist is an error', async () => {
    const { result } = await run(['take'], { resume: 'gone' })
    expect(result).toMatchObject({ error: { code: 'session-not-found' }, delivered: 'no' })
  })

  it('of an agent that forgets is an error', async () => {
    const { result } = await run(['take'], { resume: 'old', args: ['--forgets'] })
    expect(result.error?.message).toContain('cannot resume')
  })
})

it('rejects an agent that supports only version 1', async () => {
  const { result } = await run(['take'], { agent: 'acp-agent.mjs' })
  expect(result).toMatchObject({ error: { code: 'other' }, delivered: 'no' })
  expect(result.error?.message).toContain('does not speak version 2')
})

it('rejects version 3', () => {
  const profile = { acp: { command: 'x', protocolVersion: 3 } }
  const error = thrownBy(() => planDelivery({ prompt: 'x' }, { agentType: 'any', profile: profile as never }))
  expect(error).toMatchObject({
    code: 'ERR_INVALID_ARG_TYPE',
    message: 'options.profile.acp.protocolVersion must be 1 or 2',
  })
})
