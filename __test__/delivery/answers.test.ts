/** What is the answer of a turn, why there is none, and what an agent plans. */
import { performance } from 'node:perf_hooks'
import { type CliError, type DeliveryEvent, type ParsedOutput, parseOutput, textOf } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { OutputReader } from '../../dist/delivery/read-output.js'
import { thrownBy } from '../support/assemblers.js'

const lines = (...events: object[]): string => events.map((event) => `${JSON.stringify(event)}\n`).join('')

const parse = (cli: string, ...events: object[]): ParsedOutput =>
  parseOutput(cli, { stdout: lines(...events), exitCode: 0 })

const plansOf = (cli: string, ...events: object[]): unknown[] => {
  const plans: unknown[] = []
  const onEvent = (event: DeliveryEvent): void => {
    if (event.type === 'plan') plans.push(event.steps)
  }
  new OutputReader(cli, { onEvent }).push(Buffer.from(lines(...events)))
  return plans
}

const item = (type: string, fields: object) => ({ type: 'item.completed', item: { id: type, type, ...fields } })
const said = item('agent_message', { text: 'Let me look.' })
const ran = item('command_execution', { command: 'ls', aggregated_output: '', status: 'completed' })
const todo = item('todo_list', {
  items: [
    { text: 'Look', completed: true },
    { text: 'Fix', completed: false },
  ],
})

describe('what was said before a tool', () => {
  it('is no answer of Codex, but what was said before its plan is', () => {
    const begun = { type: 'thread.started', thread_id: 't' }
    const done = { type: 'turn.completed', usage: {} }
    expect(parse('codex', begun, said, ran, done)).toMatchObject({ error: { code: 'no-answer' } })
    expect(parse('codex', begun, said, ran, done)).not.toHaveProperty('text')
    expect(parse('codex', begun, ran, said, todo, done)).toMatchObject({ text: 'Let me look.' })
  })

  it('is no answer of Copilot, except that of a sub-agent', () => {
    const message = { type: 'assistant.message', data: { content: 'Let me look.' } }
    const call = (data: object) => ({
      type: 'tool.execution_start',
      data: { toolCallId: 'c', toolName: 'bash', ...data },
    })
    const done = { type: 'result', sessionId: 's', exitCode: 0 }
    expect(parse('copilot', message, call({}), done)).toMatchObject({ error: { code: 'no-answer' } })
    expect(parse('copilot', message, call({}), message, done)).toMatchObject({ text: 'Let me look.' })
    expect(parse('copilot', message, call({ parentToolCallId: 'p' }), done)).toMatchObject({ text: 'Let me look.' })
  })
})

describe('an answer that was cut off', () => {
  const reasons = [
    'API Error: Connection error.',
    '[API Error: terminated]',
    'read ECONNRESET',
    'the server is on fire',
  ]
  const half = 'Half an ans'
  const ends: Record<string, (message: string) => object[]> = {
    claude: (message) => [
      { type: 'assistant', message: { content: [{ type: 'text', text: half }] } },
      { type: 'result', is_error: true, num_turns: 1, result: message },
    ],
    qwen: (message) => [
      { type: 'assistant', message: { content: [{ type: 'text', text: half + message }] } },
      { type: 'result', is_error: true, num_turns: 1, error: { message } },
    ],
    gemini: (message) => [
      { type: 'message', role: 'assistant', content: half, delta: true },
      { type: 'result', status: 'error', error: { message } },
    ],
    codex: (message) => [item('agent_message', { text: half }), { type: 'turn.failed', error: { message } }],
    copilot: (message) => [
      { type: 'assistant.message_delta', data: { deltaContent: half } },
      { type: 'session.error', data: { message } },
      { type: 'result', exitCode: 1 },
    ],
    opencode: (message) => [
      { type: 'text', sessionID: 's', part: { text: half } },
      { type: 'error', error: { name: 'APIError', data: { message } } },
    ],
  }

  it.each(Object.keys(ends))('of %s is interrupted, whatever the reason', (cli) => {
    for (const reason of reasons) {
      const result = parse(cli, ...(ends[cli]?.(reason) ?? []))
      expect(result).toMatchObject({ error: { code: 'interrupted' }, finishReason: 'interrupted', partialText: half })
    }
    // What the error is matters more.
    expect(parse(cli, ...(ends[cli]?.('429 rate limit') ?? []))).toMatchObject({ error: { code: 'rate-limit' } })
  })

  it('is told from a request that has failed at once', () => {
    const failed = (message: string) =>
      parse('claude', { type: 'result', is_error: true, num_turns: 1, result: message })
    expect(failed('the server is on fire').error?.code).toBe('other')
    expect(failed('Connection closed mid-response').error?.code).toBe('interrupted')
  })
})

