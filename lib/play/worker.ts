/** Makes prompts in a separate thread, so that the server always responds and can stop at once. */
import { parentPort } from 'node:worker_threads'
import { isObject } from '../checks/kinds.js'
import { messageOf } from '../thrown.js'
import { answer } from './answer.js'

const areTexts = (value: unknown): value is { [name: string]: string } =>
  isObject(value) && !Array.isArray(value) && Object.values(value).every((text) => typeof text === 'string')

/** The content of a request, which can be anything. */
const answerTo = (body: string) => {
  try {
    const { conversation, choices } = (JSON.parse(body) ?? {}) as { [field: string]: unknown }
    if (typeof conversation === 'string' && areTexts(choices)) return answer(conversation, choices)
    return { problem: { code: 'ERR_REQUEST', message: 'a request has a conversation, which is a text, and choices' } }
  } catch (error) {
    return { problem: { code: 'ERR_REQUEST', message: messageOf(error) } }
  }
}

parentPort?.on('message', (body: Uint8Array) => {
  const encoded = new TextEncoder().encode(JSON.stringify(answerTo(new TextDecoder().decode(body))))
  parentPort?.postMessage(encoded, [encoded.buffer])
})
