/* oxlint-disable no-await-in-loop -- one turn after another */
/** `openConversation`. */
import { memoryStore, openConversation } from '../../index.js'

const all = (n, make) => Array.from({ length: n }, (_, at) => make(at))
const agent = (more = {}) => ({ run: () => ({ text: 'Done.', ...more }) })

const opened = (more = {}) =>
  openConversation({ store: memoryStore(), members: { max: { human: true }, sarah: agent({ session: 's' }) }, ...more })

const talked = async (n) => {
  const talk = await opened()
  const messages = []
  for (let at = 0; at < n; at++) messages.push(await talk.say('max', `message ${at}`))
  return { talk, ids: messages.map(({ id }) => id) }
}

const MOST = { from: 50, most: 16_000 }

/** @type {import('../doublings.mjs').Row[]} */
export const conversations = [
  {
    name: 'conversation: messages',
    ...MOST,
    of: async (n) => {
      const talk = await opened()
      return async () => {
        for (let at = 0; at < n; at++) await talk.say('max', `message ${at}`)
      }
    },
  },
  {
    name: 'conversation: replies',
    ...MOST,
    of: async (n) => {
      const { talk, ids } = await talked(n)
      return async () => {
        for (const replyTo of ids) await talk.say('max', 'yes', { replyTo })
      }
    },
  },
  {
    name: 'conversation: turns of a session',
    ...MOST,
    of: async (n) => {
      const talk = await opened()
      return async () => {
        for (let at = 0; at < n; at++) {
          await talk.say('max', `message ${at}`)
          await talk.send('sarah')
        }
      }
    },
  },
  {
    name: 'conversation: members, a turn each',
    ...MOST,
    of: async (n) => {
      const names = all(n, (at) => `member${at}`)
      const talk = await opened({
        members: { max: { human: true }, ...Object.fromEntries(names.map((name) => [name, agent()])) },
      })
      await talk.say('max', 'Begin.')
      return () => talk.sendAll(names)
    },
  },
  {
    name: 'conversation: members that come',
    ...MOST,
    of: async (n) => {
      const talk = await opened()
      return async () => {
        for (let at = 0; at < n; at++) await talk.addMember(`member${at}`, agent())
      }
    },
  },
  {
    name: 'conversation: updates',
    ...MOST,
    of: async (n) => {
      const { talk, ids } = await talked(n)
      return async () => {
        for (const id of ids) await talk.update(id, { text: 'changed' })
      }
    },
  },
  {
    name: 'conversation: removals',
    ...MOST,
    of: async (n) => {
      const { talk, ids } = await talked(n)
      return async () => {
        for (const id of ids) await talk.remove(id)
      }
    },
  },
  {
    name: 'conversation: pins',
    ...MOST,
    of: async (n) => {
      const { talk, ids } = await talked(n)
      return async () => {
        for (const id of ids) await talk.pin(id)
      }
    },
  },
  {
    name: 'conversation: entries of a store that is opened',
    ...MOST,
    of: async (n) => {
      const store = memoryStore()
      const talk = await opened({ store, id: 'a' })
      for (let at = 0; at < n; at++) await talk.say('max', `message ${at}`)
      await talk.close()
      return () => opened({ store, id: 'a' })
    },
  },
  { name: 'conversation: open ones', ...MOST, of: (n) => () => Promise.all(all(n, () => opened())) },
]
