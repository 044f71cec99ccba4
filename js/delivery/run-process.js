'use strict'
/** Runs a program on this machine with a text on its stdin. Its output goes to files. */
const { spawn } = require('node:child_process')
const { existsSync } = require('node:fs')
const path = require('node:path')
const { makeError } = require('../errors.js')
const { isDiskFull, openOutputFiles } = require('./output-files.js')
const { watchProgram } = require('./unfinished.js')

/** @typedef {InstanceType<typeof import('./ending.js').Ending>} Ending */
/**
 * @typedef {object} Program
 * @property {string} command
 * @property {readonly string[]} args
 * @property {Record<string, string | undefined>} env
 * @property {string | undefined} cwd
 * @property {Buffer} stdin
 * @typedef {object} Control
 * @property {() => void} onStart Called when the program runs.
 * @property {(chunk: Buffer) => void} onStdout If it throws, the program is ended.
 * @property {boolean} isDetached Whether the program may outlive this process.
 * @typedef {object} Ended
 * @property {number | null} exitCode
 * @property {NodeJS.Signals | null} signal
 * @property {string} stderr Its last part.
 * @property {boolean} [wasDiskFull] Whether there was no room for what it has written.
 */

/** How much of stderr is kept. */
const MAX_STDERR_BYTES = 64 * 1024

/** How much a program may write to stdout. */
const MAX_STDOUT_BYTES = 2 ** 31

/** How much is still read from a program that was ended: it may have answered at the last moment. */
const MAX_LATE_BYTES = 16 * 1024 * 1024

/**
 * Why a program cannot be started. If its directory is missing, the system reports a missing program.
 * @param {NodeJS.ErrnoException} error
 * @param {Pick<Program, 'command' | 'cwd'>} program
 */
const explained = (error, { command, cwd }) => {
  const { code } = error
  if (code === 'E2BIG' || code === 'ENAMETOOLONG') {
    const message = `cannot deliver to ${command}: its arguments and the environment are too long for this system (${code})`
    return makeError('RangeError', message, { code: 'ERR_UNDELIVERABLE', cli: command })
  }
  if (code === 'ENOENT') error.message += `: ${notFound(command, cwd)}`
  return error
}

/**
 * What to do about a program that was not found.
 * @param {string} command
 * @param {string | undefined} cwd
 */
const notFound = (command, cwd) => {
  if (cwd !== undefined && !existsSync(cwd)) return `there is no directory ${cwd}`
  // Loaded on demand: most programs are found.
  const { PROFILES } = require('./profiles/index.js')
  const { misspelled } = require('../agent-types.js')
  const { name } = path.parse(command)
  const known = PROFILES.find((profile) => profile.command === name)
  const meant = known === undefined ? misspelled(name) : undefined
  if (meant !== undefined) return `the program '${command}' was not found: did you mean '${meant}'?`
  const install = known?.package === undefined ? 'install it' : `install it with \`npm install -g ${known.package}\``
  return `the program '${command}' was not found: ${install}, or name it in profile.command`
}

/**
 * Whether a program gets a group of its own. On Windows, Node ends those that have none with this
 * process, and those that have one cannot hide the windows of what they start.
 * @param {boolean} isDetached Whether it may outlive this process.
 */
const hasOwnGroup = (isDetached) => isDetached || process.platform !== 'win32'

/**
 * @param {Program} program
 * @param {boolean} isDetached
 * @param {number} stdout
 * @param {number} stderr
 */
const start = (program, isDetached, stdout, stderr) => {
  const { command, args, env, cwd } = program
  try {
    return spawn(command, args, {
      cwd,
      env,
      stdio: ['pipe', stdout, stderr],
      windowsHide: true,
      detached: hasOwnGroup(isDetached),
    })
  } catch (error) {
    // Deno emits an event here instead of throwing.
    throw explained(/** @type {NodeJS.ErrnoException} */ (error), program)
  }
}

/**
 * Writes to stdin. A program may end, or close it, before it has read everything.
 * @param {import('node:child_process').ChildProcess} child
 * @param {Buffer} text
 */
const writeStdin = ({ stdin }, text) => {
  stdin?.on('error', () => {})
  stdin?.end(text)
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @param {Pick<Program, 'command' | 'cwd'>} program
 * @returns {Promise<{ exitCode: number | null, signal: NodeJS.Signals | null }>}
 */
const exitOf = (child, program) =>
  new Promise((resolve, fail) => {
    child.on('error', (error) => fail(explained(error, program)))
    child.on('exit', (exitCode, signal) => resolve({ exitCode, signal }))
  })

/**
 * Passes on stdout until the program was ended and no more is needed.
 * @param {Control} control
 * @param {Ending} ending
 * @returns {(chunk: Buffer) => boolean} Whether to go on.
 */
const limited = ({ onStdout }, ending) => {
  let [read, late] = [0, 0]
  return (chunk) => {
    read += chunk.length
    if (ending.cause !== undefined) late += chunk.length
    if (late > MAX_LATE_BYTES || (ending.cause !== undefined && 'error' in ending.cause)) return false
    try {
      onStdout(chunk)
    } catch (error) {
      ending.begin({ kind: 'failed', error })
      return false
    }
    if (read > MAX_STDOUT_BYTES) ending.begin({ kind: 'flooded' })
    return true
  }
}

/**
 * @param {Program} program
 * @param {Control} control
 * @param {Ending} ending
 * @param {Awaited<ReturnType<typeof openOutputFiles>>} files
 * @returns {Promise<Ended>}
 */
const run = async (program, control, ending, files) => {
  const watched = watchProgram(control.isDetached)
  /** @type {import('node:child_process').ChildProcess | undefined} */
  let child
  try {
    const marked = { ...program, env: { ...program.env, ...watched.env } }
    child = start(marked, control.isDetached, files.stdout.fd, files.stderr.fd)
    if (child.pid !== undefined) {
      watched.started(child.pid)
      control.onStart()
    }
    writeStdin(child, program.stdin)
    ending.attach(watched.end)
    const exit = exitOf(child, program)
    // A failure is thrown below.
    const over = exit.catch(() => {})
    await files.stdout.follow(limited(control, ending), over)
    const { exitCode, signal } = await exit
    await ending.done
    const stderr = await files.stderr.readEnd(MAX_STDERR_BYTES)
    // Windows has no signals. A program that is ended there gets this code, which is not its own.
    const isEnded = process.platform === 'win32' && ending.cause !== undefined && exitCode === 1
    return { exitCode: isEnded ? null : exitCode, signal, stderr, wasDiskFull: await isDiskFull() }
  } finally {
    watched.forget()
    child?.stdin?.destroy()
  }
}

/**
 * @param {Program} program
 * @param {Control} control
 * @param {Ending} ending What ends the program, if that is needed.
 * @returns {Promise<Ended | undefined>} Undefined if it was not even started.
 */
const runProcess = async (program, control, ending) => {
  const files = await openOutputFiles()
  try {
    return ending.cause === undefined ? await run(program, control, ending, files) : undefined
  } finally {
    await files.close()
  }
}

module.exports = { MAX_STDERR_BYTES, exitOf, explained, hasOwnGroup, limited, runProcess, writeStdin }
