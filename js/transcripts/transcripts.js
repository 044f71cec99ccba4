'use strict'
/** `readTranscript` and `listTranscripts`: native code reads files, opencode's own program its database. */
const { realpathSync, statSync } = require('node:fs')
const path = require('node:path')
const native = require('../../binding.js')
const { checkListOptions, checkReadOptions } = require('../checks/transcripts.js')
const { makeError } = require('../errors.js')
const { settled } = require('../load-instructions.js')
const { homeDirectory } = require('../process.js')

const PLACES = new Map(Array.from(native.transcriptPlaces(), (place) => [place.agent, place]))

/**
 * The folder of a CLI. Undefined if there is no home directory.
 * @param {string} agent
 * @param {string | undefined} home
 */
const rootOf = (agent, home) => {
  const place = /** @type {import('../../binding.js').TranscriptPlace} */ (PLACES.get(agent))
  const given = place.variable === '' ? undefined : process.env[place.variable]
  if (home === undefined && given !== undefined && given !== '') return path.join(given, place.belowVariable)
  const directory = home ?? homeDirectory()
  return directory === undefined ? undefined : path.join(directory, place.folder)
}

const EXPORT_ATTEMPTS = 3

/** The directory as the system calls it, as programs that run there see it. @param {string | undefined} cwd */
const directoryOf = (cwd) => {
  const directory = path.resolve(cwd ?? process.cwd())
  try {
    return realpathSync(directory)
  } catch {
    return directory
  }
}

/** @param {string} database */
const sizeOf = (database) => {
  try {
    return statSync(database).size
  } catch {
    return undefined
  }
}

/**
 * @param {string} agent
 * @param {{ home?: string, command: string }} options
 * @param {string | undefined} session
 * @param {string | undefined} cwd
 * @returns {Promise<import('../../index.d.ts').TranscriptFile[]>}
 */
const found = async (agent, { home, command }, session, cwd) => {
  const root = rootOf(agent, home)
  if (root === undefined) return []
  if (agent !== 'opencode') {
    const list = await settled(() => native.findTranscripts(agent, root, session, cwd ?? ''))
    return JSON.parse(list).map((/** @type {any} */ each) => ({
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
  const { listSessions } = require('./opencode.js')
  const rows = await listSessions(file, command, cwd)
  return rows.map((row) => ({ agent, session: row.id, file, modifiedAt: new Date(row.time_updated), bytes }))
}

/**
 * @param {import('../../index.d.ts').ListTranscriptsOptions} given
 * @returns {Promise<import('../../index.d.ts').TranscriptFile[]>}
 */
const listTranscripts = async (given) => {
  const { agent, cwd, ...options } = checkListOptions(given, '', 'options')
  return found(agent, options, undefined, directoryOf(cwd))
}

/** A message as callers get it. @param {any} message */
const message = ({ id, timestamp, speaker, parts }) => {
  const time = new Date(timestamp)
  const texts = parts.flatMap((/** @type {any} */ part) => (part.type === 'text' ? [part.text] : []))
  return {
    id,
    ...(Number.isNaN(time.getTime()) ? {} : { timestamp: time }),
    speaker,
    content: texts.join('\n\n'),
    parts,
  }
}

/**
 * @param {string} agent
 * @param {string} file What is read.
 * @param {number} maxBytes
 * @param {string} shown Where it is.
 * @returns {Promise<import('../../index.d.ts').Transcript>}
 */
const readFile = async (agent, file, maxBytes, shown) => {
  const text = await settled(() => native.readTranscript(agent, file, maxBytes))
  const { session, cwd, model, version, startedAt, messages, branches, ...rest } = JSON.parse(text)
  const started = new Date(startedAt)
  return /** @type {any} */ ({
    agent,
    session,
    file: shown,
    ...(cwd === undefined ? {} : { cwd }),
    ...(model === undefined ? {} : { model }),
    ...(version === undefined ? {} : { version }),
    ...(Number.isNaN(started.getTime()) ? {} : { startedAt: started }),
    messages: messages.map(message),
    ...rest,
    branches: branches.map((/** @type {any} */ { kind, id, messages: said }) => ({
      kind,
      id,
      messages: said.map(message),
    })),
  })
}

/**
 * @param {import('../../index.d.ts').TranscriptOptions} given
 * @returns {Promise<import('../../index.d.ts').Transcript>}
 */
const readTranscript = async (given) => {
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

/** @param {{ file?: string, session?: string, directory: string, maxBytes: number, home?: string, command: string }} options */
const readDatabase = async ({ file, session, directory, maxBytes, home, command }) => {
  const root = rootOf('opencode', home)
  const place = file ?? (root === undefined ? undefined : path.join(root, 'opencode.db'))
  if (place === undefined) throw nothingFound('opencode', session, directory)
  const database = path.resolve(place)
  if (sizeOf(database) === undefined) throw nothingFound('opencode', session, directory)
  const { listSessions, withExport } = require('./opencode.js')
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

/** @param {string} agent @param {string | undefined} session @param {string} directory */
const nothingFound = (agent, session, directory) =>
  makeError(
    'Error',
    session === undefined
      ? `${agent} has kept no session of ${directory}: pass the cwd of another one, or its session or file`
      : `${agent} has kept no session with the id ${JSON.stringify(session)}: listTranscripts (promptmason transcript --list) lists those of a directory`,
    { code: 'ERR_NO_TRANSCRIPT' },
  )

module.exports = { listTranscripts, readTranscript }
