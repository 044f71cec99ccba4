/**
 * The cost of reading 100 MB of events, compared with `JSON.parse` of their lines, in two sizes:
 * short pieces of streamed text, and tool results of 20 KB.
 *
 *     node --expose-gc bench/events.mjs
 */
import { createRequire } from 'node:module'
import { table } from './report.mjs'

const require = createRequire(import.meta.url)
const { OutputReader } = require('../dist/delivery/read-output.js')

const BYTES = 100_000_000
const CHUNK_BYTES = 256 * 1024
const ROUNDS = 15
const WARM_UP_ROUNDS = 5

const ids = { session_id: '401ca251-d02e-41a6-9138-181c79429fb7', parent_tool_use_id: null }
const KINDS = {
  'claude, pieces of text': [
    'claude',
    (line) => ({
      type: 'stream_event',
      event: { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: ` word ${line}` } },
      ...ids,
      uuid: '74b44913-d96a-47b6-8589-220e7b4c5d3a',
    }),
  ],
  'claude, results of 20 KB': [
    'claude',
    (line) => ({
      type: 'user',
      message: {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: `t${line}`, content: 'A line of a file.\n'.repeat(1100) }],
      },
      ...ids,
    }),
  ],
  'codex, commands': [
    'codex',
    (line) => ({
      type: 'item.completed',
      item: {
        id: `item_${line}`,
        type: 'command_execution',
        command: 'ls',
        aggregated_output: 'a\n'.repeat(200),
        exit_code: 0,
        status: 'completed',
      },
    }),
  ],
}

const linesOf = (make) => {
  const lines = []
  for (let bytes = 0; bytes < BYTES; bytes += lines.at(-1).length + 1) lines.push(JSON.stringify(make(lines.length)))
  return lines
}

/** CPU time, which other programs do not affect. */
const time = (work) => {
  globalThis.gc?.()
  const start = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1000
}

const median = (values) => values.toSorted((one, other) => one - other)[values.length >> 1]

const rows = []
for (const [title, [cli, make]] of Object.entries(KINDS)) {
  const lines = linesOf(make)
  const bytes = Buffer.from(`${lines.join('\n')}\n`)
  let events = 0
  const parse = () => {
    for (const line of lines) JSON.parse(line)
  }
  const read = () => {
    const reader = new OutputReader(cli, { onEvent: () => events++ })
    for (let start = 0; start < bytes.length; start += CHUNK_BYTES)
      reader.push(bytes.subarray(start, start + CHUNK_BYTES))
    reader.finish('', 0)
  }
  const [parsing, reading] = [[], []]
  // The first rounds are a warm-up, in which V8 compiles the code.
  for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round++) {
    const [parsed, readTime] = [time(parse), time(read)]
    if (round < WARM_UP_ROUNDS) continue
    parsing.push(parsed)
    reading.push(readTime)
  }
  const [one, other] = [median(parsing), median(reading)]
  rows.push([title, String(lines.length), `${one.toFixed(0)} ms`, `${other.toFixed(0)} ms`, (other / one).toFixed(2)])
}
console.log(table(['100 MB of events', 'lines', 'JSON.parse', 'read', 'ratio'], rows))
