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
import { reply as checkReply } from './checks.js'
import { LayoutAssembler } from '../prompts/assemblers.js'
import { isPromptmasonError, makeError } from '../errors.js'
import { InstructionPrompt } from '../instructions/instruction-prompt.js'
import { ask } from './asking.js'
import { firstTokenizer, learned, tokensAfter } from './estimates.js'
import { sessionKey } from './members.js'
import { numberOf } from './record.js'
import { parseMarkers } from './replies.js'
import { telemetryOf } from './telemetry.js'
import { messageOf } from '../thrown.js'
import type { Member } from './members.js'
import type { Outcome } from './asking.js'

export type State = InstanceType<typeof import('./state.js').ConversationState>

/** The layout of functions, and of programs without their own. */
const DEFAULT_LAYOUT = 'openai-codex'
/** How many times a prompt is shortened. */
const MAX_SHORTER = 3

const layoutOf = ({ options }: State, { kind, definition }: Member) => {
  if (definition.layout !== undefined) return definition.layout
  if (kind !== 'agent') return DEFAULT_LAYOUT
  const own = (options.layouts ?? []).some((layout: any) =>
    [layout?.agentType, ...(layout?.aliases ?? [])].includes(definition.agent),
  )
  if (own) return definition.agent
  // A program that replaces the CLI and has no option for a system text.
  const { profile } = definition
  if (profile && !profile.acp && !profile.systemFlag && !profile.systemFileFlag) return DEFAULT_LAYOUT
  try {
    LayoutAssembler.for(definition.agent)
    return definition.agent
  } catch {
    return DEFAULT_LAYOUT
  }
}

const isPrivate = ({ options }: State, message: any) =>
  message.private === true || (options.visibility === 'addressed' && (message.routing?.addressees ?? []).length > 0)

/** Whether a message is older than a member whose name belonged to somebody else before. */
const isEarlier = (state: State, message: any, name: string) => numberOf(message.id) <= state.joinedAfter(name)

const isBy = (state: State, message: any, name: string) =>
  message.speaker.id === name && !isEarlier(state, message, name)

export const maySee = (state: State, message: any, name: string) =>
  !isPrivate(state, message) ||
  ((message.speaker.id === name || (message.routing?.addressees ?? []).includes(name)) &&
    !isEarlier(state, message, name))

export class Turn {
  #state
  #member
  #options
  #layout
  #controller = new AbortController()
  #warnings = [] as any[]
  #attempts = 0
  /** The most bytes of a prompt that has to be shorter. */
  #maxBytes: number | undefined
  /** The prompt. */
  #output: any
  /** The session to resume. */
  #resume: string | undefined
  /** The message to act on. */
  #acting: any
  #seenUpTo = 0
  /** The membership that began last when the prompt was made: the answer is for nobody who came later. */
  #latestMembership = 0
  #begun = performance.now()

