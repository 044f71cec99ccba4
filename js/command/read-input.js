'use strict'
/** Reads a JSON file, or stdin. */
const { sizeOf: sizeText } = require('../explain/page/words.js')
const { UsageError } = require('./command.js')
const { parseJson } = require('./json.js')

/** From this size on, parsing takes noticeable time. */
const LARGE_BYTES = 32 * 1024 * 1024

/**
 * The bytes of a file or of stdin.
 * @param {string} file
 * @param {Pick<import('./command.js').Call, 'surroundings' | 'progress'>} call
 */
const readBytes = async (file, { surroundings, progress }) => {
  const name = nameOf(file)
  const whole = surroundings.sizeOf(file)
  /** @type {Uint8Array[]} */
  const chunks = []
  let bytes = 0
  try {
    progress.say(`reading ${name}`)
    for await (const chunk of surroundings.open(file)) {
      chunks.push(chunk)
      bytes += chunk.length
      progress.say(`reading ${name}: ${sizeText(bytes)}${whole === undefined ? '' : ` of ${sizeText(whole)}`}`)
    }
  } catch (error) {
    throw new UsageError(`${name} cannot be read: ${/** @type {Error} */ (error).message}`)
  }
  return Buffer.concat(chunks)
}

/** @param {string} file */
const nameOf = (file) => (file === '-' ? 'stdin' : file)

/**
 * A text from a file or stdin.
 * @param {string} file
 * @param {Pick<import('./command.js').Call, 'surroundings' | 'progress'>} call
 */
const readText = async (file, call) => decoded(await readBytes(file, call), nameOf(file))

/**
 * A JSON value from a file or stdin.
 * @param {string} file
 * @param {Pick<import('./command.js').Call, 'surroundings' | 'progress'>} call
 * @returns {Promise<any>}
 */
const readJson = async (file, call) => {
  const bytes = await readBytes(file, call)
  if (bytes.length >= LARGE_BYTES) call.progress.sayAtOnce(`parsing ${sizeText(bytes.length)} of JSON`)
  const parsed = parseJson(decoded(bytes, nameOf(file)))
  if ('value' in parsed) return parsed.value
  const { line, column, problem } = parsed.mistake
  throw new UsageError(`${nameOf(file)}:${line}:${column}: this is not JSON: ${problem}`)
}

/** @param {Uint8Array} bytes @param {string} name */
const decoded = (bytes, name) => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new UsageError(`${name} is not UTF-8`)
  }
}

module.exports = { LARGE_BYTES, readBytes, readJson, readText }
