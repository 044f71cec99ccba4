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
 * | `void`                             | the entries before this one were not meant (`log.js`)        |
 *
 * `fields` in an entry are those fields of the manager's snapshot that have changed: sessions, summaries
 * and whatever else it needs. A turn that has begun and not ended is in doubt: nobody knows what the
 * session has been shown, so it is not resumed.
 */
import { isPromptmasonError, makeError } from '../errors.js'
import { messageOf } from '../thrown.js'
import type { Entry } from './log.js'

/** What a member needs for its next turn. */
export interface KeptMember {
  /** That of the CLI. */
  session: { id: string; agent: string; cwd: string; tokens?: number } | undefined
  /** The number of the newest message when its last prompt was made. */
  seenUpTo: number
  /** What the tokenizer has learned. */
  estimate: any
}

const FORMAT = 1

/** Fields of a snapshot that a record has in another form. */
const OWN_FIELDS = new Set(['messages', 'after', 'teamTask', 'pinned', 'timestamp', 'version'])

export const numberOf = (id: string) => Number(/^msg-(\d+)$/.exec(id)?.[1] ?? 0)

class StoredRecord {
  /** The number of the last message. */
  last = 0
  task: string | null = null
  /** By id, oldest first, as JSON. */
  messages: Map<string, any> = new Map()
  members: Map<string, KeptMember> = new Map()
  /** The sessions whose messages were adopted (`adoption.js`). */
  adopted: Set<string> = new Set()
  /** What else the manager's snapshot has. */
  fields: Record<string, any> = {}

  member(name: string): KeptMember {
    const kept = this.members.get(name) ?? { session: undefined, seenUpTo: 0, estimate: undefined }
    this.members.set(name, kept)
    return kept
  }

  /** Makes sure that a member's session is not resumed. */
  lose(name: string) {
    this.member(name).session = undefined
    const { sessions } = this.fields
    if (Array.isArray(sessions)) this.fields['sessions'] = sessions.filter(({ agentId }) => agentId !== name)
  }

  /** What a `ContextManager` imports. */
  snapshot() {
    return {
      ...this.fields,
      messages: [...this.messages.values()],
      teamTask: this.task,
      timestamp: Date.now(),
      version: 1 as const,
    }
  }
}

const EFFECTS: Record<string, (record: StoredRecord, entry: Entry) => void> = {
  start: (record, { format, last, task, members, adopted, fields }) => {
    if (format !== FORMAT) throw unreadable(`its format is ${format}, not ${FORMAT}`)
    record.last = last
    record.task = task
    for (const [name, kept] of Object.entries(members)) Object.assign(record.member(name), kept)
    record.adopted = new Set(adopted)
    merge(record, fields)
  },
  message: addMessage,
  adopted: (record, { member, messages, source, session, seenUpTo, fields }) => {
    if (source !== undefined) record.adopted.add(source)
    for (const message of messages) addMessage(record, { type: 'message', message })
    record.lose(member)
    Object.assign(record.member(member), { session: session ?? undefined, seenUpTo })
    merge(record, fields)
  },
  update: (record, { id, changes, fields }) => {
    const message = record.messages.get(id)
    if (message === undefined) throw unreadable(`there is no message ${id}`)
    record.messages.set(id, { ...message, ...changes })
    merge(record, fields)
  },
  remove: (record, { id, fields }) => {
    record.messages.delete(id)
    merge(record, fields)
  },
  pin: (record, { id, pinned }) => {
    const message = record.messages.get(id)
    if (message === undefined) throw unreadable(`there is no message ${id}`)
    record.messages.set(id, { ...message, pinned })
  },
  task: (record, { task }) => {
    record.task = task
  },
  begun: () => {},
  ended: () => {},
  lost: (record, { member, isReplaced }) => {
    record.lose(member)
    if (isReplaced === true) record.members.delete(member)
  },
  left: (record, { member, fields }) => {
    record.lose(member)
    record.members.delete(member)
    merge(record, fields)
  },
  summary: (record, { fields }) => merge(record, fields),
  turn: (record, entry) => {
    const { member, session, seenUpTo, estimate, fields } = entry
    Object.assign(record.member(member), { session: session ?? undefined, seenUpTo, estimate: estimate ?? undefined })
    merge(record, fields)
    addMessage(record, entry)
  },
}

function addMessage(record: StoredRecord, { message }: Entry) {
  record.messages.set(message.id, message)
  record.last = Math.max(record.last, numberOf(message.id))
}

/** @param fields Null removes one. */
const merge = (record: StoredRecord, fields: Record<string, any> | undefined) => {
  for (const [name, value] of Object.entries(fields ?? {})) {
    if (value === null) delete record.fields[name]
    else record.fields[name] = value
  }
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
    const effect = Object.hasOwn(EFFECTS, entry?.type) ? EFFECTS[entry.type] : undefined
    if (effect === undefined) throw unreadable(`an entry is of the type ${entry?.type}. Update promptmason`)
    effect(record, entry)
    if (entry.type === 'begun') underWay.add(entry['member'])
    else if (entry['member'] !== undefined && entry.type !== 'summary') underWay.delete(entry['member'])
  }
  for (const name of underWay) record.lose(name)
  // What was shown in a session means nothing without the session, and a session cannot be resumed
  // without knowing what it was shown.
  const shown = new Set<string>((record.fields['sessions'] ?? []).map(({ agentId }: any) => agentId))
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
  snapshot: any,
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
  ...snapshot.messages.map((message: any) => ({ type: 'message', message })),
]

const otherFields = (snapshot: Record<string, any>) =>
  Object.fromEntries(Object.entries(snapshot).filter(([name]) => !OWN_FIELDS.has(name)))

/** The fields of snapshots that have changed since they were last written. */
export class WrittenFields {
  /** As JSON. */
  #written: Map<string, string> = new Map()

  constructor(fields: Record<string, any>) {
    for (const [name, value] of Object.entries(fields)) this.#written.set(name, JSON.stringify(value))
  }

  /** @returns `keep` when they are written. */
  changed(snapshot: Record<string, any>): { fields: Record<string, any> | undefined; keep: () => void } {
    const fields = otherFields(snapshot)
    const changed: Record<string, any> = {}
    const next = new Map()
    for (const [name, value] of Object.entries(fields)) {
      const json = JSON.stringify(value)
      next.set(name, json)
      if (this.#written.get(name) !== json) changed[name] = value
    }
    for (const name of this.#written.keys()) if (!next.has(name)) changed[name] = null
    const keep = () => {
      this.#written = next
    }
    return { fields: Object.keys(changed).length === 0 ? undefined : changed, keep }
  }
}
