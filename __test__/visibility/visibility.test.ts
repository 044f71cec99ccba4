/** Nobody sees what is not for them: `recipient` in every form and section. */
import {
  buildPrompt,
  ClaudeContextAssembler,
  ContextManager,
  GeminiContextAssembler,
  type MessageRouting,
  type MessageSpeaker,
  type PromptContextMessage,
} from 'promptmason'
import { describe, expect, it } from 'vitest'
import { thrownBy, untyped } from '../support/assemblers.js'
import { contentsOf, keepingLogger, managerWith, spoken } from '../support/conversation.js'

const to = (...resolvedAddressees: NonNullable<MessageRouting['resolvedAddressees']>[number][]) => ({
  routing: { resolvedAddressees },
})
const by = (speaker: MessageSpeaker, content: string, routing?: MessageRouting) => spoken(content, { speaker, routing })

/** Everything that a recipient sees, the message to act on last. */
const seenBy = (manager: ContextManager, recipient: string): string[] => {
  const { contextMessages, currentMessage } = manager.getContextForAgent('a', 'codex', {
    recipient,
    windowSizeOverride: 99,
  })
  return [...contentsOf(contextMessages), currentMessage]
}

describe('a route', () => {
  const conversation = (logger?: ReturnType<typeof keepingLogger>['logger']) =>
    managerWith(
      [
        spoken('question to all'),
        by({ id: 'max' }, 'reply to bob', { parentMessageId: 'msg-1', resolvedAddressees: ['bob'] }),
        by({ id: 'max' }, 'reply to carol', { parentMessageId: 'msg-1', resolvedAddressees: ['carol'] }),
        spoken('question to bob', to('bob')),
        by({ id: 'max' }, 'answer to all', { parentMessageId: 'msg-4' }),
      ],
      { logger },
    )
  const ROUTE = { parentMessageId: 'msg-1', targetMemberId: 'carol' }
  const HIDDEN = { parentMessageId: 'msg-4', targetMemberId: 'carol' }

  it('shows a sibling reply only to those it is for, and counts no other', () => {
    const { siblingContext, meta } = conversation().getContextForRoute('carol', 'codex', ROUTE, { recipient: 'carol' })
    expect(contentsOf(siblingContext)).toEqual(['reply to carol'])
    expect(meta).toMatchObject({ siblingCount: 1, siblingTotalCount: 1, truncatedSiblings: false })
    expect(conversation().assembleForRoute('carol', 'codex', ROUTE, { recipient: 'carol' }).prompt).not.toContain('bob')
    expect(conversation().getContextForRoute('x', 'codex', ROUTE).siblingContext).toHaveLength(2)
  })

  it('to a message that the recipient may not see is treated as a route to a missing message', () => {
    const { logger, warnings } = keepingLogger()
    const manager = conversation(logger)
    const context = manager.getContextForRoute('carol', 'codex', HIDDEN, { recipient: 'carol' })
    expect(warnings).toEqual([['[ContextManager] Parent message msg-4 not found, falling back to latest']])
    expect(context).toEqual({
      ...manager.getContextForAgent('carol', 'codex', { recipient: 'carol' }),
      siblingContext: [],
      meta: {
        parentMessageId: undefined,
        intent: undefined,
        targetMemberId: 'carol',
        siblingCount: 0,
        siblingTotalCount: 0,
        truncatedSiblings: false,
      },
    })
    expect(context.currentMessage).toBe('answer to all')
    expect(
      JSON.stringify(manager.assembleForRoute('carol', 'codex', HIDDEN, { recipient: 'carol' }, { report: true })),
    ).not.toContain('question to bob')
    expect(manager.getContextForRoute('bob', 'codex', HIDDEN, { recipient: 'bob' }).currentMessage).toBe(
      'question to bob',
    )
  })
})

describe('the message to act on', () => {
  it('is the latest one that the recipient may see', () => {
    const manager = managerWith([spoken('for all'), spoken('for bob', to('bob')), spoken('for max', to('max'))])
    expect(seenBy(manager, 'bob')).toEqual(['for all', 'for bob'])
    expect(seenBy(manager, 'eve')).toEqual(['for all'])
    expect(manager.getContextForAgent('eve', 'codex').currentMessage).toBe('for max')
  })

  it('is empty if there is none', () => {
    const manager = managerWith([spoken('for bob', to('bob'))])
    expect(manager.assembleForAgent('eve', 'codex', { recipient: 'eve' }).prompt).toBe('')
  })
})

