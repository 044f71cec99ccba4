'use strict'
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
const { isPromptmasonError, makeError } = require('../errors.js')
const { messageOf } = require('../thrown.js')

/** @typedef {import('./log.js').Entry} Entry */
/**
 * @typedef {object} KeptMember What a member needs for its next turn.
 * @property {{ id: string, agent: string, cwd: string, tokens?: number } | undefined} session That of the CLI.
 * @property {number} seenUpTo The number of the newest message when its last prompt was made.
 * @property {any} estimate What the tokenizer has learned.
 */

const FORMAT = 1

/** Fields of a snapshot that a record has in another form. */
const OWN_FIELDS = new Set(['messages', 'after', 'teamTask', 'pinned', 'timestamp', 'version'])

/** @param {string} id */
const numberOf = (id) => Number(/^msg-(\d+)$/.exec(id)?.[1] ?? 0)

class StoredRecord {
  /** The number of the last message. */
  last = 0
  /** @type {string | null} */
  task = null
  /** @type {Map<string, any>} By id, oldest first, as JSON. */
  messages = new Map()
  /** @type {Map<string, KeptMember>} */
  members = new Map()
  /** @type {Set<string>} The sessions whose messages were adopted (`adoption.js`). */
  adopted = new Set()
  /** @type {Record<string, any>} What else the manager's snapshot has. */
  fields = {}

  /** @param {string} name @returns {KeptMember} */
  member(name) {
    const kept = this.members.get(name) ?? { session: undefined, seenUpTo: 0, estimate: undefined }
    this.members.set(name, kept)
    return kept
  }

  /** Makes sure that a member's session is not resumed. @param {string} name */
  lose(name) {
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
      version: 1,
    }
  }
}

/** @type {Record<string, (record: StoredRecord, entry: Entry) => void>} */
const EFFECTS = {
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

/** @param {StoredRecord} record @param {Entry} entry */
function addMessage(record, { message }) {
  record.messages.set(message.id, message)
  record.last = Math.max(record.last, numberOf(message.id))
}

/** @param {StoredRecord} record @param {Record<string, any> | undefined} fields Null removes one. */
const merge = (record, fields) => {
  for (const [name, value] of Object.entries(fields ?? {})) {
    if (value === null) delete record.fields[name]
    else record.fields[name] = value
  }
}

/** @param {string} problem */
const unreadable = (problem) =>
  makeError('Error', `the stored conversation cannot be read: ${problem}`, { code: 'ERR_INVALID_SNAPSHOT' })

/**
 * What the entries say, and whose turn was in progress when they ended.
 * @param {readonly Entry[]} entries
 */
const recordOf = (entries) => {
  try {
    return readEntries(entries)
  } catch (error) {
    if (isPromptmasonError(error)) throw error
    throw unreadable(`an entry is not as it was written (${messageOf(error)})`)
  }
}

/** @param {readonly Entry[]} entries */
const readEntries = (entries) => {
  const record = new StoredRecord()
  /** @type {Set<string>} */
  const underWay = new Set()
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
  const shown = new Set((record.fields['sessions'] ?? []).map((/** @type {any} */ { agentId }) => agentId))
  for (const [name, { session }] of record.members) {
    if (session !== undefined && !shown.delete(name)) record.lose(name)
  }
  for (const name of shown) record.lose(name)
  return { record, inDoubt: [...underWay] }
}

/**
 * The smallest equivalent list of entries.
 * @param {any} snapshot Of the manager.
 * @param {{ kept: ReadonlyMap<string, KeptMember>, last: number, adopted: ReadonlySet<string> }} state
 * @returns {Entry[]}
 */
const entriesOf = (snapshot, { kept, last, adopted }) => [
  {
    type: 'start',
    format: FORMAT,
    last,
    task: snapshot.teamTask,
    members: Object.fromEntries(kept),
    adopted: [...adopted],
    fields: otherFields(snapshot),
  },
  ...snapshot.messages.map((/** @type {any} */ message) => ({ type: 'message', message })),
]

/** @param {Record<string, any>} snapshot */
const otherFields = (snapshot) => Object.fromEntries(Object.entries(snapshot).filter(([name]) => !OWN_FIELDS.has(name)))

/** The fields of snapshots that have changed since they were last written. */
class WrittenFields {
  /** @type {Map<string, string>} As JSON. */
  #written = new Map()

  /** @param {Record<string, any>} fields */
  constructor(fields) {
    for (const [name, value] of Object.entries(fields)) this.#written.set(name, JSON.stringify(value))
  }

  /**
   * @param {Record<string, any>} snapshot
   * @returns {{ fields: Record<string, any> | undefined, keep: () => void }} `keep` when they are written.
   */
  changed(snapshot) {
    const fields = otherFields(snapshot)
    /** @type {Record<string, any>} */
    const changed = {}
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

module.exports = { WrittenFields, entriesOf, numberOf, recordOf, unreadable }
