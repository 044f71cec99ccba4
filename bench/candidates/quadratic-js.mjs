/**
 * The usual way to trim: assemble, measure, drop the oldest message, repeat. Each round builds the
 * whole prompt again.
 */
import { messageLine, shorten } from './linear-js.mjs'
import { statelessConversation } from './stateless.mjs'

export const quadraticJs = {
  name: 'quadratic JS',
  skip: (workload) => {
    if (workload.session) return 'one session takes it ten minutes'
    if (workload.id === 'huge') return 'it assembles 20 MB once for each message that it drops'
    if (workload.count > 1000) return 'one prompt takes it more than twenty seconds'
    return undefined
  },
  start: (fixed) => statelessConversation(fixed, { bytes: (input) => Buffer.from(assemble(input)) }),
}

/** @param {import('./stateless.mjs').Input} input */
function assemble({ contextMessages, currentMessage, teamTask, systemInstruction, maxBytes }) {
  const context = [...contextMessages]
  let message = currentMessage.trim()
  const build = () =>
    [
      systemInstruction.trim() && `[SYSTEM]\n${systemInstruction.trim()}`,
      teamTask.trim() && `[TEAM_TASK]\n${teamTask.trim()}`,
      context.length > 0 && `[CONTEXT]\n${context.map(messageLine).join('\n')}`,
      message && `[MESSAGE]\n${message}`,
    ]
      .filter(Boolean)
      .join('\n\n')

  let prompt = build()
  while (Buffer.byteLength(prompt) > maxBytes && context.length > 0) {
    context.shift()
    prompt = build()
  }
  const over = Buffer.byteLength(prompt) - maxBytes
  if (over > 0) {
    message = shorten(message, Buffer.byteLength(message) - over)
    prompt = build()
  }
  return prompt
}
