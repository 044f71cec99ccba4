/**
 * A conversation as its log describes it: entries become a record, and a record becomes a snapshot for a
 * `ContextManager`, or entries again when the log is compacted.
 *
 * | entry                              | says                                                         |
 * | ---------------------------------- | ------------------------------------------------------------ |
 * | `start`                            | everything but the messages; the first one of a compacted log |
 * | `message`, `update`, `remove`, `pin` | what became of a message                                   |
 * | `task`                             | what the team works on                                       |
 * | `adopted`                          | the messages of a stored session were added                  |
 * | `begun`                            | a prompt is about to be sent to a session of a CLI           |
 * | `ended`                            | it did not get there                                         |
 * | `turn`                             | it was answered                                              |
 * | `lost`                             | the session is not to be resumed                             |
 * | `left`                             | a member was removed                                         |
 * | `summary`                          | what a member sees in the place of older messages            |
 * | `void`                             | the entries before this one were not meant (`log.ts`)        |
 *
 * `fields` in an entry are those fields of the manager's snapshot that have changed: sessions, summaries
 * and whatever else it needs. A turn that has begun and not ended is in doubt: nobody knows what the
 * session has been shown, so it is not resumed.
 */
import { isPromptmasonError, makeError } from '../errors.js'
import { messageOf } from '../thrown.js'
import type { ContextSnapshot, ContextSnapshotJson } from '../manager/snapshots.js'
import type { MessageChanges } from '../messages/messages.js'
import type { TokenEstimate } from '../tokens/tokenizer.js'
import type { sessionKey } from './members.js'

/** The session of a CLI or a function, and its tokens. */
export type StoredSession = ReturnType<typeof sessionKey> & { id: string; tokens?: number }

/** What a member needs for its next turn. */
export interface KeptMember {
  session: StoredSession | undefined
  /** The number of the newest message when its last prompt was made. */
  seenUpTo: number
  /** What the tokenizer has learned. */
  estimate: TokenEstimate | undefined
}

/** What is kept of a member, who may be new. */
export const keptIn = (members: Map<string, KeptMember>, name: string): KeptMember => {
  const kept = members.get(name) ?? { session: undefined, seenUpTo: 0, estimate: undefined }
  members.set(name, kept)
  return kept
}

const FORMAT = 1

/** Fields of a snapshot that a record has in another form. */
const OWN_FIELDS = ['messages', 'after', 'teamTask', 'pinned', 'timestamp', 'version'] as const

/** The other ones. */
type SnapshotFields = Partial<Omit<ContextSnapshot, (typeof OWN_FIELDS)[number]>>
/** Those that have changed. Null removes one. */
type ChangedFields = { fields?: { [Name in keyof SnapshotFields]: SnapshotFields[Name] | null } }

/** A message, also after a round trip through JSON. */
type StoredMessage = ContextSnapshotJson['messages'][number]

/** What the log says. */
export type Entry = ChangedFields &
  (
    | {
        type: 'start'
        format: number
        last: number
        task: string | null
        members: { [name: string]: KeptMember }
        adopted: string[]
      }
    | { type: 'message'; message: StoredMessage }
    | ({ type: 'adopted'; messages: StoredMessage[]; source?: string } & Shown)
    | { type: 'update'; id: string; changes: MessageChanges }
    | { type: 'remove'; id: string }
    | { type: 'pin'; id: string; pinned: boolean }
    | { type: 'task'; task: string | null }
    | { type: 'begun' | 'ended' | 'left' | 'summary'; member: string }
    | { type: 'lost'; member: string; isReplaced?: boolean }
    | ({ type: 'turn'; message: StoredMessage; estimate?: TokenEstimate } & Shown)
  )

/** What a member has been shown, and in which session. */
interface Shown {
  member: string
  session: StoredSession | null
  seenUpTo: number
}

export const numberOf = (id: string) => Number(/^msg-(\d+)$/.exec(id)?.[1] ?? 0)

class StoredRecord {
  /** The number of the last message. */
  last = 0
  task: string | null = null
  /** By id, oldest first, as JSON. */
  messages: Map<string, StoredMessage> = new Map()
  members: Map<string, KeptMember> = new Map()
  /** The sessions whose messages were adopted (`adoption.ts`). */
  adopted: Set<string> = new Set()
  /** What else the manager's snapshot has. */
  fields: SnapshotFields = {}

  member(name: string) {
    return keptIn(this.members, name)
  }

  /** Makes sure that a member's session is not resumed. */
  lose(name: string) {
    this.member(name).session = undefined
    const { sessions } = this.fields
    if (Array.isArray(sessions)) this.fields.sessions = sessions.filter(({ agentId }) => agentId !== name)
  }

  /** What a `ContextManager` imports. */
  snapshot(): ContextSnapshotJson {
    return {
      ...this.fields,
      messages: [...this.messages.values()],
      teamTask: this.task,
      timestamp: Date.now(),
      version: 2,
    }
  }
}

