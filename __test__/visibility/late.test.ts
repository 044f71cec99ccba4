/** Addressees that are set after their message was stored. */
import { ContextManager, type ConversationMessage, type MessageRouting } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { thrownBy, untyped } from '../support/assemblers.js'
import { contentsOf, managerWith, numbered, spoken } from '../support/conversation.js'

const seenBy = (manager: ContextManager, recipient: string): string[] => {
  const options = { recipient, windowSizeOverride: 999 }
  const { contextMessages, currentMessage } = manager.getContextForAgent('a', 'codex', options)
  return [...contentsOf(contextMessages), currentMessage]
}
const restored = (manager: ContextManager): ContextManager => {
  const copy = new ContextManager()
  copy.importSnapshot(JSON.parse(JSON.stringify(manager.exportSnapshot())))
  return copy
}

describe('addressees that come late', () => {
  const writers: [string, (given: ConversationMessage, stored: ConversationMessage, to: string[]) => void][] = [
    ['the routing that was passed', (given, _, to) => Object.assign(given.routing ?? {}, { resolvedAddressees: to })],
    ['the message that was passed', (given, _, to) => Object.assign(given, { routing: { resolvedAddressees: to } })],
    ['the routing that was returned', (_, stored, to) => Object.assign(stored.routing ?? {}, { addressees: to })],
    ['the message that was returned', (_, stored, to) => Object.assign(stored, { routing: { addressees: to } })],
  ]
  it.each(writers)('are read from %s', (_, write) => {
    for (const isPinned of [false, true]) {
      const given = untyped<ConversationMessage>(spoken('secret', { routing: {} }))
      const manager = managerWith([spoken('first')])
      const stored = manager.addMessage(given)
      if (isPinned) manager.pin('msg-2')
      manager.addMessage(spoken('now'))
      expect(seenBy(manager, 'eve')).toEqual(['first', 'secret', 'now'])
      expect(manager.exportSnapshot().messages[1]?.routing).toEqual({})
      write(given, stored, ['bob'])
      expect(manager.assembleForAgent('a', 'codex').prompt).toContain('-> bob: secret')
      expect(seenBy(manager, 'eve')).toEqual(['first', 'now'])
      expect(seenBy(manager, 'bob')).toEqual(['first', 'secret', 'now'])
      expect(JSON.stringify(manager.getMessages()[1]?.routing)).toContain('bob')
      expect(seenBy(restored(manager), 'eve')).toEqual(['first', 'now'])
      // From now on it is kept, in snapshots, too.
      write(given, stored, ['eve'])
      manager.updateMessage('msg-2', { content: 'secret' })
      for (const one of [manager, restored(manager)]) {
        expect(seenBy(one, 'eve')).toEqual(['first', 'now'])
        expect(seenBy(one, 'bob')).toEqual(['first', 'secret', 'now'])
      }
    }
  })

  it('are checked each time, and never mean everyone if they are invalid', () => {
    const routing: MessageRouting = {}
    const manager = managerWith([spoken('secret', { routing })])
    routing.resolvedAddressees = untyped([42])
    for (const ask of [
      () => manager.getContextForAgent('a', 'codex'),
      () => manager.getContextForRoute('a', 'codex', { parentMessageId: 'msg-1', targetMemberId: 'a' }),
      () => manager.assembleForAgent('a', 'codex'),
      () => manager.assembleForRoute('a', 'codex', { parentMessageId: 'msg-1', targetMemberId: 'a' }),
      () => manager.overflow('a', 'codex'),
      () => manager.exportSnapshot(),
    ]) {
      const error = thrownBy(ask)
      expect(error).toMatchObject({ code: 'ERR_INVALID_ARG_TYPE' })
      expect(error.message).toMatch(/^Message routing\.resolvedAddressees\[0\] must be .*, in "msg-1"$/)
    }
    for (let count = 0; count < 70; count++) manager.addMessage(spoken('later'))
    expect(thrownBy(() => manager.assembleForAgent('a', 'codex')).message).toContain('resolvedAddressees[0]')
    manager.updateMessage('msg-1', { routing: { resolvedAddressees: ['bob'] } })
    expect(seenBy(manager, 'eve')).not.toContain('secret')
    expect(seenBy(manager, 'bob')).toContain('secret')
  })

  it('are read as long as the message is among the newest 64, and before it no longer is', () => {
    const routings = Array.from({ length: 70 }, (): MessageRouting => ({}))
    const manager = new ContextManager()
    for (const [index, routing] of routings.entries()) {
      manager.addMessage(spoken(`m${index}`, { routing }))
      if (index === 5) routing.addressees = ['bob']
    }
    for (const routing of routings) routing.addressees = ['bob']
    expect(seenBy(manager, 'eve')).toEqual(['m0', 'm1', 'm2', 'm3', 'm4', ''].slice(0, 5))
    expect(seenBy(restored(manager), 'eve')).toEqual(['m0', 'm1', 'm2', 'm3', 'm4'])
    manager.updateMessage('msg-2', { routing: { addressees: ['bob'] } })
    expect(seenBy(manager, 'eve')).toEqual(['m0', 'm2', 'm3', 'm4'])
    expect(seenBy(manager, 'bob')).toHaveLength(70)
  })

  it('do not mean a member who joined after they were written', () => {
    const routing: MessageRouting = {}
    const manager = managerWith([
      spoken('hello', { speaker: { id: 'u2', name: 'Max' } }),
      spoken('secret', { routing }),
    ])
    routing.resolvedAddressees = ['Max']
    manager.addMessage(spoken('here I am', { speaker: { id: 'max' } }))
    expect(seenBy(manager, 'max')).toEqual(['hello', 'here I am'])
    expect(seenBy(manager, 'u2')).toEqual(['hello', 'secret', 'here I am'])
    expect(seenBy(restored(manager), 'max')).toEqual(['hello', 'here I am'])
  })

  it('that were resolved after names were learned survive snapshots, whole and in parts', () => {
    const routing: MessageRouting = {}
    const manager = managerWith([spoken('secret', { routing })])
    const other = new ContextManager()
    other.importSnapshot(manager.exportSnapshot())
    manager.addMessage(spoken('by u1', { speaker: { id: 'u1', name: 'Sarah' } }))
    manager.addMessage(spoken('by u2', { speaker: { id: 'u2', name: 'Sarah' } }))
    routing.resolvedAddressees = ['Sarah', 'u2']
    const part = JSON.parse(JSON.stringify(manager.exportSnapshot({ after: 'msg-1' })))
    expect(part).toMatchObject({
      lateRoutings: [{ id: 'msg-1', routing }],
      audiences: [{ id: 'msg-1', members: ['u2'], shared: ['sarah'] }],
    })
    other.importSnapshot(part, { append: true })
    for (const one of [manager, restored(manager), other, restored(other)]) {
      expect(seenBy(one, 'u1')).toEqual(['by u1', 'by u2'])
      expect(seenBy(one, 'u2')).toEqual(['secret', 'by u1', 'by u2'])
      expect(one.getMessages()[0]?.routing).toEqual(routing)
    }
    manager.addMessage(spoken('later'))
    expect(manager.exportSnapshot({ after: 'msg-3' })).toHaveProperty('lateRoutings')
    expect(manager.exportSnapshot({ after: 'msg-4' })).not.toHaveProperty('lateRoutings')
    expect(() => new ContextManager().importSnapshot({ ...part, after: undefined })).toThrow('lateRoutings')
  })

  it('may belong to a message that was restored', () => {
    const manager = restored(managerWith([spoken('secret', { routing: {} }), spoken('now')]))
    Object.assign(manager.getMessages()[0]?.routing ?? {}, { resolvedAddressees: ['bob'] })
    expect(seenBy(manager, 'eve')).toEqual(['now'])
  })

  it('also reveal the answered message', () => {
    const routing: MessageRouting = {}
    const manager = managerWith([...numbered(2), spoken('reply', { speaker: { id: 'max' }, routing })])
    routing.parentMessageId = 'msg-1'
    routing.intent = 'review'
    const route = { parentMessageId: 'msg-1', targetMemberId: 'a' }
    for (const one of [manager, restored(manager)]) {
      expect(one.getContextForRoute('a', 'codex', route).siblingContext).toMatchObject([{ from: 'max [review]' }])
    }
  })

  it('do not make a message a changed one for sessions', () => {
    const routing: MessageRouting = {}
    const manager = managerWith([spoken('m1', { routing }), spoken('m2')])
    const next = () => manager.assembleForAgent('a', 'codex', { session: 'delta' }).prompt
    expect(next()).toContain('m1')
    manager.confirm('a')
    routing.resolvedAddressees = ['a']
    manager.addMessage(spoken('m3'))
    expect(next()).not.toContain('m1')
  })

  it('are read by a getter that changes the conversation', () => {
    const manager = new ContextManager()
    let reads = 0
    const routing = {
      get resolvedAddressees() {
        reads += 1
        if (reads === 2) manager.removeMessage('msg-1')
        return reads > 1 ? ['bob'] : []
      },
    }
    manager.addMessage(spoken('gone', { routing }))
    manager.addMessage(spoken('stays'))
    expect(seenBy(manager, 'eve')).toEqual(['stays'])
    expect(manager.getMessages()).toHaveLength(1)
  })
})

