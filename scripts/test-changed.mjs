/**
 * `npm run test:changed`: runs the tests that the uncommitted changes can affect, or those since a
 * commit: `npm run test:changed -- main`.
 *
 * A change in `lib/` affects the test files that have loaded the file. For one in `src/` the addon is
 * built first (`npm run build:dev`); then the tests of its subject run, or all if it has none.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { testsThatLoad } from './lib/loaded.mjs'

const root = join(import.meta.dirname, '..')
const FAST = ['fast', 'shared', 'portable'].flatMap((name) => ['--project', name])

/** Folders of `src/` whose tests are in one folder of `__test__/`. Everything else is part of every prompt. */
const SUBJECTS = {
  arrays: 'arrays',
  instructions: 'instructions',
  redact: 'handoff',
  system: 'delivery',
  system_prompt: 'system',
  tokens: 'tokens',
  transcripts: 'transcripts',
}

/** @param {string[]} args */
const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean)

/** @param {string} command @param {string[]} args */
const run = (command, ...args) => {
  console.log(`$ ${[command, ...args].join(' ')}`)
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' })
  if (status !== 0) process.exit(status ?? 1)
}

const [base = 'HEAD'] = process.argv.slice(2)
const changed = [
  ...new Set([...git('diff', '--name-only', base), ...git('ls-files', '--others', '--exclude-standard')]),
]

/**
 * The test files that a change affects, or their folders. An empty string stands for all of them.
 * @param {string} file
 * @returns {string[]}
 */
const affected = (file) => {
  const [top = '', subject = ''] = file.split('/')
  if (top === 'lib') return file.endsWith('.json') ? [''] : testsThatLoad(file.slice('lib/'.length))
  if (top === 'src') {
    const folder = SUBJECTS[/** @type {keyof typeof SUBJECTS} */ (subject)]
    return folder === undefined ? [''] : [`__test__/${folder}/`]
  }
  if (file.endsWith('.test.ts')) return existsSync(join(root, file)) ? [file] : []
  if (top === '__test__') return subject === 'support' ? [''] : [`__test__/${subject}/`]
  if (/^(index\.|binding\.|Cargo|package)/.test(file)) return ['']
  return ['__test__/packaging/']
}

const tests = [...new Set(changed.flatMap(affected))]
const isCoreChanged = changed.some((file) => /^(src\/|Cargo|build\.rs)/.test(file))
if (changed.length === 0) console.log(`Nothing has changed since ${base}.`)
if (isCoreChanged) {
  run('npm', 'run', 'build:dev')
  run('cargo', 'test', '--quiet')
}
if (tests.includes('')) run('npx', 'vitest', 'run', ...FAST)
else if (tests.length > 0) run('npx', 'vitest', 'run', ...FAST, '--project', 'slow', ...tests)
