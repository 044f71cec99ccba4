/**
 * An open conversation. Every change is first checked, then written to the log, one at a time, and made
 * once it is stored: a failed write changes nothing.
 */
import { createHash } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { typeProblem } from '../checks/problems.js'
import { endMarked } from '../delivery/unfinished.js'
import { memberRecord, messageWithId } from '../manager/logged.js'
import { type ILogger, warn } from '../manager/logger.js'
import { present } from '../present.js'
import { messageOf } from '../thrown.js'
import { Content } from './content.js'
import { type Entry, FORMAT, type KeptMember, numberOf, type StoredSession } from './entries.js'
import { Log } from './log.js'
import { Members, type MemberState, sessionKey } from './members.js'
import { conflict } from './stores/contract.js'
import type { ConversationMessage, NewConversationMessage } from '../messages/messages.js'
import type { AssemblerReport } from '../prompts/report.js'
import type { ConversationEvent } from './events.js'
import type { CheckedMember, Definition } from './member.js'
import type { CheckedOptions } from './options.js'

const MARK_NAME = 'PROMPTMASON_CONVERSATION'

/** How many turns the page shows. */
const MAX_REPORTS = 1000

/** Whether the stored session belongs to the member as it is now. */
const canResume = (definition: Definition, { session }: KeptMember) => {
  const { agent, cwd } = sessionKey(definition)
  return definition.kind !== 'human' && session?.agent === agent && session.cwd === cwd
}

export class ConversationState {
  readonly id
  readonly options
  /** The object that the options came in: hooks are called as its methods. */
  readonly given
  log
  members = new Members()
  readonly content
  readonly manager
  /** The reports of the last turns, as compressed JSON: they repeat each other. */
  #reports: Buffer[] = []
  /** Those of turns that are under way. */
  running: Set<AbortController> = new Set()
  /** The turns. */
  turns: Set<Promise<unknown>> = new Set()
  /** Whose turn was under way when the last owner ended. */
  inDoubt: string[] = []
  /** The last thing to be written. */
  #queue: Promise<unknown> = Promise.resolve()
  /** Whether the log says its format. */
  #isBegun = false
  #isClosed = false
  /** What the caller's listener has thrown last. */
  #lastProblem: string | undefined

