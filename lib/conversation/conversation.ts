/** `openConversation`, and the methods of what it opens. */
import { randomUUID } from 'node:crypto'
import checks = require('./checks.js')
import { handoffSource } from '../handoff/source.js'
import { string } from '../checks/kinds.js'
import { typeProblem } from '../checks/problems.js'
import { wrongReceiver } from '../errors.js'
import { renderReport } from '../explain/render.js'
import { adopt } from './adoption.js'
import { sessionKey } from './members.js'
import { numberOf } from './record.js'
import { ConversationState } from './state.js'
import { memoryStore } from './stores/memory.js'
import { streamOf } from './stream.js'
import { Turn, busy } from './turn.js'

export class Conversation {
  #state

  constructor(state: InstanceType<typeof ConversationState>) {
    this.#state = state
  }

  static #stateOf(conversation: Conversation) {
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

  async say(from: string, text: string, options?: any) {
    const state = Conversation.#stateOf(this)
    const { members } = state
    const { name, kind } = members.get(from, 'from')
    string(text, '', 'text')
    const { to, private: isPrivate, replyTo, pinned } = checks.sayOptions(options, '', 'options')
    if (isPrivate && to === undefined) throw typeProblem('options.to must name somebody if options.private is true')
    const addressees = to?.map((one: string, index: number) => members.get(one, `options.to[${index}]`).name)
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

  async adopt(name: string, transcript: any, options?: any) {
    const state = Conversation.#stateOf(this)
    const member = state.members.getAgent(name, 'member')
    const checked = handoffSource(transcript, '', 'transcript')
    const given = checks.adoptOptions(options, '', 'options')
    if (member.isBusy) throw busy(name)
    member.isBusy = true
    try {
      return await adopt(state, member, checked, given)
    } finally {
      member.isBusy = false
    }
  }

  async send(name: string, options?: any) {
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

  async sendAll(names: readonly string[], options?: any) {
    const state = Conversation.#stateOf(this)
    if (!Array.isArray(names)) throw typeProblem(`names must be an array of names, got ${typeof names}`)
    names.forEach((name, index) => state.members.getAgent(name, `names[${index}]`))
    checks.sendOptions(options, '', 'options')
    const results = names.map((name) => ({ member: name }) as { member: string; turn?: any; error?: any })
    const turns: (InstanceType<typeof Turn> | undefined)[] = names.map((name, index) => {
      try {
        const turn = newTurn(state, name, options)
        turn.begin()
        return turn
      } catch (error) {
        Object.assign(results[index] as object, { error })
        return undefined
      }
    })
    /** Runs `work` on each turn that has not failed. */
    const each = (work: (turn: InstanceType<typeof Turn>) => unknown) =>
      turns.map(async (turn, index) => {
        const result = results[index] as { error?: unknown; turn?: unknown }
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

  stream(name: string, options?: any) {
    const given = checks.sendOptions(options, '', 'options')
    return streamOf((own) => this.send(name, own), given)
  }

  async preview(name: string) {
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

  page(options?: any) {
    return renderReport(this.#state.reports(), { title: `Conversation ${this.#state.id}`, ...options })
  }

  async pin(id: string) {
    await Conversation.#stateOf(this).setPinned(string(id, '', 'id'), true)
  }

  async unpin(id: string) {
    await Conversation.#stateOf(this).setPinned(string(id, '', 'id'), false)
  }

  async update(id: string, changes: any) {
    const state = Conversation.#stateOf(this)
    const { text, to, private: isPrivate } = checks.changes(changes, '', 'changes')
    if (text === undefined && to === undefined && isPrivate === undefined) {
      throw typeProblem('changes must have text, to or private')
    }
    const message = state.messageOf(string(id, '', 'id'))
    if (message.private === true && (isPrivate === false || to !== undefined)) {
      throw typeProblem(`changes must not show ${id} to others: it is private`)
    }
    const addressees = to?.map((one: string, index: number) => state.members.get(one, `changes.to[${index}]`).name)
    const routing = { ...message.routing, ...(addressees !== undefined && { addressees }) }
    if (isPrivate === true && (routing.addressees ?? []).length === 0) {
      throw typeProblem('changes.to must name somebody if changes.private is true')
    }
    const isHidden = isPrivate === true || state.options.visibility === 'addressed'
    const newcomer = isHidden && addressees?.find((one: string) => state.joinedAfter(one) >= numberOf(id))
    if (newcomer) throw typeProblem(`changes.to must not name ${newcomer}, who joined after ${id}: say it again`)
    return state.update(id, {
      ...(text !== undefined && { content: text }),
      ...(addressees !== undefined && { routing }),
      ...(isPrivate === true && { private: true }),
    })
  }

  async remove(id: string) {
    return Conversation.#stateOf(this).remove(string(id, '', 'id'))
  }

  async setTask(task: string | null) {
    const state = Conversation.#stateOf(this)
    await state.setTask(task === null ? null : string(task, '', 'task'))
  }

  async addMember(name: string, member: any) {
    const state = Conversation.#stateOf(this)
    checks.memberName(name, '', 'name')
    await state.addMember(name, checks.member(member, '', 'member'))
  }

  async change(name: string, changes: any) {
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

  async removeMember(name: string) {
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

/** Whether a change turns a member into a different agent. */
const isOther = (given: any, changes: any) =>
  KINDS.some((kind) => changes?.[kind] !== undefined && changes[kind] !== null && changes[kind] !== given[kind])

const withoutKeys = (object: any, names: readonly string[]) =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)))

const newTurn = (state: InstanceType<typeof ConversationState>, name: string, options: any) => {
  const member = state.members.getAgent(name, 'member')
  return new Turn(state, member, checks.sendOptions(options, '', 'options'))
}

/** Work that `close` waits for. */
const tracked = async <T>(state: InstanceType<typeof ConversationState>, work: Promise<T>) => {
  state.turns.add(work)
  try {
    return await work
  } finally {
    state.turns.delete(work)
  }
}

export const openConversation = async (options: any) => {
  const checked = checks.options(options, '', 'options')
  const id = checked.id ?? randomUUID()
  const store = checked.store ?? memoryStore()
  const state = new ConversationState(id, { ...checked, store }, options)
  for (const [name, definition] of checked.members) state.members.set(name, definition)
  await state.open()
  for (const name of state.inDoubt) state.emit({ type: 'in-doubt', member: name })
  return new Conversation(state)
}
