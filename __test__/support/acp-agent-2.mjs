// @ts-nocheck
/* oxlint-disable no-await-in-loop -- steps come one after the other */
/**
 * An agent that speaks version 2 of the Agent Client Protocol, for tests. What it does is in the
 * prompt: each line is a step.
 */
import { Readable, Writable } from 'node:stream'
import * as acp from '@agentclientprotocol/sdk/experimental/v2/unstable'

/** What was said in each session, for `resume`. */
const said = new Map()
const cancelled = new Map()
let sessions = 0

const text = (value) => ({ type: 'text', text: value })

const steps = {
  'say-as': (session, messageId, ...words) =>
    session.update({ sessionUpdate: 'agent_message_chunk', messageId, content: text(words.join(' ')) }),
  /** The message as a whole, whatever came of it before. */
  'whole-as': (session, messageId, ...words) =>
    session.update({ sessionUpdate: 'agent_message', messageId, content: [text(words.join(' '))] }),
  think: (session, word) =>
    session.update({ sessionUpdate: 'agent_thought_chunk', messageId: 'thought', content: text(word) }),
  tool: async (session, kind, status = 'completed') => {
    const toolCallId = `call-${kind}`
    const call = { sessionUpdate: 'tool_call_update', toolCallId }
    await session.update({ ...call, name: `tool-${kind}`, kind, status: 'pending', rawInput: { kind } })
    const { outcome } = await session.ask({ type: 'tool_call', toolCall: { toolCallId } })
    const content = { type: 'content', content: text(`chosen: ${outcome.optionId}`) }
    await session.update({ sessionUpdate: 'tool_call_content_chunk', toolCallId, content })
    await session.update({ ...call, status })
  },
  command: async (session, command) => {
    const { outcome } = await session.ask({ type: 'command', command, cwd: '/' })
    return steps['say-as'](session, 'm', `chosen: ${outcome.optionId}`)
  },
  busy: (session) => session.state({ state: 'running' }),
  /** It repeats the outcome of the last turn. */
  idle: (session, stopReason) => session.state({ state: 'idle', stopReason }),
  take: (session) => session.acknowledge(),
  reject: (session) => session.reject(),
  wait: (session) => new Promise((resolve) => cancelled.set(session.id, resolve)),
  crash: () => process.exit(3),
  end: (session, stopReason) => session.state({ state: 'idle', ...(stopReason && { stopReason }) }),
  'end-used': (session) => {
    const usage = { inputTokens: 10, cachedReadTokens: 5, outputTokens: 3, totalTokens: 18 }
    return session.state({ state: 'idle', stopReason: 'end_turn', usage })
  },
  fail: (session, ...words) =>
    session.state({ state: 'idle', stopReason: 'error', error: { code: -32_603, message: words.join(' ') } }),
  recall: (session) => steps['say-as'](session, 'm', said.get(session.id).join('|')),
}

const prompt = ({ params, client }) =>
  new Promise((resolve, refuse) => {
    const { sessionId, prompt: blocks } = params
    const update = (value) => client.notify('session/update', { sessionId, update: value })
    const options = [
      { optionId: 'no', name: 'No', kind: 'reject_once' },
      { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
    ]
    const session = {
      id: sessionId,
      update,
      state: (state) => update({ sessionUpdate: 'state_update', ...state }),
      ask: (subject) => client.request('session/request_permission', { sessionId, title: 'May I?', subject, options }),
      acknowledge: () => resolve({ messageId: 'user-1' }),
      reject: () => refuse(new acp.RequestError(-32_603, 'rate limit reached')),
    }
    const lines = blocks
      .map((block) => block.text)
      .join('')
      .split('\n')
    said.set(sessionId, [...(said.get(sessionId) ?? []), lines.join('\n')])
    const run = async () => {
      for (const line of lines) {
        const [step, ...rest] = line.split(' ')
        await steps[step]?.(session, ...rest)
      }
    }
    run().catch(refuse)
  })

const configOptions = [
  {
    configId: 'm',
    name: 'Model',
    category: 'model',
    type: 'select',
    currentValue: 'small',
    options: [
      { value: 'small', name: 'Small' },
      { value: 'large', name: 'Large' },
    ],
  },
]

acp
  .agent({ name: 'test' })
  .onRequest('initialize', () => ({
    protocolVersion: acp.PROTOCOL_VERSION,
    info: { name: 'test', version: '1' },
    capabilities: process.argv.includes('--forgets') ? {} : { session: {} },
  }))
  .onRequest('session/new', () => ({ sessionId: `session-${++sessions}`, configOptions }))
  .onRequest('session/set_config_option', ({ params }) => {
    said.set(params.sessionId, [`model=${params.value}`])
    return { configOptions }
  })
  .onRequest('session/resume', async ({ params, client }) => {
    const { sessionId } = params
    if (sessionId !== 'old') throw new acp.RequestError(-32_002, 'no such thing')
    const update = { sessionUpdate: 'state_update', state: 'idle', stopReason: 'end_turn' }
    await client.notify('session/update', { sessionId, update })
    said.set(sessionId, ['old prompt'])
    return {}
  })
  .onRequest('session/prompt', prompt)
  .onNotification('session/cancel', ({ params }) => cancelled.get(params.sessionId)?.())
  .connect(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)))
