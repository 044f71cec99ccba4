/**
 * A coordinator process. It owns any of the given conversations that has no owner, takes what humans
 * have said from the inbox, and lets every member answer it. Each message is in the log before the
 * next step begins. What the next step is, follows from the conversation alone, so any process can
 * take over after any step.
 *
 *     REDIS_URL=redis://127.0.0.1:6379 CONVERSATIONS=design,tests npx tsx examples/shared-conversation/coordinator.ts
 *
 * It ends when its stdin is closed.
 */
/* oxlint-disable no-await-in-loop -- one step after another */
import { createHash } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { ContextManager, ConversationMessage } from 'promptmason'
import { createClient } from 'redis'
import { OwnedConversation, type Redis, StaleOwnerError } from './owned-conversation.js'

const {
  REDIS_URL = 'redis://127.0.0.1:6379',
  CONVERSATIONS = '',
  COORDINATOR = `coordinator ${process.pid}`,
} = process.env
/** How long a conversation waits for a new owner when this process dies. */
const LEASE_MS = Number(process.env['LEASE_MS'] ?? 5000)
/** How many conversations this process owns at most. */
const AT_MOST = Number(process.env['AT_MOST'] ?? Infinity)
/** How long a member takes to answer. */
const THINK_MS = Number(process.env['THINK_MS'] ?? 100)
/** How often to look for something to do. */
const IDLE_MS = 20

interface Member {
  id: string
  agentType: string
}

const MEMBERS: Member[] = [
  { id: 'max', agentType: 'claude-code' },
  { id: 'sarah', agentType: 'openai-codex' },
]

/** Stands for the CLI of a member, which gets the prompt on its stdin. Here it only tells what it got. */
const ask = async (prompt: string, signal: AbortSignal): Promise<string> => {
  await setTimeout(THINK_MS, undefined, { signal })
  return `I got the prompt ${createHash('sha256').update(prompt).digest('hex')}.`
}

/** Who has to answer next, and what. */
const nextAnswer = (manager: ContextManager): { member: Member; question: ConversationMessage } | undefined => {
  const messages = manager.getMessages()
  const question = messages.findLast(({ speaker }) => speaker.type === 'human')
  if (question === undefined) return undefined
  const answers = messages.slice(messages.indexOf(question) + 1)
  const member = MEMBERS.find(({ id }) => !answers.some(({ speaker }) => speaker.id === id))
  return member && { member, question }
}

const stopping = new AbortController()
process.stdin.on('close', () => stopping.abort()).resume()

/** How many conversations this process owns, or tries to. */
let owned = 0

/** Does the next step of a conversation, and writes it to the log. False if there is nothing to do. */
const step = async (conversation: OwnedConversation, report: (text: string) => void): Promise<boolean> => {
  const { manager, signal } = conversation
  const next = nextAnswer(manager)
  if (next === undefined) {
    const request = await conversation.nextRequest()
    if (request === undefined) return false
    const { id } = manager.addMessage({
      speaker: { id: request.from, type: 'human' },
      content: request.content,
      timestamp: new Date(),
    })
    await conversation.commit({ inbox: request.id })
    report(`stored ${id} of ${request.from}`)
    return true
  }
  const { member, question } = next
  const route = { parentMessageId: question.id, targetMemberId: member.id, intent: 'answer' }
  const { prompt } = manager.assembleForRoute(member.id, member.agentType, route)
  report(`asks ${member.id} to answer ${question.id}`)
  const content = await ask(prompt, signal)
  const routing = { parentMessageId: question.id, intent: 'answer' }
  const { id } = manager.addMessage({ speaker: { id: member.id, type: 'ai' }, content, timestamp: new Date(), routing })
  await conversation.commit()
  report(`stored ${id} of ${member.id}`)
  return true
}

/** Owns a conversation whenever nobody else does. */
const serve = async (redis: Redis, name: string): Promise<void> => {
  while (!stopping.signal.aborted) {
    if (owned >= AT_MOST) {
      await setTimeout(IDLE_MS)
      continue
    }
    owned += 1
    const conversation = await OwnedConversation.take(redis, name, { leaseMs: LEASE_MS }).catch(() => undefined)
    const report = (text: string): void => console.log(`${COORDINATOR} (${name}, token ${conversation?.token}) ${text}`)
    try {
      if (conversation) {
        report(`owns it, with ${conversation.manager.getMessages().length} messages`)
        while (!stopping.signal.aborted) {
          if (!(await step(conversation, report))) await setTimeout(IDLE_MS, undefined, { signal: conversation.signal })
        }
      }
    } catch (error) {
      // Whatever went wrong: the log has what counts, and the next owner begins with it.
      const isStale = error instanceof StaleOwnerError || conversation?.signal.aborted
      report(isStale ? 'has another owner now' : `gives up: ${String(error)}`)
    } finally {
      owned -= 1
      await conversation?.release().catch(() => {})
    }
    await setTimeout(Math.random() * IDLE_MS)
  }
}

const main = async (): Promise<void> => {
  const redis = createClient({ url: REDIS_URL })
  redis.on('error', (error: Error) => console.error(`${COORDINATOR}: ${error.message}`))
  await redis.connect()
  await Promise.all(CONVERSATIONS.split(',').map((name) => serve(redis, name)))
  await redis.close()
}

main().catch((error: unknown) => {
  console.error(error)
  process.exitCode = 1
})
