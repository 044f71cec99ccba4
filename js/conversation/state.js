'use strict'
/**
 * What an open conversation keeps. Every change is first written to the log, one at a time, and applied
 * once it is stored: a failed write changes nothing.
 */
const { foldedName } = require('../../binding.js')
const { deflateRawSync, inflateRawSync } = require('node:zlib')
const { typeProblem } = require('../checks/problems.js')
const { ContextManager, sessionHasAll } = require('../context-manager.js')
const { makeError } = require('../errors.js')
const { Log } = require('./log.js')
const { Members, sessionKey } = require('./members.js')
const { WrittenFields, entriesOf, numberOf, recordOf } = require('./record.js')
const { messageOf } = require('../thrown.js')

/** @typedef {import('./members.js').Member} Member */
/** @typedef {import('./record.js').KeptMember} KeptMember */
/** @typedef {import('./log.js').Entry} Entry */

/** How many turns the page shows. */
const MAX_REPORTS = 1000
/** The approximate size of a compacted log without its messages. */
const STATE_BYTES = 4096

/**
 * Whether the stored session belongs to the member as it is now.
 * @param {Pick<Member, 'kind' | 'definition'>} member
 * @param {KeptMember} kept
 */
const canResume = (member, { session }) => {
  const { agent, cwd } = sessionKey(member)
  return member.kind !== 'human' && session?.agent === agent && session.cwd === cwd
}

class ConversationState {
  id
  options
  /** @type {any} */
  given
  log
  members = new Members()
  /** @type {InstanceType<typeof ContextManager>} */
  manager
  /** @type {Map<string, KeptMember>} */
  kept = new Map()
  /** The number of the last message. */
  last = 0
  /** @type {Set<string>} The sessions whose messages were adopted (`adoption.js`). */
  adopted = new Set()
  /** @type {Buffer[]} The reports of the last turns, as compressed JSON: they repeat each other. */
  #reports = []
  /** @type {Set<AbortController>} Those of turns that are under way. */
  running = new Set()
  /** @type {Set<Promise<unknown>>} The turns. */
  turns = new Set()
  /** @type {string[]} Whose turn was under way when the last owner ended. */
  inDoubt = []
  #written = new WrittenFields({})
  /** @type {Map<string, number>} The number of the newest message when a member left, by its name as names are compared. */
  #departures = new Map()
  /** @type {Promise<unknown>} The last thing to be written. */
  #queue = Promise.resolve()
  /** The approximate size of the messages as JSON, in bytes. */
  #contentBytes = 0
  #isClosed = false

