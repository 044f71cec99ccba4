/** `openConversation`, and the methods of what it opens. */
import { randomUUID } from 'node:crypto'
import { string } from '../checks/kinds.js'
import { typeProblem, wrongReceiver } from '../checks/problems.js'
import { type RenderOptions, renderReport } from '../explain/render.js'
import { handoffSource, type HandoffSource } from '../handoff/source.js'
import { adopt, adoptOptions, type AdoptOptions } from './adoption.js'
import { checkProgram } from './ask-agent.js'
import { busy } from './failures.js'
import { type Member, member as checkMember, type MemberChanges, memberName, withChanges } from './member.js'
import { sessionKey } from './members.js'
import { type MessageUpdate, say, type SayOptions, update } from './messages.js'
import { conversationOptions, type ConversationOptions, sendOptions, type SendOptions } from './options.js'
import { ConversationState } from './state.js'
import { memoryStore } from './stores/memory.js'
import { type StreamEvent, streamOf } from './stream.js'
import { TurnInProgress } from './turn.js'
import type { ContextManager } from '../manager/context-manager.js'
import type { ConversationMessage } from '../messages/messages.js'
import type { AssemblerReportOutput } from '../prompts/results.js'
import type { Turn, TurnResult } from './outcome.js'

/** Not a private field: an object of the caller, such as a fake in a test, can also be a `Conversation`. */
const states = new WeakMap<object, ConversationState>()

const stateOf = (conversation: object) => {
  const state = states.get(conversation)
  if (state === undefined) throw wrongReceiver('Conversation')
  return state
}

const openStateOf = (conversation: object) => {
  const state = stateOf(conversation)
  state.throwIfClosed()
  return state
}

/**
 * A conversation between several members. When a method resolves, its result is stored; when it rejects,
 * nothing has changed.
 */
export class Conversation<Name extends string = string> {
  get id(): string {
    return stateOf(this).id
  }

  /** The underlying manager. Do not modify it: changes would not be stored. */
  get manager(): ContextManager {
    return stateOf(this).manager
  }

  /** All messages, oldest first. */
  messages(): ConversationMessage[] {
    return stateOf(this).manager.getMessages()
  }

  /** The names of all members. */
  members(): string[] {
    return stateOf(this).members.names()
  }

  /** Adds a message. */
  async say(from: Name, text: string, options?: SayOptions<Name> | null): Promise<ConversationMessage> {
    return say(openStateOf(this), from, text, options)
  }

  /**
   * Adds the messages of a session that a CLI has stored (see `readTranscript`), with tool calls and
   * results. The agent's messages are attributed to the member and addressed to the user, and the
   * user's the other way round. Either all of it is stored, or nothing. If the member is the same CLI,
   * and the conversation has nothing else that it may read, it resumes that session. Otherwise its next
   * prompt is whole. Resolves with the new messages. A member can adopt the same session only once: a
   * second call rejects with a `TypeError` whose code is `ERR_INVALID_ARG_TYPE`.
   */
  async adopt(
    member: Name,
    transcript: HandoffSource,
    options?: AdoptOptions<Name> | null,
  ): Promise<ConversationMessage[]> {
    const state = openStateOf(this)
    const adopter = state.members.getAgent(member, 'member')
    const checked = handoffSource(transcript, '', 'transcript')
    const given = adoptOptions(options, '', 'options')
    if (adopter.isBusy) throw busy(member)
    adopter.isBusy = true
    try {
      return await adopt(state, adopter, checked, given)
    } finally {
      adopter.isBusy = false
    }
  }

  /**
   * Takes a member's next turn: sends what the member has not been shown, and adds its answer. Rejects
   * with a `TurnFailedError` if there is no answer, with a `BusyError` if the member already has a turn
   * in progress, and with a `NothingToSendError` if the member has been shown everything.
   */
  async send(member: Name, options?: SendOptions | null): Promise<Turn<Name>> {
    const state = openStateOf(this)
    const turn = new TurnInProgress(state, member, options)
    turn.begin()
    const work = (async () => {
      try {
        await turn.prepare()
        turn.assemble()
        return await turn.finish()
      } catch (error) {
        throw turn.failure(error)
      } finally {
        turn.end()
      }
    })()
    return tracked(state, work)
  }

  /**
   * Takes turns of several members in parallel. Each prompt shows the conversation as it was at the
   * call. Turns that succeed are kept.
   */
  async sendAll(members: readonly Name[], options?: SendOptions | null): Promise<TurnResult<Name>[]> {
    const state = openStateOf(this)
    if (!Array.isArray(members)) throw typeProblem(`names must be an array of names, got ${typeof members}`)
    members.forEach((name, index) => state.members.getAgent(name, `names[${index}]`))
    sendOptions(options, '', 'options')
    return tracked(state, sendAll(state, members, options))
  }

  /** Like `send`, as a sequence of events. Leaving the loop ends the turn. */
  stream(member: Name, options?: SendOptions | null): AsyncGenerator<StreamEvent<Name>, void, void> {
    const given = sendOptions(options, '', 'options')
    return streamOf((own) => this.send(member, own), given)
  }

