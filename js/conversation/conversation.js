'use strict'
/** `openConversation`, and the methods of what it opens. */
const { randomUUID } = require('node:crypto')
const checks = require('../checks/conversation.js')
const { transcript: checkTranscript } = require('../checks/handoff.js')
const { string } = require('../checks/kinds.js')
const { typeProblem } = require('../checks/problems.js')
const { wrongReceiver } = require('../errors.js')
const { renderReport } = require('../explain/render.js')
const { adopt } = require('./adoption.js')
const { sessionKey } = require('./members.js')
const { numberOf } = require('./record.js')
const { ConversationState } = require('./state.js')
const { memoryStore } = require('./stores/memory.js')
const { streamOf } = require('./stream.js')
const { Turn, busy } = require('./turn.js')

class Conversation {
  #state

  /** @param {InstanceType<typeof ConversationState>} state */
  constructor(state) {
    this.#state = state
  }

  /** @param {Conversation} conversation */
  static #stateOf(conversation) {
    try {
      const state = conversation.#state
      state.throwIfClosed()
      return state
    } catch (error) {
      if (error instanceof TypeError) throw wrongReceiver('Conversation')
      throw error
    }
  }

  get id() {
    return this.#state.id
  }

  get manager() {
    return this.#state.manager
  }

  messages() {
    return this.#state.manager.getMessages()
  }

  members() {
    return this.#state.members.names()
  }

  /** @param {string} from @param {string} text @param {any} [options] */
  async say(from, text, options) {
    const state = Conversation.#stateOf(this)
    const { members } = state
    const { name, kind } = members.get(from, 'from')
    string(text, '', 'text')
    const { to, private: isPrivate, replyTo, pinned } = checks.sayOptions(options, '', 'options')
    if (isPrivate && to === undefined) throw typeProblem('options.to must name somebody if options.private is true')
    const addressees = to?.map(
      (/** @type {string} */ one, /** @type {number} */ index) => members.get(one, `options.to[${index}]`).name,
    )
    if (replyTo !== undefined) state.messageOf(replyTo)
    return state.addMessage({
      speaker: { id: name, type: kind === 'human' ? 'human' : 'ai' },
      content: text,
      ...((addressees !== undefined || replyTo !== undefined) && {
        routing: {
          ...(addressees !== undefined && { addressees }),
          ...(replyTo !== undefined && { parentMessageId: replyTo }),
        },
      }),
      ...(isPrivate && { private: true }),
      ...(pinned && { pinned: true }),
    })
  }

  /** @param {string} name @param {any} transcript @param {any} [options] */
  async adopt(name, transcript, options) {
    const state = Conversation.#stateOf(this)
    const member = state.members.getAgent(name, 'member')
    const checked = checkTranscript(transcript, '', 'transcript')
    const given = checks.adoptOptions(options, '', 'options')
    if (member.isBusy) throw busy(name)
    member.isBusy = true
    try {
      return await adopt(state, member, checked, given)
    } finally {
      member.isBusy = false
    }
  }

  /** @param {string} name @param {any} [options] */
  async send(name, options) {
    const state = Conversation.#stateOf(this)
    const turn = newTurn(state, name, options)
    turn.begin()
    const work = (async () => {
      try {
        await turn.prepare()
        turn.assemble()
        return await turn.finish()
      } finally {
        turn.end()
      }
    })()
    return tracked(state, work)
  }

  /** @param {readonly string[]} names @param {any} [options] */
  async sendAll(names, options) {
    const state = Conversation.#stateOf(this)
    if (!Array.isArray(names)) throw typeProblem(`names must be an array of names, got ${typeof names}`)
    names.forEach((name, index) => state.members.getAgent(name, `names[${index}]`))
    checks.sendOptions(options, '', 'options')
    const results = names.map((name) => /** @type {{ member: string, turn?: any, error?: any }} */ ({ member: name }))
    /** @type {(InstanceType<typeof Turn> | undefined)[]} */
    const turns = names.map((name, index) => {
      try {
        const turn = newTurn(state, name, options)
        turn.begin()
        return turn
      } catch (error) {
        Object.assign(/** @type {object} */ (results[index]), { error })
        return undefined
      }
    })
    /** Runs `work` on each turn that has not failed. @param {(turn: InstanceType<typeof Turn>) => unknown} work */
    const each = (work) =>
      turns.map(async (turn, index) => {
        const result = /** @type {{ error?: unknown, turn?: unknown }} */ (results[index])
        if (turn === undefined || result.error !== undefined) return
        try {
          result.turn = await work(turn)
        } catch (error) {
          delete result.turn
          result.error = error
        }
      })
    const work = (async () => {
      try {
        await Promise.all(each((turn) => turn.prepare()))
        // All prompts are made before the first answer can come.
        await Promise.all(each((turn) => turn.assemble()))
        await Promise.all(each((turn) => turn.finish()))
        return results
      } finally {
        for (const turn of turns) turn?.end()
      }
    })()
    return tracked(state, work)
  }

  /** @param {string} name @param {any} [options] */
  stream(name, options) {
    const given = checks.sendOptions(options, '', 'options')
    return streamOf((own) => this.send(name, own), given)
  }

  /** @param {string} name */
  async preview(name) {
    const state = Conversation.#stateOf(this)
    const turn = newTurn(state, name, {})
    turn.begin()
    try {
      await turn.prepareQuietly()
      const { prompt, systemFlag, request, report } = turn.assemble()
      return { prompt: request === undefined ? prompt : JSON.stringify(request), systemFlag, report }
    } finally {
      turn.end()
    }
  }

  /** @param {any} [options] */
  page(options) {
    return renderReport(this.#state.reports(), { title: `Conversation ${this.#state.id}`, ...options })
  }

  /** @param {string} id */
  async pin(id) {
    await Conversation.#stateOf(this).setPinned(string(id, '', 'id'), true)
  }

  /** @param {string} id */
  async unpin(id) {
    await Conversation.#stateOf(this).setPinned(string(id, '', 'id'), false)
  }

  /** @param {string} id @param {any} changes */
  async update(id, changes) {
    const state = Conversation.#stateOf(this)
    const { text, to, private: isPrivate } = checks.changes(changes, '', 'changes')
    if (text === undefined && to === undefined && isPrivate === undefined) {
      throw typeProblem('changes must have text, to or private')
    }
    const message = state.messageOf(string(id, '', 'id'))
    if (message.private === true && (isPrivate === false || to !== undefined)) {
      throw typeProblem(`changes must not show ${id} to others: it is private`)
    }
    const addressees = to?.map(
      (/** @type {string} */ one, /** @type {number} */ index) => state.members.get(one, `changes.to[${index}]`).name,
    )
    const routing = { ...message.routing, ...(addressees !== undefined && { addressees }) }
    if (isPrivate === true && (routing.addressees ?? []).length === 0) {
      throw typeProblem('changes.to must name somebody if changes.private is true')
    }
    const isHidden = isPrivate === true || state.options.visibility === 'addressed'
    const newcomer = isHidden && addressees?.find((/** @type {string} */ one) => state.joinedAfter(one) >= numberOf(id))
    if (newcomer) throw typeProblem(`changes.to must not name ${newcomer}, who joined after ${id}: say it again`)
    return state.update(id, {
      ...(text !== undefined && { content: text }),
      ...(addressees !== undefined && { routing }),
      ...(isPrivate === true && { private: true }),
    })
  }

  /** @param {string} id */
  async remove(id) {
    return Conversation.#stateOf(this).remove(string(id, '', 'id'))
  }

  /** @param {string | null} task */
  async setTask(task) {
    const state = Conversation.#stateOf(this)
    await state.setTask(task === null ? null : string(task, '', 'task'))
  }

  /** @param {string} name @param {any} member */
  async addMember(name, member) {
    const state = Conversation.#stateOf(this)
    checks.memberName(name, '', 'name')
    await state.addMember(name, checks.member(member, '', 'member'))
  }

  /** @param {string} name @param {any} changes */
  async change(name, changes) {
    const state = Conversation.#stateOf(this)
    const member = state.members.get(name, 'name')
    if (member.isBusy) throw busy(name)
    const given = {
      ...(isOther(member.given, changes) ? withoutKeys(member.given, OF_A_PROGRAM) : member.given),
      ...changes,
    }
    const definition = checks.member(given, '', 'member')
    const [before, after] = [sessionKey(member), sessionKey({ ...member, kind: definition.kind, definition })]
    const isReplaced = isOther(member.given, changes) || after.cwd !== before.cwd
    member.isBusy = true
    try {
      if (isReplaced) await state.replaceMember(name)
      state.members.set(name, definition)
    } finally {
      member.isBusy = false
    }
  }

  /** @param {string} name */
  async removeMember(name) {
    const state = Conversation.#stateOf(this)
    const member = state.members.get(name, 'name')
    if (member.isBusy) throw busy(name)
    await state.removeMember(member)
  }

  async close() {
    await this.#state.close()
  }
}

