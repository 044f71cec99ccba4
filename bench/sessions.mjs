/**
 * How many bytes a coordinator sends to CLIs that resume their own sessions: whole prompts against
 * `session: 'delta'`. 200 turns and three members, who take turns; each answers with 800 characters,
 * and every tenth message is a human's. Each member has instructions and an instruction file of
 * 4 KB together. Every prompt is confirmed.
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
/** The default, and more. */
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

/** What whole prompts and deltas take with a window, and how many times less that is. */
export const measure = (window) => {
  const [whole, delta] = [bytesSent(window, undefined), bytesSent(window, 'delta')]
  return { window, whole, delta, ratio: times(whole / delta) }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  console.log(`${TURNS} turns, ${MEMBERS.length} members, bytes sent:`)
  console.table(WINDOWS.map(measure))
}
