/**
 * A careful first version: measure the messages newest first, stop when the budget is full, join
 * once.
 */
import { boundaryPlainly, omissionLine, roomAround } from './cut.mjs'
import { statelessConversation } from './stateless.mjs'

export const linearJs = {
  name: 'linear JS',
  start: (fixed) =>
    statelessConversation(fixed, {
      string: assemble,
      bytes: (input) => Buffer.from(assemble(input)),
    }),
}

export const messageLine = ({ from, to, content }) => `- ${from} -> ${to || 'all'}: ${content}`

/** @param {import('./stateless.mjs').Input} input */
function assemble({ contextMessages, currentMessage, teamTask, systemInstruction, maxBytes }) {
  const system = systemInstruction.trim()
  const task = teamTask.trim()
  let message = currentMessage.trim()
  const parts = (context) =>
    [
      system && `[SYSTEM]\n${system}`,
      task && `[TEAM_TASK]\n${task}`,
      context && `[CONTEXT]\n${context}`,
      message && `[MESSAGE]\n${message}`,
    ].filter(Boolean)

  const others = parts('')
  const used = others.reduce((sum, part) => sum + Buffer.byteLength(part), 0) + 2 * Math.max(0, others.length - 1)

  const lines = []
  let room = maxBytes - used - '[CONTEXT]\n'.length - (others.length > 0 ? 2 : 0)
  for (let index = contextMessages.length - 1; index >= 0 && room >= 0; index--) {
    const line = messageLine(contextMessages[index])
    const bytes = Buffer.byteLength(line)
    if (bytes > room) break
    lines.push(line)
    room -= bytes + 1
  }

  if (used > maxBytes) message = shorten(message, Buffer.byteLength(message) - (used - maxBytes))
  return parts(lines.toReversed().join('\n')).join('\n\n')
}

const isInsideCharacter = (byte) => (byte & 0xc0) === 0x80

/** Head, omission line and tail in at most `maxBytes`, cut between graphemes. */
export function shorten(text, maxBytes) {
  const bytes = Buffer.from(text)
  if (bytes.length <= maxBytes) return text
  const head = (limit) => {
    let end = Math.max(limit, 0)
    while (end > 0 && isInsideCharacter(bytes[end])) end--
    return text.slice(0, boundaryPlainly(text, bytes.subarray(0, end).toString().length, false))
  }
  const tail = (limit) => {
    let start = bytes.length - limit
    while (start < bytes.length && isInsideCharacter(bytes[start])) start++
    return text.slice(boundaryPlainly(text, text.length - bytes.subarray(start).toString().length, true))
  }
  const around = roomAround(bytes.length, maxBytes)
  const start = head(around > 0 ? Math.ceil(around / 2) : maxBytes)
  const end = around > 0 ? tail(around - Buffer.byteLength(start)) : ''
  if (start === '' && around === 0) throw new RangeError('The current message does not fit')
  if (start === '' || end === '') return head(maxBytes)
  return start + omissionLine(bytes.length - Buffer.byteLength(start) - Buffer.byteLength(end)) + end
}