describe('an old message', () => {
  it('is readdressed in its place, by any call', () => {
    const contents = Array.from({ length: 600 }, (_, index) => spoken(`m${index}`))
    const [manager, expected] = [managerWith(contents), new ContextManager()]
    for (const [index, message] of contents.entries()) {
      expected.addMessage(index % 50 === 7 ? { ...message, routing: { addressees: ['bob, max'] } } : message)
    }
    for (let index = 7; index < 600; index += 50) {
      manager.updateMessage(`msg-${index + 1}`, { routing: { addressees: ['bob, max'] } })
    }
    for (const agentType of ['codex', 'gemini', 'claude']) {
      for (const recipient of ['max', 'eve', undefined]) {
        for (const maxBytes of [400, 9000, 99_999]) {
          const options = { recipient, windowSizeOverride: 590 }
          const [one, other] = [manager, expected].map((each) =>
            each.assemblePrompt(agentType, { ...each.getContextForAgent('a', agentType, options), maxBytes }),
          )
          expect(one).toEqual(other)
          expect(manager.assembleForAgent('a', agentType, options)).toEqual(
            expected.assembleForAgent('a', agentType, options),
          )
        }
      }
    }
    manager.removeMessage('msg-3')
    expected.removeMessage('msg-3')
    manager.updateMessage('msg-58', { content: 'other' })
    expected.updateMessage('msg-58', { content: 'other' })
    const asked = { windowSizeOverride: 590 }
    expect(manager.assembleForAgent('a', 'codex', asked)).toEqual(expected.assembleForAgent('a', 'codex', asked))
  })
})