describe('a member', () => {
  const SARAH = { id: 'u1', name: 'Sarah', displayName: 'Sarah L.' }
  it.each([
    ['member', SARAH],
    ['role', { roleId: 'u1', roleName: 'Sarah', roleTitle: 'Sarah L.' }],
  ])('is known by all its names, whichever is used: %s', (_, sarah) => {
    const manager = managerWith([
      spoken('to the id', to('U1')),
      spoken('to the name', to('max', ' sarah')),
      spoken('to the display name', to('SARAH L.')),
      spoken('to max', to('max')),
      by(sarah, 'by sarah', { resolvedAddressees: ['max'] }),
      spoken('to an object', to({ memberId: 'u1' })),
      spoken('now'),
    ])
    const expected = ['to the id', 'to the name', 'to the display name', 'by sarah', 'to an object', 'now']
    for (const recipient of ['u1', 'sarah', 'Sarah L.', ' SARAH l.'])
      expect(seenBy(manager, recipient)).toEqual(expected)
    expect(seenBy(manager, 'eve')).toEqual(['now'])
  })

  it('is learned also after a request for it, and from an envelope that differs only in the display name', () => {
    const manager = managerWith([
      spoken('to the display name', to('Sarah L.')),
      by({ id: 'u1', name: 'Sarah' }, 'first'),
    ])
    expect(seenBy(manager, 'u1')).toEqual(['first'])
    manager.addMessage(by(SARAH, 'second'))
    expect(seenBy(manager, 'u1')).toEqual(['to the display name', 'first', 'second'])
  })

  it('is not learned from a rejected message', () => {
    const manager = managerWith([spoken('to Sarah', to('Sarah')), by({ id: 'u1' }, 'first')])
    expect(() => manager.addMessage(by(SARAH, 'refused', { parentMessageId: untyped(5) }))).toThrow('parentMessageId')
    expect(seenBy(manager, 'u1')).toEqual(['first'])
  })

  it('whose name is the id of another does not get the messages of that one', () => {
    const manager = managerWith([
      by({ id: 'max' }, '1'),
      by({ id: 'u2', name: 'Max' }, '2'),
      spoken('to max', to('Max')),
      spoken('now'),
    ])
    expect(seenBy(manager, 'u2')).toEqual(['1', '2', 'now'])
    expect(seenBy(manager, 'max')).toEqual(['1', '2', 'to max', 'now'])
  })

  it('who shares a name with another is known by its id alone', () => {
    const manager = managerWith([
      by({ id: 'u1', name: 'Ann', displayName: 'Engineer' }, 'by ann', { resolvedAddressees: ['x'] }),
      by({ id: 'u2', name: 'Bob', displayName: 'Engineer' }, 'by bob', { resolvedAddressees: ['x'] }),
      spoken('to engineer', to('Engineer')),
      spoken('now'),
    ])
    expect(seenBy(manager, 'u1')).toEqual(['by ann', 'now'])
    expect(seenBy(manager, 'bob')).toEqual(['by bob', 'now'])
    expect(seenBy(manager, 'engineer')).toEqual(['to engineer', 'now'])
  })

  it('who is addressed by id is not confused with another one of the same name', () => {
    const manager = managerWith([
      by(SARAH, '1'),
      spoken('to the other', to({ id: 'u9', name: 'Sarah' })),
      spoken('now'),
    ])
    expect(seenBy(manager, 'sarah')).toEqual(['1', 'now'])
    expect(seenBy(manager, 'u9')).toEqual(['1', 'to the other', 'now'])
  })

  it('survives a snapshot', () => {
    const manager = managerWith([by(SARAH, '1'), spoken('2', to('Sarah L.')), spoken('now', to('max'))])
    const restored = new ContextManager()
    restored.importSnapshot(JSON.parse(JSON.stringify(manager.exportSnapshot())))
    expect(seenBy(restored, 'u1')).toEqual(['1', '2'])
    restored.clear()
    restored.addMessage(spoken('3', to('Sarah L.')))
    expect(seenBy(restored, 'u1')).toEqual([''])
  })
})

