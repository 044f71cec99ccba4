'use strict'
/**
 * Runs an agent that speaks the Agent Client Protocol: one session, one prompt. Its messages are passed
 * on as lines of JSON, which `js/delivery/formats/acp.js` reads like the output of any other CLI:
 *
 * - `{ type: 'session', sessionId, agentInfo }`
 * - `{ type: 'taken' }`, if the agent says that its session has the prompt
 * - `{ type: 'update', update, protocolVersion }`, the protocol's own; the last if it is 2
 * - `{ type: 'permission', toolCall, isGranted }`, what was asked, and what was answered
 * - `{ type: 'stop', stopReason, usage }`
 * - `{ type: 'error', message, code, isUnsent }`, the last if the prompt was not sent
 */
const { spawn } = require('node:child_process')
const { Readable, Writable } = require('node:stream')
const { makeError } = require('../../errors.js')
const { exitOf, explained, hasOwnGroup } = require('../run-process.js')
const { GRACE_MS, beforeExit, watchProgram } = require('../unfinished.js')

/** @typedef {import('../run-process.js').Program} Program */
/** @typedef {import('../run-process.js').Control} Control */
/** @typedef {InstanceType<typeof import('../ending.js').Ending>} Ending */
/** @typedef {import('../../../index.d.ts').AcpSettings & { resume?: string | undefined }} Settings */

/**
 * One session, one prompt, by one version of the protocol.
 * @callback Talk
 * @param {any} sdk
 * @param {object} turn
 * @param {any} turn.stream
 * @param {string} turn.cwd
 * @param {readonly object[]} turn.prompt
 * @param {string | undefined} turn.resume
 * @param {string | undefined} turn.model
 * @param {import('../../../index.d.ts').AcpSettings['permissions']} turn.permissions
 * @param {(event: object) => void} turn.emit
 * @returns {{
 *   done: Promise<void>,
 *   state: () => { isPrompted: boolean, failedCode: string | undefined },
 *   cancel: () => Promise<void> | undefined,
 *   close: () => void,
 * }} `failedCode` is the error code, if the place of the failure determines it.
 */

/** In a constant, so that bundlers do not look for a package that most programs do not have. */
const SDK = '@agentclientprotocol/sdk'

/** Version 2 is a draft. Agents report tokens only with its unstable part. */
const VERSIONS = {
  1: { entry: SDK, load: () => require('./version-1.js').talk },
  2: { entry: `${SDK}/experimental/v2/unstable`, load: () => require('./version-2.js').talk },
}

const MAX_STDERR_UNITS = 64 * 1024

/** How long an agent may take to stop when it is asked to. Then its process is ended. */
const CANCEL_MS = 2000

/** How long an agent may take to exit when its stdin ends. */
const CLOSE_MS = 1500

/** @param {number} ms */
const afterwards = (ms) =>
  new Promise((resolve) => {
    setTimeout(resolve, ms).unref()
  })

/** What agents say when they want a login. */
const AUTH_REQUIRED = -32_000

/**
 * @param {string} entry
 * @returns {Promise<any>}
 */
const loadSdk = async (entry) => {
  try {
    return await import(entry)
  } catch (cause) {
    throw makeError('Error', `the Agent Client Protocol needs a package: npm install ${SDK} zod`, {
      code: 'ERR_MISSING_PACKAGE',
      cause,
    })
  }
}

/**
 * A program that runs, and can be ended.
 * @typedef {object} Running
 * @property {import('node:child_process').ChildProcess} child
 * @property {() => Promise<void>} end Fulfilled when none of its processes are running.
 * @property {() => void} forget Call it when the program has ended.
 */

/**
 * @param {Program} program
 * @param {boolean} isDetached
 * @returns {Running}
 */
const start = (program, isDetached) => {
  const { command, args, env, cwd } = program
  const watched = watchProgram(isDetached)
  try {
    const child = spawn(command, args, {
      cwd,
      env: { ...env, ...watched.env },
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
      detached: hasOwnGroup(isDetached),
    })
    if (child.pid !== undefined) watched.started(child.pid)
    return { child, end: watched.end, forget: watched.forget }
  } catch (error) {
    watched.forget()
    throw explained(/** @type {NodeJS.ErrnoException} */ (error), program)
  }
}

/**
 * A program that the caller starts. Its own `kill` ends it: nothing else is known about it.
 * @param {Program} program
 * @param {boolean} isDetached
 * @param {import('../../../index.d.ts').SpawnHook} hook
 * @returns {Promise<Running>}
 */
