/** `ContextManager`. */
import { ContextManager } from '../../index.js'

const all = (n, make) => Array.from({ length: n }, (_, at) => make(at))
const speaker = (id) => ({ id, name: id, type: 'ai' })
const said = (at, from = 'max', more = {}) => ({
  speaker: speaker(from),
  content: `message ${at} with some words`,
  ...more,
})
const to = (names) => ({ routing: { addressees: names.map((name) => ({ id: name, name })) } })
const parted = (...parts) => ({ speaker: speaker('max'), parts })
const call = (at) => ({ type: 'tool-call', id: `c${at}`, name: 'Read', input: { path: `${at}` } })
const result = (at) => ({ type: 'tool-result', id: `c${at}`, output: `result ${at}` })

const managed = (messages, options = {}) => {
  const manager = new ContextManager({ maxBytes: 1024 * 1024 * 1024, contextWindowSize: 10_000_000, ...options })
  const ids = messages.map((message) => manager.addMessage(message).id)
  return { manager, ids }
}
const turn = (manager, options = {}, agent = 'sarah') =>
  manager.assembleForAgent(agent, 'codex', options, { report: true })
const delta = (manager, agent = 'sarah') => {
  turn(manager, { session: 'delta', recipient: agent }, agent)
  manager.confirm(agent)
}
/** A conversation of which everything but the last message was shown. */
const begun = (n, more = {}) => {
  const made = managed(all(n, (at) => said(at, 'max', more)))
  delta(made.manager)
  return made
}

/** @type {import('../doublings.mjs').Row[]} */
export const managers = [
  { name: 'manager: added messages', of: (n) => () => managed(all(n, (at) => said(at))) },
  { name: 'manager: names', of: (n) => () => turn(managed(all(n, (at) => said(at, `member ${at}`))).manager) },
  {
    name: 'manager: addressees of one message',
    of: (n) => () =>
      turn(managed([said(0, 'max', to(all(n, (at) => `member ${at}`)))]).manager, { recipient: 'member 1' }),
  },
  {
    name: 'manager: messages to others',
    of: (n) => {
      const { manager } = managed(all(n, (at) => said(at, 'max', to(['lee']))))
      return () => turn(manager, { recipient: 'sarah' })
    },
  },
  {
    name: 'manager: parts with results',
    of: (n) => {
      const { manager } = managed(all(n, (at) => parted(call(at), result(at))))
      return () => turn(manager)
    },
  },
  {
    name: 'manager: all calls, then all results',
    of: (n) => {
      const { manager } = managed([...all(n, (at) => parted(call(at))), ...all(n, (at) => parted(result(at)))])
      return () => turn(manager)
    },
  },
  {
    name: 'manager: pins',
    of: (n) => {
      const { manager, ids } = managed(all(n, (at) => said(at)))
      return () => {
        ids.forEach((id) => manager.pin(id))
        turn(manager)
      }
    },
  },
  {
    name: 'manager: updates',
    of: (n) => {
      const { manager, ids } = managed(all(n, (at) => said(at)))
      return () => ids.forEach((id) => manager.updateMessage(id, { content: `changed ${id}` }))
    },
  },
  {
    name: 'manager: updates of what was shown, then a turn',
    of: (n) => {
      const { manager, ids } = begun(n)
      return () => {
        ids.forEach((id) => manager.updateMessage(id, { content: `changed ${id}` }))
        manager.addMessage(said(0))
        delta(manager)
      }
    },
  },
  {
    name: 'manager: removals, oldest first',
    of: (n) => {
      const { manager, ids } = managed(all(n, (at) => said(at)))
      return () => ids.forEach((id) => manager.removeMessage(id))
    },
  },
  {
    name: 'manager: late addressees, then a turn',
    of: (n) => {
      const { manager, ids } = begun(n, to(['lee']))
      return () => {
        ids.forEach((id) => manager.updateMessage(id, to(['lee', 'sarah'])))
        delta(manager)
      }
    },
  },
  {
    name: 'manager: turns of a session',
    most: 16_000,
    of: (n) => {
      const { manager } = begun(1)
      return () => {
        for (let at = 0; at < n; at++) {
          manager.addMessage(said(at))
          delta(manager)
        }
      }
    },
  },
  {
    name: 'manager: members, a turn each',
    most: 16_000,
    of: (n) => {
      const { manager } = managed(all(10, (at) => said(at)))
      return () => {
        for (let at = 0; at < n; at++) delta(manager, `member ${at}`)
      }
    },
  },
  {
    name: 'manager: members that leave',
    most: 16_000,
    of: (n) => {
      const { manager } = managed(all(10, (at) => said(at)))
      for (let at = 0; at < n; at++) delta(manager, `member ${at}`)
      return () => {
        for (let at = 0; at < n; at++) manager.removeMember(`member ${at}`)
      }
    },
  },
  {
    name: 'manager: routes of one message',
    most: 16_000,
    of: (n) => {
      const { manager, ids } = managed([said(0)])
      return () => {
        for (let at = 0; at < n; at++) manager.addMessage(said(at, `member ${at}`, { replyTo: ids[0] }))
        turn(manager)
      }
    },
  },
  {
    name: 'manager: snapshot and back',
    of: (n) => {
      const { manager } = begun(n)
      return () => new ContextManager().importSnapshot(structuredClone(manager.exportSnapshot()))
    },
  },
  {
    name: 'manager: snapshot of many sessions',
    most: 16_000,
    of: (n) => {
      const { manager } = managed(all(10, (at) => said(at)))
      for (let at = 0; at < n; at++) delta(manager, `member ${at}`)
      return () => new ContextManager().importSnapshot(structuredClone(manager.exportSnapshot()))
    },
  },
  {
    name: 'manager: what does not fit',
    of: (n) => {
      const { manager } = managed(
        all(n, (at) => said(at)),
        { maxBytes: 2000 },
      )
      return () => manager.overflow('sarah', 'codex')
    },
  },
  {
    name: 'manager: markers in one message',
    of: (n) => () => managed([said(0, 'max', { content: '[NEXT:a] x\n'.repeat(n) })]),
  },
]
