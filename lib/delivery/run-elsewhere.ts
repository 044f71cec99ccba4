/** Runs a program that the caller has started, in a container or on another machine, entirely through pipes. */
import { setTimeout as wait } from 'node:timers/promises'
import { invalidArgument } from '../errors.js'
import { MAX_STDERR_BYTES, exitOf, limited, writeStdin } from './run-process.js'
import { GRACE_MS, beforeExit } from './unfinished.js'
import type { ChildProcess } from 'node:child_process'
import type { Readable } from 'node:stream'
import type { Control, Ended, Ending, Program } from './run-process.js'

/** Starts a program. */
export type SpawnHook = (
  command: string,
  args: string[],
  options: { cwd: string | undefined; env: Record<string, string | undefined>; stdio: ['pipe', 'pipe', 'pipe'] },
) => ChildProcess | Promise<ChildProcess>

/** How long to wait for the end of the pipes of a program that has ended: others may keep them open. */
const DRAIN_MS = 1000

/** Ends a program with its own `kill`, the only thing known about it. */
const endBy = async (child: ChildProcess, exit: Promise<unknown>) => {
  child.kill('SIGTERM')
  await Promise.race([exit, wait(GRACE_MS)])
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
}

/** The end of a stream. */
const endOfStream = (stream: Readable, maxBytes: number) => {
  let kept = Buffer.alloc(0)
  stream.on('error', () => {})
  stream.on('data', (chunk: Buffer | string) => {
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

export const runElsewhere =
  (spawn: SpawnHook): ((program: Program, control: Control, ending: Ending) => Promise<Ended | undefined>) =>
  async (program, control, ending) => {
    if (ending.cause !== undefined) return undefined
    const { command, args, env, cwd, stdin } = program
    const child = await spawn(command, [...args], { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] })
    const { stdout, stderr } = child ?? {}
    if (!stdout || !stderr || !child.stdin) {
      throw invalidArgument('options.spawn must return a ChildProcess with three pipes')
    }
    const exit = exitOf(child, program)
    const over = exit.catch(() => {})
    const forget = control.isDetached ? () => {} : beforeExit(() => child.kill('SIGKILL'))
    try {
      control.onStart()
      ending.attach(() => endBy(child, over))
      writeStdin(child, stdin)
      const errors = endOfStream(stderr, MAX_STDERR_BYTES)
      const reading = readAll(stdout, limited(control, ending))
      const { exitCode, signal } = await exit
      await Promise.race([reading, wait(DRAIN_MS)])
      await ending.done
      return { exitCode, signal, stderr: errors() }
    } finally {
      forget()
      child.stdin.destroy()
      stdout.destroy()
      stderr.destroy()
    }
  }
