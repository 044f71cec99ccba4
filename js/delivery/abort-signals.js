'use strict'
/** Listens to an `AbortSignal` once, however many deliveries share it: Node warns about more than ten listeners. */

/** @type {WeakMap<AbortSignal, Set<() => void>>} */
const listening = new WeakMap()

/**
 * @param {AbortSignal | undefined} signal
 * @param {() => void} listener Each call needs its own function.
 * @returns {() => void} Call it when the listener is no longer needed.
 */
const onAbort = (signal, listener) => {
  if (signal === undefined) return () => {}
  const listeners = listening.get(signal) ?? listenTo(signal)
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

/** @param {AbortSignal} signal */
const listenTo = (signal) => {
  /** @type {Set<() => void>} */
  const listeners = new Set()
  const tellAll = () => {
    for (const listener of listeners) listener()
  }
  signal.addEventListener('abort', tellAll, { once: true })
  listening.set(signal, listeners)
  return listeners
}

module.exports = { onAbort }
