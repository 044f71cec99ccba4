/**
 * One turn of one member: prepare, assemble, ask, and record the outcome.
 *
 * 1. Nothing changes until the answer is written. If anything fails before that, the conversation is
 *    unchanged.
 * 2. A CLI session is resumed only if it is known what it has been shown. So before a prompt is sent to
 *    a session, the log records that a turn has begun. If the turn fails and the prompt may have arrived,
 *    the session is abandoned, and the next prompt is whole.
 * 3. A session that is gone is replaced by a new one with the whole prompt. What is too long for a model
 *    is shortened, in a new session.
 */
import { fields } from '../checks/fields.js'
import { func, integer, optional } from '../checks/kinds.js'
import { signal as abortSignal } from '../delivery/kinds.js'
import { isPromptmasonError } from '../errors.js'
import { InstructionPrompt } from '../instructions/instruction-prompt.js'
import { memberRecord, newestOf } from '../manager/logged.js'
import { messageOf } from '../thrown.js'
import { askAgent } from './ask-agent.js'
import { askFunction } from './ask-function.js'
import { learned, tokensAfter } from './estimates.js'
import { busy, nothingToSend, turnFailed } from './failures.js'
import { sessionKey } from './members.js'
import { routingOf } from './messages.js'
import { layoutOf, makeOutput, type Output, sentBy, tokenizerOf, turnOptions } from './prompt.js'
import { type KeptMember, numberOf, type StoredSession } from './entries.js'
import { readReply } from './replies.js'
import { makeSummary } from './summaries.js'
import { telemetryOf, type TurnTelemetry } from './telemetry.js'
import { isBy, maySee } from './visibility.js'
import type { CliUsage, DeliveryEvent, FinishReason } from '../delivery/events.js'
import type { DeliveryWarning } from '../delivery/warnings.js'
import type { ConversationMessage } from '../messages/messages.js'
import type { AssemblerReport } from '../prompts/report.js'
import type { Answer, Answered, Failed, Failure, Outcome } from './outcome.js'
import type { ConversationState } from './state.js'

/** Options of a turn. */
export interface SendOptions {
  /**
   * Ends the turn, and the program with everything it has started.
   * @default undefined
   */
  signal?: AbortSignal | null | undefined
  /**
   * The timeout in milliseconds.
   * @default that of the member
   */
  timeoutMs?: number | null | undefined
  /**
   * Called with what the agent says, as it arrives.
   * @default undefined
   */
  onText?: ((text: string) => void) | null | undefined
  /**
   * Called with the events of the delivery.
   * @default undefined
   */
  onEvent?: ((event: DeliveryEvent) => void) | null | undefined
}

export const sendOptions = fields<SendOptions>()({
  signal: optional(abortSignal),
  timeoutMs: optional(integer(1)),
  onText: optional(func<(text: string) => void>()),
  onEvent: optional(func<(event: DeliveryEvent) => void>()),
})

export type CheckedSendOptions = ReturnType<typeof sendOptions>

/** A warning about a turn. */
export interface TurnWarning {
  /**
   * A code of a delivery warning, or
   * - `unknown-addressee`: the answer names somebody who is not a member;
   * - `summary-failed`: `summarise` or the store failed;
   * - `session-not-found`, `too-long`: the turn was retried, as the message says;
   * - `length`: the answer may be incomplete.
   */
  code:
    | DeliveryWarning['code']
    | 'unknown-addressee'
    | 'summary-failed'
    | 'session-not-found'
    | 'too-long'
    | 'length'
    | (string & {})
  message: string
}

/** An answered turn. */
export interface Turn<Name extends string = string> {
  member: Name
  /** The answer, without routing markers. */
  text: string
  /** The answer as a message of the conversation. */
  message: ConversationMessage
  /** What the prompt contained and what it left out. */
  report: AssemblerReport
  usage: CliUsage | undefined
  /** The session that the next turn resumes. */
  session: string | undefined
  model: string | undefined
  finishReason: FinishReason
  /** How often the member was asked. */
  attempts: number
  durationMs: number
  warnings: TurnWarning[]
  /** Attributes for an OpenTelemetry span. */
  telemetry: TurnTelemetry
}

/** The outcome of one member's turn. */
export type TurnResult<Name extends string = string> =
  | { member: Name; turn: Turn<Name>; error?: undefined }
  | { member: Name; turn?: undefined; error: Error }

/** How many times a prompt is shortened. */
const MAX_SHORTER = 3