  /** @param options As they were checked. */
  constructor(state: State, member: Member, options: any) {
    if (member.isBusy) throw busy(member.name)
    this.#state = state
    this.#member = member
    this.#options = options
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

  #onAbort = () => this.#controller.abort(this.#options.signal.reason)

  /** Reads instruction files, and summarises what would be left out. */
  async prepare() {
    this.#throwIfAborted()
    await this.prepareQuietly()
    await this.#summarise()
  }

  /** The same without a summary. */
  async prepareQuietly() {
    const { definition, kind } = this.#member
    const { instructions, cwd, agent } = definition
    const isNew = this.#state.keptOf(this.#member.name).session === undefined
    if (instructions !== undefined && instructions !== false && (isNew || this.#member.instructions === undefined)) {
      const texts = await InstructionPrompt.system({
        ...(cwd !== undefined && { directory: cwd }),
        ...(kind === 'agent' && { alreadyReadBy: agent }),
        ...(instructions !== true && instructions),
      })
      this.#member.instructions = texts.join('\n\n')
    }
  }

  /** Builds the prompt from the current state. */
  assemble() {
    const { manager } = this.#state
    const { name } = this.#member
    const kept = this.#state.keptOf(name)
    this.#resume = this.#member.definition.session === 'none' ? undefined : kept.session?.id
    if (this.#resume === undefined) manager.forget(name)
    const messages = manager.getMessages()
    this.#acting = messages.findLast(
      (message) => !isBy(this.#state, message, name) && maySee(this.#state, message, name),
    )
    if (this.#resume === undefined && !this.#hasNews(kept, messages.length)) throw nothingToSend(name)
    try {
      this.#output = this.#made()
    } catch (error) {
      throw isPromptmasonError(error, 'ERR_NOTHING_TO_SEND') ? nothingToSend(name) : error
    }
    this.#seenUpTo = this.#state.last
    this.#latestMembership = this.#state.members.latest
    return this.#output
  }

  /** The prompt, or the request to a model's API that the member wants instead. */
  #made() {
    const { manager } = this.#state
    const { name, definition } = this.#member
    const { as, cache, model } = definition
    const options = this.#turnOptions()
    if (this.#member.kind !== 'run' || as === undefined) {
      return manager.assembleForAgent(name, this.#layout, options, { report: true })
    }
    const form = { as, cache, model, report: true }
    const { report, ...request } = manager.assembleForAgent(name, this.#layout, options, form)
    return { request, report }
  }

  /** A whole prompt needs something that the member has not answered yet. */
  #hasNews({ seenUpTo }: any, count: number) {
    if (this.#acting !== undefined) return numberOf(this.#acting.id) > seenUpTo
    return count === 0 && this.#state.manager.getTeamTask() !== null
  }

  #turnOptions() {
    const { definition, name, instructions } = this.#member
    const budget =
      this.#maxBytes === undefined
        ? { maxTokens: definition.maxTokens, tokenizer: this.#tokenizer() }
        : { maxTokens: this.#maxBytes, tokenizer: { bytesPerToken: 1 } }
    return {
      session: 'delta' as const,
      recipient: name,
      systemInstruction: definition.system,
      instructionFileText: instructions,
      ...budget,
    }
  }

  #tokenizer() {
    const { definition, name } = this.#member
    return this.#state.keptOf(name).estimate ?? firstTokenizer(definition, this.#layout)
  }

  /** Asks the member until it answers, or until no retry can help. */
  async finish() {
    const { name } = this.#member
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

  async #attempt() {
    const { name, definition } = this.#member
    const isOneRequest = { value: true }
    let isDelivered = false
    this.#throwIfAborted()
    if (this.#resume !== undefined) {
      await this.#state
        .inTurn(() => this.#state.log.append([{ type: 'begun', member: name }]))
        .catch((error) => Promise.reject(this.#notStored('the turn', error, 'no')))
    }
    this.#state.emit({
      type: 'begun',
      member: name,
      attempt: this.#attempts,
      mode: this.#output.report.session.mode,
      report: this.#output.report,
    })
    const onEvent = (event: any) => {
      if (event.type === 'tool-call' || event.type === 'retry') isOneRequest.value = false
      if (!isDelivered && event.type !== 'notice') {
        isDelivered = true
        this.#state.emit({ type: 'delivered', member: name })
      }
      const { onEvent: hook, onText } = this.#options
      if (hook !== undefined) hook(event)
      if (onText !== undefined && event.type === 'text') onText(event.text)
    }
    const outcome = await ask(this.#member, {
      output: this.#output,
      resume: this.#resume,
      signal: this.#controller.signal,
      timeoutMs: this.#options.timeoutMs ?? definition.timeoutMs,
      onEvent,
      isStreamed: this.#options.onEvent !== undefined || this.#options.onText !== undefined,
    })
    if (!isDelivered && outcome.delivered === 'yes') this.#state.emit({ type: 'delivered', member: name })
    return { ...outcome, isOneRequest: isOneRequest.value }
  }

  /** What to do about a failure: undefined if nothing helps. */
  async #recover({ failure, delivered }: Outcome): Promise<string | undefined> {
    const { name } = this.#member
    const { reason } = failure as NonNullable<typeof failure>
    const wasResumed = this.#resume !== undefined
    const isAborted = this.#controller.signal.aborted
    const isGone = !isAborted && reason === 'session-not-found' && wasResumed
    const isTooLong = !isAborted && reason === 'too-long'
    if (wasResumed) await this.#leaveSession(delivered === 'no' && !isGone && !isTooLong)
    if (isGone) {
      await this.#again()
      return 'the session was not found: a new one got the whole prompt'
    }
    if (!isTooLong || this.#attempts > MAX_SHORTER) return undefined
    if (!wasResumed) this.#maxBytes = Math.floor(this.#output.report.totalBytes / 2)
    try {
      await this.#again()
    } catch (error) {
      // There is nothing more to leave out.
      if (isPromptmasonError(error, 'ERR_BUDGET_EXCEEDED')) return undefined
      throw error
    }
    const what = wasResumed ? `the session of ${name}` : 'the prompt'
    return `${what} was too long: a new session got ${wasResumed ? 'the newest messages' : 'a shorter prompt'}`
  }

  async #again() {
    await this.prepare()
    this.assemble()
  }

  /** @param isAsBefore Whether the prompt did not arrive. */
  async #leaveSession(isAsBefore: boolean) {
    const { name } = this.#member
    if (!isAsBefore) this.#state.forget(name)
    try {
      await this.#state.inTurn(() => this.#state.log.append([{ type: isAsBefore ? 'ended' : 'lost', member: name }]))
    } catch {
      // In that case the turn stays in doubt, and the next owner does not resume the session.
    }
  }

  /** Records an answer. */
  async #answered({ result, warnings, isOneRequest }: any) {
    const { name } = this.#member
    const reply = await this.#replyOf(result.text).catch((error) => this.#unreadable(error, result))
    const { text, to, isPrivate: hidden } = reply
    const tokensBefore = this.#tokensBefore()
    const estimate = learned({
      tokenizer: this.#tokenizer(),
      sent: sentBy(this.#output),
      usage: result.usage,
      isOneRequest,
      tokensBefore,
    })
    const session = this.#sessionOf(result, isOneRequest)
    const message = await this.#state
      .inTurn(() => this.#commit({ text, to, hidden, session, estimate }))
      .catch((error) => Promise.reject(this.#notStored('the answer', error, 'yes', result)))
    const { report } = this.#output
    this.#state.report(report)
    const telemetry = telemetryOf({ conversation: this.#state.id, member: this.#member, result })
    const turn = {
      member: name,
      text,
      message,
      report,
      usage: result.usage,
      session: session?.id,
      model: result.model,
      finishReason: result.finishReason,
      attempts: this.#attempts,
      durationMs: Math.round(performance.now() - this.#begun),
      warnings: [...this.#warnings, ...warnings, ...reply.warnings, ...cutOff(result)],
      telemetry,
    }
    this.#state.emit({ type: 'answered', member: name, turn })
    return turn
  }

  async #commit({
    text,
    to,
    hidden,
    session,
    estimate,
  }: {
    text: string
    to: string[] | undefined
    hidden: boolean
    session: any
    estimate: any
  }) {
    const { manager, log } = this.#state
    const { name } = this.#member
    const message = this.#state.newMessage({
      speaker: { id: name, type: 'ai' },
      content: text,
      ...((to !== undefined || this.#acting !== undefined) && {
        routing: {
          ...(to !== undefined && { addressees: to }),
          ...(this.#acting !== undefined && { parentMessageId: this.#acting.id }),
        },
      }),
      ...(hidden && { private: true }),
    })
    if (session === undefined) manager.forget(name)
    else manager.confirm(name)
    const { fields, keep } = this.#state.changedFields()
    try {
      await log.append([
        {
          type: 'turn',
          member: name,
          message,
          session: session ?? null,
          seenUpTo: this.#seenUpTo,
          ...(typeof estimate === 'object' && { estimate }),
          ...(fields && { fields }),
        },
      ])
    } catch (error) {
      this.#state.forget(name)
      throw error
    }
    keep()
    Object.assign(this.#state.keptOf(name), {
      session,
      seenUpTo: this.#seenUpTo,
      estimate: typeof estimate === 'object' ? estimate : undefined,
    })
    return this.#state.apply(message)
  }

  /** The session that the next turn resumes. */
  #sessionOf({ sessionId, usage }: any, isOneRequest: boolean) {
    if (this.#member.definition.session === 'none' || typeof sessionId !== 'string' || sessionId === '')
      return undefined
    const tokens = isOneRequest ? tokensAfter(usage) : undefined
    return { id: sessionId, ...sessionKey(this.#member), ...(tokens !== undefined && { tokens }) }
  }

  /** The tokens of this turn's input that are not its prompt. */
  #tokensBefore() {
    if (this.#resume !== undefined) return this.#state.keptOf(this.#member.name).session?.tokens
    // A function adds nothing itself.
    return this.#member.kind === 'run' ? 0 : undefined
  }

  /** Who an answer is for. What is said privately is answered privately. */
  async #replyOf(answer: string) {
    const { parseReply } = this.#state.options
    const { name } = this.#member
    const warnings: any[] = []
    const parsed =
      parseReply === undefined
        ? markersOf(answer)
        : checkReply(
            await Reflect.apply(parseReply, this.#state.given, [answer, { member: name }]),
            '',
            'the result of parseReply',
          )
    const named = (parsed.to ?? []).flatMap((one: string) => {
      const found = this.#memberAtTheTime(one)
      if (found !== undefined) return [found.name]
      if (one.toLowerCase() !== 'all') {
        const message = `${name} has addressed '${one}', who is not a member`
        warnings.push({ code: 'unknown-addressee', message })
      }
      return []
    })
    let to: string[] | undefined = named.length === 0 ? undefined : [...new Set<string>(named)]
    const isAnsweringPrivately = this.#acting !== undefined && isPrivate(this.#state, this.#acting)
    if (to === undefined && isAnsweringPrivately && parsed.private !== false) {
      const circle = [this.#acting.speaker.id, ...(this.#acting.routing?.addressees ?? [])].filter(
        (one) => one !== name && this.#memberAtTheTime(one)?.name === one && maySee(this.#state, this.#acting, one),
      )
      // If all of them have left, only the member itself keeps it.
      to = circle.length === 0 ? [name] : [...new Set(circle)]
    }
    return { text: parsed.text, to, isPrivate: parsed.private ?? (isAnsweringPrivately && to !== undefined), warnings }
  }

  /** A member by name, if it was one when the prompt was made. */
  #memberAtTheTime(name: string) {
    const found = this.#state.members.find(name)
    return found !== undefined && found.membership <= this.#latestMembership ? found : undefined
  }

  /** Summarises what the next prompt would leave out. */
  async #summarise() {
    const { summarise } = this.#state.options
    if (summarise === undefined) return
    const { manager } = this.#state
    const { name } = this.#member
    if (this.#state.keptOf(name).session === undefined) manager.forget(name)
    try {
      const { messages, upTo } = manager.overflow(name, this.#layout, this.#turnOptions())
      if (upTo === null) return
      const previous = manager.getSummary(name)?.text
      const text = await Reflect.apply(summarise, this.#state.given, [
        { messages, previous, member: name, signal: this.#controller.signal },
      ])
      if (typeof text !== 'string') throw new TypeError(`summarise must return a string, got ${typeof text}`)
      await this.#state.inTurn(async () => {
        manager.setSummary({ upTo, text, recipient: name })
        const { fields, keep } = this.#state.changedFields()
        await this.#state.log.append([{ type: 'summary', member: name, ...(fields && { fields }) }])
        keep()
      })
      this.#state.emit({ type: 'summarised', member: name, messages: messages.length, upTo })
    } catch (error) {
      this.#throwIfAborted()
      this.#state.log.throwIfLost()
      if (isPromptmasonError(error, 'ERR_NOTHING_TO_SEND') || isPromptmasonError(error, 'ERR_BUDGET_EXCEEDED')) return
      this.#warnings.push({ code: 'summary-failed', message: `could not summarise for ${name}: ${messageOf(error)}` })
    }
  }

  /** Runs before the prompt is sent. */
  #throwIfAborted() {
    const { signal } = this.#controller
    if (!signal.aborted) return
    this.#state.log.throwIfLost()
    throw this.failure({ reason: 'aborted', message: 'it was aborted', cause: signal.reason, delivered: 'no' })
  }

  #failed({ failure, delivered, result }: any) {
    this.#state.log.throwIfLost()
    if (isPromptmasonError(failure.cause, 'ERR_BUSY')) return failure.cause
    const isAborted = this.#controller.signal.aborted
    const cause = isAborted ? this.#controller.signal.reason : failure.cause
    return this.failure({
      ...failure,
      ...(isAborted && { reason: 'aborted', message: 'it was aborted' }),
      cause,
      delivered,
      result,
    })
  }

  #notStored(what: string, error: unknown, delivered: 'yes' | 'no', result?: any) {
    if (isPromptmasonError(error, 'ERR_CONFLICT')) return error
    const message = `${what} could not be stored: ${messageOf(error)}`
    return this.failure({ reason: 'not-stored', message, cause: error, delivered, result, partialText: result?.text })
  }

  /** `parseReply` has thrown, after the session got the prompt. */
  async #unreadable(error: unknown, result: any): Promise<never> {
    if (this.#resume !== undefined) await this.#leaveSession(false)
    const message = `parseReply threw: ${messageOf(error)}`
    throw this.failure({ reason: 'other', message, cause: error, delivered: 'yes', result, partialText: result.text })
  }

  failure({ reason, message, cause, delivered, retryAfterMs, partialText, result }: any) {
    const { name } = this.#member
    const error = makeError('Error', `${name}'s turn failed (${reason}): ${message}`, {
      code: 'ERR_TURN_FAILED',
      member: name,
      reason,
      delivered,
      attempts: this.#attempts,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      ...(partialText !== undefined && { partialText }),
      telemetry: telemetryOf({ conversation: this.#state.id, member: this.#member, result, errorType: reason }),
    })
    Object.defineProperty(error, 'cause', { value: cause, configurable: true, writable: true })
    this.#state.emit({ type: 'failed', member: name, error })
    return error
  }
}

/** What is sent, for estimates. */
const sentBy = ({ prompt, systemFlag = '', request, report }: any) =>
  request === undefined ? { text: `${prompt}${systemFlag}` } : { bytes: report.totalBytes }

const cutOff = ({ finishReason }: { finishReason?: string }) =>
  finishReason === 'length'
    ? [{ code: 'length', message: "the model's output limit was reached: the answer may be incomplete" }]
    : []

const markersOf = (answer: string) => {
  const { text, names } = parseMarkers(answer)
  return { text, to: names.length === 0 ? undefined : names, private: undefined }
}

export const busy = (name: string) =>
  makeError('Error', `${name} already has a turn in progress: wait for it to end`, {
    code: 'ERR_BUSY',
    member: name,
    delivered: 'no',
  })

const nothingToSend = (name: string) =>
  makeError('Error', `there is nothing to send to ${name}, who has answered everything: say something first`, {
    code: 'ERR_NOTHING_TO_SEND',
  })