// Not available in every supported runtime.
if (Symbol.asyncDispose !== undefined) {
  Object.defineProperty(Conversation.prototype, Symbol.asyncDispose, {
    value: Conversation.prototype.close,
    configurable: true,
    writable: true,
  })
}

const KINDS = ['agent', 'run', 'human']
/** Settings of one program that do not carry over to its replacement. */
const OF_A_PROGRAM = [...KINDS, 'model', 'args', 'env', 'profile', 'permissions', 'tokenizer', 'layout']

/** Whether a change turns a member into a different agent. @param {any} given @param {any} changes */
const isOther = (given, changes) =>
  KINDS.some((kind) => changes?.[kind] !== undefined && changes[kind] !== null && changes[kind] !== given[kind])

/** @param {any} object @param {readonly string[]} names */
const withoutKeys = (object, names) =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)))

/** @param {InstanceType<typeof ConversationState>} state @param {string} name @param {any} options */
const newTurn = (state, name, options) => {
  const member = state.members.getAgent(name, 'member')
  return new Turn(state, member, checks.sendOptions(options, '', 'options'))
}

/**
 * Work that `close` waits for.
 * @template T
 * @param {InstanceType<typeof ConversationState>} state
 * @param {Promise<T>} work
 */
const tracked = async (state, work) => {
  state.turns.add(work)
  try {
    return await work
  } finally {
    state.turns.delete(work)
  }
}

/** @param {any} options */
const openConversation = async (options) => {
  const checked = checks.options(options, '', 'options')
  const id = checked.id ?? randomUUID()
  const store = checked.store ?? memoryStore()
  const state = new ConversationState(id, { ...checked, store }, options)
  for (const [name, definition] of checked.members) state.members.set(name, definition)
  await state.open()
  for (const name of state.inDoubt) state.emit({ type: 'in-doubt', member: name })
  return new Conversation(state)
}

module.exports = { Conversation, openConversation }