describe('who is meant', () => {
  const SMITH = { id: 'u1', name: 'Smith, John' }
  it.each([
    ['removed', (manager: ContextManager) => manager.removeMessage('msg-1')],
    ['renamed', (manager: ContextManager) => manager.updateMessage('msg-1', { speaker: { id: 'u1', name: 'J.' } })],
  ])('stays the same if the only message of that member is %s', (_, change) => {
    const manager = managerWith([
      spoken('1', { speaker: SMITH }),
      spoken('2', { speaker: { id: 'u2', name: 'John' } }),
      spoken('secret', { routing: { resolvedAddressees: ['Smith, John'] } }),
    ])
    change(manager)
    for (const one of [manager, restored(manager)]) {
      expect(seenBy(one, 'john')).not.toContain('secret')
      expect(seenBy(one, 'u1')).toContain('secret')
      expect(seenBy(one, 'smith, JOHN')).toContain('secret')
    }
  })

  it('is the same member, however its name is encoded or written', () => {
    const manager = managerWith([
      spoken('1', { speaker: { id: 'u1', name: 'Jos\u00e9 Stra\u00dfe' } }),
      spoken('secret', { routing: { resolvedAddressees: ['JOSE\u0301 STRASSE'] } }),
    ])
    expect(seenBy(manager, 'u1')).toEqual(['1', 'secret'])
    expect(seenBy(manager, 'jose strasse')).toEqual(['1'])
  })

  it('is not everyone if a list has blank names beside another one', () => {
    const routing = { resolvedAddressees: [' '], addressees: ['bob'] }
    const manager = managerWith([spoken('secret', { routing })])
    expect(seenBy(manager, 'eve')).toEqual([''])
    expect(seenBy(manager, 'bob')).toEqual(['secret'])
    expect(manager.assembleForAgent('a', 'codex', { windowSizeOverride: 0 }).prompt).toBe('[MESSAGE]\nsecret')
  })
})

