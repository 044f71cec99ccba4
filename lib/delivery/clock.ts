/** The time limits of a delivery. */
import type { Cause, Ending } from './ending.js'

export interface Times {
  /** How long it may take. */
  timeoutMs?: number | undefined
  /** How long it may be silent. */
  idleTimeoutMs: number
}

/** The longest delay of a timer. */
const MAX_TIMER_MS = 2 ** 31 - 1

export class Clock {
  #times
  #ending
  #timers: NodeJS.Timeout[] = []
  #idle: NodeJS.Timeout | undefined

  constructor(times: Times, ending: Ending) {
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

  /** Ends the delivery after some time. */
  after(milliseconds: number, cause: Cause) {
    const timer = setTimeout(() => this.#ending.begin(cause), milliseconds)
    this.#timers.push(timer)
    return timer
  }

  stop() {
    for (const timer of this.#timers) clearTimeout(timer)
  }
}
