/** `parseOutput`: reads the complete output of a CLI. */
import { recordOf } from '../checks/fields.js'
import { anything, string } from '../checks/kinds.js'
import { invalidArgument } from '../errors.js'
import { bufferOf } from './bytes.js'
import { OutputReader } from './read-output.js'
import type { CliOutput } from './results.js'

/** Strings have a maximum length. All lines together may exceed it when a single one does not. */
const CHUNK_BYTES = 1024 * 1024

const bytesOf = (value: unknown, path: string): Buffer => {
  if (typeof value === 'string') return Buffer.from(value)
  const bytes = bufferOf(value)
  if (bytes === undefined) throw invalidArgument(`${path} must be a string, a Buffer or a Uint8Array`)
  return bytes
}

const isExitCode = (exitCode: unknown): exitCode is number | null | undefined =>
  exitCode === null || exitCode === undefined || Number.isInteger(exitCode)

const cliOutput = recordOf({ stdout: anything, stderr: anything, exitCode: anything })

export const parseOutput = (agentType: string, output: CliOutput) => {
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
