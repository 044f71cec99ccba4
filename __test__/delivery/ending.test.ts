/** Nothing is left of a delivery, however it or its coordinator ends. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import { type DeliveryPlan, deliver, planDelivery } from 'promptmason'
import { describe, expect, it, vi } from 'vitest'
import { root } from '../support/documents.js'
import { gone, idIn, isAlive, newDirectory, newFile } from '../support/processes.js'

// Processes may take long to start while other tests run.
vi.setConfig({ testTimeout: 60_000 })

const isWindows = process.platform === 'win32'
/** Windows has no signals: a process that gets one is terminated. */
const itHasSignals = it.skipIf(isWindows)
/** Only Linux marks programs by a limit, too, and has their command lines in files. */
const hasLimits = process.platform === 'linux'
/** On Windows, the files that take a program's output need a name. */
const DIRECTORIES = isWindows ? 2 : 1

const PROGRAM = join(import.meta.dirname, '..', 'support', 'fake-cli.cjs')

const planOf = (args: string[]): DeliveryPlan =>
  planDelivery(
    { prompt: 'hello' },
    { agentType: 'mine', profile: { command: process.execPath, args: [PROGRAM, ...args], output: 'claude' } },
  )

interface Coordinator {
  process: ChildProcess
  /** The id of the program or of its tool. */
  pid: number
  temporary: string
  /** Its output. */
  output: () => string
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
}

/** A program that delivers, with a file, to a program that never ends. It does `later` on request. */
const coordinator = async (
  mode: string,
  {
    before = '',
    later = '',
    options = '{}',
    isGroup = false,
    nodeArgs = [],
  }: { before?: string; later?: string; options?: string; isGroup?: boolean; nodeArgs?: string[] } = {},
): Promise<Coordinator> => {
  const [file, temporary] = [newFile(), newDirectory()]
  const child = spawn(
    process.execPath,
    [
      ...nodeArgs,
      '-e',
      `
      const { deliver, planDelivery } = require(${JSON.stringify(root)})
      ${before}
      const profile = { command: process.execPath, args: ${JSON.stringify([PROGRAM, mode, file])}, systemFileFlag: '--file' }
      const plan = planDelivery({ prompt: 'x', systemFlag: 'S' }, { agentType: 'mine', profile })
      deliver(plan, ${options}).catch((error) => console.log(error.code + ' ' + error.message))
      process.stdin.on('data', () => { ${later} })
      console.log('ready')
    `,
    ],
    {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, TMPDIR: temporary, TEMP: temporary },
      detached: isGroup,
    },
  )
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (said += text.toString()))
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.on('exit', (code, signal) => resolve({ code, signal }))
  })
  const pid = await idIn(file)
  expect(readdirSync(temporary)).toHaveLength(DIRECTORIES)
  return { process: child, pid, temporary, exited, output: () => said }
}

/** The guards of a coordinator, where they can be listed. */
const guardsOf = (pid: number): number[] =>
  readdirSync(hasLimits ? '/proc' : newDirectory())
    .filter((id) => {
      try {
        return (
          readFileSync(`/proc/${id}/cmdline`, 'utf8').startsWith('promptmason-guard') &&
          readFileSync(`/proc/${id}/stat`, 'utf8').includes(` ${pid} `) &&
          isAlive(Number(id))
        )
      } catch {
        return false
      }
    })
    .map(Number)

const nothingLeft = async ({ pid, temporary }: Coordinator): Promise<void> => {
  await gone(pid)
  // A coordinator that lives on removes it a moment later.
  await vi.waitFor(() => expect(readdirSync(temporary)).toEqual([]), 10_000)
}

