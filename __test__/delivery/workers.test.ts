/** Workers that end in the middle of a delivery: their JavaScript no longer runs. */
import { spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { deliver, planDelivery } from 'promptmason'
import { describe, expect, it, vi } from 'vitest'
import { root } from '../support/documents.js'
import { gone, idIn, newDirectory, newFile } from '../support/processes.js'

// Processes may take long to start while other tests run.
vi.setConfig({ testTimeout: 60_000 })

const isWindows = process.platform === 'win32'
/** Windows has no signals: a process that gets one is terminated. */
const itHasSignals = it.skipIf(isWindows)
/** On Windows, the files that take a program's output need a name. */
const DIRECTORIES = isWindows ? 2 : 1

const PROGRAM = join(import.meta.dirname, '..', 'support', 'fake-cli.cjs')

/** A worker that delivers to a program which never ends, with a file. It does `afterwards` on request. */
const delivering = (mode: string, afterwards = ''): { worker: Worker; file: string; temporary: string } => {
  const [file, temporary] = [newFile(), newDirectory()]
  const worker = new Worker(
    `
    const { parentPort } = require('node:worker_threads')
    const { deliver, planDelivery } = require(${JSON.stringify(root)})
    const profile = { command: process.execPath, args: ${JSON.stringify([PROGRAM, mode, file])}, systemFileFlag: '--file' }
    deliver(planDelivery({ prompt: 'x', systemFlag: 'S' }, { agentType: 'mine', profile }))
    parentPort.on('message', () => { ${afterwards} })
  `,
    { eval: true, env: { ...process.env, TMPDIR: temporary, TEMP: temporary } },
  )
  return { worker, file, temporary }
}

const exited = (worker: Worker): Promise<unknown> =>
  new Promise((resolve) => {
    worker.once('exit', resolve)
  })

describe('a worker', () => {
  it('that is terminated leaves no program and no file behind', async () => {
    const { worker, file, temporary } = delivering('stuck')
    const pid = await idIn(file)
    const directories = readdirSync(temporary)
    expect(directories.some((name) => existsSync(join(temporary, name, 'system-prompt.md')))).toBe(true)
    await worker.terminate()
    await gone(pid)
    expect(readdirSync(temporary)).toEqual([])
  })

  it.each([
    ['stubborn', 'a program that does not listen to signals'],
    ['family', 'what the program has started'],
  ])('that is terminated ends, with %s, %s', async (mode) => {
    const { worker, file, temporary } = delivering(mode)
    const pid = await idIn(file)
    await worker.terminate()
    await gone(pid)
    expect(readdirSync(temporary)).toEqual([])
  })

  it.each([
    ['exits', 'process.exit()'],
    ['fails', 'throw new Error("mine")'],
  ])('that %s leaves nothing behind', async (_how, afterwards) => {
    const { worker, file, temporary } = delivering('stuck', afterwards)
    worker.on('error', () => {})
    const pid = await idIn(file)
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker, not a window
    worker.postMessage('now')
    await exited(worker)
    await gone(pid)
    expect(readdirSync(temporary)).toEqual([])
  })

  itHasSignals.each<NodeJS.Signals>(['SIGINT', 'SIGTERM', 'SIGHUP'])(
    'leaves nothing behind when %s ends the process',
    async (signal) => {
      const [file, temporary] = [newFile(), newDirectory()]
      const program = `
        const { deliver, planDelivery } = require(${JSON.stringify(root)})
        const profile = { command: process.execPath, args: ${JSON.stringify([PROGRAM, 'tool', file])}, systemFileFlag: '--file' }
        deliver(planDelivery({ prompt: 'x', systemFlag: 'S' }, { agentType: 'mine', profile })).catch(() => {})
        setInterval(() => {}, 1000)
      `
      const main = `new (require('node:worker_threads').Worker)(${JSON.stringify(program)}, { eval: true })`
      const child = spawn(process.execPath, ['-e', main], {
        env: { ...process.env, TMPDIR: temporary, TEMP: temporary },
      })
      const ended = new Promise<NodeJS.Signals | null>((resolve) => {
        child.on('exit', (_code, by) => resolve(by))
      })
      const pid = await idIn(file)
      child.kill(signal)
      expect(await ended).toBe(signal)
      await gone(pid)
      expect(readdirSync(temporary)).toEqual([])
    },
  )

  itHasSignals('leaves signals alone that the program listens to, and after its deliveries', async () => {
    const program = `
      const { deliver, planDelivery } = require(${JSON.stringify(root)})
      const profile = { command: process.execPath, args: ${JSON.stringify([PROGRAM, 'deaf'])}, output: 'claude' }
      deliver(planDelivery({ prompt: 'x' }, { agentType: 'mine', profile })).then(({ text }) => console.log(text))
      setInterval(() => {}, 1000)
    `
    const main = `
      process.on('SIGINT', () => console.log('mine'))
      new (require('node:worker_threads').Worker)(${JSON.stringify(program)}, { eval: true })
    `
    const child = spawn(process.execPath, ['-e', main])
    let said = ''
    child.stdout.on('data', (text: Buffer) => (said += text.toString()))
    const ended = new Promise<NodeJS.Signals | null>((resolve) => {
      child.on('exit', (_code, by) => resolve(by))
    })
    await vi.waitFor(() => expect(said).toContain('deaf'), 20_000)
    child.kill('SIGINT')
    await vi.waitFor(() => expect(said).toContain('mine'), 20_000)
    child.kill('SIGTERM')
    expect(await ended).toBe('SIGTERM')
  })

  it('that exits does not affect the deliveries of others', async () => {
    const [one, other] = [delivering('stuck'), delivering('stuck')]
    const pids = [await idIn(one.file), await idIn(other.file)] as const
    await one.worker.terminate()
    await gone(pids[0])
    expect(readdirSync(one.temporary)).toEqual([])
    expect(process.kill(pids[1], 0)).toBe(true)
    expect(readdirSync(other.temporary)).toHaveLength(DIRECTORIES)
    await other.worker.terminate()
    await gone(pids[1])
  })

  it('locks a session until it exits', async () => {
    const file = newFile()
    const inUse = { agentType: 'mine', resume: 'shared' } as const
    const profile = { command: process.execPath, args: [PROGRAM, 'stuck', file], resumeArgs: ['{id}'] }
    const worker = new Worker(
      `
      const { deliver, planDelivery } = require(${JSON.stringify(root)})
      const { workerData } = require('node:worker_threads')
      deliver(planDelivery({ prompt: 'x' }, workerData))
    `,
      { eval: true, workerData: { ...inUse, profile } },
    )
    const pid = await idIn(file)
    const answers = { ...profile, args: ['-e', 'console.log("mine")'] }
    const second = (): Promise<unknown> =>
      deliver(planDelivery({ prompt: 'x' }, { ...inUse, profile: answers })).then(
        ({ text }) => text,
        ({ code, delivered }) => [code, delivered],
      )
    expect(await second()).toEqual(['ERR_BUSY', 'no'])
    await worker.terminate()
    await gone(pid)
    expect(await second()).toBe('mine')
    expect(await Promise.all([second(), second()])).toEqual(['mine', ['ERR_BUSY', 'no']])
  })

  it('may continue after a delivery, which is forgotten', async () => {
    const temporary = newDirectory()
    const worker = new Worker(
      `
      const { parentPort } = require('node:worker_threads')
      const { deliver, planDelivery, writeDelivery } = require(${JSON.stringify(root)})
      const profile = { command: process.execPath, args: ${JSON.stringify([PROGRAM, 'deaf'])}, systemFileFlag: '--file', output: 'claude' }
      const plan = planDelivery({ prompt: 'x', systemFlag: 'S' }, { agentType: 'mine', profile })
      deliver(plan).then(async ({ text }) => parentPort.postMessage([text, (await writeDelivery(plan)).args.at(-1)]))
      parentPort.on('message', () => {})
    `,
      { eval: true, env: { ...process.env, TMPDIR: temporary, TEMP: temporary } },
    )
    const [text, path] = await new Promise<[string, string]>((resolve) => {
      worker.once('message', resolve)
    })
    expect(text).toBe('deaf')
    await worker.terminate()
    // The files of `writeDelivery` are the caller's.
    expect(existsSync(path)).toBe(true)
  })
})
