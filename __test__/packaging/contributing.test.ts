/** CONTRIBUTING.md names existing files, and its recipes work in a copy that follows them exactly. */
import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { documentText, root } from '../support/documents.js'
import { isSanitized } from '../support/runtime.js'

const contributing = documentText('CONTRIBUTING.md')
const sectionOf = (heading: string): string => contributing.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''

interface Step {
  /** The first file that the step names. */
  file: string
  /** Its code blocks, without their indentation. */
  blocks: { language: string; code: string }[]
}

const stepsOf = (heading: string): Step[] =>
  sectionOf(heading)
    .split(/\n(?=\d+\. )/)
    .slice(1)
    .map((step) => ({
      file: /`([\w./-]+\.\w+)`/.exec(step)?.[1] ?? '',
      blocks: [...step.matchAll(/ {3}```(\w+)\n(.*?) {3}```/gs)].map(([, language = '', code = '']) => ({
        language,
        code: code.replaceAll(/^ {3}/gm, ''),
      })),
    }))

/** Applies a block that shows kept, removed and added lines. */
const patched = (text: string, diff: string): string => {
  const lines = diff.trimEnd().split('\n')
  const side = (dropped: string) =>
    lines
      .filter((line) => !line.startsWith(dropped))
      .map((line) => line.slice(1))
      .join('\n')
  expect(text.split(`\n${side('+')}\n`), `once in the file:\n${side('+')}`).toHaveLength(2)
  return text.replace(`\n${side('+')}\n`, () => `\n${side('-')}\n`)
}

/** The recipes, with the files that their blocks add or change. */
const RECIPES: Record<string, string[]> = {
  'Add a field': [
    'lib/prompts/build-prompt.ts',
    'src/binding/fields/prompt.rs',
    'src/prompt.rs',
    '__test__/prompts/reserved-bytes.test.ts',
  ],
  'Add a CLI': ['lib/delivery/profiles/aider.ts', 'lib/delivery/profiles/index.ts', '__test__/delivery/aider.test.ts'],
  'Add a layout': [
    'src/layout/aider.rs',
    'src/layout/mod.rs',
    'lib/prompts/agents.ts',
    '__test__/layouts/aider.test.ts',
  ],
}

/** Files and folders that the text names in backticks. */
const namedIn = (text: string): string[] =>
  [
    ...text.matchAll(
      /`((?:src|lib|__test__|bench|npm|fuzz|scripts|docs|\.ci)\/[\w./-]*|[\w-]+(?:\.d)?\.(?:js|ts|md|json|toml))`/g,
    ),
  ].map(([, path]) => path ?? '')

const foldersIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'tests')
    .map(({ name }) => `${folder}/${name}/`)

describe('the files that CONTRIBUTING.md names', () => {
  it('exist', () => {
    const added = new Set(Object.values(RECIPES).flat())
    expect(namedIn(contributing).filter((path) => !added.has(path) && !existsSync(join(root, path)))).toEqual([])
  })

  it.each([
    ['The map', 25],
    ['Life of a message', 30],
    ['Other changes', 5],
  ])('exist in "%s"', (heading, least) => {
    expect(new Set(namedIn(sectionOf(heading))).size).toBeGreaterThanOrEqual(least)
  })

  it('include every folder of src/ and lib/', () => {
    const folders = ['src', 'lib', 'src/binding', 'lib/delivery'].flatMap(foldersIn)
    expect(folders.length).toBeGreaterThan(15)
    expect(folders.filter((folder) => !namedIn(sectionOf('The map')).includes(folder))).toEqual([])
  })

  it('are listed once in each list of "Life of a message"', () => {
    const lists = sectionOf('Life of a message')
      .split(/\n(?=1\. )/)
      .slice(1)
    expect(lists).toHaveLength(5)
    for (const list of lists) {
      const steps = list.match(/^\d+\. .*/gm) ?? []
      expect(steps.map((step) => parseInt(step))).toEqual(steps.map((_, index) => index + 1))
      const files = namedIn(steps.join('\n'))
      expect(files).toEqual([...new Set(files)])
    }
  })
})

