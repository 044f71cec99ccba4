/**
 * Signals that interrupt this process while it delivers. The processes it has started are ended first.
 * Then the signal is raised again, unless the program listens to it and so decides for itself.
 */
import { isMainThread } from 'node:worker_threads'
import native = require('../../binding.js')
import { objectOf, sumOf } from './formats/format.js'

const SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** Marks our listeners: another copy of this package has its own. The same in every realm. */
const OWN = Symbol.for('promptmason.signalListener')

const interruptible: Set<(signal: NodeJS.Signals) => Promise<unknown>> = new Set()

let isInterrupted = false

/**
 * How many listeners the package `signal-exit`, which many programs use, has for each signal. It
 * raises the signal itself once nobody else listens.
 */
const signalExitListeners = () => {
  const emitters: unknown[] = [
    Reflect.get(globalThis, Symbol.for('signal-exit emitter')),
    Reflect.get(process, '__signal_exit_emitter__'),
  ]
  return sumOf(emitters.map((emitter) => objectOf(emitter)['count'])) ?? 0
}

const isHandled = (signal: NodeJS.Signals) => {
  const others = process.listeners(signal).filter((listener) => !(OWN in listener))
  return others.length > signalExitListeners()
}

const raise = (signal: NodeJS.Signals) => {
  // This includes workers, which end with this process.
  native.endUnfinished(true)
  for (const each of SIGNALS) process.off(each, onSignal)
  process.kill(process.pid, signal)
}

const interrupt = async (signal: NodeJS.Signals) => {
  const isOurs = !isHandled(signal)
  // A user who interrupts twice does not want to wait.
  if (isInterrupted && isOurs) return raise(signal)
  isInterrupted = true
  await Promise.allSettled([...interruptible].map((end) => end(signal)))
  isInterrupted = false
  if (isOurs) raise(signal)
}

const onSignal = Object.assign(
  (signal: NodeJS.Signals) => {
    void interrupt(signal)
  },
  { [OWN]: true },
)

/**
 * Calls `end` when this process is interrupted.
 * @param end Its promise settles when nothing is left running.
 * @returns Call it when that is no longer needed.
 */
export const whenInterrupted = (end: (signal: NodeJS.Signals) => Promise<unknown>): (() => void) => {
  // Signals reach only the main thread.
  if (!isMainThread) return () => {}
  // Before the program's own listeners, which may remove themselves when they are called.
  if (interruptible.size === 0) for (const signal of SIGNALS) process.prependListener(signal, onSignal)
  interruptible.add(end)
  return () => {
    interruptible.delete(end)
    if (interruptible.size === 0) for (const signal of SIGNALS) process.off(signal, onSignal)
  }
}
