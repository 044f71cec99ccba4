'use strict'
/**
 * Why a delivery was ended:
 * - `aborted`: by the caller's `AbortSignal`; `failed`: by an error in a listener;
 * - `timeout`: it took too long; `idle`: it was silent for too long;
 * - `stuck`: it runs forever without an answer; `done`: it has answered, and takes long to exit;
 * - `interrupted`: this process received a signal;
 * - `flooded`: the program wrote more than a disk should have to take.
 * @typedef {{ kind: 'aborted' | 'failed', error: unknown } | { kind: 'timeout' | 'idle' | 'stuck' | 'done' | 'flooded' }
 *   | { kind: 'interrupted', by: NodeJS.Signals }} Cause
 */

/** The early end of a delivery. It happens once, perhaps before there is a program. */
class Ending {
  /** @type {Cause | undefined} */
  cause
  /** @type {Promise<void> | undefined} Fulfilled when nothing of the program runs any more. */
  done
  /** @type {(() => Promise<void>) | undefined} */
  #end

  /**
   * @param {Cause} cause The first one counts.
   */
  begin(cause) {
    this.cause ??= cause
    this.done ??= this.#end?.()
  }

  /** @param {() => Promise<void>} end Ends the program. */
  attach(end) {
    this.#end = end
    if (this.cause !== undefined) this.done = end()
  }
}

module.exports = { Ending }
