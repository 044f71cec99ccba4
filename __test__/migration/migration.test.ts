/**
 * Switches the coordinator beside this file to promptmason as docs/migration.md says, by the
 * import lines alone, and runs its tests again. (Before, they run like any other test.)
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { documentText, root } from '../support/documents.js'

const coordinator = join(import.meta.dirname, 'coordinator')
const copy = join(root, 'target', 'migration')
const node = (path: string, ...args: string[]): string =>
  execFileSync(process.execPath, [join(root, 'node_modules', path), ...args], {
    cwd: copy,
    env: { ...process.env, NO_COLOR: '1' },
    encoding: 'utf8',
  })

/** The guide's `diff` blocks: lines to replace, and what to replace them by. */
const changes = [...documentText('docs/migration.md').matchAll(/```diff\n(.*?)```/gs)].map(([, diff]) => {
  const lines = (diff ?? '').trimEnd().split('\n')
  const marked = (mark: string) => lines.filter((line) => line.startsWith(mark)).map((line) => line.slice(1))
  return { removed: marked('-'), added: marked('+') }
})

const files = readdirSync(coordinator).filter((name) => name.endsWith('.ts'))
const source = (name: string): string => readFileSync(join(coordinator, name), 'utf8')

describe('switching to promptmason', { timeout: 60_000 }, () => {
  beforeAll(() => {
    rmSync(copy, { recursive: true, force: true })
    mkdirSync(copy, { recursive: true })
    // Everything except the coordinator's own assemblers and context manager.
    for (const name of files) cpSync(join(coordinator, name), join(copy, name))
    for (const { removed, added } of changes) {
      const from = removed.join('\n')
      const holders = files.filter((name) => source(name).includes(from))
      expect(holders, from).toHaveLength(1)
      for (const name of holders)
        writeFileSync(
          join(copy, name),
          source(name).replace(from, () => added.join('\n')),
        )
    }
  })
  afterAll(() => rmSync(copy, { recursive: true, force: true }))

  it('changes all imports, and nothing else', () => {
    expect(changes).toHaveLength(2)
    for (const line of changes.flatMap(({ removed, added }) => removed.concat(added)))
      expect(line).toMatch(/^import .* from '.*'$/)
    for (const name of files) {
      const withoutImports = (text: string) => text.replaceAll(/^import .*\n/gm, '')
      const switched = readFileSync(join(copy, name), 'utf8')
      expect(withoutImports(switched)).toBe(withoutImports(source(name)))
      expect(switched).not.toContain('./context/')
      expect(switched).toContain("from 'promptmason'")
    }
  })

  it('type checks', () => {
    const compilerOptions = {
      target: 'es2022',
      lib: ['es2024'],
      module: 'nodenext',
      moduleResolution: 'nodenext',
      types: ['node'],
      strict: true,
      isolatedModules: true,
      noEmit: true,
    }
    writeFileSync(join(copy, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
    node('typescript/bin/tsc', '-p', copy)
  })

  it('passes the same tests', () => {
    writeFileSync(join(copy, 'vitest.config.mjs'), 'export default {}')
    const count = [...source('coordinator.test.ts').matchAll(/^ {2}it\(/gm)].length
    const passed = Number(/Tests +(\d+) passed \(\1\)/.exec(node('vitest/vitest.mjs', 'run', '--root', copy))?.[1])
    expect(passed).toBeGreaterThan(count)
  })
})
