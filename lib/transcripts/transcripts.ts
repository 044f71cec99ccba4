/** `readTranscript` and `listTranscripts`: native code reads files, opencode's own program its database. */
import { realpathSync, statSync } from 'node:fs'
import path = require('node:path')
import native = require('../../binding.js')
import { makeError, settled } from '../errors.js'
import { present } from '../present.js'
import { homeDirectory } from '../process.js'
import { PLACES, listOptions, transcriptOptions } from './options.js'
import type { TranscriptPlace } from '../../binding.js'
import type { MessagePart } from '../messages/parts.js'
import type { ListTranscriptsOptions, TranscriptAgent, TranscriptOptions } from './options.js'

/** A stored session. */
export interface Transcript {
  agent: TranscriptAgent
  /** The id to resume it with. */
  session: string
  /** The file it was read from. */
  file: string
  /** The directory of the session, if the CLI stores it. */
  cwd?: string
  /** The model that answered last. */
  model?: string
  /** The version of the CLI that last wrote to it. */
  version?: string
  startedAt?: Date
  /**
   * The conversation, oldest first: what the user and the agent said, with tool calls and results. What
   * the CLI itself inserted, such as reminders and its system text, is left out. Compacted history is
   * included: `summary.covers` says how much.
   */
  messages: TranscriptMessage[]
  /** The summary that replaced the oldest messages when the CLI compacted the session. */
  summary?: TranscriptSummary
  /** Messages that are no longer, or never were, part of the conversation. */
  branches: TranscriptBranch[]
  /** Messages that `maxBytes` left out. They follow the user's first message. */
  omitted: { messages: number; bytes: number }
  /** Entries that could not be interpreted, by kind. */
  skipped: SkippedEntries[]
}

/** A message of a transcript. You can pass it to `ContextManager.addMessage`. */
export interface TranscriptMessage {
  /** Its id in the transcript, or its position if it has none. */
  id: string
  timestamp?: Date
  /** The user is `{ id: 'user', type: 'human' }`. An agent's id is its name, such as `claude`. */
  speaker: { id: string; type: 'human' | 'ai' }
  /** The texts, joined by blank lines. */
  content: string
  /** The parts of the message. A result is in the message of its call. */
  parts: MessagePart[]
}

/** The summary that a CLI continues with after compacting a session. */
export interface TranscriptSummary {
  text: string
  /** How many messages it covers, from the first. */
  covers: number
}

/** Messages outside the conversation. */
export interface TranscriptBranch {
  /** `abandoned`: the user went back to an earlier point. `sub-agent`: another agent said it. */
  kind: 'abandoned' | 'sub-agent'
  /** The id of the sub-agent, or of the first message. */
  id: string
  messages: TranscriptMessage[]
}

/** Entries of one kind that could not be interpreted. */
export interface SkippedEntries {
  /** The entry's own type, or `not JSON`, `too long` or `incomplete` (a last line that is still being written). */
  kind: string
  count: number
  /** The line of the first one, from 1; in an opencode export, its message. */
  firstLine: number
}

/** A session that `readTranscript` can read. */
export interface TranscriptFile {
  agent: TranscriptAgent
  session: string
  file: string
  /** When it was last modified. */
  modifiedAt: Date
  /** The size of the file; for opencode, of its database. */
  bytes: number
}

/** The folder of a CLI. Undefined if there is no home directory. */
const rootOf = (agent: TranscriptAgent, home: string | undefined) => {
  const place = PLACES.get(agent) as TranscriptPlace
  const given = place.variable === '' ? undefined : process.env[place.variable]
  if (home === undefined && given !== undefined && given !== '') return path.join(given, place.belowVariable)
  const directory = home ?? homeDirectory()
  return directory === undefined ? undefined : path.join(directory, place.folder)
}

const DATABASE = 'opencode.db'
const EXPORT_ATTEMPTS = 3

/** The directory as the system calls it, as programs that run there see it. */
const directoryOf = (cwd: string | undefined) => {
  const directory = path.resolve(cwd ?? process.cwd())
  try {
    return realpathSync(directory)
  } catch {
    return directory
  }
}

const sizeOf = (database: string) => {
  try {
    return statSync(database).size
  } catch {
    return undefined
  }
}

/** The files of sessions: of one, or of those of a directory. */
const findFiles = async (agent: TranscriptAgent, root: string, session: string | undefined, cwd: string) => {
  const list = await settled(() => native.findTranscripts(agent, root, session, cwd))
  const files = JSON.parse(list) as (Omit<TranscriptFile, 'agent' | 'modifiedAt'> & { modifiedAt: number })[]
  return files.map(({ session: id, file, modifiedAt, bytes }) => {
    return { agent, session: id, file, modifiedAt: new Date(modifiedAt), bytes }
  })
}