const startElsewhere = async ({ command, args, env, cwd }, isDetached, hook) => {
  const child = await hook(command, [...args], { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] })
  const forget = isDetached ? () => {} : beforeExit(() => child.kill('SIGKILL'))
  const end = async () => {
    const exit = new Promise((resolve) => {
      child.once('exit', resolve)
    })
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGTERM')
    await Promise.race([exit, afterwards(GRACE_MS)])
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
  }
  return { child, end, forget }
}

/**
 * The whole conversation with an agent.
 * @param {any} sdk
 * @param {import('node:child_process').ChildProcess} child
 * @param {Program} program
 * @param {Settings} settings
 * @param {(event: object) => void} emit
 */
const converse = (sdk, child, { stdin, cwd }, { resume, model, permissions, protocolVersion = 1 }, emit) => {
  const output = /** @type {WritableStream<Uint8Array>} */ (
    Writable.toWeb(/** @type {import('node:stream').Writable} */ (child.stdin))
  )
  const input = /** @type {ReadableStream<Uint8Array>} */ (
    /** @type {unknown} */ (Readable.toWeb(/** @type {import('node:stream').Readable} */ (child.stdout)))
  )
  const { done, state, cancel, close } = VERSIONS[protocolVersion].load()(sdk, {
    stream: sdk.ndJsonStream(output, input),
    cwd: cwd ?? process.cwd(),
    prompt: [{ type: 'text', text: stdin.toString() }],
    resume,
    model,
    permissions,
    emit,
  })
  const report = (/** @type {any} */ error) => {
    const { data } = error ?? {}
    const said = [error?.message, typeof data === 'string' ? data : (data?.message ?? data?.details)]
      .filter((each) => typeof each === 'string')
      .join(': ')
    const { isPrompted, failedCode } = state()
    const code = error?.code === AUTH_REQUIRED ? 'not-logged-in' : failedCode
    emit({ type: 'error', message: said, code, isUnsent: !isPrompted })
  }
  return { done: done.catch(report), cancel, close }
}

/**
 * @param {Settings} settings
 * @param {import('../../../index.d.ts').SpawnHook | undefined} hook
 * @returns {(program: Program, control: Control, ending: Ending) =>
 *   Promise<import('../run-process.js').Ended | undefined>} Undefined if it was not even started.
 */
const runAcp = (settings, hook) => async (program, control, ending) => {
  const sdk = await loadSdk(VERSIONS[settings.protocolVersion ?? 1].entry)
  if (ending.cause !== undefined) return undefined
  const { isDetached } = control
  const { child, end, forget } = await (hook === undefined
    ? start(program, isDetached)
    : startElsewhere(program, isDetached, hook))
  try {
    if (child.pid !== undefined || hook !== undefined) control.onStart()
    let stderr = ''
    child.stdin?.on('error', () => {})
    child.stderr?.on('data', (chunk) => {
      stderr = (stderr + chunk).slice(-MAX_STDERR_UNITS)
    })
    const exit = exitOf(child, program)
    // A failure to start is thrown below.
    const over = exit.catch(() => {})
    const emit = (/** @type {object} */ event) => {
      if (ending.cause !== undefined && 'error' in ending.cause) return
      try {
        control.onStdout(Buffer.from(`${JSON.stringify(event)}\n`))
      } catch (error) {
        ending.begin({ kind: 'failed', error })
      }
    }
    const { done, cancel, close } = converse(sdk, child, program, settings, emit)
    ending.attach(async () => {
      // An agent that is asked to stop keeps its session.
      await Promise.race([Promise.resolve(cancel()).then(() => done), over, afterwards(CANCEL_MS)]).catch(() => {})
      await end()
    })
    await Promise.race([done, over])
    // An agent waits for the next prompt. Closing its stdin tells it that there is none: it may still
    // have to store the session.
    if (ending.cause === undefined) {
      child.stdin?.end()
      await Promise.race([over, afterwards(CLOSE_MS)])
      await end()
    }
    await ending.done
    const { exitCode, signal } = await exit
    await done
    close()
    // Once there is an answer, how the agent exits does not matter.
    return { exitCode: ending.cause === undefined ? 0 : exitCode, signal, stderr }
  } finally {
    forget()
  }
}

module.exports = { runAcp }