it('says why a turn of ACP ended if that is no text', () => {
  const { error } = parse('acp', { type: 'stop', stopReason: { toString: 1 } })
  expect(error).toEqual({ code: 'interrupted', message: 'the turn ended with no reason' })
})

describe('a plan', () => {
  const steps = [
    { text: 'Look', status: 'completed' },
    { text: 'Fix', status: 'in-progress' },
    { text: 'Test', status: 'pending' },
  ]
  const given = steps.map(({ text, status }) => ({ content: text, status: status.replace('-', '_') }))
  const use = (name: string, input: object) => ({
    type: 'assistant',
    message: { content: [{ type: 'tool_use', id: 't', name, input }] },
  })

  it('is an event, whatever the CLI calls it', () => {
    expect(plansOf('claude', use('TodoWrite', { todos: given }))).toEqual([steps])
    expect(plansOf('qwen', use('todo_write', { todos: given }))).toEqual([steps])
    const part = { tool: 'todowrite', callID: 'c', state: { input: { todos: given } } }
    expect(plansOf('opencode', { type: 'tool_use', sessionID: 's', part })).toEqual([steps])
    const described = given.map(({ content: description, status }) => ({ description, status }))
    const parameters = { todos: described }
    expect(plansOf('gemini', { type: 'tool_use', tool_id: 't', tool_name: 'write_todos', parameters })).toEqual([steps])
    expect(plansOf('acp', { type: 'update', update: { sessionUpdate: 'plan', entries: given } })).toEqual([steps])
    expect(plansOf('codex', todo)).toEqual([[steps[0], { text: 'Fix', status: 'pending' }]])
  })

  it('is not reported if the list of steps is invalid', () => {
    const nonsense = [use('TodoWrite', { todos: 'x' }), use('TodoWrite', {}), use('Todo', { todos: given })]
    expect(plansOf('claude', ...nonsense)).toEqual([])
    expect(plansOf('claude', use('TodoWrite', { todos: [null, 7, { content: {} }] }))).toEqual([[]])
    expect(plansOf('acp', { type: 'update', update: { sessionUpdate: 'plan', entries: { length: 2 } } })).toEqual([])
  })
})

describe('many results', () => {
  it('take time that grows with their number', () => {
    const output = (count: number): string =>
      lines(
        ...Array.from({ length: count }, (_, index) => ({
          type: 'result',
          num_turns: 1,
          result: 'x',
          usage: { input_tokens: 1, output_tokens: 1 },
          permission_denials: [{ tool_name: 'Bash', tool_use_id: `t${index}` }],
        })),
      )
    const time = (count: number): number => {
      const stdout = output(count)
      const begun = performance.now()
      const { text, usage, denials } = parseOutput('claude', { stdout, exitCode: 0 })
      expect([text?.length, usage?.inputTokens, denials?.length]).toEqual([count * 3 - 2, count, count])
      return performance.now() - begun
    }
    // Others use the machine, too.
    const best = (count: number): number => Math.min(...Array.from({ length: 3 }, () => time(count)))
    // Eight times as many took sixty times as long.
    expect(best(16_000)).toBeLessThan(30 * Math.max(20, best(2000)))
  })
})

describe('textOf', () => {
  it('returns the answer, or throws what the CLI reports, with its code', () => {
    expect(textOf({ text: 'Done.', finishReason: 'stop', delivered: 'yes' })).toBe('Done.')
    const error: CliError = { code: 'rate-limit', message: '429', retryAfterMs: 1000 }
    const failed = { error, finishReason: 'other', delivered: 'unknown', sessionId: 's', partialText: 'Do' } as const
    expect(thrownBy(() => textOf(failed))).toMatchObject({
      code: 'ERR_CLI_FAILED',
      message: '429',
      reason: 'rate-limit',
      retryAfterMs: 1000,
      delivered: 'unknown',
      sessionId: 's',
      partialText: 'Do',
    })
    expect(thrownBy(() => textOf(null as never)).code).toBe('ERR_INVALID_ARG_TYPE')
  })
})