  /** @param options As they were checked. */
  constructor(id: string, options: CheckedOptions, given: unknown) {
    this.id = id
    this.options = options
    this.given = given
    this.log = new Log(options.store, id, options.leaseMs, (error) => this.#abortTurns(error))
    const { visibility, contextWindowSize, maxBytes, evictionStep, markers, layouts, logger } = options
    this.content = new Content({
      ids: 'keep',
      visibility,
      contextWindowSize,
      maxBytes,
      evictionStep,
      markers,
      layouts,
      // The manager looks its methods up, too.
      logger: logger as ILogger | undefined,
      showSender: true,
      // Markers in answers were read when the answers arrived. Anything left is part of the message.
      stripMarkers: false,
    })
    this.manager = this.content.manager
  }

  /** Reads what is stored. */
  async open() {
    const entries = await this.log.open()
    try {
      const { content, members } = this
      content.read(entries)
      this.#isBegun = entries.length > 0
      this.inDoubt = [...content.underWay]
      content.underWay.clear()
      if (this.#isBegun) await this.#endLeft()
      for (const [name, kept] of content.members) {
        // What was shown in a session means nothing without the session, and a session cannot be
        // resumed without knowing what it was shown.
        const isKnown = kept.session !== undefined && memberRecord(this.manager, name).session !== undefined
        // Members who are absent now may come back.
        const isOther = members.has(name) && !canResume(members.get(name, 'member').definition, kept)
        if (!isKnown || isOther || this.inDoubt.includes(name)) content.forget(name)
      }
      const { task } = this.options
      // The same definition again does not undo what `setTask` has done since.
      if (task !== undefined && task !== content.definedTask) await this.write({ type: 'task', task, isDefined: true })
      await this.#compactIfItPays()
    } catch (error) {
      await this.log.close().catch(() => {})
      throw error
    }
  }

  /** The variable that marks the programs of its turns. */
  get mark() {
    // A copy of a log has its key, and another id.
    const value = createHash('sha256').update(JSON.stringify([this.id, this.content.key]))
    return { [MARK_NAME]: value.digest('hex') }
  }

  /** Ends programs that a killed owner has left: two agents must not work in one directory. */
  async #endLeft() {
    const failed = (error: unknown) =>
      this.warn(`programs of the conversation '${this.id}' may still be running: ${messageOf(error)}`)
    await endMarked(`${MARK_NAME}=${this.mark[MARK_NAME]}`).catch(failed)
  }

  throwIfClosed() {
    if (!this.#isClosed) return this.log.throwIfLost()
    throw conflict(this.id, 'is closed: open it again')
  }

  /** Runs `work` once everything before it is written. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work)
    this.#queue = result.catch(() => {})
    return result
  }

  /** Writes an entry once everything before it is written, and does what it says. */
  write(entry: Entry) {
    return this.inTurn(() => this.record(entry))
  }

  /** The same for `work` of `inTurn`. */
  async record(entry: Entry) {
    this.content.check(entry)
    await this.log.append(this.#isBegun ? [entry] : [{ type: 'start', format: FORMAT, key: this.content.key }, entry])
    this.#isBegun = true
    this.content.apply(entry)
    await this.#compactIfItPays()
  }

  /**
   * Adds a message.
   * @param fields All but id and timestamp.
   */
  addMessage(fields: NewConversationMessage) {
    return this.inTurn(async () => {
      const message = this.newMessage(fields)
      await this.record({ type: 'message', message })
      return this.messageOf(message.id)
    })
  }

  newMessage(fields: NewConversationMessage): ConversationMessage {
    return present({ id: `msg-${this.content.last + 1}`, timestamp: new Date(), ...fields })
  }

  /**
   * Adds the messages of a session, and continues that session if it can be resumed.
   * @param member The name of the member whose session it is.
   * @param given All but the ids.
   * @param begin Throws if the session was adopted before.
   */
  adopt(
    member: string,
    given: readonly NewConversationMessage[],
    begin: () => { source: string | undefined; session: StoredSession | undefined },
  ) {
    return this.inTurn(async () => {
      const { source, session = null } = begin()
      const { last } = this.content
      const messages = given.map((fields, index) => ({ id: `msg-${last + 1 + index}`, ...fields }))
      const newest = messages.findLast(({ speaker }) => speaker.id === member)
      // Its own answers are not new to it.
      const seenUpTo = newest === undefined ? this.content.member(member).seenUpTo : numberOf(newest.id)
      await this.record({ type: 'adopted', member, messages, session, seenUpTo, source })
      return messages.map(({ id }) => this.messageOf(id))
    })
  }

  remove(id: string) {
    return this.inTurn(async () => {
      const message = this.messageOf(id)
      await this.record({ type: 'remove', id })
      return message
    })
  }

  messageOf(id: string) {
    return messageWithId(this.manager, id)
  }

  /** Adds a member. If it was never removed, it continues with its previous state. */
  addMember(name: string, checked: CheckedMember) {
    return this.inTurn(async () => {
      const same = this.members.find(name)
      if (same !== undefined) throw typeProblem(`name is '${name}', and there is a member '${same.name}'`)
      const kept = this.content.members.get(name)
      if (kept !== undefined && !canResume(checked.definition, kept)) {
        await this.record({ type: 'lost', member: name, isReplaced: true })
      }
      this.members.set(name, checked)
    })
  }

  /** Removes a member. The manager makes sure that its messages do not go to a later member of the same name. */
  removeMember(member: MemberState) {
    const { name } = member
    // Immediately, so that nothing more is sent to a member who is about to leave.
    this.members.delete(name)
    return this.write({ type: 'left', member: name }).catch((error) => {
      this.members.restore(member)
      throw error
    })
  }

  /** Compacts the log if that saves much. Errors are not fatal. */
  async #compactIfItPays() {
    const { content, log } = this
    if (!log.isWasteful(content)) return
    try {
      await log.compact(content.compacted())
    } catch (error) {
      this.warn(`the log of the conversation '${this.id}' was not compacted: ${messageOf(error)}`)
    }
  }

  report(report: AssemblerReport) {
    this.#reports.push(deflateRawSync(JSON.stringify(report), { level: 1 }))
    if (this.#reports.length > MAX_REPORTS) this.#reports.shift()
  }

  reports() {
    return this.#reports.map((compressed) => JSON.parse(`${inflateRawSync(compressed)}`) as AssemblerReport)
  }

  /** Reports an event to the caller. If its listener throws, that is only a warning. */
  emit(event: ConversationEvent) {
    const { onEvent } = this.options
    if (onEvent === undefined) return
    try {
      Reflect.apply(onEvent, this.given, [event])
    } catch (error) {
      const problem = messageOf(error)
      // There are as many events as pieces of text.
      if (problem !== this.#lastProblem) this.warn(`onEvent of the conversation '${this.id}' threw: ${problem}`)
      this.#lastProblem = problem
    }
  }

  warn(text: string) {
    warn(this.options.logger, text)
  }

  /** Ends all turns, and lets others open the conversation. */
  async close() {
    this.#isClosed = true
    this.#abortTurns(conflict(this.id, 'was closed'))
    await Promise.allSettled(this.turns)
    await this.#queue
    await this.log.close()
  }

  #abortTurns(reason: unknown) {
    for (const controller of this.running) controller.abort(reason)
  }
}
