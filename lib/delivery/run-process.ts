/** Runs a program on this machine with a text on its stdin. Its output goes to files. */
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, existsSync, openSync } from 'node:fs'
import { devNull } from 'node:os'
import path = require('node:path')
import { makeError } from '../errors.js'
import { isDiskFull, openOutputFiles } from './output-files.js'
import { watchProgram } from './unfinished.js'
import type { Ending } from './ending.js'

export interface Program {
  command: string
  args: readonly string[]
  env: Record<string, string | undefined>
  cwd: string | undefined
  stdin: Buffer
}

export interface Control {
  /** Called when the program runs. */
  onStart: () => void
  /** Called when it writes something else. */
  onSign: () => void
  /** If it throws, the program is ended. */
  onStdout: (chunk: Buffer) => void
  /** Whether the program may outlive this process. */
  isDetached: boolean
}

export interface Exit {
  exitCode: number | null
  signal: NodeJS.Signals | null
}

export interface Ended extends Exit {
  /** Its last part. */
  stderr: string
  /** Whether there was no room for what it has written. */
  wasDiskFull?: boolean
}

export const MAX_STDERR_BYTES = 64 * 1024

const MAX_STDOUT_BYTES = 2 ** 31

/** How much of stderr a disk has to take. Windows cannot empty a file that others append to. */
const MAX_KEPT_STDERR_BYTES = process.platform === 'win32' ? Infinity : 4 * MAX_STDERR_BYTES

/** How much is still read from a program that was ended: it may have answered at the last moment. */
const MAX_LATE_BYTES = 16 * 1024 * 1024

/** Why a program cannot be started. If its directory is missing, the system reports a missing program. */
const explained = (error: NodeJS.ErrnoException, { command, cwd }: Pick<Program, 'command' | 'cwd'>) => {
  const { code } = error
  if (code === 'E2BIG' || code === 'ENAMETOOLONG') {
    const message = `cannot deliver to ${command}: its arguments and the environment are too long for this system (${code})`
    return makeError('RangeError', message, { code: 'ERR_UNDELIVERABLE', cli: command })
  }
  if (code === 'ENOENT') error.message += `: ${notFound(command, cwd)}`
  return error
}

const notFound = (command: string, cwd: string | undefined) => {
  if (cwd !== undefined && !existsSync(cwd)) return `there is no directory ${cwd}`
  // Loaded on demand: most programs are found.
  const { PROFILES } = require('./profiles/index.js') as typeof import('./profiles/index.js')
  const { misspelled } = require('../prompts/misspelled.js') as typeof import('../prompts/misspelled.js')
  const { name } = path.parse(command)
  const known = PROFILES.find((profile) => profile.command === name)
  const meant = known === undefined ? misspelled(name) : undefined
  if (meant !== undefined) return `the program '${command}' was not found: did you mean '${meant}'?`
  const install = known?.package === undefined ? 'install it' : `install it with \`npm install -g ${known.package}\``
  return `the program '${command}' was not found: ${install}, or name it in profile.command`
}

/**
 * Whether a program gets a group of its own. On Windows, Node ends those that have none with this
 * process, and those that have one cannot hide the windows of what they start.
 * @param isDetached Whether it may outlive this process.
 */
const hasOwnGroup = (isDetached: boolean) => isDetached || process.platform !== 'win32'

/** A program that runs, and can be ended. */
export interface Running<Child = ChildProcess> {
  child: Child
  /** Fulfilled when none of its processes are running. */
  end: () => Promise<void>
  /** Call it when the program has ended. */
  forget: () => void
}

/** More than it takes to start a program. If Node runs out of them on the way, it loses some. */
const DESCRIPTORS = 10

const checkDescriptors = () => {
  const taken: number[] = []
  try {
    while (taken.length < DESCRIPTORS) taken.push(openSync(devNull, 'r'))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EMFILE' || code === 'ENFILE') throw error
  } finally {
    for (const descriptor of taken) closeSync(descriptor)
  }
}

export const start = (program: Program, isDetached: boolean, output: [number, number] | ['pipe', 'pipe']): Running => {
  const { command, args, env, cwd } = program
  const watched = watchProgram(isDetached)
  try {
    checkDescriptors()
    const child = spawn(command, args, {
      cwd,
      env: { ...env, ...watched.env },
      stdio: ['pipe', ...output],
      windowsHide: true,
      detached: hasOwnGroup(isDetached),
    })
    if (child.pid !== undefined) watched.started(child.pid)
    return { child, end: watched.end, forget: watched.forget }
  } catch (error) {
    watched.forget()
    // Deno emits an event here instead of throwing.
    throw explained(error as NodeJS.ErrnoException, program)
  }
}

/** Writes to stdin. A program may end, or close it, before it has read everything. */
export const writeStdin = ({ stdin }: ChildProcess, text: Buffer) => {
  stdin?.on('error', () => {})
  stdin?.end(text)
}

export const exitOf = (child: ChildProcess, program: Pick<Program, 'command' | 'cwd'>): Promise<Exit> =>
  new Promise((resolve, fail) => {
    child.on('error', (error) => fail(explained(error, program)))
    child.on('exit', (exitCode, signal) => resolve({ exitCode, signal }))
  })

/**
 * Passes on stdout until the program was ended and no more is needed.
 * @returns Whether to go on.
 */
export const limited = ({ onStdout }: Control, ending: Ending): ((chunk: Buffer) => boolean) => {
  let [read, late] = [0, 0]
  return (chunk) => {
    read += chunk.length
    if (ending.cause !== undefined) late += chunk.length
    if (late > MAX_LATE_BYTES || (ending.cause !== undefined && 'error' in ending.cause)) return false
    try {
      onStdout(chunk)
    } catch (error) {
      ending.begin({ kind: 'failed', error })
      return false
    }
    if (read > MAX_STDOUT_BYTES) ending.begin({ kind: 'flooded' })
    return true
  }
}

/**
 * @param ending What ends the program, if that is needed.
 * @returns Undefined if it was not even started.
 */
export const runProcess = async (program: Program, control: Control, ending: Ending): Promise<Ended | undefined> => {
  const files = await openOutputFiles()
  let running: Running | undefined
  try {
    if (ending.cause !== undefined) return undefined
    running = start(program, control.isDetached, [files.stdout.fd, files.stderr.fd])
    const { child, end } = running
    if (child.pid !== undefined) control.onStart()
    writeStdin(child, program.stdin)
    ending.attach(end)
    const exit = exitOf(child, program)
    // A failure is thrown below.
    const over = exit.catch(() => {})
    await files.stdout.follow(limited(control, ending), over, async (size) => {
      if (size > MAX_STDOUT_BYTES) ending.begin({ kind: 'flooded' })
      if (await files.stderr.hasGrown(MAX_KEPT_STDERR_BYTES)) control.onSign()
    })
    const { exitCode, signal } = await exit
    await ending.done
    // Tools in its background would go on alone.
    if (!control.isDetached) await end()
    const stderr = await files.stderr.readEnd(MAX_STDERR_BYTES)
    // Windows has no signals. A program that is ended there gets this code, which is not its own.
    const isEnded = process.platform === 'win32' && ending.cause !== undefined && exitCode === 1
    return { exitCode: isEnded ? null : exitCode, signal, stderr, wasDiskFull: await isDiskFull() }
  } finally {
    running?.forget()
    running?.child.stdin?.destroy()
    await files.close()
  }
}
