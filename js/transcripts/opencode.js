'use strict'
/**
 * opencode keeps a database. Its own program reads it, on a copy in a temporary directory, so that none
 * of the user's files are written.
 */
const { execFile, spawn } = require('node:child_process')
const { copyFile, mkdir, open } = require('node:fs/promises')
const path = require('node:path')
const { promisify } = require('node:util')
const { inNewDirectory } = require('../delivery/private-directory.js')
const { makeError } = require('../errors.js')

const run = promisify(execFile)
const DATABASE = 'opencode.db'
/** Files that belong to the database while it is being written. */
const ENDINGS = ['', '-wal', '-shm']
const TIMEOUT_MS = 60_000
const MOST_LISTED_BYTES = 64 * 1024 * 1024

/** @param {string} command @param {string} problem */
const failed = (command, problem) =>
  makeError('Error', `${command} could not read its sessions: ${problem}`, { code: 'ERR_UNREADABLE_FILE' })

/**
 * Calls `use` with the environment of a program that has a copy of the database, and its directory.
 * @template T
 * @param {string} database
 * @param {(copy: { env: NodeJS.ProcessEnv, directory: string }) => Promise<T>} use
 */
const withCopy = (database, use) =>
  inNewDirectory(async (directory) => {
    const data = path.join(directory.path, 'data', 'opencode')
    await mkdir(data, { recursive: true })
    for (const ending of ENDINGS) {
      try {
        // oxlint-disable-next-line no-await-in-loop -- the database first, then what was written after it
        await copyFile(`${database}${ending}`, path.join(data, `${DATABASE}${ending}`))
      } catch (error) {
        if (ending === '') throw failed(database, /** @type {Error} */ (error).message)
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

/**
 * @typedef {object} Row
 * @property {string} id
 * @property {string} directory
 * @property {number} time_updated
 * @property {string | null} parent_id The session that has started it.
 */

/**
 * A session with the ids of all its direct and indirect sub-sessions.
 * @param {Row} row
 * @param {Map<string | null, Row[]>} byParent
 */
const withSubAgents = ({ id, directory, time_updated }, byParent) => {
  const subAgents = [id]
  // The list grows during iteration.
  for (const parent of subAgents) for (const row of byParent.get(parent) ?? []) subAgents.push(row.id)
  return { id, directory, time_updated, subAgents: subAgents.slice(1) }
}

/**
 * The sessions in a database, newest first, each with the ids of those of its sub-agents.
 * @param {string} database
 * @param {string} command
 * @param {string | undefined} cwd Only those of this directory.
 */
const listSessions = (database, command, cwd) =>
  withCopy(database, async ({ env, directory }) => {
    const query = 'select id, directory, time_updated, parent_id from session order by time_updated desc'
    const args = ['db', query, '--format', 'json']
    const options = { env, cwd: directory, timeout: TIMEOUT_MS, maxBuffer: MOST_LISTED_BYTES }
    const { stdout } = await run(command, args, options).catch((error) => {
      throw failed(command, error.message)
    })
    /** @type {Row[]} */
    let rows
    try {
      rows = JSON.parse(stdout)
    } catch {
      throw failed(command, `its list is not JSON: ${stdout.slice(0, 200)}`)
    }
    /** @type {Map<string | null, Row[]>} */
    const byParent = new Map()
    for (const row of rows) {
      const siblings = byParent.get(row.parent_id)
      if (siblings === undefined) byParent.set(row.parent_id, [row])
      else siblings.push(row)
    }
    const sessions = byParent.get(null) ?? []
    return sessions
      .filter((row) => cwd === undefined || row.directory === cwd)
      .map((row) => withSubAgents(row, byParent))
  })

/**
 * Has the program write a session into a file.
 * @param {string} command
 * @param {string} session
 * @param {string} file
 * @param {{ env: NodeJS.ProcessEnv, directory: string }} copy
 */
const writeExport = async (command, session, file, { env, directory }) => {
  // Uses a file: with a pipe, anything unread when the program exits is lost.
  const output = await open(file, 'w')
  const ended = new Promise((resolve, reject) => {
    const child = spawn(command, ['export', session], {
      env,
      cwd: directory,
      timeout: TIMEOUT_MS,
      stdio: ['ignore', output.fd, 'ignore'],
    })
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
 * @template T
 * @param {string} database
 * @param {string} command
 * @param {{ id: string, subAgents: string[] }} session
 * @param {(file: string) => Promise<T>} use
 */
const withExport = (database, command, { id, subAgents }, use) =>
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

module.exports = { listSessions, withExport }
