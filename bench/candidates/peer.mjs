/**
 * Peers only choose which messages stay. The text around them is the same for all, so this module
 * builds the prompt from their choice. Their budget is what is left for the conversation.
 */
import { messageLine } from './linear-js.mjs'

const CONTEXT_TITLE = '[CONTEXT]\n'

/** The text before and after the conversation, and how many bytes are left for it. */
export function frame({ currentMessage, teamTask, systemInstruction, maxBytes }) {
  const before = `[SYSTEM]\n${systemInstruction.trim()}\n\n[TEAM_TASK]\n${teamTask.trim()}\n\n${CONTEXT_TITLE}`
  const after = `\n\n[MESSAGE]\n${currentMessage.trim()}`
  return { before, after, room: maxBytes - Buffer.byteLength(before) - Buffer.byteLength(after) }
}

/** Why peers skip a workload, or undefined. Both scan all messages again for each one that they drop. */
export function skip(workload) {
  if (workload.id === 'huge') return 'it drops messages, and has no way to cut one'
  if (workload.session) return 'one session takes it more than ten seconds'
  if (workload.count > 5000) return 'one prompt takes it more than ten seconds'
  return undefined
}

export { messageLine }
