#!/usr/bin/env node
/** The command `promptmason`. Its exit codes are in `command.ts`. */
import { createReadStream, statSync } from 'node:fs'
import { explainMissingBinary } from '../missing-binary.js'
import { EXIT } from './command.js'

const main = async () => {
  const { stdin, stdout, stderr, env, argv } = process
  // A reader that has seen enough, such as `head`, closes the pipe.
  for (const output of [stdout, stderr]) {
    output.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
    })
  }
  try {
    require('../../binding.js') as typeof import('../../binding.js')
  } catch (cause) {
    stderr.write(`${explainMissingBinary(cause).message}\n`)
    process.exitCode = EXIT.usage
    return
  }
  const { run } = require('./run.js') as typeof import('./run.js')
  process.exitCode = await run(argv.slice(2), {
    stdout,
    stderr,
    env,
    open: (file) => (file === '-' ? stdin : createReadStream(file)),
    sizeOf: (file) => (file === '-' ? undefined : statSync(file, { throwIfNoEntry: false })?.size),
    interrupted: () =>
      new Promise((resolve) => ['SIGINT', 'SIGTERM'].forEach((signal) => process.once(signal, resolve))),
  })
}

void main()
