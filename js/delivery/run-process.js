'use strict'
/** Runs a program with a text on its stdin, and ends it and all that it has started if need be. */
const { spawn } = require('node:child_process')
const { existsSync } = require('node:fs')
const { makeError } = require('../errors.js')
const { openOutputFiles } = require('./output-files.js')
const { watchProcessGroup } = require('./unfinished.js')

/**
 * @typedef {object} Program
 * @property {string} command
 * @property {readonly string[]} args
 * @property {Record<string, string | undefined>} env
 * @property {string | undefined} cwd
 * @property {Buffer} stdin
 * @typedef {object} Control
 * @property {(chunk: Buffer) => void} onStdout What it throws ends the program and rejects.
 * @property {boolean} isWatched Whether stdout is read while it is written, and not only at the end.
 * @property {AbortSignal | undefined} signal
 * @property {number | undefined} timeoutMs
 * @property {() => void} onProcessExit Called if this process ends first.
 * @typedef {object} Ended
 * @property {number | null} exitCode
 * @property {NodeJS.Signals | null} signal
 * @property {string} stderr
 * @property {boolean} timedOut
 */

/** So long may a program take to end when it is asked to; then it is killed. */
const GRACE_MS = 2000

/** So much of stderr is kept. */
const MAX_STDERR_BYTES = 64 * 1024

/** What is killed and removed if this process ends first. */
/** @type {Set<() => void>} */
const running = new Set()

const endAll = () => {
  for (const end of running) end()
}

/**
 * Calls `end` if this process ends.
 * @param {() => void} end
 * @returns {() => void} To be called when that is no longer needed.
 */
const beforeProcessExit = (end) => {
  if (running.size === 0) process.on('exit', endAll)
  running.add(end)
  return () => {
    running.delete(end)
    if (running.size === 0) process.off('exit', endAll)
  }
}

/**
 * Sends a signal to a program and all that it has started: it leads a group of its own.
 * @param {import('node:child_process').ChildProcess} child
 * @param {NodeJS.Signals} signal
 */
const signalGroup = (child, signal) => {
  if (child.pid === undefined) return
  try {
    if (process.platform === 'win32')
      spawn('taskkill', ['/pid', String(child.pid), '/t', '/f'], { stdio: 'ignore', windowsHide: true }).on(
        'error',
        () => {},
      )
    else process.kill(-child.pid, signal)
  } catch {
    // There is nobody left.
  }
}

/**
 * What is wrong if a program cannot be started. The system says of a missing directory that
 * there is no such program.
 * @param {NodeJS.ErrnoException} error
 * @param {Program} program
 */
const explained = (error, { command, cwd }) => {
  const { code } = error
  if (code === 'E2BIG' || code === 'ENAMETOOLONG') {
    const message = `${command} cannot be given this: its arguments and the environment are too long for this system (${code})`
    return makeError('RangeError', message, { code: 'ERR_UNDELIVERABLE', cli: command })
  }
  if (code === 'ENOENT' && cwd !== undefined && !existsSync(cwd)) error.message += `: there is no directory ${cwd}`
  return error
}

/**
 * @param {Program} program
 * @param {number} stdout
 * @param {number} stderr
 */
const start = (program, stdout, stderr) => {
  const { command, args, env, cwd, stdin } = program
  let child
  try {
    child = spawn(command, args, {
      cwd,
      env,
      stdio: ['pipe', stdout, stderr],
      windowsHide: true,
      detached: process.platform !== 'win32',
    })
  } catch (error) {
    // Deno has no exception here, but an event.
    throw explained(/** @type {NodeJS.ErrnoException} */ (error), program)
  }
  const input = /** @type {import('node:stream').Writable} */ (child.stdin)
  // A program may end, or close stdin, before it has read everything.
  input.on('error', () => {})
  input.end(stdin)
  return child
}

/**
 * @param {Program} program
 * @param {Control} control
 * @param {Awaited<ReturnType<typeof openOutputFiles>>} files
 * @returns {Promise<Ended>}
 */
const run = async (program, { onStdout, isWatched, signal: abortSignal, timeoutMs, onProcessExit }, files) => {
  const child = start(program, files.stdout.fd, files.stderr.fd)
  const forgetGroup = watchProcessGroup(child.pid)
  /** @type {{ rejection?: { error: unknown }, timedOut: boolean }} `rejection` is why it was ended, unless it took too long. */
  const state = { timedOut: false }
  /** @type {NodeJS.Timeout[]} */
  const timers = []

  const end = () => {
    signalGroup(child, 'SIGTERM')
    timers.push(setTimeout(signalGroup, GRACE_MS, child, 'SIGKILL'))
  }
  const reject = (/** @type {unknown} */ error) => {
    state.rejection ??= { error }
    end()
  }
  const abort = () => reject(abortSignal?.reason)
  abortSignal?.addEventListener('abort', abort, { once: true })
  if (timeoutMs !== undefined) {
    timers.push(
      setTimeout(() => {
        state.timedOut = true
        end()
      }, timeoutMs),
    )
  }
  const forget = beforeProcessExit(() => {
    signalGroup(child, 'SIGKILL')
    onProcessExit()
  })
  const stopWatching = isWatched ? files.stdout.watch(onStdout, reject) : async () => {}
  try {
    const { exitCode, signal } = await new Promise((resolve, fail) => {
      child.on('error', (error) => fail(explained(error, program)))
      child.on('exit', (code, killedBy) => resolve({ exitCode: code, signal: killedBy }))
    }).finally(forgetGroup)
    // Nothing may outlive a program that was ended.
    if (state.rejection !== undefined || state.timedOut) signalGroup(child, 'SIGKILL')
    await stopWatching()
    if (state.rejection !== undefined) throw state.rejection.error
    await files.stdout.readNew(onStdout)
    return { exitCode, signal, stderr: await files.stderr.readEnd(MAX_STDERR_BYTES), timedOut: state.timedOut }
  } finally {
    for (const timer of timers) clearTimeout(timer)
    abortSignal?.removeEventListener('abort', abort)
    forget()
    await stopWatching()
    child.stdin?.destroy()
  }
}

/**
 * @param {Program} program
 * @param {Control} control
 * @returns {Promise<Ended>}
 */
const runProcess = async (program, control) => {
  const files = await openOutputFiles()
  try {
    control.signal?.throwIfAborted()
    return await run(program, control, files)
  } finally {
    await files.close()
  }
}

module.exports = { runProcess }
