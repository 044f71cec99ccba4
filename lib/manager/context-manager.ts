/**
 * `ContextManager`: its methods. Native code has the texts of the conversation; the caller's own
 * objects (messages, hooks, logger) are in `lib/manager/state.ts`, where the garbage collector sees
 * them, and the functions in `lib/manager/` do the work.
 */
import { readForm } from '../prompts/form.js'
import { isMissing, optional, string } from '../checks/kinds.js'
import { wrongReceiver, wrongType } from '../checks/problems.js'
import { callNative } from '../errors.js'
import { readLate } from './late-addressees.js'
import { addMessage, clear, removeMessage, setPinned, updateMessage } from './messages.js'
import { agentTurn, newSummary, routeTurn } from './options.js'
import { exportSnapshot, importSnapshot } from './snapshots.js'
import { ManagerState } from './state.js'
import { assemblePrompt, assembleTurn, contextForAgent, contextForRoute, overflowOf } from './turns.js'
import type { ConversationMessage, MessageChanges, NewMessage } from '../messages/messages.js'
import type { AgentType } from '../prompts/agents.js'
import type { AssemblerInput } from '../prompts/assembler-input.js'
import type { BufferForm, IntoForm, PromptForm, RequestForm, StringForm } from '../prompts/form.js'
import type { ModelApi } from '../prompts/model-requests.js'
import type {
  AnyAssemblerOutput,
  AssemblerOutput,
  BufferOutput,
  IntoOutput,
  RequestOutput,
  StringOutput,
} from '../prompts/results.js'
import type {
  AgentContextOptions,
  ContextManagerOptions,
  ConversationSummary,
  NewSummary,
  RouteContextOptions,
  RoutingItem,
} from './options.js'
import type { ContextSnapshot, ContextSnapshotJson, ExportSnapshotOptions, ImportSnapshotOptions } from './snapshots.js'
import type { AgentContext, GivenInstruction, Overflow, RouteContextResult } from './turns.js'

const optionalString = optional(string)

/** What a manager keeps. */
export let stateOf: (manager: ContextManager) => ManagerState

/** What a coordinator needs from its context. */
export interface IContextProvider<M extends ConversationMessage = ConversationMessage> {
  /** Stores a message and returns it with its id. */
  addMessage(message: NewMessage<M>): M
  /** All messages, oldest first. */
  getMessages(): M[]
  /** The latest message, or null. */
  getLatestMessage(): M | null
  /** Sets what the team works on. */
  setTeamTask(task: string): void
  /** What the team works on, or null. */
  getTeamTask(): string | null
  /** What an agent sees in its turn. */
  getContextForAgent(agentId: string, agentType: AgentType, options?: AgentContextOptions | null): AgentContext
  /** Assembles a prompt from an input, in the layout of the agent type. */
  assemblePrompt(agentType: AgentType, input: AssemblerInput): AssemblerOutput
  /** Removes all messages and the team task. */
  clear(): void
  /** Exports the conversation for storage. */
  exportSnapshot(): ContextSnapshot<M>
  /** Replaces the conversation with a snapshot. */
  importSnapshot(snapshot: ContextSnapshot<M> | ContextSnapshotJson<M>): void
}

/**
 * Keeps the messages and the team task of a conversation, and builds prompts from them. Each text is
 * passed to native code once, when it is added, so the cost of a prompt depends on what it contains, not
 * on the length of the conversation.
 *
 * An unreferenced manager is freed by the garbage collector when the event loop turns. If you create
 * managers in a long synchronous loop, `clear()` frees the texts of each one immediately.
 *
 * `M` is the type of the messages. With your own type, messages go in and come out as that type.
 */
export class ContextManager<M extends ConversationMessage = ConversationMessage> implements IContextProvider<M> {
  #state: ManagerState<M>

  /** Creates an empty conversation. */
  constructor(options?: ContextManagerOptions<M> | null) {
    this.#state = new ManagerState(options)
  }

