/** What a caller says, and changes. */
import { fields } from '../checks/fields.js'
import { arrayOf, boolean, type Kind, optional, string } from '../checks/kinds.js'
import { typeProblem } from '../checks/problems.js'
import { isBefore } from '../manager/logged.js'
import { present } from '../present.js'
import { ALL } from './member.js'
import type { ConversationState } from './state.js'

/** Names as they are given; undefined for everybody. */
export const addressees: Kind<string[] | undefined, string | readonly string[]> = (value, parent, name) => {
  const list =
    typeof value === 'string' ? [value] : arrayOf(string, 'a string or an array of strings')(value, parent, name)
  return list.length === 0 || list.includes(ALL) ? undefined : list
}

/** Options of `say`. */
export interface SayOptions<Name extends string = string> {
  /** Who is asked. Everybody in the team can read the message. @default everyone */
  to?: Name | 'all' | readonly Name[] | null | undefined
  /** Whether only the addressees and the sender may ever read it. @default false */
  private?: boolean | null | undefined
  /** The id of the message it answers. @default undefined */
  replyTo?: string | null | undefined
  /** Whether the message is kept before any other: see `ContextManager.pin`. @default false */
  pinned?: boolean | null | undefined
}

const sayOptions = fields<SayOptions>()(
  {
    to: optional(addressees),
    private: optional(boolean, false),
    replyTo: optional(string),
    pinned: optional(boolean, false),
  },
  { misnamed: { pin: 'pinned', addressees: 'to', parentMessageId: 'replyTo' } },
)

/** The fields that `update` replaces. */
export interface MessageUpdate<Name extends string = string> {
  text?: string | null | undefined
  /** Not allowed for a private message. */
  to?: Name | 'all' | readonly Name[] | null | undefined
  /** A private message stays private. */
  private?: true | null | undefined
}

const isHiding: Kind<boolean, true> = (value, parent, name) => boolean(value, parent, name)

const updateFields = fields<MessageUpdate>()(
  { text: optional(string), to: optional(addressees), private: optional(isHiding) },
  { elsewhere: { pin: ['pinned', 'pin'], say: ['replyTo'] } },
)

/** The names of members who are addressed. */
const namesOf = ({ members }: ConversationState, to: string[] | undefined, place: string) =>
  to?.map((one, index) => members.get(one, `${place}[${index}]`).name)

/** Undefined if a message is for everybody and answers none. */
export const routingOf = (addressed: string[] | undefined, parentMessageId: string | undefined) =>
  addressed === undefined && parentMessageId === undefined
    ? undefined
    : present({ addressees: addressed, parentMessageId })

export const say = (state: ConversationState, from: string, text: string, options: unknown) => {
  const { name, definition } = state.members.get(from, 'from')
  string(text, '', 'text')
  const { to, private: isPrivate, replyTo, pinned } = sayOptions(options, '', 'options')
  if (isPrivate && to === undefined) throw typeProblem('options.to must name somebody if options.private is true')
  const named = namesOf(state, to, 'options.to')
  if (replyTo !== undefined) state.messageOf(replyTo)
  return state.addMessage({
    speaker: { id: name, type: definition.kind === 'human' ? 'human' : 'ai' },
    content: text,
    routing: routingOf(named, replyTo),
    private: isPrivate || undefined,
    pinned: pinned || undefined,
  })
}

export const update = (state: ConversationState, id: string, changes: unknown) => {
  const { text, to, private: isPrivate } = updateFields(changes, '', 'changes')
  if (text === undefined && to === undefined && isPrivate === undefined) {
    throw typeProblem('changes must have text, to or private')
  }
  const named = namesOf(state, to, 'changes.to')
  string(id, '', 'id')
  // In turn: another change may make it private.
  return state.inTurn(async () => {
    const message = state.messageOf(id)
    if (message.private === true && (isPrivate === false || to !== undefined)) {
      throw typeProblem(`changes must not show ${id} to others: it is private`)
    }
    const routing = { ...message.routing, ...(named !== undefined && { addressees: named }) }
    if (isPrivate === true && (routing.addressees ?? []).length === 0) {
      throw typeProblem('changes.to must name somebody if changes.private is true')
    }
    const isHidden = isPrivate === true || state.options.visibility === 'addressed'
    const newcomer = isHidden ? named?.find((one) => isBefore(state.manager, id, one)) : undefined
    if (newcomer) throw typeProblem(`changes.to must not name ${newcomer}, who joined after ${id}: say it again`)
    const changed = present({ content: text, routing: named && routing, private: isPrivate || undefined })
    await state.record({ type: 'update', id, changes: changed })
    return state.messageOf(id)
  })
}
