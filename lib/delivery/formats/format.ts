/** What the formats have in common: each reads what one CLI writes. */
import { present } from '../../present.js'
import { textOf, usageOf } from './values.js'
import type { CliUsage, DeliveryEvent } from '../events.js'
import type { CliError, Denial, FinishReason } from '../results.js'

/** What is known when the output ends. */
export interface Outcome {
  /** The answer, if the CLI has said that it is complete. */
  text?: string | undefined
  /** Why the turn ended, if not normally. */
  finishReason?: FinishReason | undefined
  sessionId?: string | undefined
  model?: string | undefined
  usage?: CliUsage | undefined
  costUsd?: number | undefined
  denials?: Denial[] | undefined
  error?: CliError | undefined
  /** Why there is no answer, if the CLI does not treat that as an error. */
  reason?: string | undefined
  /** Whether the CLI has said that it did not send the prompt. */
  isUnsent?: boolean | undefined
  /** Whether the CLI has said that its session has the prompt. */
  isTaken?: boolean | undefined
}

/** Fields of an event. A CLI may write anything, so nothing is taken for granted. */
export type Fields = Readonly<Record<string, unknown>>

/** Reads the events of one CLI, one after the other. */
export interface Format {
  event: (event: Fields) => void
  /** Whether it would run forever without an answer. */
  isStuck?: () => boolean
  /** Whether no more output is expected. */
  isDone?: () => boolean
  /** Whether the text may contain more than the answer. Only what the CLI has stored can tell. */
  isDoubtful?: () => boolean
  /** Corrects the outcome by the last message that is stored. */
  amend?: (stored: string) => void
  outcome: () => Outcome
}

export type MakeFormat = (emit: (event: DeliveryEvent) => void) => Format

/** Reads each type of events in its own way, and leaves out all others. */
export const byType = <Rest extends readonly Fields[]>(
  readers: Readonly<Record<string, (fields: Fields, ...rest: Rest) => void>>,
) => {
  const known: ReadonlyMap<unknown, (fields: Fields, ...rest: Rest) => void> = new Map(Object.entries(readers))
  return (type: unknown, fields: Fields, ...rest: Rest) => known.get(type)?.(fields, ...rest)
}

/** The name of a tool, and what it gets. */
export interface ToolCall {
  name: string
  input: unknown
}

/** What an agent says. */
type Spoken = 'text' | 'reasoning'

/** A turn, as far as it was read. What is not there, or no text, becomes no event. */
export class Turn {
  readonly emit
  readonly outcome: Outcome = {}
  /** The tools that have not returned, by the ids of their calls. */
  readonly #calls: Map<string, ToolCall> = new Map()

  constructor(emit: (event: DeliveryEvent) => void) {
    this.emit = emit
  }

  session(id: unknown, raw: unknown, model?: string) {
    const sessionId = textOf(id)
    if (sessionId === undefined) return
    this.outcome.sessionId = sessionId
    if (model !== undefined) this.outcome.model = model
    this.emit({ type: 'session', sessionId, ...present({ model }), raw })
  }

  say(type: Spoken, given: unknown, raw: unknown) {
    const text = textOf(given)
    if (text !== undefined) this.emit({ type, text, raw })
  }

  notice(given: unknown, raw: unknown) {
    const message = textOf(given)
    if (message !== undefined) this.emit({ type: 'notice', message, raw })
  }

  call(id: string, call: ToolCall, raw: unknown, parentId?: string) {
    this.#calls.set(id, call)
    const { name, input } = call
    this.emit({ type: 'tool-call', id, name, input, ...(parentId && { parentId }), raw })
  }

  /** What was called. */
  callOf(id: string): ToolCall {
    return this.#calls.get(id) ?? { name: 'a tool', input: undefined }
  }

  /** A tool was not allowed. */
  deny(id: string, message: string, raw: unknown, { name, input } = this.callOf(id)) {
    this.outcome.denials = [...(this.outcome.denials ?? []), { name, id, input }]
    this.emit({ type: 'permission', decision: 'denied', name, id, message, raw })
  }

  result(id: string, output: string, isError: boolean, raw: unknown, parentId?: string) {
    this.#calls.delete(id)
    this.emit({ type: 'tool-result', id, output, ...(isError && { isError }), ...(parentId && { parentId }), raw })
  }

  retry(reason: string, raw: unknown, attempt?: number, afterMs?: number) {
    this.emit({ type: 'retry', ...present({ attempt, afterMs }), reason, raw })
  }

  /** @returns Undefined if nothing is known or nothing was used. */
  use(counts: Parameters<typeof usageOf>[0], raw: unknown): CliUsage | undefined {
    const usage = usageOf(counts)
    if (usage !== undefined) this.emit({ type: 'usage', ...usage, raw })
    return usage
  }
}

/**
 * Text that arrives in pieces, and then again as a whole. Only its length and its last piece are kept,
 * because a turn may produce a lot of text.
 */
export class Streamed {
  readonly #turn
  readonly #units = { text: 0, reasoning: 0 }
  readonly #last = { text: '', reasoning: '' }

  constructor(turn: Turn) {
    this.#turn = turn
  }

  say(type: Spoken, given: unknown, raw: unknown) {
    const piece = textOf(given)
    if (piece === undefined) return
    this.#units[type] += piece.length
    this.#last[type] = piece
    this.#turn.say(type, piece, raw)
  }

  /** Another text begins. */
  clear(type: Spoken) {
    this.#units[type] = 0
    this.#last[type] = ''
  }

  /** What is new in the whole text. */
  rest(type: Spoken, given: unknown) {
    const whole = textOf(given) ?? ''
    const [units, last] = [this.#units[type], this.#last[type]]
    this.clear(type)
    return whole.startsWith(last, units - last.length) ? whole.slice(units) : whole
  }
}
