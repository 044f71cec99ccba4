'use strict'
/**
 * `ContextManager`. Native code has the texts of the conversation; the caller's own objects
 * (messages, hooks, logger) are here, where the garbage collector sees them.
 *
 * Code of the caller's runs in getters, hooks and loggers, and may call the manager again. So
 * everything is read first, and no such code runs between the last look at our own state and
 * the call of native code that depends on it.
 */
const native = require('../binding.js')
const { assembleText } = require('./assemblers.js')
const { debugFlag } = require('./debug.js')
const { Envelopes, TEMPORARY, onlyAddressee } = require('./envelopes.js')
const { errorOf, invalidArgument, wrongReceiver } = require('./errors.js')
const { assemblerHandle, managerHandle } = require('./handles.js')
const { MessageList } = require('./message-list.js')
const { FORMS, WITH_REPORT, allocate, bufferOutput, emptySlots, intoOutput, reportOutput, takeReport, textOutput } = require('./output.js')
const { dateOf, makeSnapshot, messageCopier, snapshotFields, snapshotState } = require('./snapshot.js')
const { TokenFunctions } = require('./token-functions.js')
const { Turns, readRoute, readTurn } = require('./turns.js')
const { messagesOf, routeContext } = require('./views.js')

/** Taken out: an object that native code has made is slow to read. */
const { ID_PREFIX, addMessage, assembleTurn } = native
const { hasOwn } = Object
const { apply } = Reflect

/** @type {any} */
const NOTHING = { __proto__: null }

/**
 * An object to read fields of; one without any for anything else.
 * @param {any} value
 */
const fieldsOfObject = (value) => (typeof value === 'object' && value !== null ? value : NOTHING)

/**
 * Refuses what no snapshot could be restored with.
 * @param {unknown} timestamp
 */
const checkTimestamp = (timestamp) => {
  if (timestamp === undefined || timestamp === null || dateOf(timestamp) !== undefined) return
  throw invalidArgument('Message timestamp must be a Date, or a text or number that is one')
}

class ContextManager {
  #handle
  #options
  #logger
  #onMessageAdded
  #onTeamTaskChanged
  #onAssembled
  #messages = new MessageList()
  #envelopes = new Envelopes()
  #turns = new Turns()
  #tokenFunctions = new TokenFunctions()
  #maxTokens
  /** @type {Map<number, number>} Handles of assemblers, by their number in native code. */
  #assemblers = new Map()

  /** @param {any} [options] */
  constructor(options) {
    this.#options = options
    this.#logger = options?.logger
    this.#onMessageAdded = options?.onMessageAdded
    this.#onTeamTaskChanged = options?.onTeamTaskChanged
    this.#onAssembled = options?.onAssembled
    this.#maxTokens = options?.maxTokens
    try {
      const handle = native.createManager(
        options, this.#onMessageAdded, this.#onTeamTaskChanged, this.#onAssembled, this.#logger, this.#maxTokens,
        this.#tokenFunctions.functions,
      )
      this.#handle = managerHandle(this, handle)
    } catch (thrown) {
      throw errorOf(thrown)
    }
  }

