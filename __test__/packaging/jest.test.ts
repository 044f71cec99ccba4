/** Jest, in a project that promptmason was installed into: every test there passes. */
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from '../support/documents.js'
import { InstalledProject, isPackaged } from '../support/installed.js'
import { packages } from '../support/packages.js'

const SOURCE = join(root, '__test__', 'support', 'jest', 'promptmason.test.cjs')
const JEST = join(root, 'node_modules', 'jest', 'bin', 'jest.js')

describe.skipIf(!isPackaged)('Jest', { timeout: 120_000 }, () => {
  let user: InstalledProject
  beforeAll(() => {
    user = InstalledProject.complete(packages())
    user.write('jest.config.json', JSON.stringify({ transform: {}, testMatch: ['**/*.test.{cjs,mjs}'] }))
  }, 120_000)
  afterAll(() => user.remove())

  /** How many tests passed, and how many there are. */
  const jest = (...args: string[]): number[] => {
    const { stderr } = user.run('node', ['--experimental-vm-modules', JEST, '--ci', ...args])
    // Failures come first in this line: with any of them it is another one.
    expect(stderr).toMatch(/^Tests: +\d+ passed/m)
    const [, passed, total] = /^Tests: +(\d+) passed, (\d+) total$/m.exec(stderr) ?? []
    return [Number(passed), Number(total)]
  }

  it('recognizes results and errors in its realm, also in two test files of one process', () => {
    for (const name of ['first', 'second']) copyFileSync(SOURCE, join(user.project, `${name}.test.cjs`))
    const [passed, total] = jest('--runInBand', 'first', 'second')
    expect(passed).toBe(total)
    expect(total).toBeGreaterThan(20)
  })

  it('imports it as an ES module', () => {
    user.write(
      'esm.test.mjs',
      `import { buildPrompt, isPromptmasonError } from 'promptmason'
      test('x', () => {
        expect(() => buildPrompt()).toThrow(TypeError)
        try { buildPrompt() } catch (error) { expect(isPromptmasonError(error, 'ERR_INVALID_ARG_TYPE')).toBe(true) }
        expect(buildPrompt({ agentType: 'codex', contextMessages: [], message: 'x' })).toStrictEqual({ prompt: '[MESSAGE]\\nx', systemFlag: undefined })
      })`,
    )
    expect(jest('esm')).toEqual([1, 1])
  })
})
