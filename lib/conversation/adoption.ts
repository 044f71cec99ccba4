/** `adopt`: makes a CLI's stored session part of a conversation. */
import { realpathSync } from 'node:fs'
import path = require('node:path')
import { fields } from '../checks/fields.js'
import { boolean, optional, string } from '../checks/kinds.js'
import { typeProblem } from '../checks/problems.js'
import { profileOf } from '../delivery/profiles/index.js'
import { newestFor } from '../manager/logged.js'
import { type AskedMember, type MemberState, sessionKey } from './members.js'
import type { CheckedSource } from '../handoff/source.js'
import type { NewConversationMessage } from '../messages/messages.js'
import type { MessagePart } from '../messages/parts.js'
import type { ConversationState } from './state.js'

/** Options of `adopt`. */
export interface AdoptOptions<Name extends string = string> {
  /** The member to whom the user's messages are attributed. @default the only human member */
  user?: Name | null | undefined
  /** Whether only this member and the user may read it, for good. @default false */
  private?: boolean | null | undefined
}

export const adoptOptions = fields<AdoptOptions>()({ user: optional(string), private: optional(boolean, false) })

/** The speaker of the user's messages. */
const userOf = ({ members }: ConversationState, member: MemberState, given: string | undefined) => {
  const humans = [...members.values()].filter(({ definition }) => definition.kind === 'human')
  if (given === undefined) {
    const [only] = humans
    if (only !== undefined && humans.length === 1) return only
    const problem =
      only === undefined ? 'no member is a human' : `several are: ${humans.map(({ name }) => name).join(', ')}`
    throw typeProblem(`options.user must name the member who said what the user said: ${problem}`)
  }
  const user = members.get(given, 'options.user')
  if (user.name === member.name) throw typeProblem(`options.user must not be '${given}', whose session it is`)
  return user
}

/** File data in a form that JSON can represent. */
const storedPart = (part: MessagePart): MessagePart => {
  if (part.type !== 'file' || !part.data || typeof part.data === 'string') return part
  return { ...part, data: Buffer.from(part.data).toString('base64') }
}

/** The messages of a transcript as those of a conversation. */
const messagesOf = ({ messages }: CheckedSource, member: MemberState, user: MemberState, isPrivate: boolean) =>
  messages.map(({ isHuman, time, parts }): NewConversationMessage => {
    const [speaker, addressee] = isHuman ? [user, member] : [member, user]
    return {
      timestamp: Number.isNaN(time) ? new Date() : new Date(time),
      speaker: { id: speaker.name, type: speaker.definition.kind === 'human' ? 'human' : 'ai' },
      content: parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n'),
      parts: parts.map(storedPart),
      routing: { addressees: [addressee.name] },
      ...(isPrivate && { private: true }),
    }
  })

const realPath = (directory: string) => {
  try {
    return realpathSync(directory)
  } catch {
    return path.resolve(directory)
  }
}

/**
 * The session, if the member can continue it: it is the same CLI, it runs in a directory from which it
 * finds the session, and the session has seen everything in the conversation.
 */
const sessionOf = (
  state: ConversationState,
  { name, definition }: AskedMember,
  { agent, session, cwd }: CheckedSource,
) => {
  const profile =
    definition.kind === 'agent' && definition.profile === undefined ? profileOf(definition.agent) : undefined
  if (session === undefined || session === '' || definition.session === 'none') return undefined
  if (profile === undefined || profile.agentType !== profileOf(agent)?.agentType) return undefined
  const isThere = cwd !== undefined && realPath(cwd) === realPath(definition.cwd ?? process.cwd())
  if (profile.resume?.directory !== 'any' && !isThere) return undefined
  if (newestFor(state.manager, name, false) !== undefined) return undefined
  return { id: session, ...sessionKey(definition) }
}

/** Names a session, so that its messages are not added twice; undefined if the transcript does not name it. */
const sourceOf = (
  { content: { adopted } }: ConversationState,
  { name }: MemberState,
  { agent, session }: CheckedSource,
) => {
  if (session === undefined || session === '') return undefined
  const source = JSON.stringify([name, agent, session])
  if (!adopted.has(source)) return source
  throw typeProblem(
    `transcript.session must not be '${session}': '${name}' has adopted this session before. Add newer messages with say`,
  )
}

export const adopt = async (
  state: ConversationState,
  member: AskedMember,
  transcript: CheckedSource,
  options: ReturnType<typeof adoptOptions>,
) => {
  const user = userOf(state, member, options.user)
  const messages = messagesOf(transcript, member, user, options.private)
  if (messages.length === 0) return []
  return state.adopt(member.name, messages, () => ({
    source: sourceOf(state, member, transcript),
    session: sessionOf(state, member, transcript),
  }))
}
