/* oxlint-disable no-await-in-loop -- one step after another */
/** The same as kills.test.ts, with Redis. */
import { redisStore } from 'promptmason'
import { createClient } from 'redis'
import { expect, it } from 'vitest'
import { Talker, survive } from '../support/kills.js'
import { newDirectory } from '../support/processes.js'
import { startRedis } from '../support/redis.js'

const KILLS = Number(process.env['KILLS'] ?? 25)

it('survives kills with Redis', { timeout: 60_000 + KILLS * 3000 }, async () => {
  const server = await startRedis()
  const client = createClient({ url: server.url })
  await client.connect()
  try {
    const result = await survive(server.url, redisStore(client), KILLS)
    console.log(`Redis: ${JSON.stringify(result)}`)
    expect(result.returned).toBeGreaterThan(0)
    expect(result.resumed).toBeGreaterThan(0)
    expect(result.adopted).toBeGreaterThan(0)
  } finally {
    await client.close()
    await server.stop()
  }
})

it('gives a conversation to one process, and takes it from a paused one', { timeout: 120_000 }, async () => {
  const server = await startRedis()
  const client = createClient({ url: server.url })
  await client.connect()
  const sessions = newDirectory()
  const talkers: Talker[] = []
  const start = (): Talker => {
    const talker = new Talker(server.url, sessions)
    talkers.push(talker)
    return talker
  }
  try {
    const first = start()
    await first.says(5)
    // The first one owns it.
    const second = start()
    expect(await second.ended).toEqual({ code: 3, signal: null })
    first.child.kill('SIGSTOP')
    const before = first.told.length
    let third = start()
    while (!(await third.opens())) third = start()
    await third.says(5)
    first.child.kill('SIGCONT')
    // It finds that it was replaced as soon as it writes.
    expect(await first.ended).toEqual({ code: 3, signal: null })
    await third.says(10)
    third.child.kill('SIGKILL')
    await third.ended
    const entries = (await redisStore(client).load('killed'))?.entries as any[]
    const messages = entries.flatMap(({ message, messages: adopted }) => message ?? adopted ?? [])
    expect(messages.map(({ id }) => id)).toEqual(messages.map((_, index) => `msg-${index + 1}`))
    const contents = new Map(messages.map(({ id, content }) => [id, content]))
    for (const { id, content } of [...first.told, ...third.told]) expect(contents.get(id)).toBe(content)
    // Input that it got while it was paused was already on its way.
    expect(first.told.length - before).toBeLessThanOrEqual(3)
  } finally {
    for (const { child } of talkers) child.kill('SIGKILL')
    await client.close()
    await server.stop()
  }
})
