/**
 * What an open conversation keeps. Every change is first written to the log, one at a time, and applied
 * once it is stored: a failed write changes nothing.
 */
import { foldedName } from '../../binding.js'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { typeProblem } from '../checks/problems.js'
import { ContextManager, sessionHasAll } from '../manager/context-manager.js'
import { makeError } from '../errors.js'
import { Log } from './log.js'
import { Members, sessionKey } from './members.js'
import { WrittenFields, entriesOf, keptIn, numberOf, recordOf } from './record.js'
import { conflict } from './stores/contract.js'
import { warn } from '../manager/logger.js'
import { present } from '../present.js'
import { messageOf } from '../thrown.js'
import type { ILogger } from '../manager/logger.js'
import type { ContextSnapshotJson } from '../manager/snapshots.js'
import type { ConversationMessage, MessageChanges, NewConversationMessage } from '../messages/messages.js'
import type { AssemblerReport } from '../prompts/report.js'
import type { ConversationEvent } from './events.js'
import type { CheckedMember, Definition } from './member.js'
import type { MemberState } from './members.js'
import type { CheckedOptions } from './options.js'
import type { Entry, KeptMember, StoredSession } from './record.js'

/** How many turns the page shows. */
const MAX_REPORTS = 1000
/** The approximate size of a compacted log without its messages. */
const STATE_BYTES = 4096

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
  manager: ContextManager
  kept: Map<string, KeptMember> = new Map()
  /** The number of the last message. */
  last = 0
  /** The sessions whose messages were adopted (`adoption.ts`). */
  adopted: Set<string> = new Set()
  /** The reports of the last turns, as compressed JSON: they repeat each other. */
  #reports: Buffer[] = []
  /** Those of turns that are under way. */
  running: Set<AbortController> = new Set()
  /** The turns. */
  turns: Set<Promise<unknown>> = new Set()
  /** Whose turn was under way when the last owner ended. */
  inDoubt: string[] = []
  #written = new WrittenFields({})
  /** The number of the newest message when a member left, by its name as names are compared. */
  #departures: Map<string, number> = new Map()
  /** The last thing to be written. */
  #queue: Promise<unknown> = Promise.resolve()
  /** The approximate size of the messages as JSON, in bytes. */
  #contentBytes = 0
  #isClosed = false

  /** @param options As they were checked. */
  constructor(id: string, options: CheckedOptions, given: unknown) {
    this.id = id
    this.options = options
    this.given = given
    this.log = new Log(options.store, id, options.leaseMs, (error) => this.#abortTurns(error))
    this.manager = this.#newManager()
  }

  #newManager() {
    const { visibility, contextWindowSize, maxBytes, evictionStep, markers, layouts, logger } = this.options
    return new ContextManager({
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
  }

  /** Reads what is stored. */
  async open() {
    const entries = await this.log.open()
    try {
      const { record, inDoubt } = recordOf(entries)
      for (const [name, kept] of record.members) {
        // Members who are absent now may come back.
        const member = this.members.has(name) ? this.members.get(name, 'member') : undefined
        if (member !== undefined && !canResume(member.definition, kept)) kept.session = undefined
      }
      const { sessions } = record.fields
      if (sessions !== undefined) {
        record.fields.sessions = sessions.filter(({ agentId }) => record.members.get(agentId)?.session !== undefined)
      }
      this.manager.importSnapshot(record.snapshot())
      this.#readDepartures()
      this.kept = record.members
      this.last = record.last
      this.adopted = record.adopted
      this.inDoubt = inDoubt
      this.#written = new WrittenFields(record.fields)
      for (const message of record.messages.values()) this.#contentBytes += JSON.stringify(message).length
      const { task } = this.options
      if (task !== undefined && task !== record.task) await this.setTask(task)
      await this.#compactIfItPays()
    } catch (error) {
      await this.log.close().catch(() => {})
      throw error
    }
  }

  keptOf(name: string) {
    return keptIn(this.kept, name)
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

  /**
   * Adds a message.
   * @param fields All but id and timestamp.
   */
  addMessage(fields: NewConversationMessage) {
    return this.inTurn(async () => {
      const message = this.newMessage(fields)
      await this.log.append([{ type: 'message', message }])
      return this.apply(message)
    })
  }

  newMessage(fields: NewConversationMessage): ConversationMessage {
    return present({ id: `msg-${this.last + 1}`, timestamp: new Date(), ...fields })
  }

  /** Adds a message that is written. */
  apply(message: ConversationMessage) {
    this.last = numberOf(message.id)
    this.#contentBytes += JSON.stringify(message).length
    return this.manager.addMessage(message)
  }

  /**
   * Adds the messages of a session, and continues that session if it can be resumed.
   * @param name The member whose session it is.
   * @param given All but the ids.
   * @param begin Throws if the session was adopted before.
   */
  adopt(
    name: string,
    given: readonly NewConversationMessage[],
    begin: () => { source: string | undefined; session: StoredSession | undefined },
  ) {
    return this.inTurn(async () => {
      const { source, session } = begin()
      const messages = given.map((fields, index) => ({ id: `msg-${this.last + 1 + index}`, ...fields }))
      const newest = messages.findLast(({ speaker }) => speaker.id === name)
      // Its own answers are not new to it.
      const seenUpTo = newest === undefined ? this.keptOf(name).seenUpTo : numberOf(newest.id)
      const change = (manager: ContextManager) => {
        const added = messages.map((message) => manager.addMessage(message))
        manager.forget(name)
        if (session !== undefined) sessionHasAll(manager, name)
        return added
      }
      const entry = { type: 'adopted' as const, member: name, messages, session: session ?? null, seenUpTo }
      const added = await this.#write({ ...entry, ...(source !== undefined && { source }) }, change)
      if (source !== undefined) this.adopted.add(source)
      Object.assign(this.keptOf(name), { session, seenUpTo })
      this.last += messages.length
      this.#contentBytes += JSON.stringify(messages).length
      return added
    })
  }

  setTask(task: string | null) {
    return this.inTurn(async () => {
      await this.log.append([{ type: 'task', task }])
      this.manager.setTeamTask(task)
    })
  }

  setPinned(id: string, pinned: boolean) {
    return this.inTurn(async () => {
      this.messageOf(id)
      await this.log.append([{ type: 'pin', id, pinned }])
      if (pinned) this.manager.pin(id)
      else this.manager.unpin(id)
    })
  }

  /** @param changes Of the message as the manager has it. */
  update(id: string, changes: MessageChanges) {
    return this.inTurn(async () => {
      this.messageOf(id)
      const message = await this.#write({ type: 'update', id, changes }, (manager) =>
        manager.updateMessage(id, changes),
      )
      await this.#compactIfItPays()
      return message
    })
  }

  remove(id: string) {
    return this.inTurn(async () => {
      const message = this.messageOf(id)
      await this.#write({ type: 'remove', id }, (manager) => manager.removeMessage(id))
      this.#contentBytes -= JSON.stringify(message).length
      await this.#compactIfItPays()
      return message
    })
  }

  messageOf(id: string) {
    const message = this.manager.getMessages().find((one) => one.id === id)
    if (message !== undefined) return message
    throw makeError('Error', `there is no message with the id "${id}" in this conversation`, {
      code: 'ERR_UNKNOWN_MESSAGE',
    })
  }

  /** Writes an entry, and what has changed in the manager. */
  async writeWithChanges(entry: Entry, manager = this.manager) {
    const { fields, keep } = this.#changesOf(manager)
    await this.log.append([{ ...entry, ...fields }])
    keep()
  }

  /** Writes an entry and what a change would change in the manager, and then changes it. */
  async #write<Changed>(entry: Entry, change: (manager: ContextManager) => Changed) {
    const copy = this.#newManager()
    copy.importSnapshot(this.manager.exportSnapshot())
    change(copy)
    await this.writeWithChanges(entry, copy)
    return change(this.manager)
  }

  /** What a manager has, without messages, that has not been written yet. */
  #changesOf(manager: ContextManager) {
    return this.#written.changed(manager.exportSnapshot({ after: manager.getLatestMessage()?.id }))
  }

  /** Makes sure that a member's session is not resumed. */
  forget(name: string) {
    this.keptOf(name).session = undefined
    this.manager.forget(name)
  }

  /** Adds a member. If it was never removed, it continues with its previous state. */
  addMember(name: string, checked: CheckedMember) {
    return this.inTurn(async () => {
      const same = this.members.find(name)
      if (same !== undefined) throw typeProblem(`name is '${name}', and there is a member '${same.name}'`)
      const kept = this.kept.get(name)
      if (kept !== undefined && !canResume(checked.definition, kept)) await this.#replace(name)
      this.members.set(name, checked)
    })
  }

  /**
   * Removes a member. The manager makes sure that its messages do not go to a later member of the same
   * name.
   */
  removeMember(member: MemberState) {
    const { name } = member
    // Immediately, so that nothing more is sent to a member who is about to leave.
    this.members.delete(name)
    return this.inTurn(async () => {
      try {
        await this.#write({ type: 'left', member: name }, (manager) => manager.removeMember(name))
      } catch (error) {
        this.members.restore(member)
        throw error
      }
      this.kept.delete(name)
      this.#readDepartures()
    })
  }

  /** The current holder of a name joined right after this message. */
  joinedAfter(name: string) {
    return this.#departures.get(foldedName(name)) ?? 0
  }

  #readDepartures() {
    const { departures = [] } = this.manager.exportSnapshot({ after: this.manager.getLatestMessage()?.id })
    this.#departures = new Map(
      departures.map(({ member, after }) => [member, after === undefined ? 0 : numberOf(after)]),
    )
  }

  /** Another agent replaces a member, and has not seen anything yet. */
  replaceMember(name: string) {
    return this.inTurn(() => this.#replace(name))
  }

  async #replace(name: string) {
    await this.log.append([{ type: 'lost', member: name, isReplaced: true }])
    this.manager.forget(name)
    this.kept.delete(name)
  }

  /** Compacts the log if that saves much. Errors are not fatal. */
  async #compactIfItPays() {
    if (!this.log.isWasteful(this.#contentBytes + STATE_BYTES)) return
    try {
      const snapshot = this.manager.exportSnapshot()
      await this.log.compact(entriesOf(JSON.parse(JSON.stringify(snapshot)) as ContextSnapshotJson, this))
      this.#changesOf(this.manager).keep()
    } catch (error) {
      this.log.throwIfLost()
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
      this.warn(`onEvent of the conversation '${this.id}' threw: ${messageOf(error)}`)
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
