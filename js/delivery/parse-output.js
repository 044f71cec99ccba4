'use strict'
/** `parseOutput`: reads the complete output of a CLI. */
const { fields } = require('../checks/fields.js')
const { anything, string } = require('../checks/kinds.js')
const { invalidArgument } = require('../errors.js')
const { bufferOf } = require('./bytes.js')
const { OutputReader } = require('./read-output.js')

/** Strings have a maximum length. All lines together may exceed it when a single one does not. */
const CHUNK_BYTES = 1024 * 1024

/**
 * @param {unknown} value
 * @param {string} path
 * @returns {Buffer}
 */
const bytesOf = (value, path) => {
  if (typeof value === 'string') return Buffer.from(value)
  const bytes = bufferOf(value)
  if (bytes === undefined) throw invalidArgument(`${path} must be a string, a Buffer or a Uint8Array`)
  return bytes
}

/**
 * @param {unknown} exitCode
 * @returns {exitCode is number | null | undefined}
 */
const isExitCode = (exitCode) => exitCode === null || exitCode === undefined || Number.isInteger(exitCode)

const cliOutput = fields({ stdout: anything, stderr: anything, exitCode: anything })

/**
 * @param {string} agentType
 * @param {import('../../index.d.ts').CliOutput} output
 */
const parseOutput = (agentType, output) => {
  if (typeof output !== 'object' || output === null) throw invalidArgument('output must be an object with stdout')
  const { stdout, stderr, exitCode } = cliOutput(output, '', 'output')
  if (!isExitCode(exitCode)) throw invalidArgument('output.exitCode must be an integer or null')
  const reader = new OutputReader(string(agentType, '', 'agentType'))
  const bytes = bytesOf(stdout, 'output.stdout')
  for (let start = 0; start < bytes.length; start += CHUNK_BYTES) {
    reader.push(bytes.subarray(start, start + CHUNK_BYTES))
  }
  return reader.finish(bytesOf(stderr ?? '', 'output.stderr').toString(), exitCode)
}

module.exports = { parseOutput }
