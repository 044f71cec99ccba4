/** Output of CLIs, and plans for them. */
import { buildHandoff, parseOutput, planDelivery } from '../../index.js'

const all = (n, make) => Array.from({ length: n }, (_, at) => make(at))
const parsed = (agent, events) => {
  const stdout = Buffer.from(events.map((event) => `${JSON.stringify(event)}\n`).join(''))
  return () => parseOutput(agent, { stdout })
}

/** What each CLI writes about one tool that was refused, and then an answer. */
const TURNS = {
  claude: (at) => [
    { type: 'assistant', message: { content: [{ type: 'tool_use', id: `t${at}`, name: 'Read', input: {} }] } },
    {
      type: 'user',
      message: { content: [{ type: 'tool_result', tool_use_id: `t${at}`, content: 'x', is_error: true }] },
    },
    {
      type: 'result',
      result: `answer ${at}`,
      usage: { input_tokens: 1, output_tokens: 1 },
      permission_denials: [{ tool_name: 'Read', tool_use_id: `t${at}`, tool_input: {} }],
    },
  ],
  codex: (at) => [
    { type: 'item.completed', item: { id: `t${at}`, type: 'command_execution', command: 'ls', status: 'declined' } },
    { type: 'item.completed', item: { id: `m${at}`, type: 'agent_message', text: `answer ${at}` } },
    { type: 'turn.completed', usage: { input_tokens: 1, output_tokens: 1 } },
  ],
  gemini: (at) => [
    { type: 'tool_use', tool_id: `t${at}`, tool_name: 'read', parameters: {} },
    { type: 'tool_result', tool_id: `t${at}`, status: 'error', error: { type: 'denied', message: 'no' } },
    { type: 'message', role: 'assistant', content: `answer ${at}`, delta: true },
  ],
  opencode: (at) => [
    {
      type: 'tool_use',
      part: { callID: `t${at}`, tool: 'read', state: { status: 'error', error: 'rejected permission' } },
    },
    { type: 'text', part: { text: `answer ${at}` } },
    { type: 'step_finish', part: { reason: 'tool-calls', tokens: { input: 1, output: 1 } } },
  ],
  copilot: (at) => [
    { type: 'tool.execution_start', data: { toolCallId: `t${at}`, toolName: 'read', arguments: {} } },
    { type: 'tool.execution_complete', data: { toolCallId: `t${at}`, success: false, error: { code: 'denied' } } },
    { type: 'assistant.message', data: { content: `answer ${at}` } },
  ],
}

/** What each CLI would act on. */
const MENTIONS = { gemini: 'a@b.c ', claude: '@a.md ', codex: '$skill [$5]( x) [@a]( plugin://a) $PATH ' }

const piece = (at) => ({
  type: 'stream_event',
  event: { type: 'content_block_delta', delta: { type: 'text_delta', text: `word ${at} ` } },
})

const session = (n) => ({
  agent: 'claude',
  messages: all(n, (at) => ({
    speaker: at % 2 === 0 ? { id: `user ${at}`, type: 'human' } : { id: 'claude', type: 'ai' },
    content: '',
    parts: [
      { type: 'text', text: `message ${at}` },
      { type: 'tool-call', id: `c${at}`, name: 'Write', input: { file_path: `/w/${at}` } },
      { type: 'tool-result', id: `c${at}`, output: `ghp_${'aB3dE5fG7hJ9'.repeat(3)}` },
    ],
  })),
})

/** @type {import('../doublings.mjs').Row[]} */
export const outputs = [
  ...Object.entries(TURNS).map(([agent, eventsOf]) => ({
    name: `output of ${agent}: results`,
    of: (n) => parsed(agent, all(n, eventsOf).flat()),
  })),
  { name: 'output: pieces of text', of: (n) => parsed('claude', all(n, piece)) },
  {
    name: 'output: bytes of one line',
    of: (n) => parsed('claude', [{ type: 'result', result: 'a word '.repeat(n) }]),
    most: 1_000_000,
  },
  ...Object.entries(MENTIONS).map(([agentType, text]) => ({
    name: `delivery: what ${agentType} would act on`,
    of: (n) => () => planDelivery({ prompt: text.repeat(n) }, { agentType, guard: 'escape' }),
    most: 16_000,
  })),
  {
    name: 'handoff: messages',
    of: (n) => {
      const given = session(n)
      return () => buildHandoff(given, { to: 'codex', redact: true }, { report: true })
    },
  },
]
