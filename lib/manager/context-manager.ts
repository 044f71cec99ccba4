/**
 * `ContextManager`: its methods. Native code has the texts of the conversation; the caller's own
 * objects (messages, hooks, logger) are in `lib/manager/state.ts`, where the garbage collector sees
 * them, and the functions in `lib/manager/` do the work.
 */
import { readForm } from '../prompts/form.js'
import { isMissing, optional, string } from '../checks/kinds.js'
import { summary as summaryFields } from './options.js'
import { wrongType } from '../checks/problems.js'
import { callNative, wrongReceiver } from '../errors.js'
import { addMessage, removeMessage, setPinned, updateMessage } from './messages.js'
import { clear, exportSnapshot, importSnapshot } from './snapshots.js'
import { ManagerState } from './state.js'
import {
  assembleForAgent,
  assembleForRoute,
  assemblePrompt,
  contextForAgent,
  contextForRoute,
  overflowOf,
} from './turns.js'

const optionalString = optional(string)

/** Marks all messages as seen by an agent, because its session already has them. */
export let sessionHasAll: (manager: any, agentId: string) => void

export class ContextManager {
  #state

  constructor(options?: any) {
    this.#state = new ManagerState(options)
  }

  static #stateOf(manager: ContextManager) {
    try {
      return manager.#state
    } catch {
      throw wrongReceiver('ContextManager')
    }
  }

  addMessage(message: any) {
    return addMessage(ContextManager.#stateOf(this), message)
  }

  getMessages() {
    const state = ContextManager.#stateOf(this)
    state.late.read(state, true)
    return state.messages.toArray()
  }

  getLatestMessage() {
    const state = ContextManager.#stateOf(this)
    state.late.read(state, true)
    const { messages } = state
    return messages.at(messages.length - 1) ?? null
  }

  updateMessage(id: string, changes: any) {
    return updateMessage(ContextManager.#stateOf(this), id, changes)
  }

  removeMessage(id: string) {
    return removeMessage(ContextManager.#stateOf(this), id)
  }

  pin(id: string) {
    return setPinned(ContextManager.#stateOf(this), id, true)
  }

  unpin(id: string) {
    return setPinned(ContextManager.#stateOf(this), id, false)
  }

  setTeamTask(task: string | null) {
    const state = ContextManager.#stateOf(this)
    if (!isMissing(task) && typeof task !== 'string') wrongType('a string or null', task, '', 'task')
    state.teamTaskChanged(callNative(() => state.native.setTeamTask(task ?? undefined)) ?? undefined)
  }

  getTeamTask() {
    return ContextManager.#stateOf(this).native.teamTask ?? null
  }

  getContextForAgent(agentId: string, agentType: string, options?: any) {
    return contextForAgent(ContextManager.#stateOf(this), agentId, agentType, options)
  }

  getContextForRoute(agentId: string, agentType: string, route: any, options?: any) {
    return contextForRoute(ContextManager.#stateOf(this), agentId, agentType, route, options)
  }

  assemblePrompt(agentType: string, input: any, form?: any) {
    return assemblePrompt(ContextManager.#stateOf(this), agentType, input, readForm(form))
  }

  assembleForAgent(agentId: string, agentType: string, options?: any, form?: any) {
    return assembleForAgent(ContextManager.#stateOf(this), agentId, agentType, options, readForm(form, true))
  }

  assembleForRoute(agentId: string, agentType: string, route: any, options?: any, form?: any) {
    return assembleForRoute(ContextManager.#stateOf(this), agentId, agentType, route, options, readForm(form, true))
  }

  setSummary(summary: any) {
    const { native } = ContextManager.#stateOf(this)
    const { upTo, text, recipient } = summaryFields(summary, '', 'summary')
    callNative(() => native.setSummary(upTo, text, recipient))
  }

  getSummary(recipient?: string | null) {
    const { native } = ContextManager.#stateOf(this)
    return JSON.parse(native.getSummary(optionalString(recipient, '', 'recipient')))
  }

  clearSummary(recipient?: string | null) {
    ContextManager.#stateOf(this).native.clearSummary(optionalString(recipient, '', 'recipient'))
  }

  overflow(agentId: string, agentType: string, options?: any) {
    return overflowOf(ContextManager.#stateOf(this), agentId, agentType, options)
  }

  static {
    // Not a method, because it would become part of the public class.
    sessionHasAll = (manager, agentId) => ContextManager.#stateOf(manager).native.sessionHasAll(agentId)
  }

  confirm(agentId: string) {
    return ContextManager.#stateOf(this).native.confirmSession(string(agentId, '', 'agentId'))
  }

  forget(agentId: string) {
    return ContextManager.#stateOf(this).native.forgetSession(string(agentId, '', 'agentId'))
  }

  removeMember(member: string) {
    const state = ContextManager.#stateOf(this)
    const name = string(member, '', 'member')
    // Everything addressed so far was for the member who is leaving.
    state.late.read(state, true)
    state.native.removeMember(name)
  }

  clear() {
    clear(ContextManager.#stateOf(this))
  }

  exportSnapshot(options?: any) {
    return exportSnapshot(ContextManager.#stateOf(this), options)
  }

  importSnapshot(snapshot: any, options?: any) {
    importSnapshot(ContextManager.#stateOf(this), snapshot, options)
  }
}
