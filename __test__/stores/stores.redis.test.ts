/* oxlint-disable no-await-in-loop -- one step after another */
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis as IoRedis } from 'ioredis'
import { type ConversationStore, redisStore, storeChecks } from 'promptmason'
import { createClient, createCluster } from 'redis'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type RedisServer, startRedis } from '../support/redis.js'
import { StoreOwner } from '../support/store-owners.js'

const LONG_MS = 60_000

let server: RedisServer
let redis: ReturnType<typeof createClient>
let ioredis: IoRedis
beforeAll(async () => {
  server = await startRedis()
  redis = createClient({ url: server.url })
  await redis.connect()
  ioredis = new IoRedis(server.url)
})
afterAll(async () => {
  await redis?.close()
  ioredis?.disconnect()
  await server?.stop()
})

describe('redisStore with the package redis', () => {
  it.each(storeChecks({ open: () => redisStore(redis) }))('$name', ({ run }) => run())
})

describe('redisStore with the package ioredis', () => {
  it.each(storeChecks({ open: () => redisStore(ioredis) }))('$name', ({ run }) => run())
})

describe('redisStore on a cluster', () => {
  let node: RedisServer
  let cluster: ReturnType<typeof createCluster>
  let ioCluster: InstanceType<typeof IoRedis.Cluster>
  beforeAll(async () => {
    node = await startRedis('--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1')
    const client = createClient({ url: node.url })
    await client.connect()
    await client.sendCommand(['CLUSTER', 'ADDSLOTSRANGE', '0', '16383'])
    while (!`${await client.sendCommand(['CLUSTER', 'INFO'])}`.includes('cluster_state:ok')) await sleep(50)
    await client.close()
    cluster = createCluster({ rootNodes: [{ url: node.url }] })
    await cluster.connect()
    ioCluster = new IoRedis.Cluster([node.url])
  })
  afterAll(async () => {
    await cluster?.close()
    ioCluster?.disconnect()
    await node?.stop()
  })

  it.each(storeChecks({ open: () => redisStore(cluster) }))('of redis: $name', ({ run }) => run())
  it.each(storeChecks({ open: () => redisStore(ioCluster) }))('of ioredis: $name', ({ run }) => run())
})

describe('the keys of a conversation', () => {
  it('have one hash tag, and the prefix of the options', async () => {
    const store = redisStore(redis, { prefix: 'mine' })
    const { fence } = await store.acquire('a}{b%', 'anna', LONG_MS)
    await store.append('a}{b%', { version: 0, fence }, ['one'])
    expect((await redis.keys('mine*')).toSorted()).toEqual(
      ['fence', 'lease', 'log'].map((name) => `mine:{a%7D%7Bb%25}:${name}`),
    )
    await store.release('a}{b%', fence)
    expect((await redis.keys('mine*')).toSorted()).toEqual(['fence', 'log'].map((name) => `mine:{a%7D%7Bb%25}:${name}`))
  })

  it('hold a stream whose ids are the versions', async () => {
    const store = redisStore(redis)
    const { fence } = await store.acquire('stream', 'anna', LONG_MS)
    await store.append('stream', { version: 0, fence }, ['one', 2])
    await store.append('stream', { version: 1, fence }, [{ three: 3 }])
    const items = await redis.xRange('promptmason:{stream}:log', '-', '+')
    expect(items?.map(({ id, message }) => [id, message['entries']])).toEqual([
      ['1-0', '["one",2]'],
      ['2-0', '[{"three":3}]'],
    ])
  })
})

it('rejects other clients', () => {
  expect(() => redisStore({} as never)).toThrow(
    "client must be a client of the package 'redis' or 'ioredis', got object",
  )
  expect(() => redisStore(undefined as never)).toThrow('got undefined')
  expect(() => redisStore(redis, { prefx: 'x' } as never)).toThrow('did you mean options.prefix?')
})

it('reads a log during a compaction as it was before or after', async () => {
  const store = redisStore(redis)
  const { fence } = await store.acquire('pages', 'anna', LONG_MS)
  let version = 0
  for (let index = 0; index < 600; index++) version = await store.append('pages', { version, fence }, [index])
  // The second page is read after the log was replaced.
  let calls = 0
  const slow = redisStore({
    evalSha: redis.evalSha.bind(redis),
    eval: async (script: string, options: { keys: string[]; arguments: string[] }) => {
      if (++calls === 2) version = await store.compact('pages', { version, fence }, ['all'])
      return redis.eval(script, options)
    },
  } as never)
  expect(await slow.load('pages')).toEqual({ version, entries: ['all'] })
})

