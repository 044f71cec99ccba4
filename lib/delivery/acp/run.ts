/**
 * Runs an agent that speaks the Agent Client Protocol: one session, one prompt. Its messages are passed
 * on as lines of JSON, which `lib/delivery/formats/acp.ts` reads like the output of any other CLI:
 *
 * - `{ type: 'session', sessionId, agentInfo }`
 * - `{ type: 'taken' }`, if the agent says that its session has the prompt
 * - `{ type: 'update', update, protocolVersion }`, the protocol's own; the last if it is 2
 * - `{ type: 'permission', toolCall, isGranted }`, what was asked, and what was answered
 * - `{ type: 'stop', stopReason, usage }`
 * - `{ type: 'error', message, code, isUnsent }`, the last if the prompt was not sent
 */
import { spawn } from 'node:child_process'
import { Readable, Writable } from 'node:stream'
import { makeError } from '../../errors.js'
import { exitOf, explained, hasOwnGroup } from '../run-process.js'
import { GRACE_MS, beforeExit, watchProgram } from '../unfinished.js'
import type { Control, Ended, Program } from '../run-process.js'
import type { AcpSettings } from '../plan.js'
import type { SpawnHook } from '../run-elsewhere.js'
import type { ChildProcess } from 'node:child_process'

export type Ending = InstanceType<typeof import('../ending.js').Ending>
export type Settings = AcpSettings & { resume?: string | undefined }

/** What a session is asked for. */
export interface AcpTurn {
  stream: any
  cwd: string
  prompt: readonly object[]
  resume: string | undefined
  model: string | undefined
  permissions: AcpSettings['permissions']
  emit: (event: object) => void
}

export interface Talking {
  done: Promise<void>
  /** `failedCode` is the error code, if the place of the failure determines it. */
  state: () => { isPrompted: boolean; failedCode: string | undefined }
  cancel: () => Promise<void> | undefined
  close: () => void
}

/** One session, one prompt, by one version of the protocol. */
export type Talk = (sdk: any, turn: AcpTurn) => Talking

/** In a constant, so that bundlers do not look for a package that most programs do not have. */
const SDK = '@agentclientprotocol/sdk'

/** Version 2 is a draft. Agents report tokens only with its unstable part. */
const VERSIONS = {
  1: { entry: SDK, load: () => (require('./version-1.js') as typeof import('./version-1.js')).talk },
  2: {
    entry: `${SDK}/experimental/v2/unstable`,
    load: () => (require('./version-2.js') as typeof import('./version-2.js')).talk,
  },
}

const MAX_STDERR_UNITS = 64 * 1024

/** How long an agent may take to stop when it is asked to. Then its process is ended. */
const CANCEL_MS = 2000

/** How long an agent may take to exit when its stdin ends. */
const CLOSE_MS = 1500

const afterwards = (ms: number) =>
  new Promise((resolve) => {
    setTimeout(resolve, ms).unref()
  })

/** What agents say when they want a login. */
const AUTH_REQUIRED = -32_000

const loadSdk = async (entry: string): Promise<any> => {
  try {
    return await import(entry)
  } catch (cause) {
    throw makeError('Error', `the Agent Client Protocol needs a package: npm install ${SDK} zod`, {
      code: 'ERR_MISSING_PACKAGE',
      cause,
    })
  }
}

/** A program that runs, and can be ended. */
export interface Running {
  child: ChildProcess
  /** Fulfilled when none of its processes are running. */
  end: () => Promise<void>
  /** Call it when the program has ended. */
  forget: () => void
}

const start = (program: Program, isDetached: boolean): Running => {
  const { command, args, env, cwd } = program
  const watched = watchProgram(isDetached)
  try {
    const child = spawn(command, args, {
      cwd,
      env: { ...env, ...watched.env },
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
      detached: hasOwnGroup(isDetached),
    })
    if (child.pid !== undefined) watched.started(child.pid)
    return { child, end: watched.end, forget: watched.forget }
  } catch (error) {
    watched.forget()
    throw explained(error as NodeJS.ErrnoException, program)
  }
}

