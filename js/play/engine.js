'use strict'
/** Requests, one after the other, in a worker. A worker that fails is replaced; one that takes too long is ended. */
const { join } = require('node:path')
const { Worker } = require('node:worker_threads')

/** How many requests can wait. A page sends one at a time, and cancels those it no longer needs. */
const MAX_WAITING = 8
const TIMEOUT_MS = 20_000

/**
 * @typedef {{ body: Uint8Array, done: (answer: Uint8Array) => void }} Job
 * @typedef {object} Engine
 * @property {(job: Job) => boolean} add False if too many are waiting.
 * @property {(job: Job) => void} drop A job that nobody waits for any longer.
 * @property {() => Promise<void>} close
 */

/** @param {string} code @param {string} message */
const problem = (code, message) => Buffer.from(JSON.stringify({ problem: { code, message } }))

/** @returns {Engine} */
const startEngine = () => {
  /** @type {Job[]} */
  const waiting = []
  /** @type {Job | undefined} */
  let running
  /** @type {Worker | undefined} */
  let worker
  /** @type {NodeJS.Timeout | undefined} */
  let timer
  let isClosed = false

  /** @param {Uint8Array} answer */
  const finish = (answer) => {
    clearTimeout(timer)
    const job = running
    running = undefined
    job?.done(answer)
    next()
  }
  const startWorker = () => {
    const started = new Worker(join(__dirname, 'worker.js'), { stdout: true, stderr: true })
    // Discards its output, which must not fill a buffer.
    started.stdout.resume()
    started.stderr.resume()
    const failed = (/** @type {string} */ message) => {
      if (worker !== started) return
      worker = undefined
      if (running !== undefined) finish(problem('ERR_INTERNAL', message))
    }
    started.on('message', (answer) => {
      if (worker === started) finish(answer)
    })
    started.on('error', (error) => failed(`the engine has ended: ${error.message}`))
    started.on('exit', () => failed('the engine has ended'))
    return started
  }
  const stopWorker = () => {
    const stopped = worker
    worker = undefined
    return stopped?.terminate()
  }
  const next = () => {
    if (isClosed || running !== undefined) return
    running = waiting.shift()
    if (running === undefined) return
    worker ??= startWorker()
    timer = setTimeout(() => {
      void stopWorker()
      finish(problem('ERR_TIMEOUT', `this conversation took longer than ${TIMEOUT_MS / 1000} s, and was given up`))
    }, TIMEOUT_MS)
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker, no window
    worker.postMessage(running.body)
  }
  // Started early, so that it is ready for the first request.
  worker = startWorker()
  return {
    add(job) {
      if (waiting.length >= MAX_WAITING) return false
      waiting.push(job)
      next()
      return true
    },
    drop(job) {
      const at = waiting.indexOf(job)
      if (at >= 0) waiting.splice(at, 1)
    },
    async close() {
      isClosed = true
      clearTimeout(timer)
      waiting.length = 0
      await stopWorker()
    },
  }
}

module.exports = { MAX_WAITING, startEngine }
