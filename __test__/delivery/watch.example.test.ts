import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify, stripVTControlCharacters } from 'node:util'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '..', '..')

it('examples/watch.ts shows three agents at work side by side', async () => {
  const env = { ...process.env, WATCH_SPEED: '100' }
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', 'examples/watch.ts'], {
    cwd: root,
    env,
  })
  const lines = stripVTControlCharacters(stdout).trimEnd().split('\n')
  const columns = [0, 1, 2].map((column) => lines.map((line) => (line.split('│')[column] ?? '').trim()).filter(Boolean))
  expect(columns.map(([name]) => name)).toEqual(['claude', 'codex', 'gemini'])
  const [claude = [], codex = [], gemini = []] = columns.map((column) => column.join('\n'))
  expect(claude).toContain('▸ Bash npm test\n✗ 1 failed, 213 passed')
  expect(claude).toContain('↻ overloaded')
  expect(claude).toContain('34076 tokens in, 411 out, $0.04')
  expect(codex).toContain('▸ command_execution git diff main')
  expect(gemini).toContain('▸ replace CHANGELOG.md\n✓ 1 line added')
  for (const column of columns) expect(column.at(-2)).toMatch(/^● done in \d+ s$/)
})
