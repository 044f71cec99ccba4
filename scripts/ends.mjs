/* oxlint-disable no-await-in-loop -- one after another */
/**
 * Ends deliveries in every way, and counts what is left: processes and files. Linux.
 *
 *     node scripts/ends.mjs --count=1000
 *
 * Each coordinator is a process of its own. It keeps starting deliveries to a program that ignores SIGTERM
 * and has two tools: one in a session of its own, and one that has also lost its parent and its environment.
 * It is ended at a random moment, and everything must be gone soon after.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'

const ROOT = JSON.stringify(createRequire(import.meta.url).resolve('../index.js'))
/** How long it may take until nothing is left. */
const PATIENCE_MS = 30_000
/** The coordinator is ended within this time after its first delivery. */
const SPREAD_MS = 200

const { values } = parseArgs({
  options: { count: { type: 'string' }, jobs: { type: 'string' }, kind: { type: 'string' } },
})
const count = Number(values.count ?? 100)

/** What a coordinator does: `deliverTo` starts one delivery, and `begun` says that a program runs. */
const prologue = (/** @type {string} */ token) => `
  const { deliver, planDelivery } = require(${ROOT})
  const tools = 'test -n "$(cat)" || exit 1; setsid -f env -i sleep ${token}; setsid sleep ${token} & '
  const programs = {
    stays: tools + 'trap "" TERM; echo running; while :; do sleep ${token}; done',
    answers: tools + 'echo answered',
  }
  const begun = () => require('node:fs').writeSync(1, 'begun\\n')
  const deliverTo = (name, options = {}) => {
    const profile = { command: 'sh', args: ['-c', programs[name], 'cli'], systemFileFlag: '--file', output: 'text' }
    const plan = planDelivery({ prompt: 'x', systemFlag: 'private' }, { agentType: 'mine', profile, systemVia: 'file' })
    return deliver(plan, { onText: begun, ...options }).catch(() => {})
  }
  const keepStarting = () => {
    void deliverTo('stays')
    let left = 4
    const timer = setInterval(() => (left-- > 0 ? void deliverTo('stays') : clearInterval(timer)), 25)
    setInterval(() => {}, 1000)
  }
`
const worker = (/** @type {string} */ token) =>
  `new (require('node:worker_threads').Worker)(${JSON.stringify(`${prologue(token)}; keepStarting()`)}, { eval: true })`

/**
 * The ways to end: what the coordinator does, and what is done to it. `end: undefined` waits until it has ended.
 * @type {Record<string, { main: (token: string) => string, end?: (child: import('node:child_process').ChildProcess) => unknown, args?: string[] }>}
 */
const ALONE = { main: (/** @type {string} */ token) => `${prologue(token)}; keepStarting()` }
const signalled =
  (/** @type {NodeJS.Signals} */ signal) => (/** @type {import('node:child_process').ChildProcess} */ child) =>
    child.kill(signal)
const afterwards = (/** @type {string} */ what) => (/** @type {string} */ token) =>
  `${prologue(token)}; keepStarting(); process.stdin.once('data', () => { ${what} })`