const LIBRARY =
  { linux: 'libpromptmason.so', darwin: 'libpromptmason.dylib', win32: 'promptmason.dll' }[
    process.platform as string
  ] ?? ''

/** What the loader looks for here. */
const BINARY = readdirSync(root).find((name) => name.endsWith('.node')) ?? ''

/** What the steps change, and what a build and a test need. */
const COPIED = [
  'src',
  'lib',
  'npm',
  'scripts/lib',
  'build.rs',
  'Cargo.toml',
  'Cargo.lock',
  'package.json',
  'index.js',
  'index.d.ts',
  'binding.js',
  'binding.d.ts',
]

/** Where the Rust tests have run: there is a toolchain that fits, and the dependencies are built. */
const canBuild = existsSync(join(root, 'target', 'debug')) && spawnSync('cargo', ['--version']).status === 0

describe.skipIf(isSanitized)('the recipes', { timeout: 300_000 }, () => {
  // Inside the repository, so that tools are found; always the same, so that cargo keeps one build of it.
  const copy = join(root, 'target', 'contributing')
  const env = { ...process.env, NO_COLOR: '1' }

  const follow = (heading: string): void => {
    const steps = stepsOf(heading).filter(({ blocks }) => blocks.length > 0)
    expect(steps.map(({ file }) => file)).toEqual(RECIPES[heading])
    for (const { file, blocks } of steps) {
      const path = join(copy, file)
      mkdirSync(dirname(path), { recursive: true })
      for (const { language, code } of blocks) {
        writeFileSync(path, language === 'diff' ? patched(readFileSync(path, 'utf8'), code) : code)
      }
    }
  }

  const testsOf = (heading: string): string[] => (RECIPES[heading] ?? []).filter((file) => file.endsWith('.test.ts'))

  /** Checks the types of these tests, and runs them. */
  const runTests = (files: string[]): void => {
    const run = (script: string[], args: string[]): string => {
      const { stdout, stderr, status } = spawnSync(process.execPath, [join(root, 'node_modules', ...script), ...args], {
        cwd: copy,
        env,
        encoding: 'utf8',
      })
      expect(status, stdout + stderr).toBe(0)
      return stdout
    }
    const compilerOptions = {
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      module: 'nodenext',
      target: 'es2023',
      types: ['node'],
    }
    writeFileSync(join(copy, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
    run(['typescript', 'bin', 'tsc'], ['-p', copy])
    writeFileSync(join(copy, 'vitest.config.mjs'), 'export default {}')
    expect(run(['vitest', 'vitest.mjs'], ['run', '--root', copy, ...files])).toContain(`${files.length} passed`)
  }

  beforeAll(() => {
    rmSync(copy, { recursive: true, force: true })
    mkdirSync(copy, { recursive: true })
    for (const path of COPIED) cpSync(join(root, path), join(copy, path), { recursive: true })
    copyFileSync(join(root, BINARY), join(copy, BINARY))
  })
  afterAll(() => rmSync(copy, { recursive: true, force: true }))

  const buildLib = () => execFileSync(process.execPath, [join(copy, 'scripts', 'lib', 'build.mjs')], { stdio: 'pipe' })

  it('add a CLI', () => {
    follow('Add a CLI')
    buildLib()
    runTests(testsOf('Add a CLI'))
  })

  it.skipIf(!canBuild)('add a field and a layout', () => {
    follow('Add a field')
    follow('Add a layout')
    buildLib()
    // By cargo alone: it shares the dependencies that `cargo test` has built, which the build by
    // napi does not. The steps add no native function, so binding.js stays as it is.
    execFileSync('cargo', ['build', '--quiet', '--lib', '--target-dir', join(root, 'target')], {
      cwd: copy,
      stdio: 'pipe',
    })
    copyFileSync(join(root, 'target', 'debug', LIBRARY), join(copy, BINARY))
    runTests(Object.keys(RECIPES).flatMap(testsOf))
  })
})