describe('a list', () => {
  it.each(['max, sarah', 'max,sarah', 'max，sarah', 'max、 Sarah', 'a，b、c, SARAH '])('%s has sarah in it', (list) => {
    expect(seenBy(managerWith([spoken('x', to(list))]), 'sarah')).toEqual(['x'])
    expect(seenBy(managerWith([spoken('x', to(list))]), 'eve')).toEqual([''])
    const contextMessages = [{ from: 'kailai', to: list, content: 'listed' }]
    const prompt = (recipient: string) =>
      buildPrompt({ agentType: 'codex', contextMessages, message: 'm', recipient }).prompt
    expect(prompt('sarah')).toContain('listed')
    expect(prompt('eve')).not.toContain('listed')
  })

  it('is not made from a name with a comma', () => {
    const manager = managerWith([
      by({ id: 'u1', name: 'Smith, John' }, '1'),
      by({ id: 'u2', name: 'John' }, '2'),
      spoken('to Smith, John', to('smith, JOHN')),
      spoken('to both', to('max, Smith, John, John')),
      spoken('now'),
    ])
    expect(seenBy(manager, 'u1')).toEqual(['1', '2', 'to Smith, John', 'to both', 'now'])
    expect(seenBy(manager, 'Smith, John')).toEqual(['1', '2', 'to Smith, John', 'to both', 'now'])
    expect(seenBy(manager, 'john')).toEqual(['1', '2', 'to both', 'now'])
  })

  it('is not made from a name with a comma in buildPrompt', () => {
    const contextMessages = [
      { from: 'max', to: 'Smith, John', content: 'secret' },
      { from: 'Smith, John', to: 'max', content: 'own' },
    ]
    const prompt = (recipient: string) =>
      buildPrompt({ agentType: 'codex', contextMessages, message: 'm', recipient }).prompt
    expect(prompt('smith, john')).toContain('secret')
    expect(prompt('john')).not.toContain('secret')
  })

  it('may be an array, whose elements are names', () => {
    const messages = (names: readonly string[]): PromptContextMessage[] => [{ from: 'kailai', to: names, content: 'x' }]
    const prompt = (recipient: string | undefined, names: readonly string[], agentType = 'codex') =>
      buildPrompt({ agentType, contextMessages: messages(names), message: 'm', recipient }).prompt
    expect(prompt('sarah', ['max', 'Sarah'])).toContain('- kailai -> max, Sarah: x')
    expect(prompt('eve', ['max', 'Sarah'])).not.toContain('kailai')
    expect(prompt('john', ['Smith, John'])).not.toContain('kailai')
    expect(prompt('smith, john', ['Smith, John'])).toContain('- kailai -> Smith, John: x')
    expect(prompt('eve', [])).toContain('- kailai -> all: x')
    expect(prompt('eve', ['', 'max'])).not.toContain('kailai')
    expect(prompt(undefined, ['', 'max'])).toContain('- kailai -> max: x')
    const input = { contextMessages: messages(['a', 'b']), currentMessage: 'm', teamTask: null, maxBytes: 999 }
    expect(new ClaudeContextAssembler().assemble(input).prompt).toContain('- kailai -> a, b: x')
    expect(new GeminiContextAssembler().assemble(input).prompt).toContain('- kailai: x')
  })
})

describe('an invalid addressee', () => {
  const OBJECT = 'must be a string, or an object with one of identifier, name, id, memberId'
  it.each<[string, unknown, string]>([
    ['a number', { resolvedAddressees: [42] }, `routing.resolvedAddressees[0] ${OBJECT}, got number`],
    ['null', { resolvedAddressees: ['max', null] }, `routing.resolvedAddressees[1] ${OBJECT}, got null`],
    ['undefined', { addressees: [undefined] }, `routing.addressees[0] ${OBJECT}, got undefined`],
    ['an object without a name', { addressees: [{ who: 'bob' }] }, `routing.addressees[0] ${OBJECT}, got object`],
    [
      'an object with a blank name',
      { addressees: [{ name: ' ', id: null }] },
      `routing.addressees[0] ${OBJECT}, got object`,
    ],
    ['an object with a number', { addressees: [{ id: 5 }] }, `routing.addressees[0] ${OBJECT}, got object`],
    ['an array', { addressees: [['bob']] }, `routing.addressees[0] ${OBJECT}, got array`],
    [
      'a list that is no array',
      { resolvedAddressees: 'bob' },
      'routing.resolvedAddressees must be an array, got string',
    ],
    ['routing that is a string', 'bob', 'routing must be an object, got string'],
    ['routing that is an array', ['bob'], 'routing must be an object, got array'],
    ['routing that is false', false, 'routing must be an object, got boolean'],
  ])('is an error and never everyone: %s', (_, routing, problem) => {
    const manager = new ContextManager()
    const message = spoken('x', { routing: untyped(routing) })
    const error = thrownBy(() => manager.addMessage(message))
    expect(error).toBeInstanceOf(TypeError)
    expect(error).toMatchObject({ code: 'ERR_INVALID_ARG_TYPE', message: `Message ${problem}` })
    expect(manager.getMessages()).toEqual([])
    const snapshot = untyped<Parameters<ContextManager['importSnapshot']>[0]>({
      messages: [{ ...message, id: 'msg-1' }],
      teamTask: null,
      timestamp: 0,
      version: 1,
    })
    expect(thrownBy(() => manager.importSnapshot(snapshot))).toMatchObject({
      code: 'ERR_INVALID_SNAPSHOT',
      message: `Invalid snapshot format: messages[0]: ${problem}`,
    })
  })

  it.each<[string, unknown, string[]]>([
    ['memberId', { resolvedAddressees: [{ memberId: 'bob' }] }, ['x']],
    ['no resolved ones but others', { resolvedAddressees: [], addressees: ['bob'] }, ['x']],
    ['others only', { resolvedAddressees: null, addressees: [{ name: 'bob' }] }, ['x']],
  ])('is not this: %s', (_, routing, expected) => {
    const manager = managerWith([spoken('x', { routing: untyped(routing) })])
    expect(seenBy(manager, 'bob')).toEqual(expected)
    expect(seenBy(manager, 'eve')).toEqual([''])
  })
})