/** What `assemble` has made. */
interface Assembled {
  output: Output
  /** The session to resume. */
  resume: string | undefined
  /** The message to act on. */
  acting: ConversationMessage | undefined
  /** The number of the newest message. */
  seenUpTo: number
  /** The membership that began last: the answer is for nobody who came later. */
  latestMembership: number
}

export class TurnInProgress<Name extends string> {
  #state
  #name
  #member
  #options
  #layout
  #controller = new AbortController()
  #warnings: TurnWarning[] = []
  #attempts = 0
  /** The most bytes of a prompt that has to be shorter. */
  #maxBytes: number | undefined
  /** Set by `assemble`. */
  #assembled!: Assembled
  #begun = performance.now()

  constructor(state: ConversationState, name: Name, options: SendOptions | null | undefined) {
    const member = state.members.getAgent(name, 'member')
    const checked = sendOptions(options, '', 'options')
    if (member.isBusy) throw busy(name)
    this.#state = state
    this.#name = name
    this.#member = member
    this.#options = checked
    this.#layout = layoutOf(state, member.definition)
  }

  /** No other turn of this member can start until this one is done. */
  begin() {
    const { signal } = this.#options
    // Read first, because it is the caller's object.
    signal?.addEventListener('abort', this.#onAbort, { once: true })
    if (signal?.aborted === true) this.#onAbort()
    this.#member.isBusy = true
    this.#state.running.add(this.#controller)
  }

  end() {
    this.#member.isBusy = false
    this.#state.running.delete(this.#controller)
    this.#options.signal?.removeEventListener('abort', this.#onAbort)
  }

  #onAbort = () => this.#controller.abort(this.#options.signal?.reason)

  /** Reads instruction files, and summarises what would be left out. */
  async prepare() {
    this.#throwIfAborted()
    await this.prepareQuietly()
    await this.#summarise()
  }

  /** The same without a summary. */
  async prepareQuietly() {
    const { definition } = this.#member
    const { instructions, cwd } = definition
    const isNew = this.#state.content.member(this.#name).session === undefined
    if (instructions !== undefined && instructions !== false && (isNew || this.#member.instructions === undefined)) {
      const texts = await InstructionPrompt.system({
        ...(cwd !== undefined && { directory: cwd }),
        ...(definition.kind === 'agent' && { alreadyReadBy: definition.agent }),
        ...(instructions !== true && instructions),
      })
      this.#member.instructions = texts.join('\n\n')
    }
  }

  /** Builds the prompt from the current state. */
  assemble() {
    const { manager, content, members } = this.#state
    const name: string = this.#name
    const kept = this.#state.content.member(name)
    const resume = this.#member.definition.session === 'none' ? undefined : kept.session?.id
    if (resume === undefined) manager.forget(name)
    const acting = newestOf(
      manager,
      (message) => !isBy(this.#state, message, name) && maySee(this.#state, message, name),
    )
    if (resume === undefined && !this.#hasNews(kept, acting)) throw nothingToSend(name)
    try {
      const output = makeOutput(this.#state, this.#member, this.#layout, this.#turnOptions())
      this.#assembled = { output, resume, acting, seenUpTo: content.last, latestMembership: members.latest }
      return output
    } catch (error) {
      throw isPromptmasonError(error, 'ERR_NOTHING_TO_SEND') ? nothingToSend(name) : error
    }
  }

  /** A whole prompt needs something that the member has not answered yet. */
  #hasNews({ seenUpTo }: KeptMember, acting: ConversationMessage | undefined) {
    if (acting !== undefined) return numberOf(acting.id) > seenUpTo
    const { manager } = this.#state
    return manager.getLatestMessage() === null && manager.getTeamTask() !== null
  }

  #turnOptions() {
    return turnOptions(this.#state, this.#member, this.#layout, this.#maxBytes)
  }

  /** Asks the member until it answers, or until no retry can help. */
  async finish() {
    const name = this.#name
    for (;;) {
      this.#attempts += 1
      // oxlint-disable-next-line no-await-in-loop -- one attempt after another
      const outcome = await this.#attempt()
      if (outcome.failure === undefined) return this.#answered(outcome)
      // oxlint-disable-next-line no-await-in-loop
      const next = await this.#recover(outcome)
      if (next === undefined) throw this.#failed(outcome)
      this.#state.emit({ type: 'retried', member: name, reason: outcome.failure.reason, message: next })
      this.#warnings.push({ code: outcome.failure.reason, message: next })
    }
  }

  async #attempt(): Promise<Outcome & { isOneRequest: boolean }> {
    const name = this.#name
    const { definition } = this.#member
    const { output, resume } = this.#assembled
    const { onEvent: hook, onText, timeoutMs = definition.timeoutMs } = this.#options
    let isOneRequest = true
    let isDelivered = false
    this.#throwIfAborted()
    if (resume !== undefined) {
      await this.#state
        .write({ type: 'begun', member: name })
        .catch((error) => Promise.reject(this.#notStored('the turn', error)))
    }
    const { report } = output
    const mode = report.session?.mode ?? 'whole'
    this.#state.emit({ type: 'begun', member: name, attempt: this.#attempts, mode, report })
    const onEvent = (event: DeliveryEvent) => {
      if (event.type === 'tool-call' || event.type === 'retry') isOneRequest = false
      if (!isDelivered && event.type !== 'notice') {
        isDelivered = true
        this.#state.emit({ type: 'delivered', member: name })
      }
      if (hook !== undefined) hook(event)
      if (onText !== undefined && event.type === 'text') onText(event.text)
    }
    const isStreamed = hook !== undefined || onText !== undefined
    const question = { output, resume, signal: this.#controller.signal, timeoutMs, onEvent, isStreamed }
    const outcome =
      definition.kind === 'agent'
        ? await askAgent(definition, question)
        : await askFunction(this.#member, definition, question)
    if (!isDelivered && outcome.delivered === 'yes') this.#state.emit({ type: 'delivered', member: name })
    return { ...outcome, isOneRequest }
  }

  /** What to do about a failure: undefined if nothing helps. */
  async #recover({ failure: { reason }, delivered }: Failed): Promise<string | undefined> {
    const { output, resume } = this.#assembled
    const wasResumed = resume !== undefined
    const isAborted = this.#controller.signal.aborted
    const isGone = !isAborted && reason === 'session-not-found' && wasResumed
    const isTooLong = !isAborted && reason === 'too-long'
    if (wasResumed) await this.#leaveSession(delivered === 'no' && !isGone && !isTooLong)
    if (isGone) {
      await this.#again()
      return 'the session was not found: a new one got the whole prompt'
    }
    if (!isTooLong || this.#attempts > MAX_SHORTER) return undefined
    if (!wasResumed) this.#maxBytes = Math.floor(output.report.totalBytes / 2)
    try {
      await this.#again()
    } catch (error) {
      // There is nothing more to leave out.
      if (isPromptmasonError(error, 'ERR_BUDGET_EXCEEDED')) return undefined
      throw error
    }
    const what = wasResumed ? `the session of ${this.#name}` : 'the prompt'
    return `${what} was too long: a new session got ${wasResumed ? 'the newest messages' : 'a shorter prompt'}`
  }

  async #again() {
    await this.prepare()
    this.assemble()
  }

  /** @param isAsBefore Whether the prompt did not arrive. */
  async #leaveSession(isAsBefore: boolean) {
    const name = this.#name
    if (!isAsBefore) this.#state.content.forget(name)
    try {
      await this.#state.write({ type: isAsBefore ? 'ended' : 'lost', member: name })
    } catch {
      // In that case the turn stays in doubt, and the next owner does not resume the session.
    }
  }

  /** Records an answer. */
  async #answered({ answer, warnings, isOneRequest }: Answered & { isOneRequest: boolean }): Promise<Turn<Name>> {
    const name = this.#name
    const { output } = this.#assembled
    const reply = await readReply(this.#state, answer.text, name, this.#assembled).catch((error) =>
      this.#unreadable(error, answer),
    )
    const estimate = learned({
      tokenizer: tokenizerOf(this.#state, this.#member, this.#layout),
      sent: sentBy(output),
      usage: answer.usage,
      isOneRequest,
      tokensBefore: this.#tokensBefore(),
    })
    const session = this.#sessionOf(answer, isOneRequest)
    const message = await this.#state
      .inTurn(() => this.#commit(reply, { session, seenUpTo: this.#assembled.seenUpTo, estimate }))
      .catch((error) => Promise.reject(this.#notStored('the answer', error, answer)))
    this.#state.report(output.report)
    const turn = {
      member: name,
      text: reply.text,
      message,
      report: output.report,
      usage: answer.usage,
      session: session?.id,
      model: answer.model,
      finishReason: answer.finishReason,
      attempts: this.#attempts,
      durationMs: Math.round(performance.now() - this.#begun),
      warnings: [...this.#warnings, ...warnings, ...reply.warnings, ...cutOff(answer)],
      telemetry: telemetryOf(this.#state.id, this.#member, answer),
    }
    this.#state.emit({ type: 'answered', member: name, turn })
    return turn
  }

  async #commit({ text, to, isPrivate }: Awaited<ReturnType<typeof readReply>>, kept: KeptMember) {
    const { manager } = this.#state
    const name = this.#name
    const { acting } = this.#assembled
    const message = this.#state.newMessage({
      speaker: { id: name, type: 'ai' },
      content: text,
      routing: routingOf(to, acting?.id),
      private: isPrivate || undefined,
    })
    const { session = null, seenUpTo, estimate } = kept
    if (session === null) manager.forget(name)
    else manager.confirm(name)
    const shown = memberRecord(manager, name)
    try {
      await this.#state.record({ type: 'turn', member: name, message, session, seenUpTo, estimate, shown })
    } catch (error) {
      this.#state.content.forget(name)
      throw error
    }
    return this.#state.messageOf(message.id)
  }

  /** The session that the next turn resumes. */
  #sessionOf({ sessionId, usage }: Answer, isOneRequest: boolean): StoredSession | undefined {
    const { definition } = this.#member
    if (definition.session === 'none' || typeof sessionId !== 'string' || sessionId === '') return undefined
    const tokens = isOneRequest ? tokensAfter(usage) : undefined
    return { id: sessionId, ...sessionKey(definition), ...(tokens !== undefined && { tokens }) }
  }

  /** The tokens of this turn's input that are not its prompt. */
  #tokensBefore() {
    if (this.#assembled.resume !== undefined) return this.#state.content.member(this.#name).session?.tokens
    // A function adds nothing itself.
    return this.#member.definition.kind === 'run' ? 0 : undefined
  }

  /** Summarises what the next prompt would leave out. */
  async #summarise() {
    const { manager, options, log } = this.#state
    const name = this.#name
    if (options.summarise === undefined) return
    if (this.#state.content.member(name).session === undefined) manager.forget(name)
    try {
      await makeSummary(this.#state, name, this.#layout, this.#turnOptions(), this.#controller.signal)
    } catch (error) {
      this.#throwIfAborted()
      log.throwIfLost()
      if (isPromptmasonError(error, 'ERR_NOTHING_TO_SEND') || isPromptmasonError(error, 'ERR_BUDGET_EXCEEDED')) return
      this.#warnings.push({ code: 'summary-failed', message: `could not summarise for ${name}: ${messageOf(error)}` })
    }
  }

  /** Runs before the prompt is sent. */
  #throwIfAborted() {
    if (!this.#controller.signal.aborted) return
    this.#state.log.throwIfLost()
    throw this.#error({ failure: this.#abortion(), delivered: 'no' })
  }

  #abortion(): Failure {
    return { reason: 'aborted', message: 'it was aborted', cause: this.#controller.signal.reason }
  }

  #failed({ failure, ...others }: Failed) {
    this.#state.log.throwIfLost()
    if (isPromptmasonError(failure.cause, 'ERR_BUSY')) return failure.cause
    const isAborted = this.#controller.signal.aborted
    return this.#error({ failure: isAborted ? { ...failure, ...this.#abortion() } : failure, ...others })
  }

  /** @param answer If the member has answered. */
  #notStored(what: string, cause: unknown, answer?: Answer) {
    if (isPromptmasonError(cause, 'ERR_CONFLICT')) return cause
    const message = `${what} could not be stored: ${messageOf(cause)}`
    const failure: Failure = { reason: 'not-stored', message, cause, partialText: answer?.text }
    return this.#error({ failure, delivered: answer === undefined ? 'no' : 'yes', reported: answer })
  }

  /** `parseReply` has thrown, after the session got the prompt. */
  async #unreadable(cause: unknown, answer: Answer): Promise<never> {
    if (this.#assembled.resume !== undefined) await this.#leaveSession(false)
    const message = `parseReply threw: ${messageOf(cause)}`
    const failure: Failure = { reason: 'other', message, cause, partialText: answer.text }
    throw this.#error({ failure, delivered: 'yes', reported: answer })
  }

  #error(failed: Omit<Failed, 'warnings'>) {
    return turnFailed(this.#state, this.#member, this.#attempts, failed)
  }
}

const cutOff = ({ finishReason }: Answer): TurnWarning[] =>
  finishReason === 'length'
    ? [{ code: 'length', message: "the model's output limit was reached: the answer may be incomplete" }]
    : []
