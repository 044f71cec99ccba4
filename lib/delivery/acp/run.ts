/**
 * Runs an agent that speaks the Agent Client Protocol: one session, one prompt. Its messages are passed
 * on as lines of JSON, which `lib/delivery/formats/acp.ts` reads like the output of any other CLI:
 *
 * - `{ type: 'session', sessionId, agentInfo }`
 * - `{ type: 'taken' }`, if the agent says that its session has the prompt
 * - `{ type: 'update', update, protocolVersion }`, the protocol's own; the last if it is 2
 * - `{ type: 'permission', toolCall, isGranted }`, what was asked, and what was answered
 * - `{ type: 'stop', stopReason, usage }`
 * - `{ type: 'error', message, code, isUnsent }`, the last if the prompt was not sent
 */
import { Readable, Writable } from 'node:stream'
import { TransformStream } from 'node:stream/web'
import { setTimeout as wait } from 'node:timers/promises'
import { makeError } from '../../errors.js'
import { propertyOf } from '../../thrown.js'
import { endOfStream, exitOrEnd, hasPipes, type SpawnHook, startElsewhere } from '../run-elsewhere.js'
import { type Control, type Ended, exitOf, limited, MAX_STDERR_BYTES, type Program, start } from '../run-process.js'
import { type AcpTurn, converse, type MessageStream, type Sdk } from './session.js'
import { version1, version2 } from './versions.js'
import type { Ending } from '../ending.js'

/** In a constant, so that bundlers do not look for a package that most programs do not have. */
const SDK = '@agentclientprotocol/sdk'

/** Version 2 is a draft. Agents report tokens only with its unstable part. */
const VERSIONS = {
  1: { entry: SDK, begin: version1 },
  2: { entry: `${SDK}/experimental/v2/unstable`, begin: version2 },
}

/** How long an agent may take to stop when it is asked to. Then its process is ended. */
const CANCEL_MS = 2000

/** How long an agent may take to exit when its stdin ends. */
const CLOSE_MS = 1500

const afterwards = (ms: number) => wait(ms, undefined, { ref: false })

const AUTH_REQUIRED = -32_000

const loadSdk = async (entry: string): Promise<Sdk> => {
  try {
    return await import(entry)
  } catch (cause) {
    throw makeError('Error', `the Agent Client Protocol needs a package: npm install ${SDK} zod`, {
      code: 'ERR_MISSING_PACKAGE',
      cause,
    })
  }
}

/** An event as a line. What cannot be written is left out: it is nested too deeply, or too large. */
const lineOf = (event: object) => {
  try {
    return Buffer.from(`${JSON.stringify(event)}\n`)
  } catch {
    return undefined
  }
}

/** The package counts its requests, and writes the id of any other answer to this process's stderr. */
const withoutStrayAnswers = ({ readable, writable }: MessageStream): MessageStream => {
  const isWanted = (message: unknown) => typeof propertyOf(message, 'id') === 'number' || propertyOf(message, 'method')
  const known = new TransformStream<unknown, unknown>({
    transform(message, controller) {
      if (isWanted(message)) controller.enqueue(message)
    },
  })
  return { writable, readable: readable.pipeThrough(known) }
}

const failureOf = (
  error: unknown,
  { isPrompted, failedCode }: { isPrompted: boolean; failedCode: string | undefined },
) => {
  const data = propertyOf(error, 'data')
  const details = typeof data === 'string' ? data : (propertyOf(data, 'message') ?? propertyOf(data, 'details'))
  const message = [propertyOf(error, 'message'), details].filter((each) => typeof each === 'string').join(': ')
  const code = propertyOf(error, 'code') === AUTH_REQUIRED ? 'not-logged-in' : failedCode
  return { type: 'error', message, code, isUnsent: !isPrompted }
}

/** @returns Undefined if it was not even started. */
export const runAcp = async (
  settings: AcpTurn['settings'],
  hook: SpawnHook | undefined,
  program: Program,
  control: Control,
  ending: Ending,
): Promise<Ended | undefined> => {
  const { entry, begin } = VERSIONS[settings.protocolVersion ?? 1]
  const sdk = await loadSdk(entry)
  if (ending.cause !== undefined) return undefined
  const { isDetached } = control
  const running = await (hook === undefined
    ? start(program, isDetached, ['pipe', 'pipe'])
    : startElsewhere(hook, program, isDetached, ending))
  if (running === undefined) return undefined
  const { child, end, forget } = running
  const exit = exitOf(child, program)
  // A failure to start is thrown below.
  const over = exit.catch(() => {})
  try {
    if (child.pid !== undefined || hook !== undefined) control.onStart()
    if (!hasPipes(child)) {
      await exit
      return undefined
    }
    child.stdin.on('error', () => {})
    const stderr = endOfStream(child.stderr, MAX_STDERR_BYTES, control.onSign)
    const push = limited(control, ending)
    const emit = (event: object) => {
      const line = lineOf(event)
      if (line !== undefined) push(line)
    }
    const { done, state, cancel, close } = converse(sdk, begin(), {
      stream: withoutStrayAnswers(sdk.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout))),
      cwd: program.cwd ?? process.cwd(),
      prompt: program.stdin.toString(),
      settings,
      emit,
    })
    let hasEnded = false
    const turn = done.then(
      () => {
        hasEnded = true
      },
      (error: unknown) => emit(failureOf(error, state())),
    )
    ending.attach(async () => {
      // An agent that is asked to stop keeps its session.
      await Promise.race([Promise.resolve(cancel()).then(() => turn), over, afterwards(CANCEL_MS)]).catch(() => {})
      await end()
    })
    await Promise.race([turn, over])
    // An agent waits for the next prompt. Closing its stdin tells it that there is none: it may still
    // have to store the session.
    if (ending.cause === undefined) {
      child.stdin.end()
      await Promise.race([over, afterwards(CLOSE_MS)])
      await end()
    }
    await ending.done
    const { exitCode, signal } = await exitOrEnd(exit, ending)
    close()
    await turn
    // Once there is an answer, how the agent exits does not matter.
    const isFine = hasEnded && ending.cause === undefined
    return { exitCode: isFine ? 0 : exitCode, signal: isFine ? null : signal, stderr: stderr() }
  } finally {
    forget()
  }
}
