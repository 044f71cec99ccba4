'use strict'
/** Makes prompts in a separate thread, so that the server always responds and can stop at once. */
const { parentPort } = require('node:worker_threads')
const { answer } = require('./answer.js')

/** @param {unknown} value */
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The content of a request, which can be anything. @param {string} body */
const answerTo = (body) => {
  const { conversation, choices } = /** @type {any} */ (JSON.parse(body)) ?? {}
  const areTexts = isObject(choices) && Object.values(choices).every((choice) => typeof choice === 'string')
  if (typeof conversation !== 'string' || !areTexts)
    return { problem: { code: 'ERR_REQUEST', message: 'a request has a conversation, which is a text, and choices' } }
  return answer(conversation, choices)
}

parentPort?.on('message', (/** @type {Uint8Array} */ body) => {
  let result
  try {
    result = answerTo(new TextDecoder().decode(body))
  } catch (error) {
    result = { problem: { code: 'ERR_REQUEST', message: String(/** @type {Error} */ (error)?.message ?? error) } }
  }
  const encoded = new TextEncoder().encode(JSON.stringify(result))
  parentPort?.postMessage(encoded, [encoded.buffer])
})
