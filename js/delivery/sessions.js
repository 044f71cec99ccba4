'use strict'
/** Sessions of CLIs that this process knows: which are in use, and what they have used. */
const { makeError } = require('../errors.js')

/** @typedef {import('../../index.d.ts').CliUsage} CliUsage */

/** @type {Set<string>} */
const inUse = new Set()

/** The tokens of sessions up to their last turn, those used last at the end. @type {Map<string, CliUsage>} */
const totals = new Map()

const MAX_TOTALS = 1000

/** @param {string} output @param {string} sessionId */
const keyOf = (output, sessionId) => `${output} ${sessionId}`

/** The sessions of one delivery: those that it resumes, begins or is told of. */
class SessionsInUse {
  #output
  /** @type {Set<string>} */
  #own = new Set()

  /** @param {string} output The format of the CLI's output. */
  constructor(output) {
    this.#output = output
  }

  /**
   * Takes the session that is to be resumed, or throws if another delivery has it.
   * @param {string} sessionId
   */
  resume(sessionId) {
    if (inUse.has(keyOf(this.#output, sessionId))) {
      const message = `the session ${sessionId} is in use: wait for its turn to end, because the CLI would lose one of two`
      throw makeError('Error', message, { code: 'ERR_BUSY', sessionId, delivered: 'no' })
    }
    this.add(sessionId)
  }

  /** @param {string} sessionId */
  add(sessionId) {
    const key = keyOf(this.#output, sessionId)
    if (inUse.has(key)) return
    inUse.add(key)
    this.#own.add(key)
  }

  release() {
    for (const key of this.#own) inUse.delete(key)
  }
}

/**
 * The usage of a turn, of a CLI that counts the whole session.
 * @param {string} output
 * @param {string | undefined} resumed The session that was resumed.
 * @param {string | undefined} sessionId
 * @param {CliUsage | undefined} usage Of the session.
 * @returns {CliUsage | undefined} Undefined if what was used before is not known.
 */
const usageOfTurn = (output, resumed, sessionId, usage) => {
  if (usage === undefined) return undefined
  const before = resumed === undefined ? {} : totals.get(keyOf(output, resumed))
  if (sessionId !== undefined) {
    const key = keyOf(output, sessionId)
    totals.delete(key)
    totals.set(key, usage)
    if (totals.size > MAX_TOTALS) totals.delete(/** @type {string} */ (totals.keys().next().value))
  }
  if (before === undefined) return undefined
  const turn = Object.entries(usage).map(([name, count]) => [
    name,
    count - (before[/** @type {keyof CliUsage} */ (name)] ?? 0),
  ])
  // It counts from the beginning again.
  return turn.some(([, count]) => Number(count) < 0) ? usage : Object.fromEntries(turn)
}

module.exports = { SessionsInUse, usageOfTurn }
