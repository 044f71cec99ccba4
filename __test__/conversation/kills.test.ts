/** Processes are killed at any moment, and others continue: nothing is lost or duplicated. */
import { fileStore } from 'promptmason'
import { expect, it } from 'vitest'
import { survive } from '../support/kills.js'
import { newDirectory } from '../support/processes.js'

/** `KILLS=300` for more. */
const KILLS = Number(process.env['KILLS'] ?? 25)

it('survives kills with files', { timeout: 60_000 + KILLS * 3000 }, async () => {
  const directory = newDirectory()
  const result = await survive(directory, fileStore(directory), KILLS)
  console.log(`files: ${JSON.stringify(result)}`)
  expect(result.returned).toBeGreaterThan(0)
  expect(result.resumed).toBeGreaterThan(0)
  expect(result.adopted).toBeGreaterThan(0)
})
