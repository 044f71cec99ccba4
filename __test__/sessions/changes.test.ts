/** Edited messages, recipients and snapshots in a session. */
import { ContextManager, type ContextSnapshot, type MessageChanges } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { untyped } from '../support/assemblers.js'
import { stateOf } from '../support/conversation.js'
import { DELTA, throughJson, next, delivered, begun, privately, say } from '../support/sessions.js'

describe('messages that change', () => {
  it('an updated message is shown again, also if the prompt with it is not confirmed yet', () => {
    const manager = begun()
    say(manager, 'm3')
    manager.updateMessage('msg-1', { content: 'm11' })
    expect(next(manager)).toEqual(['m11', 'm3'])
    manager.updateMessage('msg-1', { content: 'm12' })
    manager.confirm('a')
    say(manager, 'm4')
    expect(next(manager)).toEqual(['m12', 'm4'])
  })

  it.each([
    ['a pin', { pinned: true }],
    ['what it answers', { routing: { parentMessageId: 'msg-2' } }],
    ['a marker that is stripped', { content: 'm1 [NEXT:b]' }],
    ['the display name of its speaker', { speaker: { id: 'kailai', name: 'Kailai', displayName: 'K.' } }],
    ['a caller-defined field', untyped<MessageChanges>({ mood: 'calm' })],
  ])('is not shown again if only %s has changed', (_, changes: MessageChanges) => {
    const manager = begun()
    manager.updateMessage('msg-1', changes)
    say(manager, 'm3')
    expect(next(manager)).toEqual(['m3'])
    manager.updateMessage('msg-3', { ...changes, ...(changes.content !== undefined && { content: 'm3 [NEXT:b]' }) })
    manager.confirm('a')
    say(manager, 'm4')
    expect(next(manager)).toEqual(['m4'])
  })

  it.each([
    ['its speaker', { speaker: { id: 'kim' } }],
    ['its intent', { routing: { intent: 'review' } }],
  ])('is shown again if %s has changed', (_, changes) => {
    const manager = begun()
    manager.updateMessage('msg-1', changes)
    say(manager, 'm3')
    expect(next(manager)).toEqual(['m1', 'm3'])
  })

  it('is shown again if its addressee changes, but not if it was addressed late', () => {
    const manager = begun()
    manager.updateMessage('msg-1', { routing: { resolvedAddressees: ['b'] } })
    say(manager, 'm3')
    expect(next(manager)).toEqual(['m3'])
    manager.updateMessage('msg-1', { routing: { resolvedAddressees: ['c'] } })
    expect(next(manager)).toEqual(['m1', 'm3'])
  })

  it.each([
    ['msg-1', 'msg-3'],
    ['msg-3', 'msg-2'],
    ['msg-4', 'msg-3'],
    ['msg-5', 'msg-3'],
  ])('removal of %s does not affect the rest', (id, since) => {
    const manager = begun()
    say(manager, 'm3')
    delivered(manager)
    say(manager, 'm4', 'm5')
    next(manager)
    manager.removeMessage(id)
    say(manager, 'm6')
    const left = ['m4', 'm5', 'm6'].filter((name) => name !== id.replace('msg-', 'm'))
    expect(next(manager)).toEqual(left)
    expect(manager.assembleForAgent('a', 'codex', DELTA, { report: true }).report.session).toEqual({
      mode: 'delta',
      since,
    })
  })

  it('removal between a prompt and its confirmation', () => {
    const manager = begun()
    say(manager, 'm3', 'm4')
    next(manager)
    manager.removeMessage('msg-1')
    manager.removeMessage('msg-4')
    say(manager, 'm5')
    manager.confirm('a')
    say(manager, 'm6')
    expect(next(manager)).toEqual(['m5', 'm6'])
  })

  it('clear forgets all sessions', () => {
    const manager = begun()
    manager.clear()
    say(manager, 'm1', 'm2', 'm3')
    expect(manager.confirm('a')).toBe(false)
    expect(next(manager)).toEqual(['m1', 'm2', 'm3'])
  })
})

describe('recipients', () => {
  it('messages that a member may not see do not count as seen', () => {
    const manager = new ContextManager()
    manager.addMessage(privately('secret'))
    say(manager, 'm2')
    expect(delivered(manager, { recipient: 'a' })).toEqual(['m2'])
    manager.updateMessage('msg-1', { routing: {} })
    say(manager, 'm3')
    expect(next(manager, { recipient: 'a' })).toEqual(['secret', 'm3'])
  })
})

describe('sessions in snapshots', () => {
  const filled = (): ContextManager => {
    const manager = begun()
    manager.setTeamTask('TASK1')
    delivered(manager, { systemInstruction: 'SYS1' }, 'b')
    say(manager, 'm3')
    return manager
  }

  it.each([
    ['whole', (snapshot: ContextSnapshot) => snapshot],
    ['through JSON', throughJson],
  ])('continue after a restart, %s', (_, carry) => {
    const manager = filled()
    const restored = new ContextManager()
    restored.importSnapshot(carry(manager.exportSnapshot()))
    expect(stateOf(restored)).toEqual(stateOf(manager))
    expect(next(restored)).toEqual(['TASK1', 'm3'])
    expect(next(restored, { systemInstruction: 'SYS1' }, 'b')).toEqual(['m3'])
  })

  it('have ids and fingerprints, and nothing of a prompt that is not confirmed', () => {
    const manager = filled()
    next(manager)
    expect(manager.exportSnapshot().sessions).toEqual([
      { agentId: 'a', since: 'msg-2', begun: 'msg-2' },
      {
        agentId: 'b',
        since: 'msg-2',
        begun: 'msg-2',
        system: expect.stringMatching(/^fnv1a128:[\da-f]{32}$/),
        teamTask: expect.stringMatching(/^fnv1a128:[\da-f]{32}$/),
      },
    ])
    const restored = new ContextManager()
    restored.importSnapshot(manager.exportSnapshot())
    expect(restored.confirm('a')).toBe(false)
  })

  it('with fingerprints of another version are restored, and the texts are sent again', () => {
    const { sessions = [], ...rest } = filled().exportSnapshot()
    for (const system of ['0123456789abcdef0123456789abcdef', 'other1:00', '']) {
      const restored = new ContextManager()
      restored.importSnapshot({ ...rest, sessions: sessions.map((session) => Object.assign({}, session, { system })) })
      expect(next(restored, { systemInstruction: 'SYS1' }, 'b')).toEqual(['SYS1', 'm3'])
    }
  })

  it('are whole in each part: the newest part counts', () => {
    const manager = filled()
    const copy = new ContextManager()
    copy.importSnapshot(manager.exportSnapshot())
    delivered(manager)
    manager.forget('b')
    say(manager, 'm4')
    copy.importSnapshot(throughJson(manager.exportSnapshot({ after: 'msg-3' })), { append: true })
    expect(stateOf(copy)).toEqual(stateOf(manager))
    expect([next(copy), next(copy, {}, 'b')]).toEqual([['m4'], ['TASK1', 'm1', 'm2', 'm3', 'm4']])
  })

  it('an import without sessions forgets them', () => {
    const manager = begun()
    const { sessions: _, ...rest } = manager.exportSnapshot()
    manager.importSnapshot(rest)
    expect(next(manager)).toEqual(['m1', 'm2'])
  })
})
