/** `removeMember` of a manager: a later member of the same name is a different one. */
import { ContextManager, type ContextManagerOptions } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { byAi, managerWith, spoken } from '../support/conversation.js'

const promptFor = (manager: ContextManager, recipient: string) =>
  manager.assembleForAgent(recipient, 'codex', { recipient, windowSizeOverride: 100 }).prompt

const talk = (options?: ContextManagerOptions) =>
  managerWith(
    [
      spoken('open'),
      spoken('SECRET to lee', { routing: { addressees: ['lee'] }, private: true }),
      { ...byAi('lee', 'SECRET by lee', { addressees: ['sarah'] }), private: true },
      spoken('open again'),
    ],
    options,
  )

describe.each(['team', 'addressed'] as const)('with visibility %s', (visibility) => {
  it('a later member of the same id does not see what was private', () => {
    const manager = talk({ visibility })
    expect(promptFor(manager, 'lee')).toMatch(/SECRET to lee[^]*SECRET by lee/)
    manager.removeMember(' LEE')
    for (const copy of [manager, copyOf(manager, { visibility })]) {
      for (const name of ['lee', 'Lee']) {
        expect(promptFor(copy, name)).not.toContain('SECRET')
        expect(promptFor(copy, name)).toContain('open again')
      }
      expect(promptFor(copy, 'sarah')).toContain('SECRET by lee')
      copy.addMessage(spoken('for the new one', { routing: { addressees: ['lee'] }, private: true }))
      copy.addMessage(byAi('lee', 'I am new'))
      expect(promptFor(copy, 'lee')).toContain('for the new one')
      expect(promptFor(copy, 'lee')).not.toContain('SECRET')
    }
  })

  it('neither does one who never spoke, also after messages were removed', () => {
    const manager = managerWith(
      [spoken('one'), spoken('SECRET', { routing: { addressees: ['max'] }, private: true }), spoken('two')],
      { visibility },
    )
    manager.removeMember('max')
    manager.addMessage(spoken('new', { routing: { addressees: ['max'] }, private: true }))
    manager.removeMessage('msg-1')
    manager.removeMessage('msg-3')
    for (const copy of [manager, copyOf(manager, { visibility })]) {
      copy.addMessage({ ...byAi('u7', 'hello'), speaker: { id: 'u7', name: 'Max', type: 'ai' } })
      for (const name of ['max', 'u7']) expect(promptFor(copy, name)).not.toContain('SECRET')
      expect(promptFor(copy, 'max')).toContain('new')
    }
  })

  it('applies when later messages are appended, too', () => {
    const manager = talk({ visibility })
    const follower = copyOf(manager, { visibility })
    manager.removeMember('lee')
    manager.addMessage(spoken('new', { routing: { addressees: ['lee'] }, private: true }))
    follower.importSnapshot(JSON.parse(JSON.stringify(manager.exportSnapshot({ after: 'msg-4' }))), { append: true })
    expect(promptFor(follower, 'lee')).toContain('new')
    expect(promptFor(follower, 'lee')).not.toContain('SECRET')
  })
})

const copyOf = (manager: ContextManager, options: ContextManagerOptions): ContextManager => {
  const copy = new ContextManager(options)
  copy.importSnapshot(JSON.parse(JSON.stringify(manager.exportSnapshot())))
  return copy
}

it('forgets session, summary and key', () => {
  const manager = talk({ markers: 'fence' })
  const key = (name: string) => /=== (\w{12}) /.exec(promptFor(manager, name))?.[1]
  const before = key('lee')
  manager.setSummary({ upTo: 'msg-2', text: 'SECRET summary', recipient: 'lee' })
  manager.assembleForAgent('lee', 'codex', { recipient: 'lee', session: 'delta' })
  manager.confirm('lee')
  manager.removeMember('lee')
  expect(manager.getSummary('lee')).toBeNull()
  expect(manager.forget('lee')).toBe(false)
  expect(key('lee')).not.toBe(before)
  expect(manager.exportSnapshot().departures).toEqual([{ member: 'lee', after: 'msg-4' }])
})

it('gives each member of a name a separate key', () => {
  const manager = new ContextManager({ markers: 'fence' })
  const key = (name: string) => /=== (\w{12}) /.exec(promptFor(manager, name))?.[1]
  const say = (id: string) => manager.addMessage(spoken('hello', { speaker: { id, name: 'Lee', type: 'human' } }))
  manager.addMessage(spoken('hello'))
  // Before anybody has spoken under the name.
  const first = key('Lee')
  say('u1')
  expect([key('u1'), key('lee')]).toEqual([first, first])
  say('u2')
  // Now nobody has the name: the key of u1 must not be given to another member.
  expect(key('u1')).toBe(first)
  expect(new Set([first, key('u2'), key('lee')]).size).toBe(3)
  const copy = copyOf(manager, { markers: 'fence' })
  expect(/=== (\w{12}) /.exec(promptFor(copy, 'u1'))?.[1]).toBe(first)
})

it('does not show a result whose call belongs to another member', () => {
  const manager = new ContextManager({ visibility: 'team' })
  const to = { routing: { addressees: ['lee'] }, private: true }
  const parted = (parts: any[]) => ({
    speaker: { id: 'max', type: 'ai' as const },
    parts,
    timestamp: new Date(),
    ...to,
  })
  manager.addMessage(spoken('open'))
  manager.addMessage(parted([{ type: 'tool-call', id: 'c1', name: 'read', input: { file: 'SECRET' } }]) as never)
  manager.removeMember('lee')
  manager.addMessage(parted([{ type: 'tool-result', id: 'c1', output: 'later' }]) as never)
  for (const copy of [manager, copyOf(manager, { visibility: 'team' })]) {
    expect(promptFor(copy, 'lee')).not.toContain('SECRET')
    expect(promptFor(copy, 'max')).toContain('SECRET')
  }
})
