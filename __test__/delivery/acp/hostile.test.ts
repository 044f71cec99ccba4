/** Agents that answer anything at all: it ends as an error of ours, and nothing reaches the terminal. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it, vi } from 'vitest'
import { root } from '../../support/documents.js'

vi.setConfig({ testTimeout: 60_000 })

/** What an agent answers to each method; `updates` come before the answer to the prompt. */
interface Answers {
  initialize?: string
  open?: string
  prompt?: string
  updates?: string[]
}

const OPENED = '{"sessionId":"s"}'
const ODD = '{"toString":1,"valueOf":2}'
const DEEP = '"[".repeat(50000)+"]".repeat(50000)'
const ESCAPE = String.raw`\u001b]0;owned\u0007\u001b[2J`

/** The agent: its answers are texts of JSON, or expressions that make one. */
const agent = ({
  initialize = '{"protocolVersion":1}',
  open = OPENED,
  prompt = '{"stopReason":"end_turn"}',
  updates = [],
}: Answers) => `
  const answers = { initialize: ${initialize.includes('repeat') ? initialize : JSON.stringify(initialize)},
    'session/new': ${open.includes('repeat') ? open : JSON.stringify(open)}, 'session/prompt': ${JSON.stringify(prompt)} }
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method } = JSON.parse(line)
    if (method === 'session/prompt') for (const update of [${updates.map((each) => (each.includes('repeat') ? each : JSON.stringify(each))).join(',')}]) console.log(update)
    if (answers[method] === 'die') return process.kill(process.pid, 'SIGKILL')
    if (answers[method] !== undefined) console.log('{"jsonrpc":"2.0","id":' + JSON.stringify(id) + ',"result":' + answers[method] + '}')
  })
`

const update = (fields: string) =>
  `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":${fields}}}`
const SAID = update('{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Half"}}')

const run = async (answers: Answers, options = '') => {
  const main = `
    const { deliver, isPromptmasonError, planDelivery } = require(${JSON.stringify(root)})
    const profile = { acp: { command: process.execPath, args: ['-e', ${JSON.stringify(agent(answers))}] } }
    const plan = planDelivery({ prompt: 'x' }, { agentType: 'any', profile, permissions: 'edit' ${options} })
    deliver(plan, { timeoutMs: 20000 }).then(
      (result) => console.log(JSON.stringify(result)),
      (error) => console.log(JSON.stringify({ thrown: error.code, isOurs: isPromptmasonError(error), message: error.message, ...error })),
    )
  `
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['-e', main])
  // oxlint-disable-next-line no-control-regex -- that is what must not be there
  expect(stdout + stderr).not.toMatch(/\u001b/)
  return JSON.parse(stdout)
}

describe('a hostile agent', () => {
  it.each<[string, Answers, string?]>([
    ['a stop reason that cannot be text', { prompt: `{"stopReason":${ODD}}` }],
    ['no stop reason', { prompt: 'null' }],
    ['usage of anything', { prompt: `{"stopReason":"end_turn","usage":${ODD}}` }],
    ['a session id that is no text', { open: `{"sessionId":${ODD}}` }],
    ['no session', { open: 'null' }],
    ['settings that are no list', { open: '{"sessionId":"s","configOptions":7}' }, ", model: 'm'"],
    ['settings of anything', { open: `{"sessionId":"s","configOptions":[null,7,${ODD}]}` }, ", model: 'm'"],
    ['nothing about itself', { initialize: 'null' }],
    ['a version of anything', { initialize: `{"protocolVersion":${ODD},"agentInfo":${ODD}}` }],
    ['too much about itself', { initialize: `'{"protocolVersion":1,"agentInfo":' + ${DEEP} + '}'` }],
    ['updates of anything', { updates: [update('null'), update(ODD), update('{"sessionUpdate":"tool_call"}')] }],
    [
      'an update that is nested too deeply',
      {
        updates: [
          `'{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":' + ${DEEP} + '}}}'`,
        ],
      },
    ],
    [
      'permission for anything',
      {
        updates: [
          `{"jsonrpc":"2.0","id":"p","method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":${ODD},"kind":${ODD}},"options":[null,${ODD}]}}`,
        ],
      },
    ],
    [
      'answers to what nobody asked',
      {
        updates: [
          `{"jsonrpc":"2.0","id":"${ESCAPE}","result":1}`,
          `{"jsonrpc":"2.0","id":999,"result":1}`,
          `"${ESCAPE}"`,
          ESCAPE,
        ],
      },
    ],
    [
      'an unknown method',
      {
        updates: [
          `{"jsonrpc":"2.0","method":"${ESCAPE}","params":{}}`,
          `{"jsonrpc":"2.0","method":"session/update","params":"${ESCAPE}"}`,
        ],
      },
    ],
  ])('may answer with %s', async (_what, answers, options) => {
    const { thrown, isOurs, delivered, error } = await run(answers, options)
    if (thrown !== undefined) expect({ thrown, isOurs }).toEqual({ thrown: 'ERR_NO_ANSWER', isOurs: true })
    else expect(error?.code ?? 'none').toMatch(/^(none|other|interrupted|no-answer)$/)
    expect(delivered).toMatch(/^(yes|no|unknown)$/)
    // A bug of ours has such a message.
    expect(error?.message ?? '').not.toMatch(/is not a function|Cannot (?:read|convert)|is not iterable|call stack/)
  })

  it('that is killed in the middle of its answer was interrupted', async () => {
    const { error, exitCode, finishReason, partialText } = await run({ prompt: 'die', updates: [SAID] })
    expect({ code: error?.code, exitCode, finishReason, partialText }).toEqual({
      code: 'interrupted',
      exitCode: null,
      finishReason: 'interrupted',
      partialText: 'Half',
    })
  })
})
