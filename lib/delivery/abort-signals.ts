/** Listens to an `AbortSignal` once, however many deliveries share it: Node warns about more than ten listeners. */

const listening: WeakMap<AbortSignal, Set<() => void>> = new WeakMap()

/**
 * @param listener Each call needs its own function.
 * @returns Call it when the listener is no longer needed.
 */
export const onAbort = (signal: AbortSignal | undefined, listener: () => void): (() => void) => {
  if (signal === undefined) return () => {}
  const listeners = listening.get(signal) ?? listenTo(signal)
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

const listenTo = (signal: AbortSignal) => {
  const listeners: Set<() => void> = new Set()
  const tellAll = () => {
    for (const listener of listeners) listener()
  }
  signal.addEventListener('abort', tellAll, { once: true })
  listening.set(signal, listeners)
  return listeners
}
