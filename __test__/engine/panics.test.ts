/**
 * No panic of native code reaches the engine: a build with functions that panic, one for each kind
 * of native function. Each becomes an error, and later calls work.
 */
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import native from '../../binding.js'
import { told } from '../support/child.js'
import { root } from '../support/documents.js'
import { isSanitized } from '../support/runtime.js'

const PATIENCE_MS = 600_000
const KINDS: Record<string, string> = {
  'a function': 'addon.panicInFunction()',
  'a method that changes a manager': 'panicking.panicInMethod()',
  'a prompt that is under way': 'addon.panicInPrompt()',
  'work on another thread': 'await addon.panicInBackground()',
}

let folder: string
let addon: string

beforeAll(() => {
  if (isSanitized) return
  folder = mkdtempSync(join(tmpdir(), 'panics-'))
  addon = join(folder, 'promptmason.node')
  // The profile of the unit tests, so the dependencies are there already.
  const built = execFileSync(
    'cargo',
    ['build', '--quiet', '--lib', '--features', 'forced-panics', '--message-format', 'json'],
    { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 },
  )
  const file = built
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
    .filter(({ reason, target }) => reason === 'compiler-artifact' && target.kind.includes('cdylib'))
    .flatMap(({ filenames }) => filenames)
    .find((name: string) => /\.(so|dylib|dll)$/.test(name))
  copyFileSync(file, addon)
}, PATIENCE_MS)

afterAll(() => {
  if (!isSanitized) rmSync(folder, { recursive: true })
})

/** Panics, and then uses everything. */
const program = (panic: string, times: number): string => `
  const addon = require(process.env.NAPI_RS_NATIVE_LIBRARY_PATH)
  const pm = require('promptmason')
  const { errorOf } = require('./dist/errors.js')
  const options = { headings: [], layouts: [], assemblers: [] }
  const panicking = new addon.NativeManager(options)
  const manager = new pm.ContextManager()
  manager.addMessage({ speaker: { id: 'a' }, content: 'one' })
  const errors = []
  for (let i = 0; i < ${times}; i++) {
    try { ${panic} } catch (error) { errors.push(errorOf(error)) }
  }
  manager.addMessage({ speaker: { id: 'a' }, content: 'two' })
  tell([
    errors.map((error) => [error instanceof Error, error.code, error.message]),
    manager.assembleForAgent('b', 'codex').prompt,
    manager.getMessages().length,
    pm.buildPrompt({ agentType: 'codex', contextMessages: [{ from: 'a', content: 'x' }], message: 'y' }).prompt,
    await pm.findUp('package.json', process.cwd()),
  ])
`

describe.skipIf(isSanitized)('a panic in', { timeout: PATIENCE_MS }, () => {
  it.each(Object.entries(KINDS))('%s becomes an error, and later calls work', (_, panic) => {
    const times = 3
    const [errors, ...rest] = told<[[boolean, string, string][], ...unknown[]]>(program(panic, times), {
      env: { NAPI_RS_NATIVE_LIBRARY_PATH: addon },
      mayWarn: true,
    })
    expect(errors).toHaveLength(times)
    for (const [isError, code, message] of errors) {
      expect(isError).toBe(true)
      expect([code, message]).toEqual(['ERR_INTERNAL', 'promptmason failed unexpectedly; please report this'])
    }
    expect(rest).toEqual([
      '[CONTEXT]\n- a -> all: one\n\n[MESSAGE]\ntwo',
      2,
      '[CONTEXT]\n- a -> all: x\n\n[MESSAGE]\ny',
      join(root, 'package.json'),
    ])
  })
})

describe('the packages', () => {
  it('do not contain these functions', () => {
    expect(Object.keys(native).filter((name) => /panic/i.test(name))).toEqual([])
    expect(readFileSync(join(root, 'package.json'), 'utf8')).not.toContain('forced-panics')
  })
})