describe.concurrent('a coordinator', () => {
  itHasSignals.each<[NodeJS.Signals, string]>([
    ['SIGINT', 'stuck'],
    ['SIGTERM', 'tool'],
    ['SIGHUP', 'family'],
    ['SIGINT', 'background'],
  ])('that is interrupted by %s leaves nothing behind of a program: %s', async (signal, mode) => {
    const running = await coordinator(mode)
    running.process.kill(signal)
    expect(await running.exited).toEqual({ code: null, signal })
    await nothingLeft(running)
  })

  it.each([
    ['exits', 'tool', 'process.exit(7)', 7],
    ['exits', 'background', 'process.exit(7)', 7],
    ['fails', 'tool', 'throw new Error("mine")', 1],
    ['rejects', 'stubborn', 'Promise.reject(new Error("mine"))', 1],
  ])('that %s leaves nothing behind of a program: %s', async (_how, mode, later, code) => {
    const running = await coordinator(mode, { later })
    running.process.stdin?.write('now')
    expect(await running.exited).toEqual({ code, signal: null })
    await nothingLeft(running)
  })

  it.each(['tool', 'background', 'family', 'stubborn', ...(hasLimits ? ['daemon'] : [])])(
    'that is killed leaves nothing behind of a program: %s',
    async (mode) => {
      const running = await coordinator(mode)
      running.process.kill('SIGKILL')
      await running.exited
      await nothingLeft(running)
    },
  )

  itHasSignals('that is killed with its group leaves nothing behind', async () => {
    const running = await coordinator('tool', { isGroup: true })
    process.kill(-Number(running.process.pid), 'SIGKILL')
    await running.exited
    await nothingLeft(running)
  })

  it.each([
    ['aborts', 'process.abort()', []],
    ['runs out of memory', 'for (const all = []; ; ) all.push(new Array(1000).fill(0))', ['--max-old-space-size=20']],
    ['is killed in a loop', 'setImmediate(() => { for (;;); }); process.kill(process.pid, "SIGKILL")', []],
  ])('that %s leaves nothing behind', async (_how, later, nodeArgs) => {
    const running = await coordinator('tool', { later, nodeArgs })
    running.process.stdin?.write('now')
    await running.exited
    await nothingLeft(running)
  })

  it('gets another guard if its guard is killed', async () => {
    const another = `deliver(planDelivery({ prompt: 'x' }, { agentType: 'mine', profile: { ...profile, args: ['-e', ''] } }))
      .catch((error) => console.log(error.code))`
    const running = await coordinator('tool', { later: another })
    const guards = guardsOf(Number(running.process.pid))
    expect(guards).toHaveLength(hasLimits ? 1 : 0)
    for (const guard of guards) process.kill(guard, 'SIGKILL')
    await vi.waitFor(() => expect(guardsOf(Number(running.process.pid))).toEqual([]), 10_000)
    running.process.stdin?.write('now')
    await vi.waitFor(() => expect(running.output()).toContain('ERR_NO_ANSWER'), 20_000)
    running.process.kill('SIGKILL')
    await nothingLeft(running)
  })

  itHasSignals('has a guard that ends with it', async () => {
    const running = await coordinator('tool')
    const guards = guardsOf(Number(running.process.pid))
    for (const guard of guards) process.kill(guard, 'SIGTERM')
    running.process.kill('SIGTERM')
    await running.exited
    await nothingLeft(running)
    await Promise.all(guards.map(gone))
  })

  itHasSignals.each(['on', 'once', 'prependListener'])(
    'that listens to a signal itself (%s) goes on',
    async (method) => {
      const before = `process.${method}('SIGINT', () => console.log('mine'))`
      const running = await coordinator('tool', { before, later: 'process.exit(3)' })
      running.process.kill('SIGINT')
      await nothingLeft(running)
      await vi.waitFor(() => expect(running.output()).toContain('ERR_NO_ANSWER'), 10_000)
      expect(running.output()).toContain('was terminated because this process received SIGINT')
      expect(running.output()).toContain('mine\n')
      expect(running.process.exitCode).toBeNull()
      running.process.stdin?.write('now')
      expect(await running.exited).toEqual({ code: 3, signal: null })
    },
  )

  itHasSignals('that listens later is asked, too', async () => {
    const running = await coordinator('stuck', {
      later: `process.once('SIGTERM', () => console.log('mine')); process.kill(process.pid, 'SIGTERM')`,
    })
    running.process.stdin?.write('now')
    await nothingLeft(running)
    await vi.waitFor(() => expect(running.output()).toContain('mine\n'), 10_000)
    expect(running.process.exitCode).toBeNull()
    running.process.kill('SIGKILL')
    await running.exited
  })

  itHasSignals('in which the package signal-exit listens ends by the signal', async () => {
    // What that package does.
    const before = `
      globalThis[Symbol.for('signal-exit emitter')] = { count: 1 }
      const listener = () => {
        if (process.listeners('SIGINT').length !== 1) return
        process.off('SIGINT', listener)
        console.log('signal-exit')
        process.kill(process.pid, 'SIGINT')
      }
      process.on('SIGINT', listener)
    `
    const running = await coordinator('tool', { before })
    running.process.kill('SIGINT')
    expect(await running.exited).toEqual({ code: null, signal: 'SIGINT' })
    expect(running.output()).toContain('signal-exit')
    await nothingLeft(running)
  })

  itHasSignals('gives a program time to clean up', async () => {
    const running = await coordinator('tidy')
    running.process.kill('SIGINT')
    expect(await running.exited).toEqual({ code: null, signal: 'SIGINT' })
    await nothingLeft(running)
    const other = await coordinator('tidy', { later: 'process.exit()' })
    other.process.stdin?.write('now')
    await other.exited
    await nothingLeft(other)
  })

  it('may leave a program running', async () => {
    const running = await coordinator('stuck', { options: '{ detached: true }', later: 'process.exit()' })
    running.process.stdin?.write('now')
    expect(await running.exited).toEqual({ code: 0, signal: null })
    // The program may still need it.
    expect(readdirSync(running.temporary)).toHaveLength(1)
    expect(process.kill(running.pid, 0)).toBe(true)
    process.kill(running.pid, 'SIGKILL')
  })

  itHasSignals('may leave it to itself when it is interrupted', async () => {
    const interrupted = await coordinator('stuck', { options: '{ detached: true }' })
    interrupted.process.kill('SIGTERM')
    expect(await interrupted.exited).toEqual({ code: null, signal: 'SIGTERM' })
    expect(process.kill(interrupted.pid, 0)).toBe(true)
    process.kill(interrupted.pid, 'SIGKILL')
  })
})

