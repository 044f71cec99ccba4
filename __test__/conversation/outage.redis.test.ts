/* oxlint-disable no-await-in-loop -- one step after another */
/** A Redis server that goes away: calls fail, nothing is stored partially, and later calls work. */
import { type ConversationStore, redisStore } from 'promptmason'
import { createClient } from 'redis'
import { expect, it } from 'vitest'
import { startRedis } from '../support/redis.js'
import { Agent, failureOf, said, team } from '../support/team.js'

it('continues when the server is back', { timeout: 120_000 }, async () => {
  const server = await startRedis('--appendonly', 'yes', '--appendfsync', 'always')
  const client = createClient({ url: server.url, disableOfflineQueue: true, socket: { reconnectStrategy: 50 } })
  client.on('error', () => {})
  await client.connect()
  try {
    const sarah = new Agent('sarah')
    const { talk } = await team({ id: 'a', store: redisStore(client), leaseMs: 60_000 }, { sarah })
    await talk.say('kailai', 'one')
    await talk.send('sarah')
    await talk.say('kailai', 'two')
    const before = said(talk)
    // It goes away after the member was asked, and before its answer is stored.
    sarah.next(async () => {
      await server.pause()
      return { text: 'lost', session: 'sarah-session-1' }
    })
    expect(await failureOf(talk.send('sarah'))).toMatchObject({
      code: 'ERR_TURN_FAILED',
      reason: 'not-stored',
      delivered: 'yes',
      partialText: 'lost',
    })
    await failureOf(talk.say('kailai', 'x'))
    await failureOf(talk.send('sarah'))
    await failureOf(talk.setTask('x'))
    expect(said(talk)).toEqual(before)
    expect(talk.manager.getTeamTask()).toBeNull()
    await server.resume()
    while (!client.isReady) await new Promise((resolve) => setTimeout(resolve, 20))
    await talk.say('kailai', 'three')
    await talk.send('sarah')
    // Nobody knows what the session has, so it is not resumed.
    expect(sarah.last.resume).toBeUndefined()
    for (const text of ['one', 'two', 'three']) expect(sarah.last.prompt).toContain(text)
    const after = said(talk)
    expect(after).toHaveLength(before.length + 2)
    await talk.close()
    const again = await team({ id: 'a', store: redisStore(client) })
    expect(said(again.talk)).toEqual(after)
  } finally {
    await client.close().catch(() => client.destroy())
    await server.stop()
  }
})

it('discards what was stored if the server went away before it confirmed it', { timeout: 120_000 }, async () => {
  const server = await startRedis('--appendonly', 'yes', '--appendfsync', 'always')
  const client = createClient({ url: server.url, disableOfflineQueue: true, socket: { reconnectStrategy: 50 } })
  client.on('error', () => {})
  await client.connect()
  try {
    const inner = redisStore(client)
    let goesAway = false
    const store: ConversationStore = {
      load: (id) => inner.load(id),
      acquire: (id, owner, ttlMs) => inner.acquire(id, owner, ttlMs),
      release: (id, fence) => inner.release(id, fence),
      append: async (id, at, entries) => {
        const version = await inner.append(id, at, entries)
        if (!goesAway) return version
        goesAway = false
        await server.pause()
        throw new Error('the socket was closed')
      },
    }
    const { talk } = await team({ id: 'a', store, leaseMs: 60_000 })
    await talk.say('kailai', 'one')
    goesAway = true
    await expect(talk.say('kailai', 'lost')).rejects.toThrow('the socket was closed')
    await server.resume()
    while (!client.isReady) await new Promise((resolve) => setTimeout(resolve, 20))
    await talk.say('kailai', 'two')
    await talk.close()
    const again = await team({ id: 'a', store: inner })
    expect(again.talk.messages().map(({ id, content }) => [id, content])).toEqual([
      ['msg-1', 'one'],
      ['msg-2', 'two'],
    ])
  } finally {
    await client.close().catch(() => client.destroy())
    await server.stop()
  }
})
