/**
 * Runs checks and tests with one version of Node under Wine, and prints the results. Exits with 1 if one
 * failed for a reason other than Wine.
 *
 *   node run.mjs <version of Node> [files or folders of tests…]
 *
 * Every test file runs in its own process with its own time limit, so that one that hangs or crashes
 * does not stop the others. Results are passed in files: under Wine, Node cannot write to a pipe of
 * this system.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { checkConsole } from './console.mjs'
import { NOT_RUN, RUN_IF_NAMED, WINE_LIMITS } from './wine-limits.mjs'

/** The time limit for one test file. The slowest take about a minute. */
const LIMIT_MS = 6 * 60_000

const [version = '', ...only] = process.argv.slice(2)
const cache = process.env.PROMPTMASON_WINDOWS_CACHE ?? ''
const results = join(cache, `results-${version}`)
const prefix = join(cache, `prefix-${version}`)
/** A path of this system as Wine knows it. @param {string} path */
const inWine = (path) => `Z:${path.replaceAll('/', '\\')}`

/** @type {NodeJS.ProcessEnv} */
const env = {
  ...process.env,
  WINEPREFIX: prefix,
  NODE_SKIP_PLATFORM_CHECK: '1',
  NO_COLOR: '1',
  // Searched for programs before the system's directories.
  WINEPATH: inWine(join(cache, `node-${version}`)),
  // For tests that need links.
  PROMPTMASON_WINE_DRIVES: join(prefix, 'dosdevices'),
}
const wine = join(import.meta.dirname ?? '', 'wine.sh')
const nodeProgram = join(cache, `node-${version}`, 'node.exe')

/** @typedef {{ name: string, message: string }} Failure */
/** @typedef {{ passed: number, skipped: number, failures: Failure[] }} Outcome */

/** Ends every Windows process. */
const endAll = () => spawn(wine, ['wineserver', '-k'], { stdio: 'ignore', env })

/**
 * Runs a program under Wine.
 * @param {string[]} args
 * @returns {Promise<{ out: string, err: string, isLate: boolean, code: number | null }>}
 */
const run = (...args) => start(wine, args)

/**
 * @param {string} program
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} more
 * @returns {Promise<{ out: string, err: string, isLate: boolean, code: number | null }>}
 */
const start = async (program, args, more = {}) => {
  const files = [join(results, 'out'), join(results, 'err')]
  const [out, err] = files.map((file) => openSync(file, 'w'))
  const child = spawn(program, args, { stdio: ['ignore', out, err], env: { ...env, ...more } })
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    endAll()
  }, LIMIT_MS)
  const code = await new Promise((resolve) => child.once('exit', resolve))
  clearTimeout(timer)
  closeSync(out)
  closeSync(err)
  const [outText, errText] = files.map((file) => readFileSync(file, 'utf8').replaceAll('\r\n', '\n'))
  return { out: outText, err: errText, isLate, code }
}

/** @param {string[]} args */
const node = (...args) => run('wine', nodeProgram, ...args)

/**
 * Tries the things that Wine supposedly cannot do.
 * @returns {Promise<Record<string, { isPossible: boolean, seen: string }>>}
 */
const measure = async () => {
  const links = ['nowhere', '.'].map((target, index) => {
    const link = join(results, `link-${index}`)
    symlinkSync(target, link)
    return inWine(link)
  })
  const { out, err } = await node('scripts/windows/measure-wine.mjs', ...links)
  try {
    return JSON.parse(out)
  } catch {
    throw new Error(`measure-wine.mjs has no result:\n${out}${err}`)
  }
}

/** @returns {Promise<Outcome>} */
const runChecks = async () => {
  const { out, err } = await node('__test__/runtimes/smoke.mjs')
  try {
    const { checks, failed } = JSON.parse(out.trim().split('\n').at(-1) ?? '')
    const failures = failed.map((/** @type {string} */ text) => ({ name: text.split(':')[0], message: text }))
    return { passed: checks - failures.length, skipped: 0, failures }
  } catch {
    return { passed: 0, skipped: 0, failures: [{ name: 'smoke.mjs', message: `has no result:\n${out}${err}` }] }
  }
}

/** @returns {Promise<Outcome>} */
const runConsole = async () => {
  const checks = await checkConsole(results, [wine, 'wine', nodeProgram], (args, more) => start('script', args, more))
  const failures = checks.filter(({ isPassed }) => !isPassed)
  return { passed: checks.length - failures.length, skipped: 0, failures }
}

/**
 * @param {string} file
 * @returns {Promise<Outcome>}
 */