  /** Returns what `send` would send, without creating a new summary. A request to a model API is its JSON. */
  async preview(member: Name): Promise<AssemblerReportOutput> {
    const turn = new TurnInProgress(openStateOf(this), member, {})
    turn.begin()
    try {
      await turn.prepareQuietly()
      const { prompt, systemFlag, request, report } = turn.assemble()
      return { prompt: prompt ?? JSON.stringify(request), systemFlag, report }
    } finally {
      turn.end()
    }
  }

  /** Returns an HTML page of the last 1000 turns since the conversation was opened: see `renderReport`. */
  page(options?: RenderOptions | null): string {
    const state = stateOf(this)
    return renderReport(state.reports(), { title: `Conversation ${state.id}`, ...options })
  }

  async pin(id: string): Promise<void> {
    await openStateOf(this).write({ type: 'pin', id: string(id, '', 'id'), pinned: true })
  }

  async unpin(id: string): Promise<void> {
    await openStateOf(this).write({ type: 'pin', id: string(id, '', 'id'), pinned: false })
  }

  /** Replaces fields of a message. Members that have been shown it are shown the new version. */
  async update(id: string, changes: MessageUpdate<Name>): Promise<ConversationMessage> {
    return update(openStateOf(this), id, changes)
  }

  /** Removes a message. CLI sessions that have been shown it still have it. */
  async remove(id: string): Promise<ConversationMessage> {
    return openStateOf(this).remove(string(id, '', 'id'))
  }

  /** Sets what the team works on. */
  async setTask(task: string | null): Promise<void> {
    await openStateOf(this).write({ type: 'task', task: task === null ? null : string(task, '', 'task') })
  }

  /**
   * Adds a member. If somebody with the same name was removed before, this is a different member, who
   * does not see the former one's private messages. The next `openConversation` has to list it, too. For
   * names that TypeScript does not know yet, open the conversation with `openConversation<string>(…)`.
   */
  async addMember(name: string, member: Member): Promise<void> {
    const state = openStateOf(this)
    memberName(name, '', 'name')
    await state.addMember(name, checkMember(member, '', 'member'))
  }

  /** Changes a member. If the agent or function is a different one, its next prompt is whole. */
  async change(name: Name, changes: MemberChanges): Promise<void> {
    const state = openStateOf(this)
    const member = state.members.get(name, 'name')
    if (member.isBusy) throw busy(name)
    const { changed, isOther } = withChanges(member.given, changes)
    if (isOther && changed.definition.kind === 'agent') checkProgram(changed.definition)
    const isMoved = sessionKey(changed.definition).cwd !== sessionKey(member.definition).cwd
    member.isBusy = true
    try {
      // Another agent has not seen anything yet.
      if (isOther || isMoved) await state.write({ type: 'lost', member: name, isReplaced: true })
      state.members.set(name, changed)
    } finally {
      member.isBusy = false
    }
  }

  /** Removes a member. Its messages stay. */
  async removeMember(name: Name): Promise<void> {
    const state = openStateOf(this)
    const member = state.members.get(name, 'name')
    if (member.isBusy) throw busy(name)
    await state.removeMember(member)
  }

  /** Ends turns in progress, and lets others open the conversation. */
  async close(): Promise<void> {
    await stateOf(this).close()
  }

  /** The same as `close`, for `await using`. */
  declare readonly [Symbol.asyncDispose]: () => Promise<void>
}

// Not available in every supported runtime.
if (Symbol.asyncDispose !== undefined) {
  Object.defineProperty(Conversation.prototype, Symbol.asyncDispose, {
    value: Conversation.prototype.close,
    configurable: true,
    writable: true,
  })
}

/** Takes turns in parallel. */
const sendAll = async <Name extends string>(
  state: ConversationState,
  names: readonly Name[],
  options: SendOptions | null | undefined,
) => {
  const turns: (TurnInProgress<Name> | undefined)[] = []
  const prepared = names.map(async (name, index) => {
    const turn = new TurnInProgress(state, name, options)
    turn.begin()
    turns[index] = turn
    await turn.prepare()
    return turn
  })
  await Promise.allSettled(prepared)
  const assembled = prepared.map(async (preparing) => {
    const turn = await preparing
    turn.assemble()
    return turn
  })
  // All prompts are made before the first answer can come.
  await Promise.allSettled(assembled)
  const results = assembled.map(async (assembling, index): Promise<TurnResult<Name>> => {
    const member = names[index] as Name
    try {
      return { member, turn: await (await assembling).finish() }
    } catch (error) {
      return { member, error: (turns[index]?.failure(error) ?? error) as Error }
    }
  })
  const done = await Promise.all(results)
  for (const turn of turns) turn?.end()
  return done
}

/** Work that `close` waits for. */
const tracked = async <T>(state: ConversationState, work: Promise<T>) => {
  state.turns.add(work)
  try {
    return await work
  } finally {
    state.turns.delete(work)
  }
}

/** Opens a new conversation, or one from a store. Rejects with a `ConflictError` if it is open elsewhere. */
export async function openConversation<const Name extends string>(
  options: ConversationOptions<Name>,
): Promise<Conversation<Name>> {
  const checked = conversationOptions(options, '', 'options')
  const { id = randomUUID(), store = memoryStore() } = checked
  const state = new ConversationState(id, { ...checked, store }, options)
  for (const [name, member] of checked.members) state.members.set(name, member)
  await state.open()
  for (const name of state.inDoubt) state.emit({ type: 'in-doubt', member: name })
  const conversation = new Conversation<Name>()
  states.set(conversation, state)
  return conversation
}
