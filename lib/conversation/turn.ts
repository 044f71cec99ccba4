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
import { isPromptmasonError } from '../errors.js'
import { InstructionPrompt } from '../instructions/instruction-prompt.js'
import { memberRecord, newestFor } from '../manager/logged.js'
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
import { type SendOptions, sendOptions } from './options.js'
import { failed, warningsOf } from './outcome.js'
import { telemetryOf } from './telemetry.js'
import { type Limits, remainingMs, timedOut, waitFor } from './waiting.js'
import type { DeliveryEvent } from '../delivery/events.js'
import type { ConversationMessage } from '../messages/messages.js'
import type { TurnEvent } from './events.js'
import type { Answer, Answered, Failed, Failure, Outcome, Turn, TurnWarning } from './outcome.js'
import type { ConversationState } from './state.js'

/** Errors of `send` that are not the failure of a turn. */
const NO_FAILURES = ['ERR_TURN_FAILED', 'ERR_NOTHING_TO_SEND', 'ERR_BUSY', 'ERR_CONFLICT'] as const

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
  /** Up to which message the member had seen before. */
  hadSeenUpTo: number
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
  /** The time of the turn. */
  #timeoutMs

  constructor(state: ConversationState, name: Name, options: SendOptions | null | undefined) {
    const member = state.members.getAgent(name, 'member')
    const checked = sendOptions(options, '', 'options')
    if (member.isBusy) throw busy(name)
    this.#state = state
    this.#name = name
    this.#member = member
    this.#options = checked
    this.#timeoutMs = checked.timeoutMs ?? member.definition.timeoutMs
    this.#layout = layoutOf(state, member)
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

  get #limits(): Limits {
    const timeoutMs = this.#timeoutMs === undefined ? undefined : remainingMs(this.#begun + this.#timeoutMs)
    return { signal: this.#controller.signal, timeoutMs }
  }

  #onAbort = () => this.#controller.abort(this.#options.signal?.reason)

  /** Reads instruction files, and summarises what would be left out. */
  async prepare() {
    this.#throwIfOver()
    await this.prepareQuietly()
    await this.#summarise()
  }

  /** The same without a summary. */
  async prepareQuietly() {
    const { definition } = this.#member
    const { instructions, cwd } = definition
    const isNew = this.#state.content.member(this.#name).session === undefined
    if (instructions !== undefined && instructions !== false && (isNew || this.#member.instructions === undefined)) {
      const options = {
        ...(cwd !== undefined && { directory: cwd }),
        ...(definition.kind === 'agent' && { alreadyReadBy: definition.agent }),
        ...(instructions !== true && instructions),
      }
      const texts = await waitFor(this.#name, this.#limits, () => InstructionPrompt.system(options))
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
    const acting = newestFor(manager, name, true)
    if (resume === undefined && !this.#hasNews(kept, acting)) throw nothingToSend(name)
    try {
      const output = makeOutput(this.#state, this.#member, this.#layout, this.#turnOptions())
      const seen = { hadSeenUpTo: kept.seenUpTo, seenUpTo: content.last }
      this.#assembled = { output, resume, acting, ...seen, latestMembership: members.latest }
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
    return turnOptions(this.#state, this.#member, this.#maxBytes)
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
    this.#throwIfOver()
    if (resume !== undefined) {
      await this.#state
        .write({ type: 'begun', member: name })
        .catch((error) => Promise.reject(this.#notStored('the turn', error)))
      const failure = this.#over()
      if (failure !== undefined) return { failure, delivered: 'no', warnings: [], isOneRequest: true }
    }
    const { report } = output
    const mode = report.session?.mode ?? 'whole'
    this.#state.emit({ type: 'begun', member: name, attempt: this.#attempts, mode, report })
    const seen = { isOneRequest: true, isDelivered: false }
    const { onEvent, onText } = this.#options
    const isStreamed = [onEvent, onText, this.#state.options.onEvent].some((listener) => listener !== undefined)
    const { mark } = this.#state
    const question = { output, resume, mark, limits: () => this.#limits, onEvent: this.#listener(seen), isStreamed }
    const outcome =
      definition.kind === 'agent'
        ? await askAgent(definition, question)
        : await askFunction(this.#member, definition, question)
    if (!seen.isDelivered && outcome.delivered === 'yes') this.#state.emit({ type: 'delivered', member: name })
    return { ...outcome, isOneRequest: seen.isOneRequest }
  }

  /** Passes events on, and notes what they say about the attempt. */
  #listener(seen: { isOneRequest: boolean; isDelivered: boolean }) {
    const { onEvent, onText } = this.#options
    const member = this.#name
    return (delivered: DeliveryEvent) => {
      // It belongs to this turn alone.
      const event: TurnEvent<Name> = Object.assign(delivered, { member })
      if (event.type === 'tool-call' || event.type === 'retry') seen.isOneRequest = false
      if (!seen.isDelivered && event.type !== 'notice') {
        seen.isDelivered = true
        this.#state.emit({ type: 'delivered', member })
      }
      this.#state.emit(event)
      if (onEvent !== undefined) onEvent(event)
      if (onText !== undefined && event.type === 'text') onText(event.text, member)
    }
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
    const reply = await readReply(this.#state, answer.text, name, this.#assembled, this.#limits).catch((error) =>
      this.#unreadable(error, answer),
    )
    const estimate = learned({
      tokenizer: tokenizerOf(this.#state, this.#member),
      sent: sentBy(output),
      usage: answer.usage,
      isOneRequest,
      tokensBefore: this.#tokensBefore(),
    })
    const session = this.#sessionOf(answer, isOneRequest)
    const message = await this.#state
      .inTurn(() => this.#commit(reply, { session, seenUpTo: this.#seenUpTo(), estimate }))
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
      denials: answer.denials ?? [],
      costUsd: answer.costUsd,
      attempts: this.#attempts,
      durationMs: Math.round(performance.now() - this.#begun),
      warnings: [...this.#warnings, ...warnings, ...reply.warnings, ...warningsOf(answer)],
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

  /** Up to which message the member has seen, unless it may see an older one since its prompt was made. */
  #seenUpTo() {
    const { seenUpTo, hadSeenUpTo } = this.#assembled
    const now = this.#state.content.member(this.#name).seenUpTo
    return now < hadSeenUpTo ? now : seenUpTo
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
      await makeSummary(this.#state, name, this.#layout, this.#turnOptions(), this.#limits)
    } catch (error) {
      this.#throwIfOver()
      log.throwIfLost()
      if (isPromptmasonError(error, 'ERR_NOTHING_TO_SEND') || isPromptmasonError(error, 'ERR_BUDGET_EXCEEDED')) return
      this.#warnings.push({ code: 'summary-failed', message: `could not summarise for ${name}: ${messageOf(error)}` })
    }
  }

  /** Why a turn that has not been sent must not be sent any more, if so. */
  #over(): Failure | undefined {
    if (this.#controller.signal.aborted) return this.#abortion()
    const timeoutMs = this.#timeoutMs
    if (timeoutMs === undefined || performance.now() < this.#begun + timeoutMs) return undefined
    const cause = timedOut(this.#name, timeoutMs)
    return { reason: 'timed-out', message: cause.message, cause }
  }

  /** Runs before the prompt is sent. */
  #throwIfOver() {
    const failure = this.#over()
    if (failure === undefined) return
    this.#state.log.throwIfLost()
    throw this.#error({ failure, delivered: 'no' })
  }

  #abortion(): Failure {
    return { reason: 'aborted', message: 'it was aborted', cause: this.#controller.signal.reason }
  }

  /** What `send` rejects with: the failure of the turn, unless the error says that there is none. */
  failure(error: unknown) {
    if (NO_FAILURES.some((code) => isPromptmasonError(error, code))) return error
    const { failure } = failed(error, [])
    if (isPromptmasonError(error, 'ERR_BUDGET_EXCEEDED')) failure.reason = 'budget'
    return this.#failed({ failure, delivered: this.#attempts === 0 ? 'no' : 'unknown', warnings: [] })
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

  /** `parseReply` has thrown or did not return, after the session got the prompt. */
  async #unreadable(cause: unknown, answer: Answer): Promise<never> {
    if (this.#assembled.resume !== undefined) await this.#leaveSession(false)
    const { failure } = failed(cause, [])
    const reason = failure.reason === 'timed-out' ? failure.reason : 'other'
    const message = `parseReply threw: ${failure.message}`
    const unread = { ...failure, reason, message, partialText: answer.text } as const
    throw this.#failed({ failure: unread, delivered: 'yes', reported: answer, warnings: [] })
  }

  #error(outcome: Omit<Failed, 'warnings'>) {
    return turnFailed(this.#state, this.#member, this.#attempts, outcome)
  }
}
