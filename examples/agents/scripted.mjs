/**
 * A program that replaces an agent CLI, so that examples run anywhere: it reads a prompt from stdin and
 * writes the events of a short turn like Claude Code.
 */
import { setTimeout as wait } from 'node:timers/promises'

let prompt = ''
for await (const chunk of process.stdin) prompt += chunk

const PAUSE_MS = Number(process.argv[2] ?? 5)
const session_id = '7f1c7f6e-3d0a-4c37-9a3f-1f6d0f0a2b11'

const write = async (/** @type {object} */ event) => {
  process.stdout.write(`${JSON.stringify({ ...event, session_id })}\n`)
  await wait(PAUSE_MS)
}
const message = (/** @type {object[]} */ ...content) => ({
  type: 'assistant',
  message: { content },
  parent_tool_use_id: null,
})

/** Sends a text in pieces, and then as a whole. */
const say = async (/** @type {string} */ text) => {
  for (const piece of text.match(/\S+\s*/g) ?? []) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await write({
      type: 'stream_event',
      event: { type: 'content_block_delta', delta: { type: 'text_delta', text: piece } },
    })
  }
  await write(message({ type: 'text', text }))
}

await write({ type: 'system', subtype: 'init', model: 'scripted' })
await say('Let me run it.')
await write(message({ type: 'tool_use', id: 'call-1', name: 'Bash', input: { command: 'npm test' } }))
await write({
  type: 'user',
  message: {
    content: [{ type: 'tool_result', tool_use_id: 'call-1', content: '1 failed: expected 2, got 3', is_error: true }],
  },
})
const answer = 'The counter starts at one.'
await say(answer)
const usage = { input_tokens: prompt.length, output_tokens: 21 }
await write({ type: 'result', subtype: 'success', is_error: false, num_turns: 2, result: answer, usage })
