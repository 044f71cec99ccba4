'use strict'
/** Runs a program with a text on its stdin, and ends it and all that it has started if need be. */
const { spawn } = require('node:child_process')
const { existsSync } = require('node:fs')
const { makeError } = require('../errors.js')

/** What is killed and removed if this process ends first. */
/** @type {Set<() => void>} */
const running = new Set()

const endAll = () => {
  for (const end of running) end()
}

/** So long may a program take to end when it is asked to; then it is killed. */
const GRACE_MS = 2000

/** When a program has ended, its output is read until there was none for two of these. */
const IDLE_MS = 500

/** So much of stderr is kept. */
const MAX_STDERR_BYTES = 64 * 1024

/**
 * Sends a signal to a program and all that it has started: it leads a group of its own.
 * @param {import('node:child_process').ChildProcess} child
 * @param {NodeJS.Signals} signal
 */
const signalGroup = (child, signal) => {
  if (child.pid === undefined) return
  try {
    if (process.platform === 'win32') spawn('taskkill', ['/pid', String(child.pid), '/t', '/f'], { stdio: 'ignore', windowsHide: true }).on('error', () => {})
    else process.kill(-child.pid, signal)
  } catch {
    // There is nobody left.
  }
}

/** The end of a stream. */
class Tail {
  /** @type {Buffer[]} */
  #chunks = []
  #bytes = 0

  /** @param {Buffer} chunk */
  push(chunk) {
    this.#chunks.push(chunk)
    this.#bytes += chunk.length
    while (this.#bytes - (this.#chunks[0]?.length ?? 0) >= MAX_STDERR_BYTES) this.#bytes -= this.#chunks.shift()?.length ?? 0
  }

  toString() {
    return Buffer.concat(this.#chunks).subarray(-MAX_STDERR_BYTES).toString()
  }
}

/**
 * @typedef {object} Program
 * @property {string} command
 * @property {readonly string[]} args
 * @property {Record<string, string | undefined>} env
 * @property {string | undefined} cwd
 * @property {Buffer} stdin
 * @typedef {object} Ended
 * @property {number | null} exitCode
 * @property {NodeJS.Signals | null} signal
 * @property {string} stderr
 * @property {boolean} timedOut
 */

/**
 * The system says of a missing directory that there is no such program.
 * @param {NodeJS.ErrnoException} error
 * @param {string | undefined} cwd
 */
const explained = (error, cwd) => {
  if (error.code === 'ENOENT' && cwd !== undefined && !existsSync(cwd)) error.message += `: there is no directory ${cwd}`
  return error
}

/** @param {Program} program */
const start = ({ command, args, env, cwd }) => {
  try {
    return spawn(command, args, { cwd, env, stdio: 'pipe', windowsHide: true, detached: process.platform !== 'win32' })
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error)
    if (code !== 'E2BIG' && code !== 'ENAMETOOLONG') throw error
    const message = `${command} cannot be given this: its arguments and the environment are too long for this system (${code})`
    throw makeError('RangeError', message, { code: 'ERR_UNDELIVERABLE', cli: command })
  }
}

/**
 * @param {Program} program
 * @param {object} control
 * @param {(chunk: Buffer) => void} control.onStdout What it throws ends the program and rejects.
 * @param {AbortSignal | undefined} control.signal
 * @param {number | undefined} control.timeoutMs
 * @param {() => void} control.onProcessExit Called if this process ends first.
 * @returns {Promise<Ended>}
 */
const runProcess = (program, { onStdout, signal: abortSignal, timeoutMs, onProcessExit }) => {
  const child = start(program)
  const stderr = new Tail()
  /** @type {{ error: unknown } | undefined} Why it was ended, unless it took too long. */
  let rejection
  let timedOut = false
  let hadOutput = true
  /** @type {NodeJS.Timeout[]} */
  const timers = []

  const endWithProcess = () => {
    signalGroup(child, 'SIGKILL')
    onProcessExit()
  }
  if (running.size === 0) process.on('exit', endAll)
  running.add(endWithProcess)

  const end = () => {
    signalGroup(child, 'SIGTERM')
    timers.push(setTimeout(signalGroup, GRACE_MS, child, 'SIGKILL'))
  }
  const abort = () => {
    rejection ??= { error: abortSignal?.reason }
    end()
  }
  abortSignal?.addEventListener('abort', abort, { once: true })
  if (timeoutMs !== undefined) {
    timers.push(setTimeout(() => {
      timedOut = true
      end()
    }, timeoutMs))
  }

  // A program may end, or close stdin, before it has read everything.
  child.stdin.on('error', () => {})
  child.stdin.end(program.stdin)
  child.stderr.on('data', (chunk) => {
    hadOutput = true
    stderr.push(chunk)
  })
  child.stdout.on('data', (chunk) => {
    hadOutput = true
    if (rejection !== undefined) return
    try {
      onStdout(chunk)
    } catch (error) {
      rejection = { error }
      end()
    }
  })

  const settled = new Promise((resolve, reject) => {
    child.on('error', (error) => reject(explained(error, program.cwd)))
    child.on('exit', (exitCode, signal) => {
      // Nothing may outlive a program that was ended.
      if (rejection !== undefined || timedOut) signalGroup(child, 'SIGKILL')
      const ended = () => resolve({ exitCode, signal, stderr: stderr.toString(), timedOut })
      child.on('close', ended)
      // Something that it has started may keep its output open.
      timers.push(setInterval(() => {
        if (!hadOutput) ended()
        hadOutput = false
      }, IDLE_MS))
    })
  })
  return settled.then((ended) => {
    if (rejection !== undefined) throw rejection.error
    return ended
  }).finally(() => {
    for (const timer of timers) clearTimeout(timer)
    abortSignal?.removeEventListener('abort', abort)
    running.delete(endWithProcess)
    if (running.size === 0) process.off('exit', endAll)
    child.stdin.destroy()
    child.stdout.destroy()
    child.stderr.destroy()
  })
}

module.exports = { runProcess }
