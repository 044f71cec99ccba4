/* oxlint-disable no-await-in-loop -- one step after another */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { ContextManager, type ConversationMessage } from 'promptmason'
import { createClient } from 'redis'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  addPart,
  type LogEntry,
  OwnedConversation,
  readLog,
  say,
  StaleOwnerError,
} from '../../examples/shared-conversation/owned-conversation.js'
import { spoken, stateOf } from '../support/conversation.js'
import { Coordinators } from '../support/coordinators.js'
import { root } from '../support/documents.js'
import { type RedisServer, startRedis } from '../support/redis.js'

/** Processes take their time; how long is not what is tested. */
const PATIENCE_MS = 120_000

let server: RedisServer
let redis: ReturnType<typeof createClient>
beforeAll(async () => {
  server = await startRedis()
  redis = createClient({ url: server.url })
  await redis.connect()
})
afterAll(async () => {
  await redis?.close()
  await server?.stop()
})

/** A lease that nobody waits for. */
const LONG = { leaseMs: 600_000 }
const MEMBERS = ['max', 'sarah']

const leaseOf = (name: string): string => `conversation:{${name}}:lease`

const entriesOf = async (name: string): Promise<LogEntry[]> => {
  const entries: LogEntry[] = []
  for await (const entry of readLog(redis, name)) entries.push(entry)
  return entries
}

const restoredOf = async (name: string): Promise<ContextManager> => {
  const manager = new ContextManager()
  for await (const part of readLog(redis, name)) addPart(manager, part)
  return manager
}

const taken = async (name: string, options = LONG): Promise<OwnedConversation> => {
  const conversation = await OwnedConversation.take(redis, name, options)
  if (conversation === undefined) throw new Error(`${name} has another owner`)
  open.push(conversation)
  return conversation
}
const open: OwnedConversation[] = []
afterEach(async () => {
  for (const conversation of open.splice(0)) await conversation.release()
})

const NOW = "local time = redis.call('TIME') local now = time[1] * 1000 + math.floor(time[2] / 1000)"
/** What the server's clock says, in milliseconds. */
const serverTime = async (): Promise<number> => Number(await redis.eval(`${NOW} return now`))
/** When a lease is over, by the same clock. */
const leaseEnd = async (name: string): Promise<number> =>
  Number(await redis.eval(`${NOW} return now + redis.call('PTTL', KEYS[1])`, { keys: [leaseOf(name)] }))

describe('a lease', () => {
  it('has one owner at a time, with a token that is higher than the last', async () => {
    const first = await taken('lease')
    expect(await OwnedConversation.take(redis, 'lease', LONG)).toBeUndefined()
    expect((await taken('another')).token).toBe(1)
    await first.release()
    const second = await taken('lease')
    expect([first.token, second.token]).toEqual([1, 2])
    expect(await OwnedConversation.take(redis, 'lease', LONG)).toBeUndefined()
  })

  it('is taken by one of many that try at once', async () => {
    const tries = await Promise.all(Array.from({ length: 50 }, () => OwnedConversation.take(redis, 'race', LONG)))
    const owners = tries.filter((conversation) => conversation !== undefined)
    open.push(...owners)
    expect(owners.map(({ token }) => token)).toEqual([1])
  })

  it('is extended while its owner lives', async () => {
    await taken('extended', { leaseMs: 2000 })
    const first = await leaseEnd('extended')
    while ((await serverTime()) <= first) {
      expect(await OwnedConversation.take(redis, 'extended', LONG)).toBeUndefined()
      await setTimeout(20)
    }
    expect(await leaseEnd('extended')).toBeGreaterThan(first)
  })

  it('of an owner that was killed is over before another one begins', { timeout: PATIENCE_MS }, async () => {
    const coordinators = new Coordinators({ REDIS_URL: server.url, CONVERSATIONS: 'killed', LEASE_MS: '3000' })
    const { coordinator } = await (coordinators.start(), coordinators.next(({ text }) => text.startsWith('owns it')))
    coordinator.signal('SIGKILL')
    await coordinators.end()
    const over = await leaseEnd('killed')
    let refused = 0
    let next: OwnedConversation | undefined
    while ((next = await OwnedConversation.take(redis, 'killed', LONG)) === undefined) {
      refused += 1
      await setTimeout(10)
    }
    open.push(next)
    expect(await serverTime()).toBeGreaterThanOrEqual(over)
    expect(refused).toBeGreaterThan(0)
    expect(next.token).toBe(2)
  })
})

