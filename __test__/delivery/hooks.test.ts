/** Hooks that do not do what they should: what they start is ended, and no delivery waits for them forever. */
import { type ChildProcess, spawn } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { type DeliverOptions, type SpawnHook, deliver, planDelivery } from 'promptmason'
import { describe, expect, it, vi } from 'vitest'
import { gone, idIn, newFile } from '../support/processes.js'

vi.setConfig({ testTimeout: 60_000 })

const PROGRAM = join(import.meta.dirname, '..', 'support', 'fake-cli.cjs')
const PROFILE = { command: process.execPath, args: [PROGRAM, 'deaf'], systemFileFlag: '--file', output: 'claude' }

const run = (options: DeliverOptions, profile = PROFILE) =>
  deliver(planDelivery({ prompt: 'x', systemFlag: 'S' }, { agentType: 'mine', profile, systemVia: 'file' }), options)

const FILES = { write: (name: string) => `/${name}`, remove: (): void => {} }
const forever = (): Promise<never> => new Promise(() => {})
const hook: SpawnHook = (command, args, options) => spawn(command, args, options) as ChildProcess

describe('a spawn hook', () => {
  it('must return a program that can still be given the prompt', async () => {
    let child: ChildProcess | undefined
    const closed: SpawnHook = (...given) => {
      child = hook(...given) as ChildProcess
      child.stdin?.end()
      return child
    }
    const profile = { ...PROFILE, args: [PROGRAM, 'stuck', newFile()] }
    await expect(run({ spawn: closed }, profile)).rejects.toMatchObject({
      code: 'ERR_INVALID_ARG_TYPE',
      message: 'options.spawn must return a ChildProcess whose stdin is open',
      delivered: 'no',
    })
    await gone(Number(child?.pid))
  })

  it('that never settles ends with the timeout or the signal', async () => {
    const late = run({ spawn: forever, files: FILES, timeoutMs: 300 })
    await expect(late).rejects.toMatchObject({ code: 'ERR_NO_ANSWER', timedOut: true, delivered: 'no' })
    const signal = AbortSignal.timeout(300)
    const aborted = await run({ spawn: forever, files: FILES, signal }).catch((error: unknown) => error)
    expect(aborted).toBe(signal.reason)
    expect(signal.reason).toMatchObject({ delivered: 'no' })
  })

  it('that settles too late has its program ended', async () => {
    const file = newFile()
    const slow: SpawnHook = async (...given) => {
      await new Promise((resolve) => {
        setTimeout(resolve, 600)
      })
      return hook(...given)
    }
    const work = run({ spawn: slow, files: FILES, timeoutMs: 200 }, { ...PROFILE, args: [PROGRAM, 'stuck', file] })
    await expect(work).rejects.toMatchObject({ timedOut: true, delivered: 'no' })
    // It may be ended before it has said who it is.
    await Promise.race([
      idIn(file).then(gone),
      new Promise((resolve) => {
        setTimeout(resolve, 1500)
      }),
    ])
  })

  it('may return something that has no exit code and never says that it has ended', async () => {
    const kills: unknown[] = []
    const odd = Object.assign(new EventEmitter(), {
      stdin: new PassThrough(),
      stdout: new PassThrough(),
      stderr: new PassThrough(),
      kill: (signal: unknown) => kills.push(signal),
    })
    const work = run({ spawn: () => odd as unknown as ChildProcess, files: FILES, timeoutMs: 200 })
    await expect(work).rejects.toMatchObject({ timedOut: true, delivered: 'unknown' })
    expect(kills.slice(0, 2)).toEqual(['SIGTERM', 'SIGKILL'])
  })
})

describe('file hooks', () => {
  it('that never settle end with the timeout', async () => {
    const work = run({ spawn: hook, files: { ...FILES, write: forever }, timeoutMs: 300 })
    await expect(work).rejects.toMatchObject({ timedOut: true, delivered: 'no' })
    await expect(run({ spawn: hook, files: { ...FILES, remove: forever } })).resolves.toMatchObject({ text: 'deaf' })
  })
})
