/** Ends this process if one call keeps it busy for minutes, since an endless loop cannot be stopped otherwise. */
import { Worker } from 'node:worker_threads'

const MAX_SECONDS = 120

const PROGRAM = `
  const { workerData: { counter, pid, maxSeconds }, parentPort } = require('node:worker_threads')
  const { writeSync } = require('node:fs')
  let last = -1, seconds = 0, text = ''
  parentPort.on('message', (begun) => { text = begun })
  setInterval(() => {
    const now = Atomics.load(counter, 0)
    seconds = now === last ? seconds + 1 : 0
    last = now
    if (seconds < maxSeconds) return
    writeSync(2, 'no end of: ' + text + '\\n')
    process.kill(pid, 'SIGKILL')
  }, 1000)
`

export const startWatchdog = () => {
  const counter = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(PROGRAM, { eval: true, workerData: { counter, pid: process.pid, maxSeconds: MAX_SECONDS } })
  worker.unref()
  return {
    /** Records what has started. */
    begin: (text: string): void => {
      Atomics.add(counter, 0, 1)
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none
      worker.postMessage(text)
    },
    stop: (): void => void worker.terminate(),
  }
}
