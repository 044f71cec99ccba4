/** examples/shared-conversation.ts */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { root } from '../support/documents.js'
import { startRedis } from '../support/redis.js'

const run = (url: string) =>
  promisify(execFile)(process.execPath, ['--import', 'tsx', 'examples/shared-conversation.ts'], {
    cwd: root,
    env: { ...process.env, REDIS_URL: url },
  })

it('continues in another process after the owner is killed in the middle of a turn', { timeout: 120_000 }, async () => {
  const server = await startRedis()
  try {
    const { stdout } = await run(server.url)
    const [before = '', after = ''] = stdout.split('── Anna is killed in the middle of a turn ──')
    expect(before).toContain('Anna has it open, with 0 messages')
    expect(after).toContain('Ben has it open, with 5 messages')
    // Its session was in doubt.
    expect(after).toContain('Ben asks sarah\n')
    expect(after).toContain('nothing is lost or repeated')
  } finally {
    await server.stop()
  }
})

it('says so when there is no Redis', async () => {
  const failed = await run('redis://127.0.0.1:1').catch((error: unknown) => error)
  expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('ECONNREFUSED') })
})
