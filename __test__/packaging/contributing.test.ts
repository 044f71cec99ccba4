/** CONTRIBUTING.md, "How to add an agent": follows the steps in a copy, builds it, and runs its test. */
import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { documentText, root } from '../support/documents.js'
import { isSanitized } from '../support/runtime.js'

const contributing = documentText('CONTRIBUTING.md')
const sectionOf = (heading: string): string => contributing.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''
const steps = sectionOf('How to add an agent').split(/\n(?=\d+\. )/).slice(1)

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

/** What the steps change, and what a build and a test need. */
const COPIED = [
  'src', 'js', 'npm', 'build.rs', 'Cargo.toml', 'Cargo.lock', 'package.json', 'index.js', 'index.d.ts', 'types', 'binding.js', 'binding.d.ts',
  'README.md', 'README.zh-CN.md', 'CHANGELOG.md',
]

/** Where the Rust tests have run: there is a toolchain that fits, and the dependencies are built. */
const canBuild = existsSync(join(root, 'target', 'debug')) && spawnSync('cargo', ['--version']).status === 0

/** Files and folders that the text names in backticks. */
const namedIn = (text: string): string[] =>
  [...text.matchAll(/`((?:src|js|types|__test__|bench|npm)\/[\w./-]*|index\.js|index\.d\.ts|binding\.js|binding\.d\.ts)`/g)].map(([, path]) => path ?? '')

describe('the files that CONTRIBUTING.md names', () => {
  it('exist', () => {
    const added = new Set(['src/layout/aider.rs', '__test__/layouts/aider.test.ts'])
    expect(namedIn(contributing).filter((path) => !added.has(path) && !existsSync(join(root, path)))).toEqual([])
  })

  it.each([['The map', 25], ['The way of one context message', 25], ['How to change', 15]])('are there in "%s"', (heading, least) => {
    expect(new Set(namedIn(sectionOf(heading))).size).toBeGreaterThanOrEqual(least)
  })

  it('include every folder of src/', () => {
    const folders = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory())
    expect(folders.map(({ name }) => `src/${name}/`).filter((folder) => !namedIn(sectionOf('The map')).includes(folder))).toEqual([])
  })
})

describe.skipIf(!canBuild || isSanitized)('how to add an agent', { timeout: 300_000 }, () => {
  // Inside the repository, so that tools are found; always the same, so that cargo keeps one build of it.
  const copy = join(root, 'target', 'contributing')
  beforeAll(() => {
    rmSync(copy, { recursive: true, force: true })
    mkdirSync(copy, { recursive: true })
    for (const path of COPIED) {
      cpSync(join(root, path), join(copy, path), { recursive: true })
    }
  })
  afterAll(() => rmSync(copy, { recursive: true, force: true }))

  it('has steps that can be applied, each to a file that it names', () => {
    expect(steps).toHaveLength(6)
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
    // napi does not. The steps add no native function, so binding.js stays as it is.
    execFileSync('cargo', ['build', '--quiet', '--lib', '--target-dir', join(root, 'target')], { cwd: copy, stdio: 'pipe' })
    copyFileSync(join(root, 'target', 'debug', LIBRARY), join(copy, BINARY))
  })

  it('leads to tests that pass', () => {
    const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
    writeFileSync(join(copy, 'vitest.config.mjs'), 'export default {}')
    const env = { ...process.env, NO_COLOR: '1' }
    const stdout = execFileSync(process.execPath, [vitest, 'run', '--root', copy, '--dir', '__test__'], { cwd: copy, env, encoding: 'utf8' })
    expect(stdout).toContain('2 passed')
  })
})
