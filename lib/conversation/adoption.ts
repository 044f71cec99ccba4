/** `adopt`: makes a CLI's stored session part of a conversation. */
import { realpathSync } from 'node:fs'
import path = require('node:path')
import { typeProblem } from '../checks/problems.js'
import { profileOf } from '../delivery/profiles/index.js'
import { sessionKey } from './members.js'
import { maySee } from './turn.js'
import type { Member } from './members.js'

export type State = InstanceType<typeof import('./state.js').ConversationState>
export type Transcript = ReturnType<typeof import('../handoff/source.js').handoffSource>

/** The speaker of the user's messages. */
const userOf = ({ members }: State, member: Member, given: string | undefined) => {
  const humans = [...members.values()].filter(({ kind }) => kind === 'human')
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
const storedPart = (part: any) =>
  part.data instanceof Uint8Array ? { ...part, data: Buffer.from(part.data).toString('base64') } : part

/** The messages of a transcript as those of a conversation. */
const messagesOf = ({ messages }: Transcript, member: Member, user: Member, isPrivate: boolean) =>
  messages.map(({ isHuman, time, parts }) => {
    const [speaker, addressee] = isHuman ? [user, member] : [member, user]
    return {
      timestamp: Number.isNaN(time) ? new Date() : new Date(time),
      speaker: { id: speaker.name, type: speaker.kind === 'human' ? 'human' : 'ai' },
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
const sessionOf = (state: State, member: Member, { agent, session, cwd }: Transcript) => {
  const { kind, definition, name } = member
  const profile = kind === 'agent' && definition.profile === undefined ? profileOf(definition.agent) : undefined
  if (session === undefined || session === '' || definition.session === 'none') return undefined
  if (profile === undefined || profile.agentType !== profileOf(agent)?.agentType) return undefined
  const isThere = cwd !== undefined && realPath(cwd) === realPath(definition.cwd ?? process.cwd())
  if (profile.resume?.directory !== 'any' && !isThere) return undefined
  if (state.manager.getMessages().some((message) => maySee(state, message, name))) return undefined
  return { id: session, ...sessionKey(member) }
}

/** Names a session, so that its messages are not added twice; undefined if the transcript does not name it. */
const sourceOf = ({ adopted }: State, { name }: Member, { agent, session }: Transcript) => {
  if (session === undefined || session === '') return undefined
  const source = JSON.stringify([name, agent, session])
  if (!adopted.has(source)) return source
  throw typeProblem(
    `transcript.session must not be '${session}': '${name}' has adopted this session before. Add newer messages with say`,
  )
}

export const adopt = async (
  state: State,
  member: Member,
  transcript: Transcript,
  options: { user?: string; private: boolean },
) => {
  const user = userOf(state, member, options.user)
  const messages = messagesOf(transcript, member, user, options.private)
  if (messages.length === 0) return []
  return state.adopt(member.name, messages, () => ({
    source: sourceOf(state, member, transcript),
    session: sessionOf(state, member, transcript),
  }))
}
