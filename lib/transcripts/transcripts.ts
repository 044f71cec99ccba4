/** `readTranscript` and `listTranscripts`: native code reads files, opencode's own program its database. */
import { realpathSync, statSync } from 'node:fs'
import path = require('node:path')
import native = require('../../binding.js')
import { checkListOptions, checkReadOptions } from './checks.js'
import { makeError } from '../errors.js'
import { settled } from '../instructions/load-instructions.js'
import { homeDirectory } from '../process.js'
import type { TranscriptPlace } from '../../binding.js'
import type { ListTranscriptsOptions, Transcript, TranscriptFile, TranscriptOptions } from './types.js'

const PLACES = new Map(Array.from(native.transcriptPlaces(), (place) => [place.agent, place]))

/** The folder of a CLI. Undefined if there is no home directory. */
const rootOf = (agent: string, home: string | undefined) => {
  const place = PLACES.get(agent) as TranscriptPlace
  const given = place.variable === '' ? undefined : process.env[place.variable]
  if (home === undefined && given !== undefined && given !== '') return path.join(given, place.belowVariable)
  const directory = home ?? homeDirectory()
  return directory === undefined ? undefined : path.join(directory, place.folder)
}

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

const found = async (
  agent: string,
  { home, command }: { home?: string; command: string },
  session: string | undefined,
  cwd: string | undefined,
): Promise<TranscriptFile[]> => {
  const root = rootOf(agent, home)
  if (root === undefined) return []
  if (agent !== 'opencode') {
    const list = await settled(() => native.findTranscripts(agent, root, session, cwd ?? ''))
    return JSON.parse(list).map((each: any) => ({
      agent,
      session: each.session,
      file: each.file,
      modifiedAt: new Date(each.modifiedAt),
      bytes: each.bytes,
    }))
  }
  const file = path.join(root, 'opencode.db')
  const bytes = sizeOf(file)
  if (bytes === undefined) return []
  const { listSessions } = require('./opencode.js') as typeof import('./opencode.js')
  const rows = await listSessions(file, command, cwd)
  return rows.map((row) => ({ agent, session: row.id, file, modifiedAt: new Date(row.time_updated), bytes }))
}

export const listTranscripts = async (given: ListTranscriptsOptions): Promise<TranscriptFile[]> => {
  const { agent, cwd, ...options } = checkListOptions(given, '', 'options')
  return found(agent, options, undefined, directoryOf(cwd))
}

/** A message as callers get it. */
const message = ({ id, timestamp, speaker, parts }: any) => {
  const time = new Date(timestamp)
  const texts = parts.flatMap((part: any) => (part.type === 'text' ? [part.text] : []))
  return {
    id,
    ...(Number.isNaN(time.getTime()) ? {} : { timestamp: time }),
    speaker,
    content: texts.join('\n\n'),
    parts,
  }
}

/**
 * @param file What is read.
 * @param shown Where it is.
 */
const readFile = async (agent: string, file: string, maxBytes: number, shown: string): Promise<Transcript> => {
  const text = await settled(() => native.readTranscript(agent, file, maxBytes))
  const { session, cwd, model, version, startedAt, messages, branches, ...rest } = JSON.parse(text)
  const started = new Date(startedAt)
  return {
    agent,
    session,
    file: shown,
    ...(cwd === undefined ? {} : { cwd }),
    ...(model === undefined ? {} : { model }),
    ...(version === undefined ? {} : { version }),
    ...(Number.isNaN(started.getTime()) ? {} : { startedAt: started }),
    messages: messages.map(message),
    ...rest,
    branches: branches.map(({ kind, id, messages: said }: any) => ({
      kind,
      id,
      messages: said.map(message),
    })),
  } as any
}

export const readTranscript = async (given: TranscriptOptions): Promise<Transcript> => {
  const { agent, session, file, cwd, maxBytes, ...options } = checkReadOptions(given, '', 'options')
  const isDatabase = agent === 'opencode' && file?.endsWith('.db') === true
  if (file !== undefined && !isDatabase) {
    const full = path.resolve(file)
    return readFile(agent, full, maxBytes, full)
  }
  const directory = directoryOf(cwd)
  if (agent === 'opencode') return readDatabase({ file, session, directory, maxBytes, ...options })
  const [newest] = await found(agent, options, session, session === undefined ? directory : undefined)
  if (newest === undefined) throw nothingFound(agent, session, directory)
  return readFile(agent, newest.file, maxBytes, newest.file)
}

const readDatabase = async ({
  file,
  session,
  directory,
  maxBytes,
  home,
  command,
}: {
  file?: string
  session?: string
  directory: string
  maxBytes: number
  home?: string
  command: string
}) => {
  const root = rootOf('opencode', home)
  const place = file ?? (root === undefined ? undefined : path.join(root, 'opencode.db'))
  if (place === undefined) throw nothingFound('opencode', session, directory)
  const database = path.resolve(place)
  if (sizeOf(database) === undefined) throw nothingFound('opencode', session, directory)
  const { listSessions, withExport } = require('./opencode.js') as typeof import('./opencode.js')
  const rows = await listSessions(database, command, session === undefined ? directory : undefined)
  const row = rows.find(({ id }) => session === undefined || id === session)
  if (row === undefined) throw nothingFound('opencode', session, directory)
  const read = () =>
    withExport(database, command, row, (exported) => readFile('opencode', exported, maxBytes, database))
  // The program may exit before everything is written.
  for (let attempt = 0; attempt < EXPORT_ATTEMPTS; attempt++) {
    // oxlint-disable-next-line no-await-in-loop -- the next one only if this one fails
    const transcript = await read()
    if (transcript.session === row.id) return transcript
  }
  throw makeError('Error', `${command} did not export the whole session ${row.id}: try again`, {
    code: 'ERR_UNREADABLE_FILE',
  })
}

const nothingFound = (agent: string, session: string | undefined, directory: string) =>
  makeError(
    'Error',
    session === undefined
      ? `${agent} has kept no session of ${directory}: pass the cwd of another one, or its session or file`
      : `${agent} has kept no session with the id ${JSON.stringify(session)}: listTranscripts (promptmason transcript --list) lists those of a directory`,
    { code: 'ERR_NO_TRANSCRIPT' },
  )
