/**
 * Replaces an agent CLI that is not installed: it reads a prompt and works on it for a few seconds, with
 * tools, writing events like that CLI. `node stand-in.mjs NAME [SPEED]`
 */
import { setTimeout as pause } from 'node:timers/promises'
import { text } from 'node:stream/consumers'

const [name = 'claude', speed = '1'] = process.argv.slice(2)
await text(process.stdin)

/** Text in pieces, as a model writes it. @param {string} whole */
const pieces = (whole) => whole.match(/\S+\s*/g) ?? []

/** @param {object} message */
const claude = (message) => ({ type: 'assistant', session_id: 'claude-1', message: { role: 'assistant', ...message } })
/** @param {string} id @param {string} command */
const bash = (id, command) => claude({ content: [{ type: 'tool_use', id, name: 'Bash', input: { command } }] })
/** @param {string} id @param {string} content @param {boolean} failed */
const bashResult = (id, content, failed = false) => ({
  type: 'user',
  message: { content: [{ type: 'tool_result', tool_use_id: id, content, is_error: failed }] },
})
/** @param {string} whole */
const claudePieces = (whole) =>
  pieces(whole).map((piece) => ({
    type: 'stream_event',
    event: { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: piece } },
  }))
/** @param {string} whole */
const claudeSays = (whole) => [...claudePieces(whole), claude({ content: [{ type: 'text', text: whole }] })]

/** @param {object} item @param {string} type */
const codex = (item, type = 'item.completed') => ({ type, item })
/** @param {string} id @param {string} command @param {string} output */
const codexRuns = (id, command, output) => [
  codex({ id, type: 'command_execution', command, status: 'in_progress' }, 'item.started'),
  codex({ id, type: 'command_execution', command, aggregated_output: output, exit_code: 0, status: 'completed' }),
]

/** @param {string} whole */
const geminiSays = (whole) =>
  pieces(whole).map((content) => ({ type: 'message', role: 'assistant', content, delta: true }))
/** @param {string} id @param {string} tool @param {object} parameters @param {string} output */
const geminiUses = (id, tool, parameters, output) => [
  { type: 'tool_use', tool_name: tool, tool_id: id, parameters },
  { type: 'tool_result', tool_id: id, status: 'success', output },
]

const CLAUDE_ANSWER = 'Fixed: the cache was keyed by name, not by id. All 214 tests pass.'
const CODEX_ANSWER = 'Reviewed. One nit: `evict()` still takes a name.'

/** What each CLI writes, in order. @type {Record<string, object[]>} */
const TURNS = {
  claude: [
    { type: 'system', subtype: 'init', session_id: 'claude-1', model: 'claude-opus' },
    claude({ content: [{ type: 'thinking', thinking: 'Two entries share a name.' }] }),
    ...claudeSays('Let me run the tests first.'),
    bash('t1', 'npm test'),
    bashResult('t1', '1 failed, 213 passed', true),
    bash('t2', 'sed -i s/name/id/ src/cache.ts'),
    bashResult('t2', ''),
    {
      type: 'system',
      subtype: 'api_retry',
      attempt: 1,
      max_retries: 10,
      retry_delay_ms: 800,
      error_status: 529,
      error: 'overloaded',
    },
    bash('t3', 'npm test'),
    bashResult('t3', '214 passed'),
    ...claudeSays(CLAUDE_ANSWER),
    {
      type: 'result',
      subtype: 'success',
      is_error: false,
      num_turns: 4,
      session_id: 'claude-1',
      result: CLAUDE_ANSWER,
      stop_reason: 'end_turn',
      total_cost_usd: 0.0412,
      usage: { input_tokens: 18_204, cache_read_input_tokens: 15_872, output_tokens: 411 },
    },
  ],
  codex: [
    { type: 'thread.started', thread_id: 'codex-1' },
    { type: 'turn.started' },
    codex({ id: '0', type: 'reasoning', text: 'The diff is small.' }),
    ...codexRuns('1', 'git diff main', '+ const key = entry.id'),
    codex({ id: '2', type: 'agent_message', text: 'I read the diff; now the callers.' }),
    ...codexRuns('3', 'rg "evict\\(" src', 'src/cache.ts:41'),
    codex({ id: '4', type: 'agent_message', text: CODEX_ANSWER }),
    { type: 'turn.completed', usage: { input_tokens: 9120, cached_input_tokens: 4096, output_tokens: 188 } },
  ],
  gemini: [
    { type: 'init', session_id: 'gemini-1', model: 'gemini-pro' },
    ...geminiSays('Reading the changelog. '),
    ...geminiUses('g1', 'read_file', { file_path: 'CHANGELOG.md' }, '## 2.1.0'),
    ...geminiUses('g2', 'replace', { file_path: 'CHANGELOG.md' }, '1 line added'),
    ...geminiSays('Added a line under "Fixed" for the cache keys.'),
    { type: 'result', status: 'success', stats: { input_tokens: 4310, cached: 0, output_tokens: 96 } },
  ],
}

for (const event of TURNS[name] ?? []) {
  console.log(JSON.stringify(event))
  const isPiece = 'delta' in event || ('type' in event && event.type === 'stream_event')
  // oxlint-disable-next-line no-await-in-loop -- one after the other
  await pause((isPiece ? 60 : 420) / Number(speed))
}
