/** Conversations in strict TypeScript: `npm run typecheck` compiles this. */
import { Redis as IoRedis } from 'ioredis'
import {
  type Conversation,
  type ConversationStore,
  fileStore,
  isPromptmasonError,
  type Member,
  memoryStore,
  openConversation,
  redisStore,
  type RunInput,
  storeChecks,
  type Turn,
  type TurnResult,
} from 'promptmason'
import { createClient, createCluster } from 'redis'
import { expectTypeOf } from 'vitest'

// Members are known by their names.
const talk = await openConversation({
  members: {
    kailai: { human: true },
    sarah: { agent: 'claude', system: ['You are Sarah.'], permissions: 'read-only' },
    bot: { run: ({ prompt, signal, onText }) => (signal.aborted ? prompt : (onText('x'), { text: 'x' })) },
  },
})
expectTypeOf(talk).toEqualTypeOf<Conversation<'kailai' | 'sarah' | 'bot'>>()
await talk.say('kailai', 'hello', { to: ['sarah', 'bot'], private: true })
await talk.say('kailai', 'hello', { to: 'all' })
// @ts-expect-error -- nobody has this name
await talk.say('sara', 'hello')
// @ts-expect-error -- nobody has this name
await talk.say('kailai', 'hello', { to: 'sara' })
// @ts-expect-error -- nobody has this name
await talk.send('sara')
expectTypeOf(await talk.send('sarah')).toEqualTypeOf<Turn<'kailai' | 'sarah' | 'bot'>>()
const results = await talk.sendAll(['sarah', 'bot'])
expectTypeOf(results).toEqualTypeOf<TurnResult<'kailai' | 'sarah' | 'bot'>[]>()
for (const result of results) {
  if (result.error === undefined) expectTypeOf(result.turn.text).toEqualTypeOf<string>()
  else expectTypeOf(result.turn).toEqualTypeOf<undefined>()
}
for await (const event of talk.stream('sarah')) {
  if (event.type === 'turn') expectTypeOf(event.turn.member).toEqualTypeOf<'kailai' | 'sarah' | 'bot'>()
  else if (event.type === 'text') expectTypeOf([event.text, event.member]).toExtend<string[]>()
}
await talk.sendAll(['sarah'], { onEvent: ({ member }) => expectTypeOf(member).toEqualTypeOf<string>() })
await talk.change('sarah', { agent: 'codex', model: 'x' })
await talk.change('bot', { run: () => 'y' })
// @ts-expect-error -- a private message stays so
await talk.update('msg-1', { private: false })

// A custom member type.
interface MyMember {
  readonly run: (input: RunInput) => Promise<string>
  readonly team: 'backend' | 'frontend'
}
const mine: Record<string, MyMember> = { a: { team: 'backend', run: async ({ prompt }) => prompt } }
const members: Record<string, Member> = mine
const general: Conversation = await openConversation({ members })
await general.send('anybody')

// One of these, and not several.
// @ts-expect-error -- a human has no agent
await openConversation({ members: { a: { human: false } } })
// @ts-expect-error -- it must be a member
await openConversation({ members: { a: { model: 'x' } } })

// Real clients.
const clients = [createClient(), createCluster({ rootNodes: [] })] as const
expectTypeOf(redisStore(clients[0], { prefix: 'x' })).toExtend<ConversationStore>()
expectTypeOf(redisStore(clients[1])).toExtend<ConversationStore>()
expectTypeOf(redisStore(new IoRedis())).toExtend<ConversationStore>()
expectTypeOf(redisStore(new IoRedis.Cluster([]))).toExtend<ConversationStore>()
// @ts-expect-error -- no client
redisStore({})
expectTypeOf([fileStore('x'), memoryStore()]).toExtend<ConversationStore[]>()
for (const { name, run } of storeChecks({ open: memoryStore })) expectTypeOf([name, run]).not.toBeAny()

// Errors.
try {
  await talk.send('sarah')
} catch (error) {
  if (isPromptmasonError(error, 'ERR_TURN_FAILED')) {
    expectTypeOf(error.delivered).toEqualTypeOf<'yes' | 'no' | 'unknown'>()
    expectTypeOf(error.retryAfterMs).toEqualTypeOf<number | undefined>()
    if (error.reason === 'not-installed') expectTypeOf(error.member).toEqualTypeOf<string>()
  }
  if (isPromptmasonError(error, 'ERR_CONFLICT')) expectTypeOf(error.conversation).toEqualTypeOf<string>()
}

// A conversation that is closed at the end of its block, and one to which members are added.
{
  await using short = await openConversation<string>({ members: { kailai: { human: true } } })
  await short.addMember('lee', { human: true })
  await short.say('lee', 'x')
}
