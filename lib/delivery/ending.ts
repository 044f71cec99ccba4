/** How a delivery ends before its program does. */

/**
 * Why a delivery was ended:
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
  #tell: () => void = () => {}
  /** Fulfilled when it begins. */
  readonly begun = new Promise<undefined>((resolve) => {
    this.#tell = () => resolve(undefined)
  })

  /** @param cause The first one counts. */
  begin(cause: Cause) {
    this.cause ??= cause
    this.done ??= this.#end?.()
    this.#tell()
  }

  /** What a caller's function returns, or undefined if the end begins before it does. */
  async unlessBegun<T>(work: T | Promise<T>): Promise<T | undefined> {
    const settled = Promise.resolve(work)
    // It may fail later.
    settled.catch(() => {})
    return Promise.race([settled, this.begun])
  }

  attach(end: () => Promise<void>) {
    this.#end = end
    if (this.cause !== undefined) this.done = end()
  }
}

export interface Times {
  /** How long it may take. */
  timeoutMs?: number | undefined
  /** How long it may be silent. */
  idleTimeoutMs: number
}

export class Clock {
  #times
  #ending
  #timers: NodeJS.Timeout[] = []
  #idle: NodeJS.Timeout | undefined

  constructor(times: Times, ending: Ending) {
    this.#times = times
    this.#ending = ending
  }

  start() {
    const { timeoutMs, idleTimeoutMs } = this.#times
    if (timeoutMs !== undefined) this.after(timeoutMs, { kind: 'timeout' })
    if (idleTimeoutMs < Infinity) this.#idle = this.after(idleTimeoutMs, { kind: 'idle' })
  }

  /** The program has shown a sign of life. */
  touch() {
    this.#idle?.refresh()
  }

  after(milliseconds: number, cause: Cause) {
    const timer = setTimeout(() => this.#ending.begin(cause), milliseconds)
    this.#timers.push(timer)
    return timer
  }

  stop() {
    for (const timer of this.#timers) clearTimeout(timer)
  }
}

interface Listening {
  listeners: Set<() => void>
  /** Stops listening. */
  forget: () => void
}

/** The listeners to each signal, to which we listen once: Node warns about more than ten listeners. */
const listening: WeakMap<AbortSignal, Listening> = new WeakMap()

/**
 * @param listener Each call needs its own function.
 * @returns Call it when the listener is no longer needed.
 */
export const onAbort = (signal: AbortSignal | undefined, listener: () => void): (() => void) => {
  if (signal === undefined) return () => {}
  const { listeners, forget } = listening.get(signal) ?? listenTo(signal)
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) forget()
  }
}

const listenTo = (signal: AbortSignal): Listening => {
  const listeners: Set<() => void> = new Set()
  const tellAll = () => {
    for (const listener of listeners) listener()
  }
  // One that somebody listens to is kept alive by the signals that it was made of.
  const forget = () => {
    // Callers may pass something that has no such method.
    signal.removeEventListener?.('abort', tellAll)
    listening.delete(signal)
  }
  signal.addEventListener('abort', tellAll, { once: true })
  const made = { listeners, forget }
  listening.set(signal, made)
  return made
}