  /** @param {string} id @param {any} options As they were checked. @param {any} given */
  constructor(id, options, given) {
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
      logger,
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
        if (member !== undefined && !canResume(member, kept)) kept.session = undefined
      }
      const sessions = record.fields['sessions']
      if (sessions !== undefined) {
        record.fields['sessions'] = sessions.filter(
          (/** @type {any} */ { agentId }) => record.members.get(agentId)?.session !== undefined,
        )
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

  /** @param {string} name @returns {KeptMember} */
  keptOf(name) {
    const kept = this.kept.get(name) ?? { session: undefined, seenUpTo: 0, estimate: undefined }
    this.kept.set(name, kept)
    return kept
  }

  throwIfClosed() {
    if (!this.#isClosed) return this.log.throwIfLost()
    throw makeError('Error', `the conversation '${this.id}' is closed: open it again`, {
      code: 'ERR_CONFLICT',
      conversation: this.id,
    })
  }

  /**
   * Runs `work` once everything before it is written.
   * @template T
   * @param {() => Promise<T>} work
   * @returns {Promise<T>}
   */
  inTurn(work) {
    const result = this.#queue.then(work)
    this.#queue = result.catch(() => {})
    return result
  }

  /**
   * Adds a message.
   * @param {any} fields All but id and timestamp.
   * @returns {Promise<any>}
   */
  addMessage(fields) {
    return this.inTurn(async () => {
      const message = this.newMessage(fields)
      await this.log.append([{ type: 'message', message }])
      return this.apply(message)
    })
  }

  /** @param {any} fields */
  newMessage(fields) {
    return { id: `msg-${this.last + 1}`, timestamp: new Date(), ...fields }
  }

  /** Adds a message that is written. @param {any} message */
  apply(message) {
    this.last = numberOf(message.id)
    this.#contentBytes += JSON.stringify(message).length
    return this.manager.addMessage(message)
  }

  /**
   * Adds the messages of a session, and continues that session if it can be resumed.
   * @param {string} name The member whose session it is.
   * @param {readonly any[]} given All but the ids.
   * @param {() => { source: string | undefined, session: KeptMember['session'] }} begin Throws if the session
   *   was adopted before.
   * @returns {Promise<any[]>}
   */
  adopt(name, given, begin) {
    return this.inTurn(async () => {
      const { source, session } = begin()
      const messages = given.map((fields, index) => ({ id: `msg-${this.last + 1 + index}`, ...fields }))
      const newest = messages.findLast(({ speaker }) => speaker.id === name)
      // Its own answers are not new to it.
      const seenUpTo = newest === undefined ? this.keptOf(name).seenUpTo : numberOf(newest.id)
      /** @param {InstanceType<typeof ContextManager>} manager */
      const change = (manager) => {
        const added = messages.map((message) => manager.addMessage(message))
        manager.forget(name)
        if (session !== undefined) sessionHasAll(manager, name)
        return added
      }
      const { fields, keep } = this.#after(change)
      const entry = { type: 'adopted', member: name, messages, session: session ?? null, seenUpTo }
      await this.log.append([{ ...entry, ...(source !== undefined && { source }), ...(fields && { fields }) }])
      keep()
      if (source !== undefined) this.adopted.add(source)
      Object.assign(this.keptOf(name), { session, seenUpTo })
      this.last += messages.length
      this.#contentBytes += JSON.stringify(messages).length
      return change(this.manager)
    })
  }

  /** @param {string | null} task */
  setTask(task) {
    return this.inTurn(async () => {
      await this.log.append([{ type: 'task', task }])
      this.manager.setTeamTask(task)
    })
  }

  /** @param {string} id @param {boolean} pinned */
  setPinned(id, pinned) {
    return this.inTurn(async () => {
      this.messageOf(id)
      await this.log.append([{ type: 'pin', id, pinned }])
      if (pinned) this.manager.pin(id)
      else this.manager.unpin(id)
    })
  }

  /** @param {string} id @param {any} changes Of the message as the manager has it. */
  update(id, changes) {
    return this.inTurn(async () => {
      this.messageOf(id)
      const { fields, keep } = this.#after((manager) => manager.updateMessage(id, changes))
      await this.log.append([{ type: 'update', id, changes, ...(fields && { fields }) }])
      keep()
      const message = this.manager.updateMessage(id, changes)
      await this.#compactIfItPays()
      return message
    })
  }

  /** @param {string} id */
  remove(id) {
    return this.inTurn(async () => {
      const message = this.messageOf(id)
      const { fields, keep } = this.#after((manager) => manager.removeMessage(id))
      await this.log.append([{ type: 'remove', id, ...(fields && { fields }) }])
      keep()
      this.#contentBytes -= JSON.stringify(message).length
      this.manager.removeMessage(id)
      await this.#compactIfItPays()
      return message
    })
  }

  /** @param {string} id */
  messageOf(id) {
    const message = this.manager.getMessages().find((one) => one.id === id)
    if (message !== undefined) return message
    throw makeError('Error', `there is no message with the id "${id}" in this conversation`, {
      code: 'ERR_UNKNOWN_MESSAGE',
    })
  }

  /** The part of the manager's state, without messages, that has not been written yet. */
  changedFields() {
    const latest = this.manager.getLatestMessage()
    return this.#written.changed(this.manager.exportSnapshot({ after: latest?.id }))
  }

  /** Makes sure that a member's session is not resumed. @param {string} name */
  forget(name) {
    this.keptOf(name).session = undefined
    this.manager.forget(name)
  }

  /**
   * Adds a member. If it was never removed, it continues with its previous state.
   * @param {string} name
   * @param {any} definition As it was checked.
   */
  addMember(name, definition) {
    return this.inTurn(async () => {
      const same = this.members.find(name)
      if (same !== undefined) throw typeProblem(`name is '${name}', and there is a member '${same.name}'`)
      const kept = this.kept.get(name)
      if (kept !== undefined && !canResume({ kind: definition.kind, definition }, kept)) await this.#replace(name)
      this.members.set(name, definition)
    })
  }

  /**
   * Removes a member. The manager makes sure that its messages do not go to a later member of the same
   * name.
   * @param {Member} member
   */
  removeMember(member) {
    const { name } = member
    // Immediately, so that nothing more is sent to a member who is about to leave.
    this.members.delete(name)
    return this.inTurn(async () => {
      try {
        const { fields, keep } = this.#after((manager) => manager.removeMember(name))
        await this.log.append([{ type: 'left', member: name, ...(fields && { fields }) }])
        keep()
      } catch (error) {
        this.members.restore(member)
        throw error
      }
      this.manager.removeMember(name)
      this.kept.delete(name)
      this.#readDepartures()
    })
  }

  /** The current holder of a name joined right after this message. @param {string} name */
  joinedAfter(name) {
    return this.#departures.get(foldedName(name)) ?? 0
  }

  #readDepartures() {
    /** @type {{ departures?: { member: string, after?: string }[] }} */
    const { departures = [] } = this.manager.exportSnapshot({ after: this.manager.getLatestMessage()?.id })
    this.#departures = new Map(
      departures.map(({ member, after }) => [member, after === undefined ? 0 : numberOf(after)]),
    )
  }