describe('a stale owner', () => {
  /** An owner whose lease is over without its knowledge, and the next one, which has written something. */
  const replaced = async (name: string) => {
    const stale = await taken(name)
    stale.manager.addMessage(spoken('first'))
    await stale.commit()
    await redis.del(leaseOf(name))
    const owner = await taken(name)
    owner.manager.addMessage(spoken('second'))
    await owner.commit()
    return { stale, owner, log: await entriesOf(name) }
  }

  it('cannot write, and learns that it is one', async () => {
    const { stale, log } = await replaced('stale')
    stale.manager.addMessage(spoken('too late'))
    await expect(stale.commit()).rejects.toThrow(StaleOwnerError)
    await expect(stale.commit({ whole: true })).rejects.toThrow('stale has another owner than the one with token 1')
    await expect(stale.renew()).rejects.toThrow(StaleOwnerError)
    expect(stale.signal.aborted).toBe(true)
    expect(await entriesOf('stale')).toEqual(log)
  })

  it('does not end the lease of the new one', async () => {
    const { stale } = await replaced('released')
    await stale.release()
    expect(await redis.get(leaseOf('released'))).toBe('2')
    expect(await OwnedConversation.take(redis, 'released', LONG)).toBeUndefined()
  })

  it('is none as long as nobody has taken over: it goes on, and has its lease again', async () => {
    const late = await taken('late')
    await redis.del(leaseOf('late'))
    late.manager.addMessage(spoken('late'))
    await late.commit()
    expect(await redis.get(leaseOf('late'))).toBe('1')
    expect(await OwnedConversation.take(redis, 'late', LONG)).toBeUndefined()
  })
})

describe('a log', () => {
  it('has each message once, and makes the same conversation of any length', async () => {
    const writer = await taken('long')
    for (let index = 0; index < 250; index++) {
      writer.manager.addMessage(spoken(`message ${index}`))
      if (index % 50 === 0) writer.manager.setTeamTask(`task ${index}`)
      await writer.commit()
    }
    const entries = await entriesOf('long')
    expect(entries.map(({ snapshot }) => snapshot.messages.length)).toEqual(Array(250).fill(1))
    await writer.release()
    const reader = await taken('long')
    expect(stateOf(reader.manager)).toEqual(stateOf(writer.manager))
    reader.manager.addMessage(spoken('more'))
    await reader.commit()
    expect((await restoredOf('long')).getLatestMessage()).toMatchObject({ id: 'msg-251', content: 'more' })
  })

  it('can be written anew after a message was removed, whose id is not given out again', async () => {
    const writer = await taken('removed')
    for (const content of ['a', 'b']) writer.manager.addMessage(spoken(content))
    await writer.commit()
    writer.manager.removeMessage('msg-2')
    await expect(writer.commit()).rejects.toMatchObject({ code: 'ERR_UNKNOWN_MESSAGE' })
    await writer.commit({ whole: true })
    await writer.release()
    const reader = await taken('removed')
    expect(stateOf(reader.manager)).toEqual(stateOf(writer.manager))
    expect(reader.manager.addMessage(spoken('c')).id).toBe('msg-3')
  })

  it('that has lost a part is refused, and the lease is free again', async () => {
    const writer = await taken('gap')
    for (const content of ['a', 'b', 'c']) {
      writer.manager.addMessage(spoken(content))
      await writer.commit()
    }
    await writer.release()
    const [, second] = (await redis.xRange('conversation:{gap}:log', '-', '+')) ?? []
    await redis.xDel('conversation:{gap}:log', second?.id ?? '')
    await expect(OwnedConversation.take(redis, 'gap', LONG)).rejects.toMatchObject({ code: 'ERR_INVALID_SNAPSHOT' })
    expect(await redis.exists(leaseOf('gap'))).toBe(0)
  })
})