/** A program that the caller starts. Its own `kill` ends it: nothing else is known about it. */
const startElsewhere = async (
  { command, args, env, cwd }: Program,
  isDetached: boolean,
  hook: SpawnHook,
): Promise<Running> => {
  const child = await hook(command, [...args], { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] })
  const forget = isDetached ? () => {} : beforeExit(() => child.kill('SIGKILL'))
  const end = async () => {
    const exit = new Promise((resolve) => {
      child.once('exit', resolve)
    })
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGTERM')
    await Promise.race([exit, afterwards(GRACE_MS)])
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
  }
  return { child, end, forget }
}

/** The whole conversation with an agent. */
const converse = (
  sdk: any,
  child: ChildProcess,
  { stdin, cwd }: Program,
  { resume, model, permissions, protocolVersion = 1 }: Settings,
  emit: (event: object) => void,
) => {
  const output = Writable.toWeb(child.stdin as import('node:stream').Writable) as WritableStream<Uint8Array>
  const input = Readable.toWeb(child.stdout as import('node:stream').Readable) as unknown as ReadableStream<Uint8Array>
  const { done, state, cancel, close } = VERSIONS[protocolVersion].load()(sdk, {
    stream: sdk.ndJsonStream(output, input),
    cwd: cwd ?? process.cwd(),
    prompt: [{ type: 'text', text: stdin.toString() }],
    resume,
    model,
    permissions,
    emit,
  })
  const report = (error: any) => {
    const { data } = error ?? {}
    const said = [error?.message, typeof data === 'string' ? data : (data?.message ?? data?.details)]
      .filter((each) => typeof each === 'string')
      .join(': ')
    const { isPrompted, failedCode } = state()
    const code = error?.code === AUTH_REQUIRED ? 'not-logged-in' : failedCode
    emit({ type: 'error', message: said, code, isUnsent: !isPrompted })
  }
  return { done: done.catch(report), cancel, close }
}

/** @returns Undefined if it was not even started. */
export const runAcp =
  (
    settings: Settings,
    hook: SpawnHook | undefined,
  ): ((program: Program, control: Control, ending: Ending) => Promise<Ended | undefined>) =>
  async (program, control, ending) => {
    const sdk = await loadSdk(VERSIONS[settings.protocolVersion ?? 1].entry)
    if (ending.cause !== undefined) return undefined
    const { isDetached } = control
    const { child, end, forget } = await (hook === undefined
      ? start(program, isDetached)
      : startElsewhere(program, isDetached, hook))
    try {
      if (child.pid !== undefined || hook !== undefined) control.onStart()
      let stderr = ''
      child.stdin?.on('error', () => {})
      child.stderr?.on('data', (chunk) => {
        stderr = (stderr + chunk).slice(-MAX_STDERR_UNITS)
      })
      const exit = exitOf(child, program)
      // A failure to start is thrown below.
      const over = exit.catch(() => {})
      const emit = (event: object) => {
        if (ending.cause !== undefined && 'error' in ending.cause) return
        try {
          control.onStdout(Buffer.from(`${JSON.stringify(event)}\n`))
        } catch (error) {
          ending.begin({ kind: 'failed', error })
        }
      }
      const { done, cancel, close } = converse(sdk, child, program, settings, emit)
      ending.attach(async () => {
        // An agent that is asked to stop keeps its session.
        await Promise.race([Promise.resolve(cancel()).then(() => done), over, afterwards(CANCEL_MS)]).catch(() => {})
        await end()
      })
      await Promise.race([done, over])
      // An agent waits for the next prompt. Closing its stdin tells it that there is none: it may still
      // have to store the session.
      if (ending.cause === undefined) {
        child.stdin?.end()
        await Promise.race([over, afterwards(CLOSE_MS)])
        await end()
      }
      await ending.done
      const { exitCode, signal } = await exit
      await done
      close()
      // Once there is an answer, how the agent exits does not matter.
      return { exitCode: ending.cause === undefined ? 0 : exitCode, signal, stderr }
    } finally {
      forget()
    }
  }
