/** `lib/` is compiled when it has changed, and `dist/` has nothing else. In a copy with two files. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from '../support/documents.js'
import { hasTools } from '../support/tools.js'

// Inside the repository, so that the compiler is found.
const copy = join(root, 'target', 'compile')
const inCopy = (path: string, text: string): void => {
  mkdirSync(dirname(join(copy, path)), { recursive: true })
  writeFileSync(join(copy, path), text)
}
const compiled = (path: string): string => readFileSync(join(copy, 'dist', path), 'utf8')
const outputs = (): string[] =>
  readdirSync(join(copy, 'dist'), { recursive: true, encoding: 'utf8' }).filter((file) => /\.(js|ts|css)$/.test(file))

describe.skipIf(!hasTools)('lib/', { timeout: 120_000 }, () => {
  let buildLib: () => Promise<boolean>

  beforeAll(async () => {
    rmSync(copy, { recursive: true, force: true })
    for (const path of ['scripts/lib', 'lib/tsconfig.json', 'lib/tsconfig.page.json'])
      cpSync(join(root, path), join(copy, path), { recursive: true })
    inCopy('lib/one.ts', 'export const one = 1\n')
    inCopy('lib/two.ts', "import { one } from './one.js'\nexport const two: number = one + 1\n")
    inCopy('lib/play/page/page.ts', 'export const title = document.title\n')
    inCopy('lib/play/page/page.css', 'p {}\n')
    ;({ buildLib } = await import(pathToFileURL(join(copy, 'scripts', 'lib', 'compile.mjs')).href))
  })
  afterAll(() => rmSync(copy, { recursive: true, force: true }))

  it('is compiled without source maps', async () => {
    expect(await buildLib()).toBe(true)
    const page = ['page.css', 'page.d.ts', 'page.js'].map((file) => join('play', 'page', file))
    expect(outputs().toSorted()).toEqual(['one.d.ts', 'one.js', ...page, 'two.d.ts', 'two.js'])
    expect(compiled('two.js')).toContain('one_js_1.one + 1')
    expect(compiled('two.js')).not.toContain('sourceMappingURL')
  })

  it('is compiled again after a change', async () => {
    inCopy('lib/one.ts', 'export const one = 2\n')
    inCopy('lib/play/page/page.css', 'b {}\n')
    expect(await buildLib()).toBe(true)
    expect(compiled('one.js')).toContain('exports.one = 2')
    expect(compiled('play/page/page.css')).toBe('b {}\n')
  })

  it('is compiled also where types are wrong', async () => {
    inCopy('lib/one.ts', "export const one = 'text'\n")
    const { status, stdout } = spawnSync(process.execPath, [join(copy, 'scripts', 'lib', 'build.mjs')])
    expect([status, String(stdout)]).toEqual([1, expect.stringContaining('lib/two.ts(2,14): error TS2322')])
    expect(compiled('one.js')).toContain("exports.one = 'text'")
    inCopy('lib/one.ts', 'export const one = 3\n')
    expect(await buildLib()).toBe(true)
  })

  it('leaves nothing of a file that is gone', async () => {
    rmSync(join(copy, 'lib', 'two.ts'))
    expect(await buildLib()).toBe(true)
    expect(outputs().filter((file) => file.startsWith('two'))).toEqual([])
  })

  it('is complete, whatever is missing in dist/', async () => {
    rmSync(join(copy, 'dist', 'one.js'))
    expect(await buildLib()).toBe(true)
    expect(compiled('one.js')).toContain('exports.one = 3')
  })
})
