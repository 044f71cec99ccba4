'use strict'
/** Runs a program that the caller has started, in a container or on another machine, entirely through pipes. */
const { setTimeout: wait } = require('node:timers/promises')
const { invalidArgument } = require('../errors.js')
const { MAX_STDERR_BYTES, exitOf, limited, writeStdin } = require('./run-process.js')
const { GRACE_MS, beforeExit } = require('./unfinished.js')

/** @typedef {import('node:child_process').ChildProcess} ChildProcess */
/** @typedef {import('../../index.d.ts').SpawnHook} SpawnHook */

/** How long to wait for the end of the pipes of a program that has ended: others may keep them open. */
const DRAIN_MS = 1000

/**
 * Ends a program with its own `kill`, the only thing known about it.
 * @param {ChildProcess} child
 * @param {Promise<unknown>} exit
 */
const endBy = async (child, exit) => {
  child.kill('SIGTERM')
  await Promise.race([exit, wait(GRACE_MS)])
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
}

/**
 * The end of a stream.
 * @param {import('node:stream').Readable} stream
 * @param {number} maxBytes
 */
const endOfStream = (stream, maxBytes) => {
  let kept = Buffer.alloc(0)
  stream.on('error', () => {})
  stream.on('data', (/** @type {Buffer | string} */ chunk) => {
    kept = Buffer.concat([kept, Buffer.from(chunk)]).subarray(-maxBytes)
  })
  return () => kept.toString()
}

/**
 * Reads a stream to its end, or until `push` has enough.
 * @param {import('node:stream').Readable} stream
 * @param {(chunk: Buffer) => boolean} push
 * @returns {Promise<void>}
 */
const readAll = (stream, push) =>
  new Promise((resolve) => {
    stream.on('error', () => resolve())
    stream.on('close', () => resolve())
    stream.on('end', () => resolve())
    stream.on('data', (/** @type {Buffer | string} */ chunk) => {
      if (push(Buffer.from(chunk))) return
      stream.destroy()
      resolve()
    })
  })

/**
 * @param {SpawnHook} spawn
 * @returns {(program: import('./run-process.js').Program, control: import('./run-process.js').Control,
 *   ending: import('./run-process.js').Ending) => Promise<import('./run-process.js').Ended | undefined>}
 */
const runElsewhere = (spawn) => async (program, control, ending) => {
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

module.exports = { runElsewhere }