it.runIf(hasLimits)(
  'leaves nothing behind after ends of every kind',
  async () => {
    const script = join(root, 'scripts', 'ends.mjs')
    const { stdout } = await promisify(execFile)(process.execPath, [script, '--count=17'])
    expect(stdout).toContain('17 ends; left: 0')
  },
  180_000,
)

describe('an abort', () => {
  it.each(['tool', 'background', 'family', ...(isWindows ? [] : ['tidy']), ...(hasLimits ? ['daemon'] : [])])(
    'ends what the program has started: %s',
    async (mode) => {
      const file = newFile()
      const control = new AbortController()
      const work = deliver(planOf([mode, file]), { signal: control.signal, detached: mode === 'tool' })
      const pid = await idIn(file)
      control.abort()
      await expect(work).rejects.toBe(control.signal.reason)
      // Immediately: when the promise is settled, nothing runs.
      expect(isAlive(pid)).toBe(false)
      if (mode === 'tidy') expect(readFileSync(`${file}.tidy`, 'utf8')).toBe('done')
    },
  )

  it('is observed with one listener for many deliveries', async () => {
    const warnings: Error[] = []
    const listener = (warning: Error): unknown => warnings.push(warning)
    process.on('warning', listener)
    const { signal } = new AbortController()
    await Promise.all(Array.from({ length: 12 }, () => deliver(planOf(['deaf']), { signal })))
    process.off('warning', listener)
    expect(warnings).toEqual([])
  })

  it('does not wait for output that comes faster than it can be read', async () => {
    const control = new AbortController()
    let [events, late] = [0, 0]
    const onEvent = (): void => {
      events++
      if (control.signal.aborted) late++
      if (events === 50_000) setImmediate(() => control.abort())
    }
    const work = deliver(planOf(['flood']), { signal: control.signal, onEvent })
    await expect(work).rejects.toMatchObject({ name: 'AbortError' })
    expect(late).toBe(0)
  })
})

