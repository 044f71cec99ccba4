'use strict'
/* oxlint-disable no-await-in-loop -- one step after another */
/**
 * A process that adds messages to a conversation until it is killed. Its members are functions
 * that stand in for CLIs, whose sessions are files.
 *
 *     node talker.cjs <file directory | redis url> <directory of sessions> <kill after this many points>
 *
 * The result of each call is printed before the next call: `{ id, content }`. A point is a moment
 * at which it may be killed: before and after each append, and before and after a member has answered.
 */
const { appendFileSync, writeSync } = require('node:fs')
const { randomUUID } = require('node:crypto')
const { join } = require('node:path')
const { fileStore, openConversation, redisStore } = require('../../index.js')

const [place = '', sessions = '', limit = '0'] = process.argv.slice(2)
let points = Number(limit)

const point = () => {
  if (points > 0 && --points === 0) process.kill(process.pid, 'SIGKILL')
}

/** @param {any} inner @returns {any} */
const killable = (inner) => ({
  load: (/** @type {any} */ id) => inner.load(id),
  acquire: (/** @type {any[]} */ ...args) => inner.acquire(...args),
  release: (/** @type {any[]} */ ...args) => inner.release(...args),
  compact: async (/** @type {any[]} */ ...args) => {
    point()
    const version = await inner.compact(...args)
    point()
    return version
  },
  append: async (/** @type {any[]} */ ...args) => {
    point()
    const version = await inner.append(...args)
    point()
    return version
  },
})

const openStore = async () => {
  if (!place.startsWith('redis:')) return fileStore(place)
  const client = require('redis').createClient({ url: place })
  client.on('error', () => {})
  await client.connect()
  return redisStore(client)
}

const token = () => `⟦${randomUUID().slice(0, 13)}⟧`

/** A CLI with sessions: it keeps what it is sent, and then it answers. @param {string} name */
const cli =
  (name) =>
  async (/** @type {any} */ { prompt, resume }) => {
    const session = resume ?? `${name}-${randomUUID()}`
    point()
    appendFileSync(join(sessions, session), `${JSON.stringify({ prompt, isResumed: resume !== undefined })}\n`)
    const text = `${name} answers ${token()}`
    point()
    return { text, session }
  }

const tell = (/** @type {any} */ { id, content }) => writeSync(1, `${JSON.stringify({ id, content })}\n`)

/**
 * Adds a stored session to the conversation. The next process may try the same one again.
 * @param {any} talk
 */
const adopt = async (talk) => {
  const session = `${Math.floor(talk.messages().length / 50)}`
  const messages = ['human', 'ai', 'human'].map((type, index) => ({
    speaker: { id: type, type },
    content: `${index} of session ${session} ${token()}`,
  }))
  try {
    for (const message of await talk.adopt('sarah', { agent: 'claude', session, messages })) tell(message)
  } catch (error) {
    if (!`${error}`.includes('has adopted this session before')) throw error
  }
}

const main = async () => {
  const talk = await openConversation({
    id: 'killed',
    store: killable(await openStore()),
    leaseMs: 300,
    members: { kailai: { human: true }, sarah: { run: cli('sarah') }, max: { run: cli('max') } },
  })
  writeSync(1, '"open"\n')
  for (;;) {
    await adopt(talk)
    tell(await talk.say('kailai', `question ${token()}`))
    tell((await talk.send('sarah')).message)
    tell(await talk.say('kailai', `question ${token()}`))
    for (const { turn, error } of await talk.sendAll(['max', 'sarah'])) {
      if (error) throw error
      if (turn) tell(turn.message)
    }
    if (Math.random() < 0.1) {
      const message = talk.messages().at(-1)
      if (message) await talk.pin(message.id)
    }
  }
}

main().catch((error) => {
  // Somebody else has it: the parent starts the next one.
  writeSync(2, `${error?.stack}\n`)
  process.exit(error?.code === 'ERR_CONFLICT' ? 3 : 1)
})
