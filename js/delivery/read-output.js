'use strict'
/** Reads the output of a CLI, whole or as it comes. */
const { cliError, endOf } = require('./cli-errors.js')
const { formatOf } = require('./profiles/index.js')

/** @typedef {import('../../index.d.ts').ParsedOutput} ParsedOutput */

/**
 * @typedef {object} Outcome What is known when the output ends.
 * @property {string | undefined} [text] The answer, if the CLI has said that it is complete.
 * @property {string | undefined} [sessionId]
 * @property {import('../../index.d.ts').CliUsage | undefined} [usage]
 * @property {import('../../index.d.ts').CliError | undefined} [error]
 * @property {string} [reason] Why there is no answer, if it is no error to the CLI.
 * @typedef {object} Format Reads the events of one CLI, one after the other. They are in `formats/`.
 * @property {(event: Record<string, unknown>) => void} event
 * @property {() => Outcome} outcome
 */

const LINE_FEED = 0x0a

/** A line, or output that is one object, may have so many bytes. Of more there is no answer. */
const MAX_BYTES = 64 * 1024 * 1024

/** How much of the end of stdout is kept for errors. */
const MAX_LAST_BYTES = 4096

/**
 * What a line or a whole output says: the events in it.
 * @param {string} json
 * @returns {Record<string, unknown>[]}
 */
const eventsOf = (json) => {
  // Also without a byte order mark.
  const trimmed = json.trimStart()
  const start = trimmed[0]
  if (start !== '{' && start !== '[') return []
  try {
    const value = JSON.parse(trimmed)
    const values = Array.isArray(value) ? value : [value]
    return values.filter((event) => typeof event === 'object' && event !== null && !Array.isArray(event))
  } catch {
    return []
  }
}

/**
 * @param {Buffer[]} chunks
 * @returns {string}
 */
const textOf = (chunks) =>
  (chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)).toString()

/** Reads stdout chunk by chunk. */
class OutputReader {
  #format
  #onEvent
  /** @type {Buffer[]} The beginning of a line. */
  #line = []
  #lineBytes = 0
  /** @type {Buffer[]} All of it: the answer itself, or perhaps an object on many lines. */
  #whole = []
  #wholeBytes = 0
  #hasEvents = false
  /** @type {Buffer} */
  #last = Buffer.alloc(0)

  /**
   * @param {string} agentType Whose output it is.
   * @param {(event: Record<string, unknown>) => void} [onEvent]
   */
  constructor(agentType, onEvent) {
    this.#format = formatOf(agentType)
    this.#onEvent = onEvent
  }

  /** @param {Buffer} chunk */
  push(chunk) {
    this.#last = Buffer.concat([this.#last, chunk.subarray(-MAX_LAST_BYTES)]).subarray(-MAX_LAST_BYTES)
    if (!this.#hasEvents && this.#wholeBytes <= MAX_BYTES) {
      this.#whole.push(chunk)
      this.#wholeBytes += chunk.length
    }
    if (this.#format === undefined) return
    let start = 0
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      this.#append(chunk.subarray(start, end))
      this.#endLine()
      start = end + 1
    }
    this.#append(chunk.subarray(start))
  }

  /** The end of what was read. */
  lastOutput() {
    return this.#last.toString()
  }

  /** @param {Buffer} bytes */
  #append(bytes) {
    if (bytes.length === 0) return
    this.#lineBytes += bytes.length
    if (this.#lineBytes <= MAX_BYTES) this.#line.push(bytes)
  }

  #endLine() {
    if (this.#lineBytes === 0) return
    const events = this.#lineBytes > MAX_BYTES ? [] : eventsOf(textOf(this.#line))
    this.#line = []
    this.#lineBytes = 0
    // An object on many lines may have `{}` on one of them.
    for (const event of events) if (Object.keys(event).length > 0) this.#read(event)
  }

  /** @param {Record<string, unknown>} event */
  #read(event) {
    this.#hasEvents = true
    this.#whole = []
    this.#format?.event(event)
    this.#onEvent?.(event)
  }

  /**
   * What came of it.
   * @param {string} stderr
   * @param {number | null | undefined} exitCode
   * @returns {ParsedOutput}
   */
  finish(stderr, exitCode) {
    const format = this.#format
    if (format === undefined) return this.#finishText(stderr, exitCode)
    this.#endLine()
    if (!this.#hasEvents && this.#wholeBytes <= MAX_BYTES) {
      for (const event of eventsOf(textOf(this.#whole))) this.#read(event)
    }
    const { text, sessionId, usage, error, reason } = format.outcome()
    return withoutAbsent({
      text: error === undefined ? text : undefined,
      sessionId: error?.code === 'session-not-found' ? undefined : sessionId,
      usage,
      error: error ?? (text === undefined ? missingAnswer(stderr, exitCode, reason) : undefined),
    })
  }

  /**
   * @param {string} stderr
   * @param {number | null | undefined} exitCode
   */
  #finishText(stderr, exitCode) {
    const isWhole = this.#wholeBytes <= MAX_BYTES
    const text = isWhole ? withoutLineBreaks(textOf(this.#whole)) : ''
    const hasFailed = exitCode !== 0 && exitCode !== undefined
    const hasAnswer = text.trim() !== '' && !hasFailed
    const reason = isWhole ? undefined : 'the answer is too long'
    return withoutAbsent({
      text: hasAnswer ? text : undefined,
      error: hasAnswer ? undefined : missingAnswer(stderr.trim() === '' ? text : stderr, exitCode, reason),
    })
  }
}

/**
 * A text without line breaks at its end, as `$(…)` has it in a shell.
 * @param {string} text
 */
const withoutLineBreaks = (text) => {
  let end = text.length
  while (text[end - 1] === '\n' || text[end - 1] === '\r') end--
  return text.slice(0, end)
}

/**
 * Why there is no answer where the output does not say.
 * @param {string} stderr
 * @param {number | null | undefined} exitCode
 * @param {string} [reason]
 * @returns {import('../../index.d.ts').CliError}
 */
const missingAnswer = (stderr, exitCode, reason) => {
  if (exitCode === 0 || exitCode === undefined || reason !== undefined) {
    return { code: 'no-answer', message: reason ?? 'the CLI has ended before it has given an answer' }
  }
  const said = endOf(stderr)
  if (said !== '') return cliError(said)
  return {
    code: 'other',
    message: exitCode === null ? 'the CLI was ended by a signal' : `the CLI has ended with exit code ${exitCode}`,
  }
}

/**
 * @template {object} T
 * @param {T} fields
 * @returns {{ [K in keyof T]?: Exclude<T[K], undefined> }}
 */
const withoutAbsent = (fields) =>
  /** @type {any} */ (Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)))

module.exports = { OutputReader }
