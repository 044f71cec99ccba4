/**
 * opencode keeps a database. Its own program reads it, on a copy in a temporary directory, so that none
 * of the user's files are written.
 */
import { execFile, spawn, type SpawnOptions } from 'node:child_process'
import { copyFile, mkdir, open } from 'node:fs/promises'
import path = require('node:path')
import { promisify } from 'node:util'
import { inNewDirectory } from '../delivery/private-directory.js'
import { makeError } from '../errors.js'
import { messageOf } from '../thrown.js'

const run = promisify(execFile)
const DATABASE = 'opencode.db'
/** Files that belong to the database while it is being written. */
const ENDINGS = ['', '-wal', '-shm']
const TIMEOUT_MS = 60_000
const MOST_LISTED_BYTES = 64 * 1024 * 1024

const failed = (command: string, problem: string) =>
  makeError('Error', `${command} could not read its sessions: ${problem}`, { code: 'ERR_UNREADABLE_FILE' })

/** The environment of a program that has a copy of the database, and its directory. */
type Copy = { env: NodeJS.ProcessEnv; directory: string }

const withCopy = <T>(database: string, use: (copy: Copy) => Promise<T>) =>
  inNewDirectory(async (directory) => {
    const data = path.join(directory.path, 'data', 'opencode')
    await mkdir(data, { recursive: true })
    for (const ending of ENDINGS) {
      try {
        // oxlint-disable-next-line no-await-in-loop -- the database first, then what was written after it
        await copyFile(`${database}${ending}`, path.join(data, `${DATABASE}${ending}`))
      } catch (error) {
        if (ending === '') throw failed(database, messageOf(error))
      }
    }
    const env = {
      ...process.env,
      HOME: directory.path,
      XDG_DATA_HOME: path.join(directory.path, 'data'),
      XDG_CONFIG_HOME: path.join(directory.path, 'config'),
      XDG_STATE_HOME: path.join(directory.path, 'state'),
      XDG_CACHE_HOME: path.join(directory.path, 'cache'),
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    }
    try {
      return await use({ env, directory: directory.path })
    } finally {
      await directory.remove()
    }
  })

interface Row {
  id: string
  directory: string
  time_updated: number
  /** The session that has started it. */
  parent_id: string | null
}

/** A session with the ids of all its direct and indirect sub-sessions. */
const withSubAgents = ({ id, directory, time_updated }: Row, byParent: Map<string | null, Row[]>) => {
  const subAgents = [id]
  // The list grows during iteration.
  for (const parent of subAgents) for (const row of byParent.get(parent) ?? []) subAgents.push(row.id)
  return { id, directory, time_updated, subAgents: subAgents.slice(1) }
}

/**
 * The sessions in a database, newest first, each with the ids of those of its sub-agents.
 * @param cwd Only those of this directory.
 */
export const listSessions = (database: string, command: string, cwd: string | undefined) =>
  withCopy(database, async ({ env, directory }) => {
    const query = 'select id, directory, time_updated, parent_id from session order by time_updated desc'
    const args = ['db', query, '--format', 'json']
    const options = { env, cwd: directory, timeout: TIMEOUT_MS, maxBuffer: MOST_LISTED_BYTES }
    const { stdout } = await run(command, args, options).catch((error) => {
      throw failed(command, error.message)
    })
    let rows: Row[]
    try {
      rows = JSON.parse(stdout)
    } catch {
      throw failed(command, `its list is not JSON: ${stdout.slice(0, 200)}`)
    }
    const byParent: Map<string | null, Row[]> = new Map()
    for (const row of rows) {
      if (!byParent.has(row.parent_id)) byParent.set(row.parent_id, [])
      byParent.get(row.parent_id)?.push(row)
    }
    const sessions = (byParent.get(null) ?? []).filter((row) => cwd === undefined || row.directory === cwd)
    return sessions.map((row) => withSubAgents(row, byParent))
  })

const writeExport = async (command: string, session: string, file: string, { env, directory }: Copy) => {
  // Uses a file: with a pipe, anything unread when the program exits is lost.
  const output = await open(file, 'w')
  const options: SpawnOptions = { env, cwd: directory, timeout: TIMEOUT_MS, stdio: ['ignore', output.fd, 'ignore'] }
  const ended = new Promise((resolve, reject) => {
    const child = spawn(command, ['export', session], options)
    child.once('error', reject)
    child.once('close', resolve)
  })
  const code = await ended
    .catch((error) => {
      throw failed(command, error.message)
    })
    .finally(() => output.close())
  if (code !== 0) throw failed(command, `export ended with exit code ${code}`)
}

/**
 * Exports a session and those of its sub-agents, and calls `use` with the file that has it. The others
 * are where native code looks for them.
 */
export const withExport = <T>(
  database: string,
  command: string,
  { id, subAgents }: { id: string; subAgents: string[] },
  use: (file: string) => Promise<T>,
) =>
  withCopy(database, async (copy) => {
    const file = path.join(copy.directory, 'export.json')
    await writeExport(command, id, file, copy)
    const folder = path.join(copy.directory, 'export.sub-agents')
    await mkdir(folder)
    for (const subAgent of subAgents) {
      // An id must be a name, not a path.
      const own = path.join(folder, `${path.basename(subAgent)}.json`)
      // oxlint-disable-next-line no-await-in-loop -- each of them starts a program
      await writeExport(command, subAgent, own, copy)
    }
    return use(file)
  })
