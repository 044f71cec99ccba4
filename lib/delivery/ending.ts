/** Why a delivery was ended:
 * - `aborted`: by the caller's `AbortSignal`; `failed`: by an error in a listener;
 * - `timeout`: it took too long; `idle`: it was silent for too long;
 * - `stuck`: it runs forever without an answer; `done`: it has answered, and takes long to exit;
 * - `interrupted`: this process received a signal;
 * - `flooded`: the program wrote more than a disk should have to take. */
export type Cause =
  | { kind: 'aborted' | 'failed'; error: unknown }
  | { kind: 'timeout' | 'idle' | 'stuck' | 'done' | 'flooded' }
  | { kind: 'interrupted'; by: NodeJS.Signals }

/** The early end of a delivery. It happens once, perhaps before there is a program. */
export class Ending {
  cause: Cause | undefined
  /** Fulfilled when nothing of the program runs any more. */
  done: Promise<void> | undefined
  #end: (() => Promise<void>) | undefined

  /** @param cause The first one counts. */
  begin(cause: Cause) {
    this.cause ??= cause
    this.done ??= this.#end?.()
  }

  /** @param end Ends the program. */
  attach(end: () => Promise<void>) {
    this.#end = end
    if (this.cause !== undefined) this.done = end()
  }
}
