/** What `openConversation`, whose log a manager follows, needs from it besides its public methods. */
import { callNative } from '../errors.js'
import { checkMessage, type ConversationMessage, type MessageChanges } from '../messages/messages.js'
import { type ContextManager, stateOf } from './context-manager.js'
import { readChanges } from './messages.js'
import type { ContextSnapshot, SessionSnapshot } from './snapshots.js'

/** What is remembered of one member. */
export interface MemberRecord {
  /** What its session was shown. */
  session?: SessionSnapshot
  fenceKey?: NonNullable<ContextSnapshot['fenceKeys']>[number]
}

const { parse, stringify } = JSON

/** From now on, messages are for whoever they were added for: nobody writes addressees into them later. */
export const fixAddressees = (manager: ContextManager) => {
  stateOf(manager).isReadLate = false
}

/** The message with an id. Throws an `UnknownMessageError` if there is none. */
export const messageWithId = (manager: ContextManager, id: string) => {
  const { native, messages } = stateOf(manager)
  return messages.at(callNative(() => native.findMessage(id)))
}

/**
 * The newest message that a member may see.
 * @param ofOthers Whether what it wrote itself does not count.
 */
export const newestFor = (manager: ContextManager, member: string, ofOthers: boolean) => {
  const { native, messages } = stateOf(manager)
  const index = native.newestMessageFor(member, ofOthers)
  return index === null ? undefined : messages.at(index)
}

export const maySee = (manager: ContextManager, member: string, { id }: ConversationMessage) =>
  stateOf(manager).native.maySee(member, id)

/** Whether a message is older than the present holder of a name. */
export const isBefore = (manager: ContextManager, id: string, member: string) =>
  stateOf(manager).native.isBeforeMember(id, member)

/** Throws what `addMessage` would throw. */
export const checkAddition = (message: object) => void checkMessage(message, { ...message })

/** Throws what `updateMessage` would throw. */
export const checkChange = (manager: ContextManager, id: string, changes: MessageChanges) =>
  void readChanges(stateOf(manager), id, changes)

/** Marks all messages as seen by an agent, because its session already has them. */
export const sessionHasAll = (manager: ContextManager, agentId: string) =>
  stateOf(manager).native.sessionHasAll(agentId)

export const memberRecord = (manager: ContextManager, member: string): MemberRecord =>
  parse(stateOf(manager).native.memberRecord(member))

/** Remembers what a record says of one member, and nothing else of it. */
export const restoreMember = (manager: ContextManager, member: string, record: MemberRecord) => {
  const { native } = stateOf(manager)
  callNative(() => native.restoreMember(member, stringify(record)))
}
