/** Requests, one after the other, in a worker. A worker that fails is replaced; one that takes too long is ended. */
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'

/** How many requests can wait. A page sends one at a time, and cancels those it no longer needs. */
export const MAX_WAITING = 8
const TIMEOUT_MS = 20_000

export type Job = { body: Uint8Array; done: (answer: Uint8Array) => void }

const problem = (code: string, message: string) => Buffer.from(JSON.stringify({ problem: { code, message } }))

export const startEngine = () => {
  const waiting: Job[] = []
  let running: Job | undefined
  let worker: Worker | undefined
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  const finish = (answer: Uint8Array) => {
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
    const failed = (message: string) => {
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
    /** False if too many are waiting. */
    add(job: Job) {
      if (waiting.length >= MAX_WAITING) return false
      waiting.push(job)
      next()
      return true
    },
    /** A job that nobody waits for any longer. */
    drop(job: Job) {
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
