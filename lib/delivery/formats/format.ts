/** What the formats have in common: each reads what one CLI writes. */
import { present } from '../../present.js'
import type { CliError, CliUsage, DeliveryEvent, Denial, FinishReason } from '../events.js'

export const objectOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}

/** @returns Undefined unless it is a non-empty string. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

export const arrayOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** @returns Undefined unless it is a count. */
export const countOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined

/** @returns Undefined unless it is an amount of money or time. */
export const amountOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined

/** The sum of the counts among some values; undefined if there is none. */
export const sumOf = (values: readonly unknown[]): number | undefined => {
  let sum: number | undefined
  for (const value of values) {
    const count = countOf(value)
    if (count !== undefined) sum = (sum ?? 0) + count
  }
  return sum
}

/** The known usage; undefined if nothing is known or nothing was used. */
export const usageOf = (counts: { [K in keyof CliUsage]: number | undefined }): CliUsage | undefined => {
  const known = Object.entries(counts).filter(([, count]) => count !== undefined)
  return known.some(([, count]) => count !== 0) ? Object.fromEntries(known) : undefined
}

/** The sum of usages; undefined if there is none. */
export const usageSum = (usages: readonly (CliUsage | undefined)[]): CliUsage | undefined => {
  const known = usages.filter((usage) => usage !== undefined)
  const names = new Set(known.flatMap((usage) => Object.keys(usage)))
  const sums = [...names].map((name) => [name, sumOf(known.map((usage) => objectOf(usage)[name]))])
  return names.size === 0 ? undefined : Object.fromEntries(sums)
}

/** How much of a non-text value is written out. */
const MAX_WRITTEN_UNITS = 64 * 1024

/** What a tool returned, as text: a string, the texts among blocks, or JSON. */
export const contentText = (content: unknown): string => {
  if (typeof content === 'string') return content
  if (content === undefined || content === null) return ''
  const texts = arrayOf(content).flatMap((block) => textOf(objectOf(block)['text']) ?? [])
  if (texts.length > 0) return texts.join('\n')
  try {
    return JSON.stringify(content).slice(0, MAX_WRITTEN_UNITS)
  } catch {
    // It is nested too deeply.
    return ''
  }
}

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