describe('a timeout', () => {
  it('does not wait for such output either', async () => {
    let bytes = 0
    const onEvent = (): void => {
      bytes += 90
    }
    const work = deliver(planOf(['flood']), { timeoutMs: 500, onEvent })
    await expect(work).rejects.toMatchObject({ code: 'ERR_NO_ANSWER', timedOut: true, lastSeen: 'working' })
    expect(bytes).toBeLessThan(2 ** 30)
  })
})

describe('a program', () => {
  it.each(['leak', 'leave'])('that has answered leaves no tool in its background: %s', async (mode) => {
    const file = newFile()
    await expect(deliver(planOf([mode, file]))).resolves.toMatchObject({ delivered: 'yes' })
    expect(isAlive(await idIn(file))).toBe(false)
  })

  it('may leave a tool in its background if it may outlive us', async () => {
    const file = newFile()
    await expect(deliver(planOf(['leave', file]), { detached: true })).resolves.toMatchObject({ text: 'left' })
    process.kill(await idIn(file), 'SIGKILL')
  })
})

describe.skipIf(process.platform === 'darwin')('what a coordinator and its guard have left behind', () => {
  it('is ended by a variable that it was started with', async () => {
    const [entry, other] = [`TEST_OWNER=${process.pid}.${Math.random()}`, 'TEST_OWNER=another']
    const start = (marked: string): Promise<number> => {
      const file = newFile()
      const [name = '', value] = marked.split('=')
      const env = { ...process.env, [name]: value }
      spawn(process.execPath, [PROGRAM, 'tool', file], { env, detached: true, stdio: 'ignore' }).unref()
      return idIn(file)
    }
    const [tool, stranger] = await Promise.all([start(entry), start(other)])
    // It is younger than what it ends.
    const program = `require(${JSON.stringify(join(root, 'dist', 'delivery', 'unfinished.js'))}).endMarked(process.argv[1])`
    const end = (marked: string) => promisify(execFile)(process.execPath, ['-e', program, marked])
    await end(entry)
    expect([isAlive(tool), isAlive(stranger)]).toEqual([false, true])
    await end(other)
    expect(isAlive(stranger)).toBe(false)
  })
})

/** Whether a process has this in its environment. */
const isRunningWith = (entry: string): boolean =>
  readdirSync('/proc').some((id) => {
    try {
      if (readFileSync(`/proc/${id}/stat`, 'utf8').includes(') Z ')) return false
      return readFileSync(`/proc/${id}/environ`, 'utf8').split('\0').includes(entry)
    } catch {
      return false
    }
  })

describe.skipIf(!existsSync('/proc/self/environ'))('a worker', () => {
  it('that is terminated at any moment leaves nothing behind', async () => {
    const temporary = newDirectory()
    const mark = `test-${process.pid}-${Math.random()}`
    const program = `
      const { deliver, planDelivery } = require(${JSON.stringify(root)})
      const profile = { command: process.execPath, args: ${JSON.stringify([PROGRAM, 'stuck', newFile()])}, systemFileFlag: '--file' }
      const plan = planDelivery({ prompt: 'x', systemFlag: 'S' }, { agentType: 'mine', profile })
      require('node:worker_threads').parentPort.postMessage('ready')
      deliver(plan)
    `
    for (let moment = 0; moment < 24; moment++) {
      const env = { ...process.env, TMPDIR: temporary, TEST_MARK: mark }
      const worker = new Worker(program, { eval: true, env })
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await new Promise((resolve) => {
        worker.once('message', resolve)
      })
      // oxlint-disable-next-line no-await-in-loop -- the same
      await new Promise((resolve) => {
        setTimeout(resolve, moment / 2)
      })
      // oxlint-disable-next-line no-await-in-loop -- the same
      await worker.terminate()
      expect({ moment, left: readdirSync(temporary) }).toEqual({ moment, left: [] })
      expect({ moment, isRunning: isRunningWith(`TEST_MARK=${mark}`) }).toEqual({ moment, isRunning: false })
    }
  })
})
