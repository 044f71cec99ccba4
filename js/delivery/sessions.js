'use strict'
/** The CLI sessions that this process knows: which are in use, and how many tokens they have used. */
const native = require('../../binding.js')
const { makeError } = require('../errors.js')

/** @typedef {import('../../index.d.ts').CliUsage} CliUsage */

/** The tokens of sessions up to their last turn, those used last at the end. @type {Map<string, CliUsage>} */
const totals = new Map()

const MAX_TOTALS = 1000

/** @param {string} output @param {string} sessionId */
const keyOf = (output, sessionId) => `${output} ${sessionId}`

/**
 * The sessions of one delivery: those it resumes, starts or learns about. Native code lists them,
 * because it knows those of all threads, including terminated workers.
 */
class SessionsInUse {
  #output
  /** The numbers of this thread, by session. @type {Map<string, number>} */
  #own = new Map()

  /** @param {string} output The format of the CLI's output. */
  constructor(output) {
    this.#output = output
  }

  /**
   * Takes the session to resume, or throws if another delivery has it.
   * @param {string} sessionId
   */
  resume(sessionId) {
    if (!this.add(sessionId)) {
      const message = `the session ${sessionId} is in use: wait for its turn to end, or the CLI would lose one of the two turns`
      throw makeError('Error', message, { code: 'ERR_BUSY', sessionId, delivered: 'no' })
    }
  }

  /**
   * @param {string} sessionId
   * @returns Whether no other delivery has it.
   */
  add(sessionId) {
    if (this.#own.has(sessionId)) return true
    const number = native.useSession(keyOf(this.#output, sessionId))
    if (typeof number !== 'number') return false
    this.#own.set(sessionId, number)
    return true
  }

  release() {
    for (const number of this.#own.values()) native.forgetUnfinished(number)
    this.#own.clear()
  }
}

/**
 * The usage of one turn, for a CLI that counts the whole session.
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
  // The CLI has restarted its count.
  return turn.some(([, count]) => Number(count) < 0) ? usage : Object.fromEntries(turn)
}

module.exports = { SessionsInUse, usageOfTurn }