const runTests = async (file) => {
  const json = join(results, 'tests.json')
  rmSync(json, { force: true })
  const { out, err, isLate, code } = await node(
    'node_modules/vitest/vitest.mjs',
    'run',
    '--config=scripts/windows/vitest.config.mts',
    '--reporter=verbose',
    '--reporter=json',
    `--outputFile.json=${inWine(json)}`,
    file,
  )
  try {
    const { testResults, numPassedTests, numPendingTests, success } = JSON.parse(readFileSync(json, 'utf8'))
    const failures = testResults.flatMap((/** @type {any} */ { assertionResults }) =>
      assertionResults
        .filter((/** @type {any} */ { status }) => status === 'failed')
        .map((/** @type {any} */ { fullName, failureMessages }) => ({
          name: `${file} > ${fullName}`,
          message: failureMessages.join('\n'),
        })),
    )
    if (!success && failures.length === 0) failures.push({ name: file, message: testResults[0]?.message || err })
    return { passed: numPassedTests, skipped: numPendingTests, failures }
  } catch {
    const reason = isLate ? `did not end within ${LIMIT_MS / 60_000} minutes` : `ended with code ${code}, and no result`
    return { passed: 0, skipped: 0, failures: [{ name: file, message: `${reason}:\n${out}${err}` }] }
  }
}

/** The name of a test file in a list. @param {string} file */
const nameOf = (file) => file.replace(/^__test__\//, '').replace(/\.test\.ts$/, '')

/** Tests about Windows first, and purely computational ones last. @param {string} file */
const rankOf = (file) => {
  if (file.startsWith('__test__/windows/')) return 0
  return /^__test__\/(?:assemblers|budgets|manager|tokens)\//.test(file) ? 2 : 1
}

/** The test files to run. */
const findTests = () => {
  const all = readdirSync('__test__', { recursive: true, encoding: 'utf8' })
    .map((file) => `__test__/${file}`)
    .filter((file) => file.endsWith('.test.ts'))
    .filter((file) => only.length === 0 || only.some((name) => file.startsWith(name)))
    .toSorted((one, other) => rankOf(one) - rankOf(other) || (one < other ? -1 : 1))
  const notRun = only.length === 0 ? [...NOT_RUN, RUN_IF_NAMED] : NOT_RUN
  for (const { reason, files } of notRun) {
    const left = all.filter((file) => files.test(file))
    if (left.length > 0) console.log(`Not run (${left.length} files), ${reason}: ${left.map(nameOf).join(' ')}`)
  }
  return all.filter((file) => !notRun.some(({ files }) => files.test(file)))
}

const total = { passed: 0, failed: 0, limited: 0, skipped: 0 }

/**
 * @param {string} name
 * @param {() => Promise<Outcome>} work
 */
const report = async (name, work) => {
  const begin = Date.now()
  const { passed, skipped, failures } = await work()
  const others = failures.filter((failure) => {
    const limit = limits.find(({ tests }) => tests.some((each) => failure.name.includes(each)))
    limit?.failed.push(failure.name)
    return limit === undefined
  })
  const limited = failures.length - others.length
  total.passed += passed
  total.failed += others.length
  total.limited += limited
  total.skipped += skipped
  const counts = [
    `${passed} passed`,
    others.length > 0 && `${others.length} FAILED`,
    limited > 0 && `${limited} not possible with Wine`,
    skipped > 0 && `${skipped} skipped`,
  ]
  console.log(`${name}: ${counts.filter(Boolean).join(', ')} (${Math.round((Date.now() - begin) / 1000)} s)`)
  for (const failure of others) console.log(`FAILED ${failure.name}\n${failure.message}`)
}

rmSync(results, { recursive: true, force: true })
mkdirSync(results, { recursive: true })
const started = Date.now()
const { out, err } = await node('-p', 'process.version + " " + process.platform + " " + process.arch')
console.log(`── ${out.trim() || err}`)
const measured = await measure()
const limits = Object.entries(WINE_LIMITS)
  .filter(([name]) => measured[name]?.isPossible === false)
  .map(([name, { reason, tests }]) => {
    /** @type {string[]} */
    const failed = []
    return { reason, tests, seen: measured[name]?.seen, failed }
  })
if (only.length === 0) {
  await report('The checks of every runtime', runChecks)
  await report('The command in a console', runConsole)
}
const files = findTests()
for (const file of files) {
  // oxlint-disable-next-line no-await-in-loop -- Node's processes under Wine fail now and then in parallel
  await report(file, () => runTests(file))
}
for (const { reason, seen, failed } of limits) {
  console.log(`\nNot possible with Wine: ${reason} (${seen})`)
  for (const name of failed) console.log(`  ${name}`)
}
const minutes = ((Date.now() - started) / 60_000).toFixed(1)
const { passed, failed, limited, skipped } = total
console.log(
  `\n${files.length} files in ${minutes} minutes: ${passed} passed, ${failed} failed, ${limited} not possible with Wine, ${skipped} skipped`,
)
await once(endAll(), 'exit')
process.exit(failed === 0 && passed > 0 ? 0 : 1)
