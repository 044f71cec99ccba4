/** What the formats have in common: each reads what one CLI writes. A CLI may write anything, so nothing is taken for granted. */
import { present } from '../../present.js'
import { cliError } from '../cli-errors.js'
import type { CliError, CliUsage, DeliveryEvent, Denial, FinishReason, PlanStep } from '../events.js'

export type Fields = Readonly<Record<string, unknown>>

export const objectOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {}

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
  const counts = values.map(countOf).filter((count) => count !== undefined)
  return counts.length === 0 ? undefined : counts.reduce((sum, count) => sum + count, 0)
}

/** How the formats call what is counted. */
const USAGE = {
  input: 'inputTokens',
  cached: 'cachedInputTokens',
  written: 'cacheWriteTokens',
  output: 'outputTokens',
  reasoning: 'reasoningTokens',
} as const

/** What a CLI has counted. Several counts are added up. */
export type Counts = { readonly [Name in keyof typeof USAGE]?: unknown }

/** The known usage; undefined if nothing is known or nothing was used. */
export const usageOf = (counts: Counts): CliUsage | undefined => {
  const known = Object.entries(USAGE)
    .map(([name, field]) => [field, sumOf([objectOf(counts)[name]].flat())] as const)
    .filter(([, count]) => count !== undefined)
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
  const texts = arrayOf(content).flatMap((block) => textOf(objectOf(block).text) ?? [])
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
  isUnsent?: boolean
  /** Whether the CLI has said that its session has the prompt. */
  isTaken?: boolean
  /** Whether it would run forever without an answer. */
  isStuck?: boolean
  /** Whether no more output is expected. */
  isDone?: boolean
}

/** Reads the events of one CLI, one after the other, into a turn. */
export type Format = (turn: Turn) => (event: Fields) => void

/** A table that may be asked for anything. */
export const tableOf = <Value>(entries: Readonly<Record<string, Value>>): ReadonlyMap<unknown, Value> =>
  new Map(Object.entries(entries))

/** Reads each type of events in its own way, and leaves out all others. */
export const byType = (readers: Readonly<Record<string, (fields: Fields) => void>>) => {
  const known = tableOf(readers)
  return (fields: Fields, type = fields.type) => known.get(type)?.(fields)
}

/** Tools that keep the plan: of Claude and Qwen, opencode, Gemini. */
const PLAN_TOOL = /^(?:todo_?write|write_todos)$/i

const STATUSES = tableOf<PlanStep['status']>({
  in_progress: 'in-progress',
  'in-progress': 'in-progress',
  completed: 'completed',
})

interface ToolCall {
  name: string
  input: unknown
}

/** An event, without what the CLI wrote. */
type NewEvent = DeliveryEvent extends infer Event ? (Event extends unknown ? Omit<Event, 'raw'> : never) : never

type Spoken = 'text' | 'reasoning'

/** A turn, as far as it was read. What is not there, or no text, becomes no event. */
export class Turn {
  readonly outcome: Outcome = {}
  raw: Fields = {}
  /** Corrects the outcome by the last message that is stored, if only that can tell what the answer is. */
  amend: ((stored: string) => void) | undefined
  readonly #emit
  /** The tools that have not returned, by the ids of their calls. */
  readonly #calls: Map<string, ToolCall> = new Map()
  /**
   * Text that arrives in pieces, and then again as a whole. Only its length and its last piece are kept,
   * because a turn may produce a lot of text.
   */
  readonly #pieces = { text: { units: 0, last: '' }, reasoning: { units: 0, last: '' } }

  constructor(emit: (event: DeliveryEvent) => void) {
    this.#emit = emit
  }

  emit(event: NewEvent, raw: unknown = this.raw) {
    this.#emit({ ...event, raw })
  }

  session(id: unknown, givenModel?: unknown) {
    const [sessionId, model] = [textOf(id), textOf(givenModel)]
    if (sessionId === undefined) return
    this.outcome.sessionId = sessionId
    if (model !== undefined) this.outcome.model = model
    this.#emit({ type: 'session', sessionId, ...present({ model }), raw: this.raw })
  }

