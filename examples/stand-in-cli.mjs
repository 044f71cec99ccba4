/**
 * Replaces an agent CLI that is not installed: it reads a prompt and writes an answer the way that CLI
 * would. `node stand-in-cli.mjs NAME [--resume ID]`
 */
import { text } from 'node:stream/consumers'

const [name = '', option, id] = process.argv.slice(2)
const session = option === '--resume' ? id : `${name}-session`
const prompt = await text(process.stdin)
// A fenced prompt also has such a line above the message.
const fenced = prompt.match(/^=== \w{12} from /gm)?.length ?? 0
const turns = fenced > 0 ? fenced - 1 : (prompt.match(/^- /gm)?.length ?? 0)
const answer = `This is ${name}. I see ${turns} earlier ${turns === 1 ? 'message' : 'messages'}${option === '--resume' ? ' in this session' : ''}.`

/** @type {Record<string, object[]>} */
const EVENTS = {
  claude: [{ type: 'result', is_error: false, num_turns: 1, session_id: session, result: answer }],
  codex: [
    { type: 'thread.started', thread_id: session },
    { type: 'item.completed', item: { type: 'agent_message', text: answer } },
    { type: 'turn.completed', usage: {} },
  ],
  gemini: [
    { type: 'init', session_id: session },
    { type: 'message', role: 'assistant', content: answer, delta: true },
    { type: 'result', status: 'success' },
  ],
}

const events = EVENTS[name]
console.log(events === undefined ? answer : events.map((event) => JSON.stringify(event)).join('\n'))