  /** Another agent replaces a member, and has not seen anything yet. @param {string} name */
  replaceMember(name) {
    return this.inTurn(() => this.#replace(name))
  }

  /** @param {string} name */
  async #replace(name) {
    await this.log.append([{ type: 'lost', member: name, isReplaced: true }])
    this.manager.forget(name)
    this.kept.delete(name)
  }

  /** Compacts the log if that saves much. Errors are not fatal. */
  async #compactIfItPays() {
    if (!this.log.isWasteful(this.#contentBytes + STATE_BYTES)) return
    try {
      const snapshot = this.manager.exportSnapshot()
      await this.log.compact(entriesOf(JSON.parse(JSON.stringify(snapshot)), this))
      const { keep } = this.changedFields()
      keep()
    } catch (error) {
      this.log.throwIfLost()
      this.warn(`the log of the conversation '${this.id}' was not compacted: ${messageOf(error)}`)
    }
  }

  /** @param {any} report */
  report(report) {
    this.#reports.push(deflateRawSync(JSON.stringify(report), { level: 1 }))
    if (this.#reports.length > MAX_REPORTS) this.#reports.shift()
  }

  /** @returns {any[]} */
  reports() {
    return this.#reports.map((compressed) => JSON.parse(`${inflateRawSync(compressed)}`))
  }

  /** Reports an event to the caller. If its listener throws, that is only a warning. @param {any} event */
  emit(event) {
    const { onEvent } = this.options
    if (onEvent === undefined) return
    try {
      Reflect.apply(onEvent, this.given, [event])
    } catch (error) {
      this.warn(`onEvent of the conversation '${this.id}' threw: ${messageOf(error)}`)
    }
  }

  /** @param {string} text */
  warn(text) {
    const logger = this.options.logger ?? console
    if (typeof logger.warn === 'function') logger.warn(text)
  }

  /** Ends all turns, and lets others open the conversation. */
  async close() {
    this.#isClosed = true
    this.#abortTurns(
      makeError('Error', `the conversation '${this.id}' was closed`, { code: 'ERR_CONFLICT', conversation: this.id }),
    )
    await Promise.allSettled(this.turns)
    await this.#queue
    await this.log.close()
  }

  /** @param {unknown} reason */
  #abortTurns(reason) {
    for (const controller of this.running) controller.abort(reason)
  }

  /**
   * What a change would write. The change is tried on a copy.
   * @param {(manager: InstanceType<typeof ContextManager>) => unknown} change
   */
  #after(change) {
    const copy = this.#newManager()
    copy.importSnapshot(this.manager.exportSnapshot())
    change(copy)
    return this.#written.changed(copy.exportSnapshot({ after: copy.getLatestMessage()?.id }))
  }
}

module.exports = { ConversationState }
