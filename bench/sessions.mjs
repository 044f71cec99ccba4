/**
 * The bytes that a coordinator sends to CLIs that resume their own sessions: whole prompts against
 * `session: 'delta'`. There are 200 turns of three members in rotation. Each answers with 800
 * characters, and every tenth message is from a human. Each member's instructions and instruction
 * file have 4 KB in total. Every prompt is confirmed.
 *
 *     node bench/sessions.mjs
 *
 * Nothing is timed, so the figures are the same on every machine.
 */
import { pathToFileURL } from 'node:url'
import { ContextManager } from '../index.js'
import { times } from './figures.mjs'
import { texts } from './text.mjs'

const TURNS = 200
const MEMBERS = [
  ['max', 'claude-code'],
  ['sarah', 'openai-codex'],
  ['lee', 'google-gemini'],
]
/** The default, and larger ones. */
export const WINDOWS = [5, 20, 50]

/** The bytes of all prompts and flags of a conversation, in one mode. */
const bytesSent = (contextWindowSize, session) => {
  const next = texts('ascii')
  const manager = new ContextManager({ contextWindowSize })
  manager.setTeamTask(next(300))
  const options = Object.fromEntries(
    MEMBERS.map(([id]) => [id, { systemInstruction: next(1000), instructionFileText: next(3000), session }]),
  )
  manager.addMessage({ speaker: { id: 'kailai', type: 'human' }, content: next(400) })
  let bytes = 0
  for (let turn = 0; turn < TURNS; turn++) {
    const [id, agentType] = MEMBERS[turn % MEMBERS.length]
    const { prompt, systemFlag = '' } = manager.assembleForAgent(id, agentType, options[id], { as: 'buffer' })
    bytes += prompt.length + Buffer.byteLength(systemFlag)
    manager.confirm(id)
    manager.addMessage({ speaker: { id, type: 'ai' }, content: next(800) })
    if (turn % 10 === 9) manager.addMessage({ speaker: { id: 'kailai', type: 'human' }, content: next(400) })
  }
  return bytes
}

/** The bytes of whole prompts and of deltas with a window, and their ratio. */
export const measure = (window) => {
  const [whole, delta] = [bytesSent(window, undefined), bytesSent(window, 'delta')]
  return { window, whole, delta, ratio: times(whole / delta) }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  console.log(`${TURNS} turns, ${MEMBERS.length} members, bytes sent:`)
  console.table(WINDOWS.map(measure))
}
