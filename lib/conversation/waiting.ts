/** Waits for functions of the caller, which may never return: no longer than their turn goes on. */

/** How long a turn goes on. */
export interface Limits {
  signal: AbortSignal
  /** What remains of its time. */
  timeoutMs: number | undefined
}

/** The longest delay of a timer: 24 days. */
const MAX_DELAY_MS = 2 ** 31 - 1

/** What remains of a time, as timers take it. */
export const remainingMs = (deadline: number) =>
  Math.min(Math.max(Math.ceil(deadline - performance.now()), 1), MAX_DELAY_MS)

export const timedOut = (name: string, timeoutMs: number) =>
  Object.assign(new Error(`${name} gave no answer: timed out after ${timeoutMs} ms`), {
    code: 'ERR_NO_ANSWER',
    timedOut: true,
  })

/**
 * Waits for work until it is done, the turn is aborted or its time is over.
 * @param work Gets a signal that says so. It is not called if the turn is already over.
 */
export const waitFor = async <T>(
  name: string,
  { signal, timeoutMs }: Limits,
  work: (signal: AbortSignal) => T | Promise<T>,
): Promise<T> => {
  signal.throwIfAborted()
  const controller = new AbortController()
  const stop = () => controller.abort(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  const timer =
    timeoutMs === undefined ? undefined : setTimeout(() => controller.abort(timedOut(name, timeoutMs)), timeoutMs)
  try {
    return await new Promise<T>((resolve, reject) => {
      controller.signal.addEventListener('abort', () => reject(controller.signal.reason), { once: true })
      // A function that throws rejects, too.
      new Promise<T>((done) => done(work(controller.signal))).then(resolve, reject)
    })
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
}
