/** The checks that `npm run test:runtimes` runs elsewhere, on the runtime of the tests. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from './support/documents.js'
import { isDeno } from './support/runtime.js'

it('every export has a check for all runtimes, and passes it here', () => {
  const args = [...(isDeno ? ['run', '-A'] : []), join('__test__', 'runtimes', 'smoke.mjs')]
  const { stdout } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8', env: { ...process.env, DEBUG: undefined } })
  expect(JSON.parse(stdout)).toEqual({ checks: expect.any(Number), failed: [] })
})
