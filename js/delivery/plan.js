'use strict'
/** `planDelivery`: native code decides; here are Buffers and the caller's process. */
const { isUtf8 } = require('node:buffer')
const path = require('node:path')
const { types } = require('node:util')
const native = require('../../binding.js')
const { errorOf, invalidArgument } = require('../errors.js')
const { bufferOf } = require('./bytes.js')

/** @typedef {import('../../index.d.ts').DeliveryOptions} DeliveryOptions */

const { allocUnsafe } = Buffer
const { isSharedArrayBuffer, isUint8Array } = types

/**
 * The prompt as bytes. What is neither text nor bytes is refused later.
 * @param {unknown} prompt
 * @returns {unknown}
 */
const bytesOf = (prompt) => {
  if (typeof prompt === 'string') return Buffer.from(prompt)
  if (!isUint8Array(prompt)) return prompt
  const bytes = bufferOf(prompt)
  if (bytes === undefined || !isUtf8(bytes)) throw invalidArgument('output.prompt must be UTF-8')
  // Another thread could write to shared memory while native code reads it.
  if (isSharedArrayBuffer(bytes.buffer)) return Buffer.from(bytes)
  return Buffer.isBuffer(prompt) ? prompt : bytes
}

/**
 * A directory that means the same wherever the child runs.
 * @param {unknown} cwd
 * @param {unknown} platform
 */
const absolute = (cwd, platform) => {
  const { isAbsolute } = platform === 'win32' ? path.win32 : path.posix
  return typeof cwd === 'string' && !isAbsolute(cwd) ? path.resolve(cwd) : cwd
}

/**
 * @param {import('../../index.d.ts').AssemblerOutput | import('../../index.d.ts').AssemblerBufferOutput} output
 * @param {DeliveryOptions} options
 * @returns {import('../../index.d.ts').DeliveryPlan}
 */
const planDelivery = (output, options) => {
  if (typeof output !== 'object' || output === null) throw invalidArgument('output must be an object with a prompt')
  const prompt = bytesOf(output.prompt)
  const platform = options?.platform ?? process.platform
  try {
    const [json, disarmed] = native.planDelivery(prompt, output.systemFlag, options, absolute(options?.cwd, platform), platform, allocUnsafe)
    const { command, args, files, env, cwd, warnings, output: format } = JSON.parse(json)
    return {
      command,
      args,
      stdin: disarmed ?? /** @type {Buffer} */ (prompt),
      files: files.map((/** @type {{ name: string, content: string }} */ { name, content }) => ({ name, content: Buffer.from(content) })),
      env: Object.fromEntries(env.map((/** @type {[string, string | null]} */ [name, value]) => [name, value ?? undefined])),
      ...cwd === undefined ? {} : { cwd },
      warnings,
      output: format,
    }
  } catch (thrown) {
    throw errorOf(thrown)
  }
}

module.exports = { planDelivery }
