/**
 * Two processes share a conversation through Redis. One has it open and is killed in the middle of a
 * turn. When its lease expires, the other takes over: every question is stored once, with one answer
 * from each member.
 *
 *     REDIS_URL=redis://127.0.0.1:6379 npx tsx examples/shared-conversation.ts
 */
/* oxlint-disable no-await-in-loop -- one step after another */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { isPromptmasonError, openConversation, redisStore } from 'promptmason'
import { createClient } from 'redis'

const { REDIS_URL = 'redis://127.0.0.1:6379', COORDINATOR, CONVERSATION = `design-${process.pid}` } = process.env
const QUESTIONS = ['Where do the tokens live?', 'For how long?', 'Who may revoke them?']
const MEMBERS = ['max', 'sarah'] as const

const redis = createClient({ url: REDIS_URL, socket: { reconnectStrategy: false } })
redis.on('error', () => {})

/** Replaces a CLI such as `{ agent: 'claude' }` or `{ agent: 'codex' }`. */
const agent = (name: string) => ({
  run: async ({ resume }: { resume: string | undefined }) => {
    console.log(`${COORDINATOR} asks ${name}${resume ? ', in its session' : ''}`)
    await setTimeout(200)
    return { text: `This is ${name}.`, session: resume ?? `${name}-${process.pid}` }
  },
})

/** Opens the conversation as soon as nobody else has it open. */
const open = async () => {
  for (;;) {
    try {
      const members = { kailai: { human: true as const }, max: agent('max'), sarah: agent('sarah') }
      return await openConversation({ id: CONVERSATION, store: redisStore(redis), leaseMs: 1000, members })
    } catch (error) {
      if (!isPromptmasonError(error, 'ERR_CONFLICT')) throw error
      await setTimeout(50)
    }
  }
}

/** Does the remaining work, which the conversation itself determines. */
const coordinate = async (): Promise<void> => {
  const talk = await open()
  console.log(`${COORDINATOR} has it open, with ${talk.messages().length} messages`)
  for (const question of QUESTIONS) {
    const messages = talk.messages()
    const asked = messages.findIndex(({ content }) => content === question)
    const answers = asked === -1 ? [] : messages.slice(asked + 1, asked + 1 + MEMBERS.length)
    if (asked === -1) await talk.say('kailai', question)
    for (const name of MEMBERS) if (!answers.some(({ speaker }) => speaker.id === name)) await talk.send(name)
  }
  await talk.close()
}

/** Starts a process, and resolves when it has exited. */
const start = async (name: string): Promise<void> => {
  const env = { ...process.env, COORDINATOR: name, CONVERSATION }
  const file = import.meta.filename
  const child = spawn(process.execPath, [...process.execArgv, file], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  createInterface({ input: child.stdout }).on('line', (line) => {
    console.log(line)
    if (name !== 'Anna' || !/asks sarah, in its session/.test(line)) return
    child.kill('SIGKILL')
    console.log('── Anna is killed in the middle of a turn ──')
  })
  await once(child, 'exit')
}

const main = async (): Promise<void> => {
  await redis.connect()
  if (COORDINATOR !== undefined) return coordinate()
  await Promise.all([start('Anna'), setTimeout(500).then(() => start('Ben'))])
  const { entries = [] } = (await redisStore(redis).load(CONVERSATION)) ?? {}
  const messages = entries.flatMap(
    (entry) => (entry as { message?: { content: string; speaker: { id: string } } }).message ?? [],
  )
  for (const { speaker, content } of messages) console.log(`  ${speaker.id}: ${content}`)
  const said = messages.map(({ speaker, content }) => (speaker.id === 'kailai' ? content : speaker.id))
  const isComplete = said.join() === QUESTIONS.map((question) => `${question},${MEMBERS.join()}`).join()
  console.log(isComplete ? 'nothing is lost or repeated' : 'SOMETHING IS LOST OR REPEATED')
  if (!isComplete) process.exitCode = 1
  await redis.del(['log', 'lease', 'fence'].map((name) => `promptmason:{${CONVERSATION}}:${name}`))
}

main()
  .catch((error: unknown) => {
    console.error(error)
    process.exitCode = 1
  })
  .finally(() => redis.isOpen && redis.close())