describe('a summary for one member', () => {
  const SARAH = spoken('1', { speaker: { id: 'u1', name: 'Sarah' } })
  const text = (manager: ContextManager, member: string) => manager.getSummary(member)?.text

  it('is not for somebody who joins under the name of that member', () => {
    const manager = managerWith([SARAH])
    manager.setSummary({ upTo: 'msg-1', text: 'for u1', recipient: 'Sarah' })
    manager.addMessage(spoken('2', { speaker: { id: 'sarah' } }))
    expect(manager.exportSnapshot().summaries).toEqual([
      { upTo: 'msg-1', text: 'for u1', recipient: 'Sarah', member: 'u1' },
    ])
    for (const one of [manager, restored(manager)]) {
      expect([text(one, 'u1'), text(one, 'sarah')]).toEqual(['for u1', undefined])
    }
  })

  it('is for the first member who speaks under an unused name', () => {
    const manager = managerWith([spoken('0')])
    manager.setSummary({ upTo: 'msg-1', text: 'for u1', recipient: 'Sarah' })
    expect(text(manager, 'SARAH')).toBe('for u1')
    manager.addMessage(SARAH)
    manager.addMessage(spoken('2', { speaker: { id: 'sarah' } }))
    for (const one of [manager, restored(manager)]) {
      expect([text(one, 'u1'), text(one, 'sarah')]).toEqual(['for u1', undefined])
    }
    manager.clearSummary('u1')
    expect(manager.exportSnapshot()).not.toHaveProperty('summaries')
  })
})

describe('private messages', () => {
  const messages = [
    spoken('to bob', { routing: { addressees: ['bob'] } }),
    spoken('only bob', { routing: { addressees: ['bob'] }, private: true }),
    spoken('nobody yet', { routing: {}, private: true }),
    spoken('to all', { routing: { addressees: ['all'] }, private: true }),
  ]
  it.each<[string, 'addressed' | 'team' | undefined, string[]]>([
    ['alone are hidden where the team reads along', 'team', ['to bob', 'to all']],
    ['are hidden like all that are addressed', 'addressed', ['to all']],
    ['are hidden by default, too', undefined, ['to all']],
  ])('%s', (_, visibility, expected) => {
    const manager = new ContextManager({ visibility })
    for (const message of messages) manager.addMessage(message)
    expect(seenBy(manager, 'eve')).toEqual(expected)
    expect(seenBy(manager, 'bob')).toEqual(['to bob', 'only bob', 'to all'])
    expect(seenBy(manager, 'kailai')).toHaveLength(4)
    const copy = new ContextManager({ visibility })
    copy.importSnapshot(JSON.parse(JSON.stringify(manager.exportSnapshot())))
    expect(seenBy(copy, 'eve')).toEqual(expected)
    expect(copy.getMessages()[1]).toMatchObject({ private: true })
    const { report } = manager.assembleForAgent('a', 'codex', { recipient: 'eve' }, { report: true })
    const { leftOut } = report
    expect(leftOut).toMatchObject([{ reason: 'recipient', count: 4 - expected.length }])
    expect(JSON.stringify(report)).not.toMatch(/only bob|nobody yet/)
  })

  it('without addressees are for those who are addressed late', () => {
    const routing: MessageRouting = {}
    const manager = new ContextManager({ visibility: 'team' })
    manager.addMessage(spoken('secret', { routing, private: true }))
    expect(seenBy(manager, 'bob')).toEqual([''])
    routing.addressees = ['bob']
    expect(seenBy(manager, 'bob')).toEqual(['secret'])
    expect(seenBy(manager, 'eve')).toEqual([''])
    manager.updateMessage('msg-1', { private: false })
    expect(seenBy(manager, 'eve')).toEqual(['secret'])
  })

  it('are marked with a boolean', () => {
    expect(() => managerWith([spoken('x', { private: untyped('yes') })])).toThrow('Message private must be a boolean')
    expect(() => new ContextManager({ visibility: untyped('all') })).toThrow("'addressed' or 'team'")
  })
})