const ids = (messages: readonly { id: string }[]): string[] => messages.map(({ id }) => id)

/** Fails unless a log has every question once, in order, each with one answer of each member, and nothing else. */
const expectExactlyOnce = async (name: string, questions: string[]): Promise<LogEntry[]> => {
  const entries = await entriesOf(name)
  const manager = await restoredOf(name)
  const messages = manager.getMessages()
  const said = messages.map(({ speaker, content }) => (speaker.type === 'human' ? content : speaker.id))
  expect(said).toEqual(questions.flatMap((question) => [question, ...MEMBERS]))
  expect(ids(messages)).toEqual(messages.map((_, index) => `msg-${index + 1}`))
  expect(ids(entries.flatMap(({ snapshot }) => snapshot.messages))).toEqual(ids(messages))
  const tokens = entries.map(({ token }) => token)
  expect(tokens).toEqual(tokens.toSorted((a, b) => a - b))
  for (const [index, message] of messages.entries()) expectAnswerToWhole(messages.slice(0, index), message)
  return entries
}

/** Fails unless a member was asked with the prompt of the whole conversation before its answer. */
const expectAnswerToWhole = (
  before: ConversationMessage[],
  { speaker: { id = '' }, routing, content }: ConversationMessage,
): void => {
  if (!MEMBERS.includes(id ?? '')) return
  const manager = new ContextManager()
  for (const message of before) manager.addMessage(message)
  const question = before.findLast(({ speaker }) => speaker.type === 'human')?.id ?? ''
  const route = { parentMessageId: question, targetMemberId: id ?? '', intent: 'answer' }
  const { prompt } = manager.assembleForRoute(id ?? '', id === 'max' ? 'claude-code' : 'openai-codex', route)
  expect(routing?.parentMessageId).toBe(question)
  expect(content).toBe(`I got the prompt ${createHash('sha256').update(prompt).digest('hex')}.`)
}

/** Waits until all questions are answered in all conversations. */
const settled = async (questions: Map<string, string[]>): Promise<void> => {
  for (const [name, asked] of questions) {
    while ((await restoredOf(name)).getMessages().length < asked.length * (1 + MEMBERS.length)) await setTimeout(20)
  }
}

