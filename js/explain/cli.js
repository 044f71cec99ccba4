#!/usr/bin/env node
'use strict'
/**
 * The command `promptmason`. Exit codes: 0; 1 for a budget that is exceeded; 2 for bad usage or input, or
 * if the binary is missing.
 */
const { readFileSync } = require('node:fs')
const { explainMissingBinary } = require('../missing-binary.js')

const main = async () => {
  const { stdout, stderr, env, argv } = process
  // A reader that has seen enough, such as `head`, closes the pipe.
  stdout.on('error', (/** @type {NodeJS.ErrnoException} */ error) => {
    if (error.code !== 'EPIPE') throw error
  })
  try {
    require('../../binding.js')
  } catch (cause) {
    stderr.write(`${explainMissingBinary(cause).message}\n`)
    process.exitCode = 2
    return
  }
  const { run } = require('./command.js')
  const read = (/** @type {string} */ file) => readFileSync(file === '-' ? 0 : file)
  process.exitCode = await run(argv.slice(2), { stdout, stderr, env, read })
}

void main()