const told = (/** @type {import('node:child_process').ChildProcess} */ child) => child.stdin?.write('now')
const KINDS = {
  return: { main: (token) => `${prologue(token)}; deliverTo('answers').then(() => process.exit())` },
  abort: {
    main: (token) =>
      `${prologue(token)}; deliverTo('stays', { signal: AbortSignal.timeout(150 + Math.random() * 200) }).then(() => process.exit())`,
  },
  timeout: { main: (token) => `${prologue(token)}; deliverTo('stays', { timeoutMs: 300 }).then(() => process.exit())` },
  SIGINT: { ...ALONE, end: signalled('SIGINT') },
  SIGTERM: { ...ALONE, end: signalled('SIGTERM') },
  SIGHUP: { ...ALONE, end: signalled('SIGHUP') },
  SIGKILL: { ...ALONE, end: signalled('SIGKILL') },
  'SIGKILL of its group': { ...ALONE, end: ({ pid }) => process.kill(-Number(pid), 'SIGKILL') },
  exit: { main: afterwards('process.exit()'), end: told },
  exception: { main: afterwards('throw new Error("mine")'), end: told },
  'process.abort()': { main: afterwards('process.abort()'), end: told },
  'out of memory': {
    main: afterwards('const all = []; for (;;) all.push(new Array(1000).fill(all.length))'),
    end: told,
    args: ['--max-old-space-size=20'],
  },
  'worker terminated': {
    main: (token) =>
      `const worker = ${worker(token)}; process.stdin.once('data', () => worker.terminate().then(() => process.exit()))`,
    end: told,
  },
  'SIGTERM to a worker that starts deliveries': { main: worker, end: signalled('SIGTERM') },
  'SIGKILL of a worker': { main: worker, end: signalled('SIGKILL') },
  'blocked, then SIGTERM': {
    main: afterwards('const until = Date.now() + 300; while (Date.now() < until);'),
    async end(child) {
      told(child)
      await wait(20)
      child.kill('SIGTERM')
    },
  },
  'blocked, then SIGKILL': {
    main: afterwards('for (;;);'),
    async end(child) {
      told(child)
      await wait(20)
      child.kill('SIGKILL')
    },
  },
}

/** What still runs and has a token in its command line. */
const running = (/** @type {string} */ token) =>
  readdirSync('/proc').filter((id) => {
    try {
      return /^\d+$/.test(id) && readFileSync(`/proc/${id}/cmdline`, 'utf8').includes(token)
    } catch {
      return false
    }
  })

let round = 0

/** @type {Set<import('node:child_process').ChildProcess>} */
const children = new Set()
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})

const endOnce = async (/** @type {string} */ name) => {
  const kind = KINDS[/** @type {keyof typeof KINDS} */ (name)]
  const temporary = mkdtempSync(join(tmpdir(), 'ends-'))
  const token = `7777${process.pid}.${String(++round).padStart(6, '0')}1`
  const child = spawn(process.execPath, [...(kind.args ?? []), '-e', kind.main(token)], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { ...process.env, TMPDIR: temporary },
    detached: true,
  })
  children.add(child)
  const exited = new Promise((resolve) => {
    child.once('exit', resolve)
  }).finally(() => children.delete(child))
  const begun = new Promise((resolve) => {
    child.stdout.once('data', resolve)
  })
  if (kind.end !== undefined) {
    await Promise.race([begun, exited])
    await wait(Math.random() * SPREAD_MS)
    await kind.end(child)
  }
  await exited
  const at = Date.now()
  const left = () => ({ processes: running(token).length, files: readdirSync(temporary).length })
  let found = left()
  while (found.processes + found.files > 0 && Date.now() - at < PATIENCE_MS) {
    await wait(20)
    found = left()
  }
  for (const id of running(token)) process.kill(Number(id), 'SIGKILL')
  rmSync(temporary, { recursive: true, force: true })
  return { name, ...found, ms: Date.now() - at }
}

const names = Object.keys(KINDS).filter((name) => values.kind === undefined || name === values.kind)
const queue = Array.from({ length: count }, (_, index) => names[index % names.length] ?? '')
/** @type {Awaited<ReturnType<typeof endOnce>>[]} */
const ends = []
const work = async () => {
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) ends.push(await endOnce(name))
}
await Promise.all(Array.from({ length: Number(values.jobs ?? 4) }, work))

const sum = (/** @type {number[]} */ all) => all.reduce((total, each) => total + each, 0)
const rows = names.map((name) => {
  const of = ends.filter((end) => end.name === name)
  const times = of.map(({ ms }) => ms)
  return {
    end: name,
    times: of.length,
    processesLeft: sum(of.map(({ processes }) => processes)),
    filesLeft: sum(of.map(({ files }) => files)),
    longestMs: Math.max(0, ...times),
  }
})
console.table(rows)
const left = sum(ends.map(({ processes, files }) => processes + files))
console.log(`${ends.length} ends; left: ${left}`)
process.exitCode = left === 0 ? 0 : 1
