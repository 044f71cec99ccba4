/** Runs the command `promptmason` as often as it is asked to. See `command.ts`. */
const { createReadStream, statSync } = require('node:fs')
const { parentPort } = require('node:worker_threads')
const { run } = require('../../dist/command/run.js')

parentPort.on('message', async ({ args, input, answer, done }) => {
  const written = { stdout: '', stderr: '' }
  const output = (name) => ({ write: (chunk) => (written[name] += Buffer.from(chunk).toString()) })
  const status = await run(args, {
    stdout: output('stdout'),
    stderr: output('stderr'),
    env: process.env,
    open: (file) => (file === '-' ? [Buffer.from(input)] : createReadStream(file)),
    sizeOf: (file) => (file === '-' ? undefined : statSync(file, { throwIfNoEntry: false })?.size),
    interrupted: () => new Promise(() => {}),
  })
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- it is no window
  answer.postMessage({ status, ...written })
  Atomics.store(done, 0, 1)
  Atomics.notify(done, 0)
})
