/** Runs a program that the caller has started, in a container or on another machine, entirely through pipes. */
import { setTimeout as wait } from 'node:timers/promises'
import { MAX_STDERR_BYTES, exitOf, limited, writeStdin } from './run-process.js'
import { GRACE_MS, beforeExit } from './unfinished.js'
import type { ChildProcess, ChildProcessWithoutNullStreams as WithPipes } from 'node:child_process'
import { typeProblem } from '../checks/problems.js'
import type { Readable } from 'node:stream'
import type { Ending } from './ending.js'
import type { Control, Ended, Exit, Program, Running } from './run-process.js'

/** Starts a program. */
export type SpawnHook = (
  command: string,
  args: string[],
  options: { cwd: string | undefined; env: Record<string, string | undefined>; stdio: ['pipe', 'pipe', 'pipe'] },
) => ChildProcess | Promise<ChildProcess>

/** How long to wait for the end of the pipes of a program that has ended: others may keep them open. */
const DRAIN_MS = 1000

/** Also false for what a caller has returned instead of a program. */
export const hasPipes = (child: ChildProcess | undefined): child is WithPipes =>
  Boolean(child?.stdin && child.stdout && child.stderr)

/**
 * Its own `kill` ends the program: nothing else is known about it.
 * @returns Undefined if the delivery ended before there was a program.
 */
export const startElsewhere = async (
  spawn: SpawnHook,
  program: Program,
  isDetached: boolean,
  ending: Ending,
): Promise<Running<WithPipes> | undefined> => {
  const { command, args, env, cwd } = program
  const starting = Promise.resolve(spawn(command, [...args], { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] }))
  const child = await ending.unlessBegun(starting)
  if (ending.cause !== undefined) {
    // It may still come.
    starting.then((late) => late.kill('SIGKILL')).catch(() => {})
    return undefined
  }
  if (!hasPipes(child)) throw typeProblem('options.spawn must return a ChildProcess with three pipes')
  // That of a program that could not be started is destroyed: it reports why.
  if (child.stdin.writableEnded || (child.stdin.destroyed && child.pid !== undefined)) {
    child.kill('SIGKILL')
    throw typeProblem('options.spawn must return a ChildProcess whose stdin is open')
  }
  // Other things than a ChildProcess may have neither.
  const isOver = () => typeof child.exitCode === 'number' || typeof child.signalCode === 'string'
  const end = async () => {
    if (isOver()) return
    const exit = new Promise((resolve) => {
      child.once('exit', resolve)
      child.once('error', resolve)
    })
    child.kill('SIGTERM')
    await Promise.race([exit, wait(GRACE_MS, undefined, { ref: false })])
    if (!isOver()) child.kill('SIGKILL')
  }
  return { child, end, forget: isDetached ? () => {} : beforeExit(() => child.kill('SIGKILL')) }
}

/** The exit of a program, which may not say that it has ended. */
export const exitOrEnd = (exit: Promise<Exit>, ending: Ending): Promise<Exit> => {
  const killed = async () => {
    await ending.begun
    await ending.done
    return wait(DRAIN_MS, { exitCode: null, signal: null }, { ref: false })
  }
  return Promise.race([exit, killed()])
}

export const endOfStream = (stream: Readable, maxBytes: number, onData: () => void) => {
  let kept = Buffer.alloc(0)
  stream.on('error', () => {})
  stream.on('data', (chunk: Buffer | string) => {
    onData()
    kept = Buffer.concat([kept, Buffer.from(chunk)]).subarray(-maxBytes)
  })
  return () => kept.toString()
}

/** Reads a stream to its end, or until `push` has enough. */
const readAll = (stream: Readable, push: (chunk: Buffer) => boolean): Promise<void> =>
  new Promise((resolve) => {
    stream.on('error', () => resolve())
    stream.on('close', () => resolve())
    stream.on('end', () => resolve())
    stream.on('data', (chunk: Buffer | string) => {
      if (push(Buffer.from(chunk))) return
      stream.destroy()
      resolve()
    })
  })

export const runElsewhere = async (
  spawn: SpawnHook,
  program: Program,
  control: Control,
  ending: Ending,
): Promise<Ended | undefined> => {
  if (ending.cause !== undefined) return undefined
  const running = await startElsewhere(spawn, program, control.isDetached, ending)
  if (running === undefined) return undefined
  const { child, end, forget } = running
  const { stdin, stdout, stderr } = child
  const exit = exitOf(child, program)
  // A failure is thrown below.
  exit.catch(() => {})
  try {
    control.onStart()
    ending.attach(end)
    writeStdin(child, program.stdin)
    const errors = endOfStream(stderr, MAX_STDERR_BYTES, control.onSign)
    const reading = readAll(stdout, limited(control, ending))
    const { exitCode, signal } = await exitOrEnd(exit, ending)
    await Promise.race([reading, wait(DRAIN_MS)])
    await ending.done
    return { exitCode, signal, stderr: errors() }
  } finally {
    forget()
    stdin.destroy()
    stdout.destroy()
    stderr.destroy()
  }
}
