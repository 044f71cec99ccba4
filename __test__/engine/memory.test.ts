import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { root } from '../support/documents.js'
import { isNode, isSanitized } from '../support/runtime.js'

const PATIENCE_MS = 120_000

const memory = (...args: string[]): { status: number | null; lines: string[] } => {
  const { status, stdout } = spawnSync(process.execPath, ['scripts/memory.mjs', '--quick', ...args], { cwd: root, encoding: 'utf8' })
  return { status, lines: stdout.trim().split('\n') }
}

// The options that the script gives to its processes are Node's.
describe.skipIf(!isNode || isSanitized)('resident memory', { timeout: PATIENCE_MS }, () => {
  it('stays flat while prompts, managers and snapshots are made', () => {
    const { status, lines } = memory()
    expect(lines.filter((line) => !line.startsWith('flat '))).toEqual([])
    expect([status, lines.length]).toEqual([0, 10])
  })

  it('would be seen to grow', () => {
    expect(memory('leak')).toEqual({ status: 1, lines: [expect.stringMatching(/^GROWS {2}leak /)] })
  })
})
