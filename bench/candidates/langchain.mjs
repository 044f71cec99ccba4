/**
 * `trimMessages` of @langchain/core, counting bytes. The counter caches the size of each message,
 * because it is called for the same ones repeatedly.
 */
import { HumanMessage, trimMessages } from '@langchain/core/messages'
import { frame, messageLine, skip } from './peer.mjs'

const LINE_BREAK_BYTES = 1

function countBytes(messages) {
  let total = -LINE_BREAK_BYTES
  for (const message of messages) {
    message.bytes ??= Buffer.byteLength(message.content)
    total += message.bytes + LINE_BREAK_BYTES
  }
  return total
}

export const langchain = {
  name: 'langchain trimMessages',
  skip,
  start(fixed) {
    const messages = []
    let current
    const prompt = async () => {
      const { before, after, room } = frame({ ...fixed, currentMessage: current.content })
      const options = { maxTokens: room, tokenCounter: countBytes, strategy: /** @type {const} */ ('last') }
      const kept = await trimMessages(messages, options)
      return [before, kept.map(({ content }) => content).join('\n'), after].join('')
    }
    return {
      add(message) {
        if (current) messages.push(new HumanMessage(messageLine(current)))
        current = message
      },
      bytes: async () => Buffer.from(await prompt()),
    }
  },
}