/** Lists a CLI's stored sessions of a directory, newest first. */
export async function listTranscripts(options: ListTranscriptsOptions): Promise<TranscriptFile[]> {
  const { agent, cwd, home, command } = listOptions(options, '', 'options')
  const [root, directory] = [rootOf(agent, home), directoryOf(cwd)]
  if (root === undefined) return []
  if (agent !== 'opencode') return findFiles(agent, root, undefined, directory)
  const file = path.join(root, DATABASE)
  const bytes = sizeOf(file)
  if (bytes === undefined) return []
  const { listSessions } = require('./opencode.js') as typeof import('./opencode.js')
  const rows = await listSessions(file, command, directory)
  return rows.map((row) => ({ agent, session: row.id, file, modifiedAt: new Date(row.time_updated), bytes }))
}

/** As native code writes it. */
type StoredMessage = Omit<TranscriptMessage, 'timestamp' | 'content'> & { timestamp?: string }
type StoredTranscript = Omit<Transcript, 'agent' | 'file' | 'startedAt' | 'messages' | 'branches'> & {
  startedAt?: string
  messages: StoredMessage[]
  branches: (Omit<TranscriptBranch, 'messages'> & { messages: StoredMessage[] })[]
}

const dateOf = (text: string | undefined) => {
  const date = new Date(text ?? Number.NaN)
  return Number.isNaN(date.getTime()) ? undefined : date
}

const message = ({ id, timestamp, speaker, parts }: StoredMessage): TranscriptMessage => {
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  return present({ id, timestamp: dateOf(timestamp), speaker, content: texts.join('\n\n'), parts })
}

/**
 * @param file What is read.
 * @param shown Where it is.
 */
const readFile = async (agent: TranscriptAgent, file: string, maxBytes: number, shown: string): Promise<Transcript> => {
  const text = await settled(() => native.readTranscript(agent, file, maxBytes))
  const { session, cwd, model, version, startedAt, messages, branches, ...rest } = JSON.parse(text) as StoredTranscript
  return {
    ...present({ agent, session, file: shown, cwd, model, version, startedAt: dateOf(startedAt) }),
    messages: messages.map(message),
    ...rest,
    branches: branches.map(({ kind, id, messages: said }) => ({ kind, id, messages: said.map(message) })),
  }
}

/**
 * Reads a stored session of a CLI. Its files are only read, off the event loop, and memory is needed only for what is
 * kept. An incomplete last line, very long lines, unknown entries and newer versions are not errors. Rejects with
 * `ERR_NO_TRANSCRIPT` if there is no such session, and with `ERR_UNREADABLE_FILE` if it cannot be read.
 */
export async function readTranscript(options: TranscriptOptions): Promise<Transcript> {
  const checked = transcriptOptions(options, '', 'options')
  const { agent, session, file, cwd, home, maxBytes } = checked
  const isDatabase = agent === 'opencode' && file?.endsWith('.db') === true
  if (file !== undefined && !isDatabase) {
    const full = path.resolve(file)
    return readFile(agent, full, maxBytes, full)
  }
  const directory = directoryOf(cwd)
  const root = rootOf(agent, home)
  const read = agent === 'opencode' ? readDatabase : readNewest
  const transcript = await read(checked, root, session === undefined ? directory : undefined)
  if (transcript !== undefined) return transcript
  throw makeError(
    'Error',
    session === undefined
      ? `${agent} has kept no session of ${directory}: pass the cwd of another one, or its session or file`
      : `${agent} has kept no session with the id ${JSON.stringify(session)}: listTranscripts (promptmason transcript --list) lists those of a directory`,
    { code: 'ERR_NO_TRANSCRIPT' },
  )
}

/** Undefined if there is no such session. */
type Read = (
  options: ReturnType<typeof transcriptOptions>,
  root: string | undefined,
  cwd: string | undefined,
) => Promise<Transcript | undefined>

const readNewest: Read = async ({ agent, session, maxBytes }, root, cwd) => {
  const [newest] = root === undefined ? [] : await findFiles(agent, root, session, cwd ?? '')
  return newest && readFile(agent, newest.file, maxBytes, newest.file)
}

const readDatabase: Read = async ({ file, session, maxBytes, command }, root, cwd) => {
  const place = file ?? (root && path.join(root, DATABASE))
  const database = path.resolve(place ?? '')
  if (place === undefined || sizeOf(database) === undefined) {
    if (file === undefined) return undefined
    throw makeError('Error', `${database} cannot be read: there is no such file`, { code: 'ERR_UNREADABLE_FILE' })
  }
  const { listSessions, withExport } = require('./opencode.js') as typeof import('./opencode.js')
  const rows = await listSessions(database, command, cwd)
  const row = rows.find(({ id }) => session === undefined || id === session)
  if (row === undefined) return undefined
  // The program may exit before everything is written.
  for (let attempt = 0; attempt < EXPORT_ATTEMPTS; attempt++) {
    // oxlint-disable-next-line no-await-in-loop -- the next one only if this one fails
    const transcript = await withExport(database, command, row, (exported) =>
      readFile('opencode', exported, maxBytes, database),
    )
    if (transcript.session === row.id) return transcript
  }
  throw makeError('Error', `${command} did not export the whole session ${row.id}: try again`, {
    code: 'ERR_UNREADABLE_FILE',
  })
}