it('runs a script once that the client sends twice', async () => {
  const twice = redisStore({
    evalSha: redis.evalSha.bind(redis),
    eval: async (script: string, options: { keys: string[]; arguments: string[] }) => {
      await redis.eval(script, options)
      return redis.eval(script, options)
    },
  } as never)
  const { fence } = await twice.acquire('twice', 'anna', LONG_MS)
  let version = await twice.append('twice', { version: 0, fence }, ['one'])
  version = await twice.append('twice', { version, fence }, ['two'])
  expect(await twice.load('twice')).toEqual({ version: 2, entries: ['one', 'two'] })
  version = await twice.compact('twice', { version, fence }, ['both'])
  expect(await twice.load('twice')).toEqual({ version: 3, entries: ['both'] })
  await twice.release('twice', fence)
})

describe.each(['redis', 'ioredis'] as const)('processes that share a server, with %s', (kind) => {
  const owners: StoreOwner[] = []
  const startOwner = (): StoreOwner => {
    const owner = new StoreOwner(kind, server.url)
    owners.push(owner)
    return owner
  }
  afterEach(() => Promise.all(owners.splice(0).map((owner) => owner.end())))

  it('compete for a conversation: exactly one gets it each time', async () => {
    const rivals = Array.from({ length: 4 }, startOwner)
    for (let round = 0; round < 25; round++) {
      const results = await Promise.all(
        rivals.map((rival, index) => rival.call('acquire', `fight-${kind}`, `${index}`, LONG_MS)),
      )
      const winners = results.flatMap((result, index) => ('fence' in result ? [index] : []))
      expect(winners).toHaveLength(1)
      expect(results.filter(({ code }) => code === 'ERR_CONFLICT')).toHaveLength(3)
      const [winner = 0] = winners
      expect(results[winner].fence).toBe(round + 1)
      await rivals[winner]?.call('release', `fight-${kind}`, results[winner].fence)
    }
  })

  it('reject writes of an owner that was paused for longer than its lease', async () => {
    const id = `paused-${kind}`
    const [paused, other] = [startOwner(), startOwner()]
    const { fence } = await paused.call('acquire', id, 'paused', 1000)
    await paused.call('append', id, { version: 0, fence }, ['one'])
    paused.child.kill('SIGSTOP')
    // It finds this as soon as it resumes.
    paused.send('append', id, { version: 1, fence }, ['late'])
    let next = await other.call('acquire', id, 'other', LONG_MS)
    while (next.code === 'ERR_CONFLICT') {
      await sleep(50)
      next = await other.call('acquire', id, 'other', LONG_MS)
    }
    paused.child.kill('SIGCONT')
    expect(await paused.answer()).toMatchObject({ code: 'ERR_CONFLICT' })
    expect(await paused.call('acquire', id, 'paused', LONG_MS)).toMatchObject({ code: 'ERR_CONFLICT' })
    await other.call('append', id, { version: 1, fence: next.fence }, ['two'])
    expect(await other.call('load', id)).toEqual({ version: 2, entries: ['one', 'two'] })
  })
})

describe('a server that goes away', () => {
  const attempt = (store: ConversationStore, id: string, version: number, fence: number, entry: string) =>
    store.append(id, { version, fence }, [entry]).then(
      (next) => next,
      (error: unknown) => error as Error,
    )

  it.each(['redis', 'ioredis'] as const)('causes an error, and recovers when it is back, with %s', async (kind) => {
    const own = await startRedis('--appendonly', 'yes', '--appendfsync', 'always')
    const client =
      kind === 'redis'
        ? createClient({ url: own.url, disableOfflineQueue: true })
        : new IoRedis(own.url, { enableOfflineQueue: false, maxRetriesPerRequest: 0, retryStrategy: () => 20 })
    client.on('error', () => {})
    if ('connect' in client && kind === 'redis') await client.connect()
    else while ((client as IoRedis).status !== 'ready') await sleep(10)
    try {
      const store = redisStore(client as IoRedis)
      const { fence } = await store.acquire('a', 'anna', LONG_MS)
      const version = await store.append('a', { version: 0, fence }, ['one'])
      await own.pause()
      const failed = await attempt(store, 'a', version, fence, 'lost')
      expect(failed).toBeInstanceOf(Error)
      expect(failed).not.toMatchObject({ code: 'ERR_CONFLICT' })
      await own.resume()
      let next = await attempt(store, 'a', version, fence, 'two')
      while (typeof next !== 'number' && !('code' in next && next.code === 'ERR_CONFLICT')) {
        await sleep(20)
        next = await attempt(store, 'a', version, fence, 'two')
      }
      expect(next).toBe(2)
      expect(await store.load('a')).toEqual({ version: 2, entries: ['one', 'two'] })
    } finally {
      if (kind === 'redis') await (client as ReturnType<typeof createClient>).destroy()
      else (client as IoRedis).disconnect()
      await own.stop()
    }
  })
})
