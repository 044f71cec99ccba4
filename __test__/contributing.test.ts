/** CONTRIBUTING.md, "How to add an agent": follows the steps in a copy, builds it, and runs its test. */
import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { documentText, root } from './support/documents.js'

const contributing = documentText('CONTRIBUTING.md')
const section = contributing.split('## How to add an agent')[1]?.split('\n## ')[0] ?? ''
const steps = section.split(/\n(?=\d+\. )/).slice(1)

/** The first file that a step names, and its code blocks, without their indentation. */
const parse = (step: string) => ({
  file: /`([\w./]+\.\w+)`/.exec(step)?.[1] ?? '',
  blocks: [...step.matchAll(/ {3}```(\w+)\n(.*?) {3}```/gs)].map(([, language, code]) => ({
    language,
    code: (code ?? '').replaceAll(/^ {3}/gm, ''),
  })),
})

/** Applies a block that shows kept, removed and added lines. */
const patched = (text: string, diff: string): string => {
  const lines = diff.trimEnd().split('\n')
  const side = (dropped: string) => lines.filter((line) => !line.startsWith(dropped)).map((line) => line.slice(1)).join('\n')
  expect(text.split(`\n${side('+')}\n`), `once in the file:\n${side('+')}`).toHaveLength(2)
  return text.replace(`\n${side('+')}\n`, () => `\n${side('-')}\n`)
}

const LIBRARY = { linux: 'libpromptmason.so', darwin: 'libpromptmason.dylib', win32: 'promptmason.dll' }[process.platform as string] ?? ''

/** What the loader looks for here. */
const BINARY = readdirSync(root).find((name) => name.endsWith('.node')) ?? ''

/** Where the Rust tests have run: there is a toolchain that fits, and the dependencies are built. */
const canBuild = existsSync(join(root, 'target', 'debug')) && spawnSync('cargo', ['--version']).status === 0

describe('the map of the house', () => {
  it('names rooms that are there', () => {
    const rooms = [...contributing.matchAll(/`((?:src|__test__|npm)\/[\w./]*)`/g)].map(([, room]) => room ?? '')
    expect(rooms.length).toBeGreaterThan(15)
    const added = new Set(['src/layout/qwen.rs', '__test__/qwen.test.ts'])
    expect(rooms.filter((room) => !added.has(room) && !existsSync(join(root, room)))).toEqual([])
  })
})

describe.skipIf(!canBuild)('how to add an agent', { timeout: 300_000 }, () => {
  // Inside the repository, so that tools are found; always the same, so that cargo keeps one build of it.
  const copy = join(root, 'target', 'contributing')
  beforeAll(() => {
    rmSync(copy, { recursive: true, force: true })
    mkdirSync(copy, { recursive: true })
    for (const path of ['src', 'npm', 'build.rs', 'Cargo.toml', 'Cargo.lock', 'package.json', 'README.md', 'README.zh-CN.md', 'CHANGELOG.md']) {
      cpSync(join(root, path), join(copy, path), { recursive: true })
    }
  })
  afterAll(() => rmSync(copy, { recursive: true, force: true }))

  it('has steps that can be applied, each to a file that it names', () => {
    expect(steps).toHaveLength(7)
    for (const { file, blocks } of steps.map(parse)) {
      expect(file).not.toBe('')
      for (const { language, code } of blocks) {
        const path = join(copy, file)
        mkdirSync(dirname(path), { recursive: true })
        if (language === 'diff') writeFileSync(path, patched(readFileSync(path, 'utf8'), code))
        else writeFileSync(path, code)
      }
    }
  })

  it('leads to an addon that builds', () => {
    // By cargo alone: it shares the dependencies that `cargo test` has built, which the build by
    // napi does not. The macros leave the types that napi would write into index.d.ts.
    const types = join(copy, 'types')
    mkdirSync(types)
    const env = { ...process.env, NAPI_TYPE_DEF_TMP_FOLDER: types }
    const args = ['build', '--quiet', '--lib', '--target-dir', join(root, 'target')]
    execFileSync('cargo', args, { cwd: copy, env, stdio: 'pipe' })
    copyFileSync(join(root, 'target', 'debug', LIBRARY), join(copy, BINARY))
    const written = readdirSync(types).map((file) => readFileSync(join(types, file), 'utf8')).join('')
    expect(written).toContain('"name": "QwenContextAssembler"')
    expect(written).toContain('For Qwen: titles with hashes, the system text first.')
    // The line that napi would write into index.js.
    const exported = 'module.exports.QwenContextAssembler = nativeBinding.QwenContextAssembler\n'
    writeFileSync(join(copy, 'index.js'), documentText('index.js') + exported)
  })

  it('leads to tests that pass', () => {
    const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
    writeFileSync(join(copy, 'vitest.config.mjs'), 'export default {}')
    const env = { ...process.env, NO_COLOR: '1' }
    const stdout = execFileSync(process.execPath, [vitest, 'run', '--root', copy, '--dir', '__test__'], { cwd: copy, env, encoding: 'utf8' })
    expect(stdout).toContain('2 passed')
  })
})
