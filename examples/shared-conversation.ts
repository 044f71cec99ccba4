/**
 * Several coordinator processes share two conversations through Redis. One of them is killed in the
 * middle of a turn: a member has answered, and another is being asked. When its lease is over,
 * another process goes on from the log. In the end, every question is there once, with one answer of
 * each member.
 *
 *     REDIS_URL=redis://127.0.0.1:6379 npx tsx examples/shared-conversation.ts
 *
 * - shared-conversation/owned-conversation.ts: the log, the lease and the fencing token;
 * - shared-conversation/coordinator.ts: the process that is started here three times.
 */
/* oxlint-disable no-await-in-loop -- one step after another */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { ContextManager } from 'promptmason'
import { createClient } from 'redis'
import { addPart, readLog, type Redis, removeConversation, say } from './shared-conversation/owned-conversation.js'

const { REDIS_URL = 'redis://127.0.0.1:6379' } = process.env
const MEMBERS = ['max', 'sarah']
/** So that they are nobody else's, in a Redis that others use, too. */
const [DESIGN, TESTS] = [`design-${process.pid}`, `tests-${process.pid}`]
const QUESTIONS: Record<string, string[]> = {
  [DESIGN]: ['Where do the tokens live?', 'For how long?', 'Who may revoke them?'],
  [TESTS]: ['What do we test first?', 'And then?'],
}

type Coordinator = ChildProcessByStdio<Writable, Readable, null>

/** Starts a coordinator process, and calls `onLine` with what it reports. It ends when its stdin is closed. */
const start = (name: string, onLine: (line: string, coordinator: Coordinator) => void): Coordinator => {
  const file = join(import.meta.dirname, 'shared-conversation', 'coordinator.ts')
  const env = {
    ...process.env,
    COORDINATOR: name,
    CONVERSATIONS: `${DESIGN},${TESTS}`,
    LEASE_MS: '1000',
    THINK_MS: '300',
    AT_MOST: '1',
  }
  const child = spawn(process.execPath, [...process.execArgv, file], { env, stdio: ['pipe', 'pipe', 'inherit'] })
  createInterface({ input: child.stdout }).on('line', (line) => onLine(line, child))
  return child
}

const restore = async (redis: Redis, name: string): Promise<ContextManager> => {
  const manager = new ContextManager()
  for await (const part of readLog(redis, name)) addPart(manager, part)
  return manager
}

/** Waits until every member has answered every question of a conversation. */
const settled = async (redis: Redis, name: string, signal: AbortSignal): Promise<ContextManager> => {
  const wanted = (QUESTIONS[name]?.length ?? 0) * (1 + MEMBERS.length)
  for (;;) {
    const manager = await restore(redis, name)
    if (manager.getMessages().length >= wanted) return manager
    await setTimeout(50, undefined, { signal })
  }
}

/** Whether every question is there once, in order, with one answer of each member. */
const isComplete = (manager: ContextManager, questions: string[]): boolean => {
  const said = manager.getMessages().map(({ speaker, content }) => (speaker.type === 'human' ? content : speaker.id))
  return JSON.stringify(said) === JSON.stringify(questions.flatMap((question) => [question, ...MEMBERS]))
}

const main = async (): Promise<void> => {
  const redis = createClient({ url: REDIS_URL, socket: { reconnectStrategy: false } })
  redis.on('error', () => {})
  await redis.connect()
  for (const [name, questions] of Object.entries(QUESTIONS))
    for (const question of questions) await say(redis, name, 'kailai', question)

  let isKilled = false
  const onLine = (line: string, coordinator: Coordinator): void => {
    if (coordinator.killed) return
    console.log(line)
    if (isKilled || !/design.*asks sarah/.test(line)) return
    isKilled = true
    coordinator.kill('SIGKILL')
    console.log('── killed in the middle of its turn ──')
  }
  const coordinators = ['Anna', 'Ben', 'Cleo'].map((name) => start(name, onLine))
  try {
    const signal = AbortSignal.timeout(60_000)
    for (const [name, questions] of Object.entries(QUESTIONS)) {
      const manager = await settled(redis, name, signal)
      console.log(`\n${name}:`)
      for (const { id, speaker, content } of manager.getMessages()) console.log(`  ${id} ${speaker.id}: ${content}`)
      const verdict = isComplete(manager, questions)
      console.log(verdict ? '  nothing is lost, nothing is there twice' : '  SOMETHING IS LOST OR THERE TWICE')
      if (!verdict) process.exitCode = 1
    }
  } finally {
    for (const { stdin } of coordinators) stdin.end()
    await Promise.all(
      coordinators.map(async ({ exitCode, signalCode }, index) => {
        if (exitCode === null && signalCode === null)
          await new Promise((resolve) => coordinators[index]?.once('exit', resolve))
      }),
    )
    for (const name of Object.keys(QUESTIONS)) await removeConversation(redis, name)
    await redis.close()
  }
}

main().catch((error: unknown) => {
  console.error(error)
  process.exitCode = 1
})