  /** @param {ContextManager} manager */
  static #handleOf(manager) {
    try {
      return manager.#handle
    } catch {
      throw wrongReceiver('ContextManager')
    }
  }

  /** @param {any} message */
  addMessage(message) {
    const handle = ContextManager.#handleOf(this)
    // What is stored is what was read, so a copy is made first. It has an id of its own from the
    // beginning: a setter on Object.prototype has no say in it, nor in the other fields, and
    // `__proto__` is one of them. (With the id after the message, this takes 300 ns more.)
    const copy = { id: '', ...message }
    const { content, speaker, routing, pinned, timestamp } = copy
    let id, name, displayName, type, roleId, roleName, roleTitle, resolvedAddressees, addressees, parentMessageId, intent
    if (typeof speaker === 'object' && speaker !== null) ({ id, name, displayName, type, roleId, roleName } = speaker)
    if (typeof routing === 'object' && routing !== null) ({ resolvedAddressees, addressees, parentMessageId, intent } = routing)
    const isRole = roleId !== undefined || roleName !== undefined
    if (isRole) roleTitle = speaker.roleTitle
    const addressee = isRole ? undefined : onlyAddressee(routing, resolvedAddressees, addressees)
    const canBeKnown = addressee !== undefined && typeof id === 'string' && typeof content === 'string'
    try {
      const isPinned = pinned !== undefined && native.readPinned(pinned) === 1
      let envelope = canBeKnown ? this.#envelopes.find(id, name, displayName, type, addressee) : undefined
      if (envelope === undefined) {
        envelope = canBeKnown ? this.#envelopes.numberFor(id, addressee) : TEMPORARY
        // Of what can be known, only strings are passed: no code of the caller's runs until it is.
        const resolved = typeof addressee === 'string' ? [addressee] : resolvedAddressees
        native.keepEnvelope(
          handle, envelope, message, content, speaker, id, name, displayName, type, roleId, roleName, roleTitle, routing,
          resolved, addressees,
        )
        if (canBeKnown) this.#envelopes.add(id, name, displayName, type, addressee, envelope)
      }
      checkTimestamp(timestamp)
      this.#messages.reserve()
      copy.id = ID_PREFIX + addMessage(handle, envelope, content, parentMessageId, intent)
      if (isPinned) native.setPinned(handle, copy.id, true)
    } catch (thrown) {
      throw errorOf(thrown)
    }
    this.#messages.add(copy)
    this.#tokenFunctions.changed(copy.id)
    const hook = this.#onMessageAdded
    if (hook !== undefined && hook !== null) apply(hook, this.#options, [copy])
    return copy
  }

  getMessages() {
    ContextManager.#handleOf(this)
    return this.#messages.toArray()
  }

  getLatestMessage() {
    ContextManager.#handleOf(this)
    return this.#messages.at(this.#messages.length - 1) ?? null
  }

  /**
   * @param {string} id
   * @param {any} changes
   */
  updateMessage(id, changes) {
    const handle = ContextManager.#handleOf(this)
    try {
      // The changes are read first: that may run code of the caller's, which may change the message.
      const changed = { ...changes }
      const current = this.#messages.at(native.findMessage(handle, id))
      const changedId = hasOwn(changed, 'id') ? changed.id : undefined
      const copy = { ...current, ...changed, id: current.id }
      const { content, speaker, routing, pinned, timestamp } = copy
      checkTimestamp(timestamp)
      const { id: speakerId, name, displayName, type, roleId, roleName, roleTitle } = fieldsOfObject(speaker)
      const { resolvedAddressees, addressees, parentMessageId, intent } = fieldsOfObject(routing)
      const index = native.updateMessage(
        handle, id, changes, changedId, copy, content, speaker, speakerId, name, displayName, type, roleId, roleName, roleTitle,
        routing, resolvedAddressees, addressees, parentMessageId, intent, pinned,
      )
      this.#messages.replace(index, copy)
      this.#tokenFunctions.changed(copy.id)
      return copy
    } catch (thrown) {
      throw errorOf(thrown)
    }
  }

  /** @param {string} id */
  pin(id) {
    return ContextManager.#setPinned(this, id, true)
  }

  /** @param {string} id */
  unpin(id) {
    return ContextManager.#setPinned(this, id, false)
  }

  /**
   * @param {ContextManager} manager
   * @param {string} id
   * @param {boolean} isPinned
   */
  static #setPinned(manager, id, isPinned) {
    const handle = ContextManager.#handleOf(manager)
    try {
      return manager.#markPinned(native.setPinned(handle, id, isPinned), isPinned)
    } catch (thrown) {
      throw errorOf(thrown)
    }
  }

  /** @param {string} id */
  removeMessage(id) {
    const handle = ContextManager.#handleOf(this)
    try {
      const removed = this.#messages.remove(native.removeMessage(handle, id))
      this.#tokenFunctions.removed(removed.id)
      return removed
    } catch (thrown) {
      throw errorOf(thrown)
    }
  }

  /** @param {string | null} task */
  setTeamTask(task) {
    const handle = ContextManager.#handleOf(this)
    let warning
    try {
      warning = native.setTeamTask(handle, task)
    } catch (thrown) {
      throw errorOf(thrown)
    }
    this.#teamTaskChanged(warning)
  }

  getTeamTask() {
    return native.teamTask(ContextManager.#handleOf(this))
  }

  /**
   * @param {string} agentId
   * @param {string} agentType
   * @param {any} [options]
   */
  getContextForAgent(agentId, agentType, options) {
    const handle = ContextManager.#handleOf(this)
    try {
      const fields = readTurn(agentId, agentType, options)
      const agent = this.#turns.lookUpAgent(handle, agentId, agentType)
      const turn = this.#turns.find(fields) ?? this.#turns.keep(handle, fields, agent)
      return this.#view(handle, turn, fields).context
    } catch (thrown) {
      throw errorOf(thrown)
    }
  }

  /**
   * @param {string} agentId
   * @param {string} agentType
   * @param {any} route
   * @param {any} [options]
   */
  getContextForRoute(agentId, agentType, route, options) {
    const handle = ContextManager.#handleOf(this)
    try {
      const fields = readTurn(agentId, agentType, options)
      const routeFields = readRoute(route)
      const turn = this.#routeTurn(handle, fields, routeFields, false)
      const view = this.#view(handle, turn, fields)
      return { ...view.context, ...routeContext(view, routeFields) }
    } catch (thrown) {
      throw errorOf(thrown)
    }
  }

  /**
   * @param {string} agentType
   * @param {any} input
   */
  assemblePrompt(agentType, input) {
    const handle = ContextManager.#handleOf(this)
    let assembler
    try {
      const agent = this.#turns.lookUpAgent(handle, '', agentType)
      this.#warn(agent.warning)
      assembler = this.#assemblers.get(agent.assembler)
      if (assembler === undefined) {
        assembler = assemblerHandle(this, native.assemblerOfAgent(handle, agent.assembler))
        this.#assemblers.set(agent.assembler, assembler)
      }
    } catch (thrown) {
      throw errorOf(thrown)
    }
    return this.#assembled(undefined, agentType, assembleText(assembler, input, this.#tokenFunctions.functions, this.#reportFlag()))
  }

  /**
   * @param {string} agentId
   * @param {string} agentType
   * @param {any} [options]
   */
  assembleForAgent(agentId, agentType, options) {
    const made = ContextManager.#assembleForAgent(this, agentId, agentType, options, FORMS.text)
    return this.#assembled(agentId, agentType, textOutput(made))
  }

  /**
   * @param {string} agentId
   * @param {string} agentType
   * @param {any} [options]
   */
  assembleForAgentWithReport(agentId, agentType, options) {
    const made = ContextManager.#assembleForAgent(this, agentId, agentType, options, FORMS.report)
    return this.#assembled(agentId, agentType, reportOutput(made))
  }

  /**
   * @param {string} agentId
   * @param {string} agentType
   * @param {any} [options]
   */
  assembleForAgentToBuffer(agentId, agentType, options) {
    const made = ContextManager.#assembleForAgent(this, agentId, agentType, options, FORMS.buffer, allocate)
    return this.#assembled(agentId, agentType, bufferOutput(made))
  }

  /**
   * @param {string} agentId
   * @param {string} agentType
   * @param {any} options
   * @param {Uint8Array} buffer
   * @param {number} [offset]
   */
  assembleForAgentInto(agentId, agentType, options, buffer, offset) {
    const made = ContextManager.#assembleForAgent(this, agentId, agentType, options, FORMS.into, buffer, offset ?? 0)
    return this.#assembled(agentId, agentType, intoOutput(made))
  }

  /**
   * @param {string} agentId
   * @param {string} agentType
   * @param {any} route
   * @param {any} [options]
   */
  assembleForRoute(agentId, agentType, route, options) {
    const made = ContextManager.#assembleForRoute(this, agentId, agentType, route, options, FORMS.text)
    return this.#assembled(agentId, agentType, textOutput(made))
  }

  /**
   * @param {string} agentId
   * @param {string} agentType
   * @param {any} route
   * @param {any} [options]
   */
  assembleForRouteWithReport(agentId, agentType, route, options) {
    const made = ContextManager.#assembleForRoute(this, agentId, agentType, route, options, FORMS.report)
    return this.#assembled(agentId, agentType, reportOutput(made))
  }

  /**
   * @param {string} agentId
   * @param {string} agentType
   * @param {any} route
   * @param {any} [options]
   */
  assembleForRouteToBuffer(agentId, agentType, route, options) {
    const made = ContextManager.#assembleForRoute(this, agentId, agentType, route, options, FORMS.buffer, allocate)
    return this.#assembled(agentId, agentType, bufferOutput(made))
  }

  /**
   * @param {string} agentId
   * @param {string} agentType
   * @param {any} route
   * @param {any} options
   * @param {Uint8Array} buffer
   * @param {number} [offset]
   */
  assembleForRouteInto(agentId, agentType, route, options, buffer, offset) {
    const made = ContextManager.#assembleForRoute(this, agentId, agentType, route, options, FORMS.into, buffer, offset ?? 0)
    return this.#assembled(agentId, agentType, intoOutput(made))
  }

  /** @param {any} summary */
  setSummary(summary) {
    const handle = ContextManager.#handleOf(this)
    try {
      native.setSummary(handle, summary, summary?.upTo, summary?.text, summary?.recipient)
    } catch (thrown) {
      throw errorOf(thrown)
    }
  }

  /** @param {string | null} [recipient] */
  getSummary(recipient) {
    const handle = ContextManager.#handleOf(this)
    try {
      const found = native.getSummary(handle, recipient)
      if (found === undefined) return null
      const [upTo = null, text, of] = found
      return of === undefined ? { upTo, text } : { upTo, text, recipient: of }
    } catch (thrown) {
      throw errorOf(thrown)
    }
  }

  /** @param {string | null} [recipient] */
  clearSummary(recipient) {
    const handle = ContextManager.#handleOf(this)
    try {
      native.clearSummary(handle, recipient)
    } catch (thrown) {
      throw errorOf(thrown)
    }
  }

  /**
   * @param {string} agentId
   * @param {string} agentType
   * @param {any} [options]
   */
  overflow(agentId, agentType, options) {
    const handle = ContextManager.#handleOf(this)
    try {
      const fields = readTurn(agentId, agentType, options)
      const counted = this.#countTokens(handle, fields, false)
      const turn = this.#turns.find(fields) ?? this.#agentTurn(handle, fields)
      if (counted !== undefined) native.keepTurnTokens(handle, turn, counted)
      const messages = native.overflowOfTurn(handle, turn).map((index) => this.#messages.at(index))
      const bytes = messages.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0)
      return { messages, bytes, upTo: messages.at(-1)?.id ?? null }
    } catch (thrown) {
      throw errorOf(thrown)
    }
  }

  /** @param {string} agentId */
  confirm(agentId) {
    const handle = ContextManager.#handleOf(this)
    try {
      return native.confirmSession(handle, agentId)
    } catch (thrown) {
      throw errorOf(thrown)
    }
  }

  /** @param {string} agentId */
  forget(agentId) {
    const handle = ContextManager.#handleOf(this)
    try {
      return native.forgetSession(handle, agentId)
    } catch (thrown) {
      throw errorOf(thrown)
    }
  }

  clear() {
    native.clearManager(ContextManager.#handleOf(this))
    this.#replaceMessages(new MessageList())
    this.#teamTaskChanged(undefined)
  }

  /** @param {any} [options] */
  exportSnapshot(options) {
    const handle = ContextManager.#handleOf(this)
    try {
      const start = native.snapshotStart(handle, options, options?.after)
      // All of it before the copies, which may run code of the caller's.
      const [state, messages, last] = [snapshotState(handle, start > 0), this.#messages.toArray(start), this.#messages.at(start - 1)]
      return makeSnapshot(messages, state, last?.id)
    } catch (thrown) {
      throw errorOf(thrown)
    }
  }

  /**
   * @param {any} snapshot
   * @param {any} [options]
   */
  importSnapshot(snapshot, options) {
    const handle = ContextManager.#handleOf(this)
    const messages = new MessageList()
    let append, outcome, pinnedBefore
    try {
      append = options?.append
      pinnedBefore = native.pinnedMessages(handle)
      const makeRoom = () => this.#messages.reserve(messages.length)
      outcome = native.importSnapshot(handle, options, append, snapshotFields(snapshot), messageCopier(messages), makeRoom)
    } catch (thrown) {
      throw errorOf(thrown)
    }
    if (append) {
      this.#messages.addAll(messages)
      for (const { id } of messages.toArray()) this.#tokenFunctions.changed(id)
      this.#followPins(pinnedBefore, native.pinnedMessages(handle))
    } else {
      this.#replaceMessages(messages)
      this.#followPins(messages.toArray().flatMap(({ pinned }, index) => (pinned === true ? [index] : [])), native.pinnedMessages(handle))
    }
    const [isOtherTask, warning] = outcome
    if (append && !isOtherTask) this.#warn(warning)
    else this.#teamTaskChanged(warning)
  }

  /**
   * @param {ContextManager} manager
   * @param {string} agentId
   * @param {string} agentType
   * @param {any} options
   * @param {import('../binding.js').OutputForm} form
   * @param {unknown} [target]
   * @param {unknown} [offset]
   * @returns {any}
   */
  static #assembleForAgent(manager, agentId, agentType, options, form, target, offset) {
    const handle = ContextManager.#handleOf(manager)
    try {
      const debug = debugFlag()
      const fields = readTurn(agentId, agentType, options)
      const report = manager.#reportFlag()
      const counted = manager.#countTokens(handle, fields, form === FORMS.report || report > 0)
      const turn = manager.#turns.find(fields) ?? manager.#agentTurn(handle, fields)
      if (counted !== undefined) native.keepTurnTokens(handle, turn, counted)
      return assembleTurn(handle, turn, agentId, form + debug + report, target, offset, emptySlots())
    } catch (thrown) {
      throw errorOf(thrown)
    }
  }

  /**
   * @param {ContextManager} manager
   * @param {string} agentId
   * @param {string} agentType
   * @param {any} route
   * @param {any} options
   * @param {import('../binding.js').OutputForm} form
   * @param {unknown} [target]
   * @param {unknown} [offset]
   * @returns {any}
   */
  static #assembleForRoute(manager, agentId, agentType, route, options, form, target, offset) {
    const handle = ContextManager.#handleOf(manager)
    try {
      const debug = debugFlag()
      const fields = readTurn(agentId, agentType, options)
      const routeFields = readRoute(route)
      const report = manager.#reportFlag()
      const counted = manager.#countTokens(handle, fields, form === FORMS.report || report > 0)
      const turn = manager.#routeTurn(handle, fields, routeFields, true)
      if (counted !== undefined) native.keepTurnTokens(handle, turn, counted)
      return assembleTurn(handle, turn, agentId, form + debug + report, target, offset, emptySlots())
    } catch (thrown) {
      throw errorOf(thrown)
    }
  }

  /**
   * Has tokenizers that are functions count what a turn needs. Returns what they have counted of
   * its texts, for native code; undefined if there is nothing to count.
   * @param {number} handle
   * @param {import('./turns.js').TurnFields} fields
   * @param {boolean} isReported
   */
  #countTokens(handle, { systemInstruction, instructionFileText, recipient, agentId, maxTokens }, isReported) {
    const functions = this.#tokenFunctions
    const isLimited = (maxTokens ?? this.#maxTokens ?? null) !== null
    if (functions.isEmpty || !(isLimited || isReported)) return undefined
    functions.countMessages(handle, (index) => this.#messages.at(index))
    const instruction = Array.isArray(systemInstruction) ? systemInstruction : [systemInstruction]
    const summary = native.getSummary(handle, recipient ?? agentId)?.[1]
    const parts = [[...instruction, instructionFileText], [native.teamTask(handle)], [summary]].map((texts) => functions.countTexts(texts))
    return functions.functions.flatMap((_, index) => parts.flatMap((part) => part[index]))
  }

  /**
   * @param {number} handle
   * @param {import('./turns.js').TurnFields} fields
   */
  #agentTurn(handle, fields) {
    const agent = this.#turns.lookUpAgent(handle, fields.agentId, fields.agentType)
    this.#warn(agent.warning)
    return this.#turns.keep(handle, fields, agent)
  }

  /**
   * @param {number} handle
   * @param {import('./turns.js').TurnFields} fields
   * @param {import('./turns.js').RouteFields} route
   * @param {boolean} isAssembled Whether an unknown agent type is warned of.
   */
  #routeTurn(handle, fields, route, isAssembled) {
    const agent = this.#turns.lookUpAgent(handle, fields.agentId, fields.agentType)
    const turn = this.#turns.keepRoute(handle, fields, agent, route)
    const missingParent = native.missingParent(handle, turn)
    const unknownAgent = isAssembled ? agent.warning : undefined
    if (missingParent === undefined && unknownAgent === undefined) return turn
    this.#warn(missingParent)
    this.#warn(unknownAgent)
    // The logger may have used the same number for another turn.
    return this.#turns.keepRoute(handle, fields, agent, route)
  }

  /**
   * What an agent sees, as input for an assembler; `route` is undefined if no parent was found.
   * @param {number} handle
   * @param {number} turn
   * @param {import('./turns.js').TurnFields} fields
   */
  #view(handle, turn, { systemInstruction, instructionFileText }) {
    const [currentMessage, summary, teamTask, maxBytes, maxTokens, shown, pinned, gapsBefore, parent, siblings, siblingsInAll] = native.viewTurn(handle, turn)
    /** @type {any} */
    const context = { contextMessages: messagesOf(shown), currentMessage, teamTask, systemInstruction, instructionFileText, maxBytes }
    if (maxTokens !== undefined) context.maxTokens = maxTokens
    if (summary !== undefined) context.summary = summary
    if (pinned.length > 0) context.pinned = pinned
    if (gapsBefore.length > 0) context.gapsBefore = gapsBefore
    return {
      context,
      route: parent && siblings && { parent: messagesOf(parent)[0], siblings: messagesOf(siblings), siblingsInAll: siblingsInAll ?? 0 },
    }
  }

  /** Whether native code has to make a report for the hook. */
  #reportFlag() {
    return this.#onAssembled === undefined || this.#onAssembled === null ? 0 : WITH_REPORT
  }

  /**
   * Calls `onAssembled` after an assembly, and returns its output. If that throws, the caller never
   * gets the prompt, so it must not be the one that `confirm` takes.
   * @template {object} Output
   * @param {string | undefined} agentId
   * @param {string} agentType
   * @param {Output & { report?: unknown }} output
   * @returns {Output}
   */
  #assembled(agentId, agentType, output) {
    const hook = this.#onAssembled
    if (hook !== undefined && hook !== null) {
      const report = output.report ?? takeReport()
      const prompt = hasOwn(report, 'session') ? native.pendingPrompt(this.#handle, agentId) : undefined
      try {
        apply(hook, this.#options, [{ agentId, agentType, report }])
      } catch (thrown) {
        if (prompt !== undefined) native.withdrawPrompt(this.#handle, agentId, prompt)
        throw thrown
      }
    }
    return output
  }

  /**
   * Our messages say themselves whether they are pinned, so they follow native code.
   * @param {number[]} before Indices of those that say so.
   * @param {number[]} after Indices of those that are.
   */
  #followPins(before, after) {
    const pinned = new Set(after)
    for (const index of before) if (!pinned.has(index)) this.#markPinned(index, false)
    for (const index of after) if (this.#messages.at(index).pinned !== true) this.#markPinned(index, true)
  }

  /**
   * @param {number} index
   * @param {boolean} isPinned
   */
  #markPinned(index, isPinned) {
    const { pinned: _, ...message } = this.#messages.at(index)
    if (isPinned) message.pinned = true
    this.#messages.replace(index, message)
    return message
  }

  /** @param {InstanceType<typeof MessageList>} messages */
  #replaceMessages(messages) {
    this.#messages = messages
    this.#envelopes.clear()
    this.#tokenFunctions.clear()
    for (const { id } of messages.toArray()) this.#tokenFunctions.changed(id)
  }

  /** @param {string | undefined} warning */
  #teamTaskChanged(warning) {
    this.#warn(warning)
    const hook = this.#onTeamTaskChanged
    if (hook !== undefined && hook !== null) apply(hook, this.#options, [native.teamTask(this.#handle)])
  }

  /** @param {string | undefined} text */
  #warn(text) {
    if (text === undefined) return
    const logger = this.#logger ?? console
    if (typeof logger.warn === 'function') logger.warn(text)
  }
}

module.exports = { ContextManager }
