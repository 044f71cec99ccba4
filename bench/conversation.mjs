/* oxlint-disable no-await-in-loop -- one turn after another */
/**
 * The cost of a turn of a conversation without delivery and store, and the memory of open conversations.
 *
 *     node --expose-gc bench/conversation.mjs
 *
 * The members are functions that answer at once, and the store keeps nothing, so only `say` and `send`
 * themselves are measured: the prompt with its report, the answer, the log entries.
 */
import { openConversation } from '../index.js'
import { texts } from './text.mjs'

const TURNS = 400
const next = texts('ascii')

/** A store that discards everything. */
const noStore = () => {
  let version = 0
  return {
    load: async () => null,
    acquire: async () => ({ fence: 1 }),
    append: async () => ++version,
    release: async () => {},
  }
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]

const openWith = async (messages, session) => {
  const talk = await openConversation({
    store: noStore(),
    task: next(300),
    members: {
      kailai: { human: true },
      sarah: { run: () => ({ text: next(400), ...(session && { session: 's' }) }), system: next(1000) },
    },
  })
  for (let index = 0; index < messages; index++) await talk.say('kailai', next(200))
  return talk
}

/** Milliseconds of `say` and of `send`. */
const measureTurns = async (messages, session) => {
  const talk = await openWith(messages, session)
  await talk.send('sarah')
  const [said, sent] = [[], []]
  for (let turn = 0; turn < TURNS; turn++) {
    const text = next(200)
    const begun = performance.now()
    await talk.say('kailai', text)
    const between = performance.now()
    await talk.send('sarah')
    said.push(between - begun)
    sent.push(performance.now() - between)
  }
  await talk.close()
  return {
    messages,
    session: session ? 'resumed' : 'none',
    'say ms': median(said).toFixed(3),
    'send ms': median(sent).toFixed(3),
  }
}

const usedBytes = () => {
  for (let round = 0; round < 4; round++) globalThis.gc?.()
  return process.memoryUsage().rss
}

/** Bytes per open conversation, measured over many. */
const measureMemory = async (count, messages) => {
  const before = usedBytes()
  const talks = await Promise.all(Array.from({ length: count }, () => openWith(messages, true)))
  const bytes = (usedBytes() - before) / count
  const textBytes = messages * 200
  await Promise.all(talks.map((talk) => talk.close()))
  return {
    conversations: count,
    'messages each': messages,
    'KB each': (bytes / 1024).toFixed(1),
    'KB of text each': (textBytes / 1024).toFixed(1),
  }
}

const memory = [await measureMemory(1000, 0), await measureMemory(1000, 20)]
const turns = []
for (const messages of [100, 1000, 10_000])
  for (const session of [true, false]) turns.push(await measureTurns(messages, session))
console.log(`median of ${TURNS} turns, apart from delivery and store:`)
console.table(turns)
console.log('open conversations in one process:')
console.table(memory)
