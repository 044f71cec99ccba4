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
/** What belongs to the database while somebody writes to it. */
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
 * The sessions in a database, newest first.
 * @param {string} database
 * @param {string} command
 * @param {string | undefined} cwd Only those of this directory.
 */
const listSessions = (database, command, cwd) =>
  withCopy(database, async ({ env, directory }) => {
    const query = 'select id, directory, time_updated from session where parent_id is null order by time_updated desc'
    const args = ['db', query, '--format', 'json']
    const options = { env, cwd: directory, timeout: TIMEOUT_MS, maxBuffer: MOST_LISTED_BYTES }
    const { stdout } = await run(command, args, options).catch((error) => {
      throw failed(command, error.message)
    })
    /** @type {{ id: string, directory: string, time_updated: number }[]} */
    let rows
    try {
      rows = JSON.parse(stdout)
    } catch {
      throw failed(command, `its list is not JSON: ${stdout.slice(0, 200)}`)
    }
    return rows.filter((row) => cwd === undefined || row.directory === cwd)
  })

/**
 * Exports a session, and calls `use` with the file that has it.
 * @template T
 * @param {string} database
 * @param {string} command
 * @param {string} session
 * @param {(file: string) => Promise<T>} use
 */
const withExport = (database, command, session, use) =>
  withCopy(database, async ({ env, directory }) => {
    const file = path.join(directory, 'export.json')
    // Into a file: of a pipe, the program leaves out what is not read when it exits.
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
    return use(file)
  })

module.exports = { listSessions, withExport }
