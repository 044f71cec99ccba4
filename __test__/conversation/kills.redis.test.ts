/** The same as kills.test.ts, with Redis. */
import { redisStore } from 'promptmason'
import { createClient } from 'redis'
import { expect, it } from 'vitest'
import { survive } from '../support/kills.js'
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
  } finally {
    await client.close()
    await server.stop()
  }
})
