/**
 * Generated inputs are the same on every run, so that a failure is one of the change at hand.
 * To look for new ones: `FC_SEED=random npx vitest run`, or a number.
 */
import { createRequire } from 'node:module'
import fc from 'fast-check'
import { afterAll, expect } from 'vitest'
import { record } from '../../scripts/lib/loaded.mjs'

const wanted = process.env['FC_SEED'] ?? '20260226'
const seed = wanted === 'random' ? Math.trunc(Math.random() * 0x7fff_ffff) : Number(wanted)
if (wanted === 'random') console.log(`FC_SEED=${seed}`)
fc.configureGlobal({ seed })

// For `npm run test:changed` and watch mode.
const { cache } = createRequire(import.meta.url)
afterAll(() => {
  const { testPath } = expect.getState()
  if (testPath !== undefined) record(testPath, Object.keys(cache))
})
