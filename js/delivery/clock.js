'use strict'
/** The time limits of a delivery. */

/**
 * @typedef {object} Times
 * @property {number} [timeoutMs] How long it may take.
 * @property {number} idleTimeoutMs How long it may be silent.
 */

/** The longest delay of a timer. */
const MAX_TIMER_MS = 2 ** 31 - 1

class Clock {
  #times
  #ending
  /** @type {NodeJS.Timeout[]} */
  #timers = []
  /** @type {NodeJS.Timeout | undefined} */
  #idle

  /**
   * @param {Times} times
   * @param {InstanceType<typeof import('./ending.js').Ending>} ending
   */
  constructor(times, ending) {
    this.#times = times
    this.#ending = ending
  }

  /** The program runs. */
  start() {
    const { timeoutMs, idleTimeoutMs } = this.#times
    if (timeoutMs !== undefined) this.after(timeoutMs, { kind: 'timeout' })
    if (idleTimeoutMs <= MAX_TIMER_MS) this.#idle = this.after(idleTimeoutMs, { kind: 'idle' })
  }

  /** The program has shown a sign of life. */
  touch() {
    this.#idle?.refresh()
  }

  /**
   * Ends the delivery after some time.
   * @param {number} milliseconds
   * @param {import('./ending.js').Cause} cause
   */
  after(milliseconds, cause) {
    const timer = setTimeout(() => this.#ending.begin(cause), milliseconds)
    this.#timers.push(timer)
    return timer
  }

  stop() {
    for (const timer of this.#timers) clearTimeout(timer)
  }
}

module.exports = { Clock }
