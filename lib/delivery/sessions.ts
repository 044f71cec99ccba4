/** The CLI sessions that this process knows: which are in use, and how many tokens they have used. */
import native = require('../../binding.js')
import { makeError } from '../errors.js'
import type { CliUsage } from './events.js'

/** The tokens of sessions up to their last turn, those used last at the end. */
const totals: Map<string, CliUsage> = new Map()

const MAX_TOTALS = 1000

const keyOf = (output: string, sessionId: string) => `${output} ${sessionId}`

/**
 * The sessions of one delivery: those it resumes, starts or learns about. Native code lists them,
 * because it knows those of all threads, including terminated workers.
 */
export class SessionsInUse {
  #output
  /** The numbers of this thread, by session. */
  #own: Map<string, number> = new Map()

  constructor(output: string) {
    this.#output = output
  }

  /** Takes the session to resume, or throws if another delivery has it. */
  resume(sessionId: string) {
    if (!this.add(sessionId)) {
      const message = `the session ${sessionId} is in use: wait for its turn to end, or the CLI would lose one of the two turns`
      throw makeError('Error', message, { code: 'ERR_BUSY', sessionId, delivered: 'no' })
    }
  }

  /** @returns Whether no other delivery has it. */
  add(sessionId: string) {
    if (this.#own.has(sessionId)) return true
    const number = native.useSession(keyOf(this.#output, sessionId))
    if (typeof number !== 'number') return false
    this.#own.set(sessionId, number)
    return true
  }

  release() {
    for (const number of this.#own.values()) native.forgetUnfinished(number)
    this.#own.clear()
  }
}

/**
 * The usage of one turn, for a CLI that counts the whole session.
 * @param resumed The session that was resumed.
 * @param usage Of the session.
 * @returns Undefined if what was used before is not known.
 */
export const usageOfTurn = (
  output: string,
  resumed: string | undefined,
  sessionId: string | undefined,
  usage: CliUsage | undefined,
): CliUsage | undefined => {
  if (usage === undefined) return undefined
  const before = resumed === undefined ? {} : totals.get(keyOf(output, resumed))
  if (sessionId !== undefined) {
    const key = keyOf(output, sessionId)
    totals.delete(key)
    totals.set(key, usage)
    if (totals.size > MAX_TOTALS) totals.delete(totals.keys().next().value as string)
  }
  if (before === undefined) return undefined
  const turn = Object.entries(usage).map(([name, count]) => [name, count - (before[name as keyof CliUsage] ?? 0)])
  // The CLI has restarted its count.
  return turn.some(([, count]) => Number(count) < 0) ? usage : Object.fromEntries(turn)
}