describe('coordinator processes', { timeout: PATIENCE_MS }, () => {
  let coordinators: Coordinators | undefined
  afterEach(() => coordinators?.end())

  /** Asks one more question in each conversation. */
  const ask = async (questions: Map<string, string[]>): Promise<void> => {
    for (const [name, asked] of questions) {
      const question = `question ${asked.length + 1} of ${name} 中文 \u{1F511}`
      asked.push(question)
      await say(redis, name, 'kailai', question)
    }
  }

  it('lose and double nothing when owners are killed at any point', async () => {
    const names = ['chaos-1', 'chaos-2', 'chaos-3']
    const questions = new Map(names.map((name): [string, string[]] => [name, []]))
    const all = new Coordinators({
      REDIS_URL: server.url,
      CONVERSATIONS: names.join(','),
      LEASE_MS: '250',
      THINK_MS: '8',
      AT_MOST: '2',
    })
    coordinators = all
    const points = [
      /owns it/,
      /stored .* of kailai/,
      /asks max/,
      /stored .* of max/,
      /asks sarah/,
      /stored .* of sarah/,
    ]
    const kills: string[] = []
    // Each is waited for before anything happens that may bring it about.
    const waiting = [...points, ...points, ...points].map((point) => () => all.next(({ text }) => point.test(text)))
    let next = waiting.shift()?.()
    for (let count = 0; count < 3; count++) all.start()
    while (next !== undefined) {
      await ask(questions)
      const { coordinator, conversation, token, text } = await next
      await setTimeout(Math.random() * 16)
      coordinator.signal('SIGKILL')
      next = waiting.shift()?.()
      kills.push(`${coordinator.name}, ${conversation}, token ${token}: ${text}`)
      all.start()
    }
    await ask(questions)
    await settled(questions)
    expect(new Set(await all.end())).toEqual(new Set([0]))
    const tokens: number[] = []
    for (const [name, asked] of questions) tokens.push((await expectExactlyOnce(name, asked)).at(-1)?.token ?? 0)
    // Each kill made at least one conversation go to another owner.
    expect(kills.length).toBe(3 * points.length)
    expect(tokens.reduce((sum, token) => sum + token, 0)).toBeGreaterThanOrEqual(names.length + kills.length)
    expect(all.all.flatMap(({ reports }) => reports).filter(({ text }) => text.startsWith('gives up'))).toEqual([])
    const asked = [...questions.values()].flat().length
    console.log(`killed ${kills.length} owners, the last thing that each has said before:\n  ${kills.join('\n  ')}`)
    console.log(
      `${names.length} conversations, ${asked} questions, ${asked * (1 + MEMBERS.length)} messages, each once; last tokens: ${tokens.join(', ')}`,
    )
  })

  it('refuse the write of an owner that was paused until another one took over', async () => {
    const questions = new Map([['paused', []]])
    coordinators = new Coordinators({
      REDIS_URL: server.url,
      CONVERSATIONS: 'paused',
      LEASE_MS: '250',
      THINK_MS: '1000',
    })
    const paused = coordinators.start()
    const asking = coordinators.next(({ text }) => text.startsWith('asks sarah'))
    await ask(questions)
    await asking
    paused.signal('SIGSTOP')
    const takenOver = coordinators.next(
      ({ coordinator, text }) => coordinator !== paused && text.startsWith('stored msg-3'),
    )
    coordinators.start()
    await takenOver
    const noticed = coordinators.next(
      ({ coordinator, text }) => coordinator === paused && text === 'has another owner now',
    )
    paused.signal('SIGCONT')
    await noticed
    await ask(questions)
    await settled(questions)
    await coordinators.end()
    const entries = await expectExactlyOnce('paused', questions.get('paused') ?? [])
    expect(new Set(entries.map(({ token }) => token))).toEqual(new Set([1, 2]))
  })

  it('hand a conversation over at once when they end', async () => {
    const questions = new Map([['handed', []]])
    coordinators = new Coordinators({
      REDIS_URL: server.url,
      CONVERSATIONS: 'handed',
      LEASE_MS: '600000',
      THINK_MS: '1',
    })
    const first = coordinators.start()
    await ask(questions)
    await settled(questions)
    expect(await first.end()).toBe(0)
    expect(await redis.exists(leaseOf('handed'))).toBe(0)
    coordinators.start()
    await ask(questions)
    await settled(questions)
    await coordinators.end()
    await expectExactlyOnce('handed', questions.get('handed') ?? [])
  })
})

describe('the example', { timeout: PATIENCE_MS }, () => {
  const run = promisify(execFile)

  it('kills an owner in the middle of a turn, and another one goes on', async () => {
    const { stdout } = await run(process.execPath, ['--import', 'tsx', 'examples/shared-conversation.ts'], {
      cwd: root,
      env: { ...process.env, REDIS_URL: server.url },
    })
    const [before = '', after = ''] = stdout.split('── killed in the middle of its turn ──')
    expect(before).toMatch(
      /design-\d+, token 1\) stored msg-2 of max\n(.*\n)*.*design-\d+, token 1\) asks sarah to answer msg-1\n$/,
    )
    expect(after).toMatch(/design-\d+, token 2\) owns it, with [23] messages\n/)
    expect(after.match(/nothing is lost, nothing is there twice/g)).toHaveLength(2)
    expect(await redis.keys('*design-*')).toEqual([])
  })

  it('says so when there is no Redis', async () => {
    const failed = await run(process.execPath, ['--import', 'tsx', 'examples/shared-conversation.ts'], {
      cwd: root,
      env: { ...process.env, REDIS_URL: 'redis://127.0.0.1:1' },
    }).catch((error: unknown) => error)
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('ECONNREFUSED') })
  })
})
