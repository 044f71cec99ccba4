/** Agents that speak the Agent Client Protocol: a real process, with the protocol's own package. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type DeliverOptions,
  type DeliveryEvent,
  type DeliveryOptions,
  type DeliveryPlan,
  deliver,
  planDelivery,
} from 'promptmason'
import { afterAll, describe, expect, it } from 'vitest'
import { thrownBy } from '../../support/assemblers.js'
import { idIn, isAlive, newFile } from '../../support/processes.js'

const AGENT = join(import.meta.dirname, '..', '..', 'support', 'acp-agent.mjs')
const cwd = mkdtempSync(join(tmpdir(), 'acp-'))
afterAll(() => rmSync(cwd, { recursive: true, force: true }))

const profile = (...args: string[]) => ({ acp: { command: process.execPath, args: [AGENT, ...args] } })

type Settings = Pick<DeliveryOptions, 'resume' | 'model' | 'permissions'> & { cwd?: string; args?: string[] }

const planOf = (prompt: string, { cwd: directory = cwd, args = [], ...options }: Settings = {}): DeliveryPlan =>
  planDelivery({ prompt }, { agentType: 'any', profile: profile(...args), cwd: directory, ...options })

const run = async (prompt: string, settings: Settings = {}, options: DeliverOptions = {}) => {
  const events: DeliveryEvent[] = []
  const result = await deliver(planOf(prompt, settings), { ...options, onEvent: (event) => events.push(event) })
  return { result, events, types: events.map(({ type }) => type) }
}

describe('a turn', () => {
  it('has one answer: what was said after the last tool', async () => {
    const { result, types } = await run('think Hm.\nsay Let me look.\ntool read\nsay FINAL \nsay ANSWER\ncost 0.5', {
      permissions: 'read-only',
    })
    expect(result).toMatchObject({
      text: 'FINAL ANSWER',
      finishReason: 'stop',
      sessionId: 'session-1',
      delivered: 'yes',
      costUsd: 0.5,
      usage: { inputTokens: 15, cachedInputTokens: 5, outputTokens: 3 },
      exitCode: 0,
    })
    expect(types.join(' ')).toBe('session reasoning text permission tool-call tool-result text text usage')
  })

  it('leaves out what was said in another message before', async () => {
    expect((await run('say-as one Warning!\nsay-as two Answer.')).result.text).toBe('Answer.')
  })

  it('delivers a prompt of a megabyte unchanged', async () => {
    const text = `${'漢字 😀 "quotes" \\ \u0007 '.repeat(30_000)}END`
    const { result } = await run(`recall\n${text}`)
    expect(result.text).toBe(`recall\n${text}${text}`)
  })

  it('uses the requested model', async () => {
    const { result } = await run('recall', { model: 'large' })
    expect(result.text).toBe('model=large|recall')
  })

  it.each([
    ['max_tokens', { text: 'half', finishReason: 'length' }],
    ['refusal', { text: 'half', finishReason: 'refused' }],
    ['max_turn_requests', { partialText: 'half', error: { code: 'interrupted' } }],
  ])('reports that it ended with %s', async (reason, expected) => {
    expect((await run(`say half\nstop ${reason}`)).result).toMatchObject(expected)
  })
})

describe('permissions', () => {
  it.each([
    ['default', { read: false, edit: false, execute: false }],
    ['read-only', { read: true, edit: false, execute: false }],
    ['edit', { read: true, edit: true, execute: false }],
    ['all', { read: true, edit: true, execute: true }],
  ] as const)('%s', async (permissions, allowed) => {
    const { result, events } = await run('tool read\ntool edit\ntool execute\nsay done', { permissions })
    const decisions = events.flatMap((event) => (event.type === 'permission' ? [event.decision === 'granted'] : []))
    expect(decisions).toEqual(Object.values(allowed))
    // Once, not permanently.
    const outputs = events.flatMap((event) => (event.type === 'tool-result' ? [event.output] : []))
    expect(outputs).toEqual(Object.values(allowed).map((isAllowed) => `chosen: ${isAllowed ? 'yes' : 'no'}`))
    const denied = Object.entries(allowed).filter(([, isAllowed]) => !isAllowed)
    expect((result.denials ?? []).map(({ input }) => input)).toEqual(denied.map(([kind]) => ({ kind })))
  })
})

describe('a session', () => {
  it('continues, and ignores old answers', async () => {
    const { result } = await run('recall', { resume: 'old' })
    expect(result).toMatchObject({ text: 'old prompt|recall', sessionId: 'old' })
  })

  it('that does not exist is an error', async () => {
    const { result } = await run('hello', { resume: 'gone' })
    expect(result).toMatchObject({ error: { code: 'session-not-found' }, delivered: 'no' })
  })

  it('of an agent that forgets is an error', async () => {
    const { result } = await run('hello', { resume: 'old', args: ['--forgets'] })
    expect(result.error?.message).toContain('cannot resume')
  })
})

describe('errors', () => {
  it('are distinguished', async () => {
    expect((await run('fail rate limit reached')).result.error?.code).toBe('rate-limit')
    expect((await run('log-in')).result.error?.code).toBe('not-logged-in')
  })

  it('has no answer if the agent crashes', async () => {
    const error = await run('say half\ncrash').catch((thrown: unknown) => thrown)
    const { result } = error as { result?: { error?: object; partialText?: string } }
    expect(result ?? error).toMatchObject({ partialText: 'half' })
  })

  it('has the error of the system if the program does not exist', async () => {
    const plan = { ...planOf('hello'), command: join(cwd, 'missing') }
    await expect(deliver(plan)).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('rejects a system text', () => {
    const options = { agentType: 'any', profile: profile() }
    expect(thrownBy(() => planDelivery({ prompt: 'x', systemFlag: 'Be brief.' }, options)).code).toBe(
      'ERR_UNDELIVERABLE',
    )
  })

  it.each([
    [{ acp: {} }, 'profile.acp.command'],
    [{ acp: { command: '' } }, 'profile.acp.command'],
    [{ acp: { command: 'x', arg: [] } }, "got 'arg'"],
    [{ acp: { command: 'x' }, command: 'y' }, "got 'command'"],
  ])('rejects %j as a profile', (wrong, path) => {
    const error = thrownBy(() => planDelivery({ prompt: 'x' }, { agentType: 'any', profile: wrong as never }))
    expect(error.message).toContain(path)
  })
})

it('works with an agent that is started elsewhere', async () => {
  let started = 0
  const { result } = await run(
    'say done',
    {},
    { spawn: (command, args, options) => (started++, spawn(command, args, options)) },
  )
  expect([result.text, started]).toEqual(['done', 1])
})

it('has one turn per session at a time', async () => {
  const [first, second] = await Promise.allSettled([run('recall', { resume: 'old' }), run('recall', { resume: 'old' })])
  expect(first.status).toBe('fulfilled')
  expect(second).toMatchObject({ status: 'rejected', reason: { code: 'ERR_BUSY' } })
})

describe('the end', () => {
  it.each(['wait', 'ignore-cancel'])('follows an abort, with all processes that were started (%s)', async (step) => {
    const file = newFile()
    const controller = new AbortController()
    const work = deliver(planOf(`start ${file}\nsay half\n${step}`), {
      signal: controller.signal,
      onText: () => controller.abort(),
    })
    await expect(work).rejects.toMatchObject({ name: 'AbortError', sessionId: 'session-1', partialText: 'half' })
    expect(isAlive(await idIn(file))).toBe(false)
  })

  it('follows a timeout', async () => {
    await expect(deliver(planOf('say half\nwait'), { timeoutMs: 1500 })).rejects.toMatchObject({
      code: 'ERR_NO_ANSWER',
      timedOut: true,
      partialText: 'half',
    })
  })

  it('follows the answer, since agents wait for the next prompt', async () => {
    const file = newFile()
    expect((await run(`start ${file}\nsay done`)).result.text).toBe('done')
    expect(isAlive(await idIn(file))).toBe(false)
  })
})