  static #stateOf<M extends ConversationMessage>(manager: ContextManager<M>): ManagerState<M> {
    try {
      return manager.#state
    } catch {
      throw wrongReceiver('ContextManager')
    }
  }

  static {
    // Not a method, because it would become part of the public class.
    stateOf = (manager) => ContextManager.#stateOf(manager)
  }

  /** With `ids: 'keep'`: stores a message under its own id, which no other message may have. */
  addMessage(message: M): M
  /**
   * Stores a message under the next id (`msg-1`, `msg-2`, …), calls `onMessageAdded`, and returns the
   * complete message. All fields are kept except `id`, which is replaced.
   */
  addMessage(message: NewMessage<M>): M
  addMessage(message: unknown): M {
    return addMessage(ContextManager.#stateOf(this), message)
  }

  /**
   * Returns all messages, oldest first, in a new array. Do not edit the messages: prompts would not
   * change. Use `updateMessage`.
   */
  getMessages(): M[] {
    const state = ContextManager.#stateOf(this)
    readLate(state, true)
    return state.messages.toArray()
  }

  /** Returns the newest message, or null. Do not edit it: see `getMessages`. */
  getLatestMessage(): M | null {
    const state = ContextManager.#stateOf(this)
    readLate(state, true)
    return state.messages.last ?? null
  }

  /**
   * Replaces fields of a message, validates it like `addMessage`, and returns the new message. Prompts, getters and
   * snapshots reflect the change immediately; messages returned earlier do not change. A field set to undefined
   * becomes undefined. The id stays the same, and no hook is called. Takes no longer in a longer conversation.
   *
   * Throws an `UnknownMessageError` if there is no message with this id.
   */
  updateMessage(id: string, changes: MessageChanges<M>): M {
    return updateMessage(ContextManager.#stateOf(this), id, changes)
  }

  /**
   * Removes a message and returns it. Its id is not reused until `clear`. Replies to it stay. Takes time
   * linear in the length of the conversation.
   *
   * Throws an `UnknownMessageError` if there is no message with this id.
   */
  removeMessage(id: string): M {
    return removeMessage(ContextManager.#stateOf(this), id)
  }

  /**
   * Pins a message: it is kept before any other, in its place in the conversation, regardless of window, eviction step
   * and budget. It is still hidden from a recipient who may not see it. Returns the message with `pinned: true`.
   *
   * Throws an `UnknownMessageError` if there is no message with this id.
   */
  pin(id: string): M {
    return setPinned(ContextManager.#stateOf(this), id, true)
  }

  /** Unpins a message. Returns it without `pinned`. */
  unpin(id: string): M {
    return setPinned(ContextManager.#stateOf(this), id, false)
  }

  /**
   * Returns the messages that this agent's next prompt would leave out because of the window, the
   * eviction step or the budget, and that no summary covers yet. Summarise them with a model.
   */
  overflow(agentId: string, agentType: AgentType, options?: AgentContextOptions | null): Overflow<M> {
    return overflowOf(ContextManager.#stateOf(this), agentTurn(agentId, agentType, options))
  }

  /**
   * Sets a summary. Prompts show it before the context, and the window begins after `upTo`. The messages
   * stay in `getMessages` and in snapshots. A later summary replaces it.
   *
   * Throws an `UnknownMessageError` if `upTo` is unknown or precedes that of the current summary.
   */
  setSummary(summary: NewSummary): void {
    const { native } = ContextManager.#stateOf(this)
    const { upTo, text, recipient } = newSummary(summary, '', 'summary')
    callNative(() => native.setSummary(upTo, text, recipient))
  }

  /** Returns the summary for one member or, without `recipient`, the general one; null if there is none. */
  getSummary(recipient?: string | null): ConversationSummary | null {
    const { native } = ContextManager.#stateOf(this)
    return JSON.parse(native.getSummary(optionalString(recipient, '', 'recipient')))
  }

  /** Removes the summary for one member or, without `recipient`, the general one. */
  clearSummary(recipient?: string | null): void {
    ContextManager.#stateOf(this).native.clearSummary(optionalString(recipient, '', 'recipient'))
  }

  /**
   * Call this when the CLI has accepted the last prompt built for this agent with `session: 'delta'`. What the prompt
   * showed then counts as seen. Returns false if there is no such prompt, or if it is already confirmed.
   */
  confirm(agentId: string): boolean {
    return ContextManager.#stateOf(this).native.confirmSession(string(agentId, '', 'agentId'))
  }

  /**
   * Call this when the CLI's session is lost. The agent's next prompt is whole again. Returns false if
   * there was no session.
   */
  forget(agentId: string): boolean {
    return ContextManager.#stateOf(this).native.forgetSession(string(agentId, '', 'agentId'))
  }

  /**
   * Ends a membership. The member's messages stay. Anybody who later has its id or one of its names is
   * somebody else and, as a `recipient`, does not see what was said to or by the former member in
   * private. Its session, summary and fence key are removed.
   */
  removeMember(member: string): void {
    const state = ContextManager.#stateOf(this)
    const name = string(member, '', 'member')
    // Everything addressed so far was for the member who is leaving.
    readLate(state, true)
    state.native.removeMember(name)
  }

  /** Sets what the team works on, cut to 5 KiB with a warning, and calls `onTeamTaskChanged`. Null removes the task. */
  setTeamTask(task: string | null): void {
    const state = ContextManager.#stateOf(this)
    if (!isMissing(task) && typeof task !== 'string') wrongType('a string or null', task, '', 'task')
    state.teamTaskChanged(callNative(() => state.native.setTeamTask(task ?? undefined)) ?? undefined)
  }

  /** What the team works on, or null. */
  getTeamTask(): string | null {
    return ContextManager.#stateOf(this).native.teamTask ?? null
  }

  /** Returns what an agent sees in its turn, as input for an assembler: the latest message and the window before it. */
  getContextForAgent<Options extends AgentContextOptions = AgentContextOptions>(
    agentId: string,
    agentType: AgentType,
    options?: Options | null,
  ): AgentContext<GivenInstruction<Options>> {
    const context = contextForAgent(ContextManager.#stateOf(this), agentTurn(agentId, agentType, options))
    // The instructions are those that were passed.
    return context as AgentContext<GivenInstruction<Options>>
  }

  /**
   * Returns what an agent sees that answers a given message: that message, the window before it, and the
   * other replies to it.
   */
  getContextForRoute(
    agentId: string,
    agentType: AgentType,
    route: RoutingItem,
    options?: RouteContextOptions | null,
  ): RouteContextResult {
    return contextForRoute(ContextManager.#stateOf(this), routeTurn(route, agentTurn(agentId, agentType, options)))
  }

  /** Assembles a prompt from an input, in the layout of the agent type, as a new Buffer. */
  assemblePrompt<R extends boolean = false>(
    agentType: AgentType,
    input: AssemblerInput,
    form: BufferForm<R>,
  ): BufferOutput<R>
  /** Assembles a prompt from an input, in the layout of the agent type, in your buffer. */
  assemblePrompt<R extends boolean = false>(
    agentType: AgentType,
    input: AssemblerInput,
    form: IntoForm<R>,
  ): IntoOutput<R>
  /** Assembles a prompt from an input, in the layout of the agent type, as a string. */
  assemblePrompt<R extends boolean = false>(
    agentType: AgentType,
    input: AssemblerInput,
    form: StringForm<R>,
  ): StringOutput<R>
  /** Assembles a prompt from an input, in the layout of the agent type, in a form known only at run time. */
  assemblePrompt(agentType: AgentType, input: AssemblerInput, form: PromptForm | null | undefined): AnyAssemblerOutput
  /**
   * Assembles a prompt from an input, in the layout of the agent type, as a string. An unknown type gets plain text and
   * logs a warning.
   */
  assemblePrompt(agentType: AgentType, input: AssemblerInput, form?: null): AssemblerOutput
  assemblePrompt(agentType: AgentType, input: AssemblerInput, form?: unknown): unknown {
    return assemblePrompt(ContextManager.#stateOf(this), agentType, input, readForm(form))
  }

  /** Builds the agent's request to a model API. The agent's own messages have the role of the assistant. */
  assembleForAgent<Api extends ModelApi, R extends boolean = false>(
    agentId: string,
    agentType: AgentType,
    options: AgentContextOptions | null | undefined,
    form: RequestForm<Api, R>,
  ): RequestOutput<Api, R>
  /** Builds the prompt for an agent's turn as a new Buffer. */
  assembleForAgent<R extends boolean = false>(
    agentId: string,
    agentType: AgentType,
    options: AgentContextOptions | null | undefined,
    form: BufferForm<R>,
  ): BufferOutput<R>
  /** Builds the prompt for an agent's turn in your buffer. */
  assembleForAgent<R extends boolean = false>(
    agentId: string,
    agentType: AgentType,
    options: AgentContextOptions | null | undefined,
    form: IntoForm<R>,
  ): IntoOutput<R>
  /** Builds the prompt for an agent's turn as a string. */
  assembleForAgent<R extends boolean = false>(
    agentId: string,
    agentType: AgentType,
    options: AgentContextOptions | null | undefined,
    form: StringForm<R>,
  ): StringOutput<R>
  /** Builds the prompt for an agent's turn in a form known only at run time. */
  assembleForAgent(
    agentId: string,
    agentType: AgentType,
    options: AgentContextOptions | null | undefined,
    form: PromptForm | null | undefined,
  ): AnyAssemblerOutput
  /** Builds the prompt for an agent's turn as a string: `getContextForAgent` and `assemblePrompt` in one step. */
  assembleForAgent(
    agentId: string,
    agentType: AgentType,
    options?: AgentContextOptions | null,
    form?: null,
  ): AssemblerOutput
  assembleForAgent(agentId: string, agentType: AgentType, options?: unknown, form?: unknown): unknown {
    const state = ContextManager.#stateOf(this)
    const wanted = readForm(form, true)
    return assembleTurn(state, agentTurn(agentId, agentType, options, wanted.request), wanted)
  }

  /** Builds the agent's request to a model API. The agent's own messages have the role of the assistant. */
  assembleForRoute<Api extends ModelApi, R extends boolean = false>(
    agentId: string,
    agentType: AgentType,
    route: RoutingItem,
    options: RouteContextOptions | null | undefined,
    form: RequestForm<Api, R>,
  ): RequestOutput<Api, R>
  /** Builds the prompt of an agent that answers a given message as a new Buffer. */
  assembleForRoute<R extends boolean = false>(
    agentId: string,
    agentType: AgentType,
    route: RoutingItem,
    options: RouteContextOptions | null | undefined,
    form: BufferForm<R>,
  ): BufferOutput<R>
  /** Builds the prompt of an agent that answers a given message in your buffer. */
  assembleForRoute<R extends boolean = false>(
    agentId: string,
    agentType: AgentType,
    route: RoutingItem,
    options: RouteContextOptions | null | undefined,
    form: IntoForm<R>,
  ): IntoOutput<R>
  /** Builds the prompt of an agent that answers a given message as a string. */
  assembleForRoute<R extends boolean = false>(
    agentId: string,
    agentType: AgentType,
    route: RoutingItem,
    options: RouteContextOptions | null | undefined,
    form: StringForm<R>,
  ): StringOutput<R>
  /** Builds the prompt of an agent that answers a given message in a form known only at run time. */
  assembleForRoute(
    agentId: string,
    agentType: AgentType,
    route: RoutingItem,
    options: RouteContextOptions | null | undefined,
    form: PromptForm | null | undefined,
  ): AnyAssemblerOutput
  /**
   * Builds the prompt of an agent that answers a given message as a string: `getContextForRoute` and `assemblePrompt` in
   * one step.
   */
  assembleForRoute(
    agentId: string,
    agentType: AgentType,
    route: RoutingItem,
    options?: RouteContextOptions | null,
    form?: null,
  ): AssemblerOutput
  assembleForRoute(
    agentId: string,
    agentType: AgentType,
    route: RoutingItem,
    options?: unknown,
    form?: unknown,
  ): unknown {
    const state = ContextManager.#stateOf(this)
    const wanted = readForm(form, true)
    const turn = routeTurn(route, agentTurn(agentId, agentType, options, wanted.request))
    return assembleTurn(state, turn, wanted)
  }

  /** Removes messages and team task, restarts numbering, and calls `onTeamTaskChanged(null)`. */
  clear(): void {
    clear(ContextManager.#stateOf(this))
  }

  /**
   * Exports the conversation for storage, ready for `JSON.stringify`. The snapshot shares nothing with
   * the manager: plain objects, arrays, Dates, Maps, Sets, typed arrays, ArrayBuffers and DataViews are
   * copied. Only functions, symbols and class instances are shared.
   *
   * With `after`, the snapshot contains only the messages after that one, for a store that appends a few
   * messages per turn. Everything else in it is complete.
   */
  exportSnapshot(options?: ExportSnapshotOptions | null): ContextSnapshot<M> {
    return exportSnapshot(ContextManager.#stateOf(this), options)
  }

  /**
   * Replaces the conversation with a snapshot, which may have gone through JSON, and calls `onTeamTaskChanged`. A
   * `timestamp` becomes a Date again; dates in other fields stay as they are. The manager keeps copies, like those of
   * `exportSnapshot`. An invalid snapshot changes nothing, for example one with two messages of the same id, or with a
   * number in an id that is not a safe integer.
   *
   * With `append`, its messages are added to the conversation, and everything else is replaced; `onTeamTaskChanged` is
   * called only if the task differs. A snapshot changes nothing if it does not begin where the conversation ends,
   * repeats an id, or has numbers that do not ascend. Appending takes time linear in what is appended.
   *
   * Rejected snapshots throw an `InvalidSnapshotError`. That includes a snapshot made with `after` and imported
   * without `append`: it would be half a conversation.
   */
  importSnapshot(snapshot: ContextSnapshot<M> | ContextSnapshotJson<M>, options?: ImportSnapshotOptions | null): void {
    importSnapshot(ContextManager.#stateOf(this), snapshot, options)
  }
}
