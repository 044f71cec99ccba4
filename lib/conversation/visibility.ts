/** Who may see which message. */
import { numberOf } from './entries.js'
import type { ConversationMessage } from '../messages/messages.js'
import type { ConversationState } from './state.js'

export const isPrivate = ({ options }: ConversationState, message: ConversationMessage) =>
  message.private === true || (options.visibility === 'addressed' && (message.routing?.addressees ?? []).length > 0)

/** Whether a message is older than a member whose name belonged to somebody else before. */
const isEarlier = (state: ConversationState, message: ConversationMessage, name: string) =>
  numberOf(message.id) <= state.content.joinedAfter(name)

export const isBy = (state: ConversationState, message: ConversationMessage, name: string) =>
  message.speaker.id === name && !isEarlier(state, message, name)

export const maySee = (state: ConversationState, message: ConversationMessage, name: string) =>
  !isPrivate(state, message) ||
  ((message.speaker.id === name || (message.routing?.addressees ?? []).includes(name)) &&
    !isEarlier(state, message, name))
