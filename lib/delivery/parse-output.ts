/** `parseOutput`: reads the complete output of a CLI. */
import { fields } from '../checks/fields.js'
import { type Kind, optional, string } from '../checks/kinds.js'
import { both, bufferOf, fit } from './kinds.js'
import { OutputReader } from './read-output.js'
import { typeProblem } from '../checks/problems.js'
import type { AgentType } from '../prompts/agents.js'
import type { ParsedOutput } from './results.js'

/** What a CLI wrote, and how it exited. */
export interface CliOutput {
  stdout: string | Uint8Array
  /** @default '' */
  stderr?: string | Uint8Array | null | undefined
  /**
   * Null, as in Node, if the program was terminated by a signal.
   * @default undefined (not known)
   */
  exitCode?: number | null | undefined
}

const bytes: Kind<Buffer, string | Uint8Array> = both(
  (value) => (typeof value === 'string' ? Buffer.from(value) : bufferOf(value)),
  fit('a string, a Buffer or a Uint8Array', Buffer.isBuffer),
)

const cliOutput = fields<CliOutput>()({
  stdout: bytes,
  stderr: optional(bytes),
  exitCode: fit('an integer or null', (value): value is number | null | undefined =>
    value === null || value === undefined || Number.isInteger(value)),
})

/** Strings have a maximum length. All lines together may exceed it when a single one does not. */
const CHUNK_BYTES = 1024 * 1024

/**
 * Reads the answer, the session, the usage and the error from a CLI's JSON output, a stream of events or
 * a single object. For an unknown agent and for `'text'`, stdout is the answer. Truncated or malformed
 * output does not throw: the answer is absent.
 */
export function parseOutput(agentType: 'text' | AgentType, output: CliOutput): ParsedOutput {
  if (typeof output !== 'object' || output === null) throw typeProblem('output must be an object with stdout')
  const { stdout, stderr, exitCode } = cliOutput(output, '', 'output')
  const reader = new OutputReader(string(agentType, '', 'agentType'))
  for (let start = 0; start < stdout.length; start += CHUNK_BYTES) {
    reader.push(stdout.subarray(start, start + CHUNK_BYTES))
  }
  return reader.finish(stderr?.toString() ?? '', exitCode)
}