/** Applies an entry. */
const apply = (record: StoredRecord, entry: Entry) => {
  // What is stored may have been written by a later version.
  const type: string | undefined = entry?.type
  switch (entry?.type) {
    case 'start':
      if (entry.format !== FORMAT) throw unreadable(`its format is ${entry.format}, not ${FORMAT}`)
      record.last = entry.last
      record.task = entry.task
      for (const [name, kept] of Object.entries(entry.members)) Object.assign(record.member(name), kept)
      record.adopted = new Set(entry.adopted)
      break
    case 'message':
      addMessage(record, entry.message)
      break
    case 'adopted':
      if (entry.source !== undefined) record.adopted.add(entry.source)
      for (const message of entry.messages) addMessage(record, message)
      record.lose(entry.member)
      Object.assign(record.member(entry.member), { session: entry.session ?? undefined, seenUpTo: entry.seenUpTo })
      break
    case 'update':
      change(record, entry.id, entry.changes)
      break
    case 'remove':
      record.messages.delete(entry.id)
      break
    case 'pin':
      change(record, entry.id, { pinned: entry.pinned })
      break
    case 'task':
      record.task = entry.task
      break
    case 'lost':
      record.lose(entry.member)
      if (entry.isReplaced === true) record.members.delete(entry.member)
      break
    case 'left':
      record.lose(entry.member)
      record.members.delete(entry.member)
      break
    case 'turn': {
      const { member, message, session, seenUpTo, estimate } = entry
      Object.assign(record.member(member), { session: session ?? undefined, seenUpTo, estimate: estimate ?? undefined })
      addMessage(record, message)
      break
    }
    case 'begun':
    case 'ended':
    case 'summary':
      break
    default:
      throw unreadable(`an entry is of the type ${type}. Update promptmason`)
  }
  if (entry.fields === undefined) return
  const fields = Object.entries({ ...record.fields, ...entry.fields }).filter(([, value]) => value !== null)
  record.fields = Object.fromEntries(fields)
}

const addMessage = (record: StoredRecord, message: StoredMessage) => {
  record.messages.set(message.id, message)
  record.last = Math.max(record.last, numberOf(message.id))
}

const change = (record: StoredRecord, id: string, changes: MessageChanges) => {
  const message = record.messages.get(id)
  if (message === undefined) throw unreadable(`there is no message ${id}`)
  record.messages.set(id, { ...message, ...changes })
}

export const unreadable = (problem: string) =>
  makeError('Error', `the stored conversation cannot be read: ${problem}`, { code: 'ERR_INVALID_SNAPSHOT' })

/** What the entries say, and whose turn was in progress when they ended. */
export const recordOf = (entries: readonly Entry[]) => {
  try {
    return readEntries(entries)
  } catch (error) {
    if (isPromptmasonError(error)) throw error
    throw unreadable(`an entry is not as it was written (${messageOf(error)})`)
  }
}

const readEntries = (entries: readonly Entry[]) => {
  const record = new StoredRecord()
  const underWay: Set<string> = new Set()
  for (const entry of entries) {
    apply(record, entry)
    if (entry.type === 'begun') underWay.add(entry.member)
    else if ('member' in entry && entry.type !== 'summary') underWay.delete(entry.member)
  }
  for (const name of underWay) record.lose(name)
  // What was shown in a session means nothing without the session, and a session cannot be resumed
  // without knowing what it was shown.
  const shown = new Set((record.fields.sessions ?? []).map(({ agentId }) => agentId))
  for (const [name, { session }] of record.members) {
    if (session !== undefined && !shown.delete(name)) record.lose(name)
  }
  for (const name of shown) record.lose(name)
  return { record, inDoubt: [...underWay] }
}

/**
 * The smallest equivalent list of entries.
 * @param snapshot Of the manager.
 */
export const entriesOf = (
  snapshot: ContextSnapshotJson,
  { kept, last, adopted }: { kept: ReadonlyMap<string, KeptMember>; last: number; adopted: ReadonlySet<string> },
): Entry[] => [
  {
    type: 'start',
    format: FORMAT,
    last,
    task: snapshot.teamTask,
    members: Object.fromEntries(kept),
    adopted: [...adopted],
    fields: otherFields(snapshot),
  },
  ...snapshot.messages.map((message) => ({ type: 'message' as const, message })),
]

const otherFields = (snapshot: ContextSnapshot | ContextSnapshotJson): SnapshotFields => {
  const own: readonly string[] = OWN_FIELDS
  return Object.fromEntries(Object.entries(snapshot).filter(([name]) => !own.includes(name)))
}

/** The fields of snapshots that have changed since they were last written. */
export class WrittenFields {
  /** As JSON. */
  #written: Map<string, string> = new Map()

  constructor(fields: SnapshotFields) {
    for (const [name, value] of Object.entries(fields)) this.#written.set(name, JSON.stringify(value))
  }

  /** @returns What goes into an entry; `keep` when it is written. */
  changed(snapshot: ContextSnapshot): { fields: ChangedFields; keep: () => void } {
    const fields = Object.entries(otherFields(snapshot))
    const next = new Map(fields.map(([name, value]) => [name, JSON.stringify(value)]))
    const changed = fields.filter(([name]) => this.#written.get(name) !== next.get(name))
    const removed = [...this.#written.keys()].filter((name) => !next.has(name)).map((name) => [name, null])
    const keep = () => {
      this.#written = next
    }
    const all = [...changed, ...removed]
    return { fields: all.length === 0 ? {} : { fields: Object.fromEntries(all) }, keep }
  }
}
