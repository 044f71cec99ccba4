// @ts-nocheck
/* oxlint-disable no-await-in-loop -- steps come one after the other */
/**
 * An agent that speaks the Agent Client Protocol, for tests. What it does is in the prompt: each
 * line is a step.
 */
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { Readable, Writable } from 'node:stream'
import * as acp from '@agentclientprotocol/sdk'

/** What was said in each session, for `resume`. */
const said = new Map()
const cancelled = new Map()
let sessions = 0

const steps = {
  say: (session, text) => session.update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } }),
  think: (session, text) => session.update({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text } }),
  'say-as': (session, rest) => {
    const [messageId, text] = rest.split(' ', 2)
    return session.update({ sessionUpdate: 'agent_message_chunk', messageId, content: { type: 'text', text } })
  },
  tool: async (session, kind) => {
    const toolCallId = `call-${kind}`
    await session.update({ sessionUpdate: 'tool_call', toolCallId, title: `tool ${kind}`, kind, status: 'pending' })
    const { outcome } = await session.ask({
      // Like some agents, it does not say again what the tool does.
      toolCall: { toolCallId, title: `tool ${kind}`, rawInput: { kind } },
      options: [
        { optionId: 'no', name: 'No', kind: 'reject_once' },
        { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
        { optionId: 'always', name: 'Always', kind: 'allow_always' },
      ],
    })
    const status = outcome.optionId === 'yes' ? 'completed' : 'failed'
    await session.update({
      sessionUpdate: 'tool_call_update',
      toolCallId,
      status,
      rawInput: { kind },
      rawOutput: `chosen: ${outcome.optionId ?? outcome.outcome}`,
    })
  },
  cost: (session, amount) =>
    session.update({
      sessionUpdate: 'usage_update',
      used: 1,
      size: 2,
      cost: { amount: Number(amount), currency: 'USD' },
    }),
  /** A process in a session of its own, which outlives a signal to the group. Its id is in the file. */
  start: (_session, file) => {
    const tool = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' })
    tool.unref()
    writeFileSync(file, String(tool.pid))
  },
  wait: async (session) => {
    await new Promise((resolve) => cancelled.set(session.id, resolve))
    return 'cancelled'
  },
  'ignore-cancel': () => new Promise(() => setInterval(() => {}, 1000)),
  crash: () => process.exit(3),
  fail: (_session, message) => {
    throw new acp.RequestError(-32603, message)
  },
  'log-in': () => {
    throw acp.RequestError.authRequired()
  },
  stop: (_session, reason) => reason,
  recall: (session) => steps.say(session, (said.get(session.id) ?? []).join('|')),
}

const prompt = async ({ params, client }) => {
  const { sessionId, prompt: blocks } = params
  const session = {
    id: sessionId,
    update: (update) => client.notify('session/update', { sessionId, update }),
    ask: (question) => client.request('session/request_permission', { sessionId, ...question }),
  }
  const text = blocks.map((block) => block.text).join('')
  said.set(sessionId, [...(said.get(sessionId) ?? []), text])
  for (const line of text.split('\n')) {
    const [, step, rest = ''] = /^(\S+) ?(.*)$/.exec(line) ?? []
    if (steps[step] === undefined) await steps.say(session, line)
    else {
      const stopReason = await steps[step](session, rest)
      if (typeof stopReason === 'string') return { stopReason }
    }
  }
  const usage = { inputTokens: 10, cachedReadTokens: 5, outputTokens: 3, totalTokens: 18 }
  return { stopReason: 'end_turn', usage }
}

acp
  .agent({ name: 'test' })
  .onRequest('initialize', () => ({
    protocolVersion: acp.PROTOCOL_VERSION,
    agentCapabilities: process.argv.includes('--forgets') ? {} : { loadSession: true },
  }))
  .onRequest('session/new', ({ params }) => {
    if (params.cwd.includes('no-login')) throw acp.RequestError.authRequired()
    return {
      sessionId: `session-${++sessions}`,
      configOptions: [
        {
          id: 'm',
          name: 'Model',
          category: 'model',
          type: 'select',
          currentValue: 'small',
          options: [
            { value: 'small', name: 'Small' },
            { value: 'large', name: 'Large' },
          ],
        },
      ],
    }
  })
  .onRequest('session/set_config_option', ({ params }) => {
    said.set(params.sessionId, [`model=${params.value}`])
    return { configOptions: [] }
  })
  .onRequest('session/load', async ({ params, client }) => {
    const { sessionId } = params
    if (sessionId !== 'old') throw new acp.RequestError(-32602, `session not found: ${sessionId}`)
    const content = { type: 'text', text: 'OLD ANSWER' }
    await client.notify('session/update', { sessionId, update: { sessionUpdate: 'agent_message_chunk', content } })
    said.set(sessionId, ['old prompt'])
    return {}
  })
  .onRequest('session/prompt', prompt)
  .onNotification('session/cancel', ({ params }) => cancelled.get(params.sessionId)?.())
  .connect(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)))
