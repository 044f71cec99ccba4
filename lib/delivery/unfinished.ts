/**
 * Programs and directories of deliveries that are not over. They are ended and removed
 * - when this process receives SIGINT, SIGTERM or SIGHUP (`lib/delivery/interruptions.ts`);
 * - when it exits: by `process.exit`, an uncaught exception, or because there is nothing left to do;
 * - when a worker is terminated. Its JavaScript no longer runs then, so native code does it. Signals do
 *   not reach workers: native code handles those, too, if the program does not listen to them;
 * - when this process is killed or crashes, by a guard (`lib/delivery/guard.ts`).
 */
import { randomUUID } from 'node:crypto'
import { isMainThread } from 'node:worker_threads'
import { prepareGuard } from './guard.js'
import native = require('../../binding.js')

/** The variable that marks a program and everything it starts, because they inherit it. */
const MARK_NAME = 'PROMPTMASON_DELIVERY'

/** How long a program may take to exit when asked to. Then it is killed. */
export const GRACE_MS = 2000

/** What to do when this thread exits, in addition to what native code has listed. */
const atExit: Set<() => void> = new Set()

const endAll = () => {
  for (const end of atExit) end()
  native.endUnfinished(false)
}

/**
 * Calls `end` when this thread exits, and ends all that is listed.
 * @returns Call it when that is no longer needed.
 */
export const beforeExit = (end: () => void): (() => void) => {
  if (atExit.size === 0) process.on('exit', endAll)
  atExit.add(end)
  return () => {
    atExit.delete(end)
    if (atExit.size === 0) process.off('exit', endAll)
  }
}

export interface WatchedProgram {
  /** Variables that its environment must have. */
  env: Record<string, string>
  /** Call it with the process id. */
  started: (pid: number) => void
  /** Fulfilled when none of its processes are running. */
  end: () => Promise<void>
  /** Call it when the program has ended. */
  forget: () => void
}

/**
 * Lists a program that is about to be started.
 * @param isDetached Whether it may outlive this thread.
 */
export const watchProgram = (isDetached: boolean): WatchedProgram => {
  prepareGuard()
  const id = randomUUID()
  const mark = `${MARK_NAME}=${id}`
  const list = () => native.watchProgram(mark, !isMainThread)
  const number = isDetached ? undefined : list()
  const stopWatching = isDetached ? () => {} : beforeExit(() => {})
  let processId: number | undefined
  return {
    env: { [MARK_NAME]: id },
    started(pid) {
      processId = pid
      native.noteProgram(number, mark, pid)
    },
    async end() {
      const listed = number ?? list()
      if (processId !== undefined) native.noteProgram(listed, mark, processId)
      await native.endProgram(listed, GRACE_MS)
      if (listed !== number) native.forgetUnfinished(listed)
    },
    forget() {
      if (number !== undefined) native.forgetUnfinished(number)
      stopWatching()
    },
  }
}

/**
 * Ends all processes that were started with a variable, and what they have started. For what a coordinator
 * has left behind whose guard was killed, too.
 * @param entry `NAME=value`, with a value that nobody else uses.
 */
export const endMarked = (entry: string): Promise<void> => native.endLeft(entry, GRACE_MS)