  say(type: Spoken, given: unknown) {
    const text = textOf(given)
    if (text !== undefined) this.#emit({ type, text, raw: this.raw })
  }

  /** A piece of a text that follows as a whole. */
  sayPiece(type: Spoken, given: unknown) {
    const piece = textOf(given)
    if (piece === undefined) return
    this.#pieces[type].units += piece.length
    this.#pieces[type].last = piece
    this.say(type, piece)
  }

  /** What is new in a whole text. */
  rest(type: Spoken, given: unknown) {
    const whole = textOf(given) ?? ''
    const { units, last } = this.#pieces[type]
    this.forgetPieces(type)
    return whole.startsWith(last, units - last.length) ? whole.slice(units) : whole
  }

  forgetPieces(...types: Spoken[]) {
    for (const type of types) this.#pieces[type] = { units: 0, last: '' }
  }

  notice(given: unknown) {
    const message = textOf(given)
    if (message !== undefined) this.#emit({ type: 'notice', message, raw: this.raw })
  }

  call(id: unknown, call: { name: unknown; input: unknown }, parentId?: unknown) {
    const known = { name: textOf(call.name) ?? '', input: call.input }
    this.#calls.set(textOf(id) ?? '', known)
    const parent = textOf(parentId)
    const { name, input } = known
    this.#emit({
      type: 'tool-call',
      id: textOf(id) ?? '',
      name,
      input,
      ...(parent && { parentId: parent }),
      raw: this.raw,
    })
    if (parent === undefined && PLAN_TOOL.test(name)) this.plan(objectOf(input).todos)
  }

  /** A whole plan, in the words of any CLI. */
  plan(given: unknown) {
    if (!Array.isArray(given)) return
    const steps = given.map(objectOf).flatMap(({ content, text, description, status, completed }): PlanStep[] => {
      const step = textOf(content) ?? textOf(text) ?? textOf(description)
      const known = completed === true ? 'completed' : (STATUSES.get(status) ?? 'pending')
      return step === undefined ? [] : [{ text: step, status: known }]
    })
    this.emit({ type: 'plan', steps })
  }

  callOf(id: unknown): ToolCall {
    return this.#calls.get(textOf(id) ?? '') ?? { name: 'a tool', input: undefined }
  }

  deny(id: unknown, message: unknown, { name, input } = this.callOf(id)) {
    const denied = { name, id: textOf(id) ?? '' }
    this.outcome.denials ??= []
    this.outcome.denials.push({ ...denied, input })
    this.emit({ type: 'permission', decision: 'denied', ...denied, message: contentText(message) })
  }

  result(id: unknown, output: unknown, isError: boolean, parentId?: unknown) {
    const [known, parent] = [textOf(id) ?? '', textOf(parentId)]
    const name = textOf(this.#calls.get(known)?.name)
    this.#calls.delete(known)
    this.#emit({
      type: 'tool-result',
      id: known,
      ...(name && { name }),
      output: contentText(output),
      ...(isError && { isError }),
      ...(parent && { parentId: parent }),
      raw: this.raw,
    })
  }

  retry(reason: unknown, attempt?: unknown, afterMs?: unknown) {
    const counted = present({ attempt: countOf(attempt), afterMs: amountOf(afterMs) })
    this.emit({ type: 'retry', ...counted, reason: textOf(reason) ?? 'retry' })
  }

  fail(message: unknown, status?: unknown) {
    this.outcome.error = cliError(textOf(message) ?? 'the turn failed', status)
  }

  /** @returns Undefined if nothing is known or nothing was used. */
  use(counts: Counts): CliUsage | undefined {
    const usage = usageOf(counts)
    if (usage !== undefined) this.emit({ type: 'usage', ...usage })
    return usage
  }

  /** One of several requests has used this. */
  useMore(counts: Counts, cost: unknown) {
    this.outcome.usage = usageSum([this.outcome.usage, this.use(counts)])
    const costUsd = amountOf(cost) ?? 0
    if (costUsd > 0) this.outcome.costUsd = (this.outcome.costUsd ?? 0) + costUsd
  }
}
