#!/usr/bin/env node
'use strict'
/** The command `promptmason`. Its exit codes are in `exit-codes.js`. */
const { createReadStream, statSync } = require('node:fs')
const { explainMissingBinary } = require('../missing-binary.js')
const { EXIT } = require('./exit-codes.js')

const main = async () => {
  const { stdin, stdout, stderr, env, argv } = process
  // A reader that has seen enough, such as `head`, closes the pipe.
  stdout.on('error', (/** @type {NodeJS.ErrnoException} */ error) => {
    if (error.code !== 'EPIPE') throw error
  })
  try {
    require('../../binding.js')
  } catch (cause) {
    stderr.write(`${explainMissingBinary(cause).message}\n`)
    process.exitCode = EXIT.usage
    return
  }
  const { run } = require('./run.js')
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
