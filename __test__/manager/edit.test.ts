import { ContextManager, isPromptmasonError, type MessageChanges } from 'promptmason'
import { describe, expect, it, vi } from 'vitest'
import { thrownBy, untyped } from '../support/assemblers.js'
import {
  byAi,
  contentsOf,
  DATE,
  keepingLogger,
  managerWith,
  numbered,
  spoken,
  stateOf,
} from '../support/conversation.js'

const talk = (): ContextManager =>
  managerWith(
    [
      spoken('the question'),
      byAi('max', 'first reply', { parentMessageId: 'msg-1', intent: 'review' }),
      byAi('sarah', 'second reply', { parentMessageId: 'msg-1' }),
      spoken('the last'),
    ],
    { contextWindowSize: 50 },
  )

const promptOf = (manager: ContextManager): string => manager.assembleForAgent('lee', 'codex').prompt
const siblingsOf = (manager: ContextManager, parentMessageId = 'msg-1') =>
  manager.getContextForRoute('lee', 'codex', { parentMessageId, targetMemberId: 'lee' }).siblingContext

/** What both methods do for an unknown id. */
const UNKNOWN: ((manager: ContextManager, id: string) => unknown)[] = [
  (manager, id) => manager.updateMessage(id, { content: 'x' }),
  (manager, id) => manager.removeMessage(id),
]

describe('updateMessage', () => {
  it('replaces the content: prompts, getters and snapshots follow at once', () => {
    const manager = talk()
    const before = manager.getMessages()[1]
    const updated = manager.updateMessage('msg-2', { content: 'corrected [NEXT:sarah] reply' })
    expect(updated).toStrictEqual({ ...before, content: 'corrected [NEXT:sarah] reply' })
    expect(manager.getMessages()[1]).toBe(updated)
    expect(manager.exportSnapshot().messages[1]).toEqual(updated)
    expect(promptOf(manager)).toContain('- Max -> all: corrected reply\n- Sarah -> all: second reply')
    expect(contentsOf(siblingsOf(manager))).toEqual(['second reply', 'corrected reply'])
    expect(before?.content).toBe('first reply')
  })

  it('replaces the latest message', () => {
    const manager = talk()
    manager.updateMessage('msg-4', { content: '' })
    expect(manager.getLatestMessage()?.content).toBe('')
    expect(manager.getContextForAgent('a', 'codex').currentMessage).toBe('')
    manager.updateMessage('msg-4', { content: '中文' })
    expect(manager.getContextForAgent('a', 'codex').currentMessage).toBe('中文')
  })

  it('moves a message to another speaker, addressee and parent', () => {
    const manager = talk()
    manager.updateMessage('msg-2', {
      speaker: { id: 'lee', name: 'Lee' },
      routing: { resolvedAddressees: ['max', 'sarah'], parentMessageId: 'msg-3' },
    })
    expect(promptOf(manager)).toContain('- Lee -> max, sarah: first reply')
    expect(contentsOf(siblingsOf(manager))).toEqual(['second reply'])
    const route = { parentMessageId: 'msg-3', targetMemberId: 'max' }
    expect(contentsOf(manager.getContextForRoute('max', 'codex', route).siblingContext)).toEqual(['first reply'])
    manager.updateMessage('msg-2', { routing: undefined })
    expect(manager.getContextForRoute('max', 'codex', route).siblingContext).toEqual([])
  })

  it('keeps and adds custom fields', () => {
    const manager = managerWith([untyped({ ...spoken('x'), mine: 1, other: 2 })])
    const updated = manager.updateMessage('msg-1', untyped({ mine: undefined, more: [3] }))
    expect(updated).toStrictEqual({ id: 'msg-1', ...spoken('x'), mine: undefined, other: 2, more: [3] })
  })

  it('has the same effect as adding the message like that', () => {
    const manager = talk()
    for (const content of ['longer than it was before', '', 'first reply']) manager.updateMessage('msg-2', { content })
    expect(stateOf(manager)).toEqual(stateOf(talk()))
    expect(manager.addMessage(spoken('x')).id).toBe('msg-5')
  })

  it.each<[string, unknown, RegExp]>([
    ['no changes', undefined, /^changes must be an object, got undefined/],
    ['null', null, /^changes must be an object, got null/],
    ['a string', 'content', /^changes must be an object, got string/],
    ['another id', { id: 'msg-9' }, /^changes\.id must be the id of the message, which does not change, got 'msg-9'/],
    ['an id that is a number', { id: 5 }, /^changes\.id must be a string, got number/],
    ['content that is no string', { content: 5 }, /^Message content must be a string, got number/],
    ['content that is undefined', { content: undefined }, /^Message content must be a string, got undefined/],
    ['no speaker', { speaker: null }, /^Message speaker is required/],
    ['a speaker without an id', { speaker: { name: 'x' } }, /^Message speaker\.id is required/],
    [
      'addressees that are no array',
      { routing: { resolvedAddressees: 'max' } },
      /^Message routing\.resolvedAddressees must be an array/,
    ],
    [
      'a parent that is no string',
      { routing: { parentMessageId: 5 } },
      /^Message routing\.parentMessageId must be a string/,
    ],
  ])('refuses %s, and changes nothing', (_, changes, message) => {
    const manager = talk()
    const error = thrownBy(() => manager.updateMessage('msg-2', untyped(changes)))
    expect([error.name, error.code, error.message]).toEqual([
      'TypeError',
      'ERR_INVALID_ARG_TYPE',
      expect.stringMatching(message),
    ])
    expect(stateOf(manager)).toEqual(stateOf(talk()))
  })

  it('ignores an id in the changes, and calls no hook', () => {
    const onMessageAdded = vi.fn()
    const manager = managerWith(numbered(2), { onMessageAdded })
    onMessageAdded.mockClear()
    const message = manager.getMessages()[0]!
    expect(manager.updateMessage('msg-1', { ...message, content: 'new' }).id).toBe('msg-1')
    expect(manager.updateMessage('msg-1', untyped({ id: undefined })).id).toBe('msg-1')
    expect(onMessageAdded).not.toHaveBeenCalled()
  })

  it('stays consistent when a getter of the changes edits the conversation', () => {
    const manager = talk()
    const speaker = {
      id: 'lee',
      get name() {
        manager.removeMessage('msg-1')
        return 'Lee'
      },
    }
    manager.updateMessage('msg-3', { speaker })
    expect(contentsOf(manager.getMessages())).toEqual(['first reply', 'second reply', 'the last'])
    expect(promptOf(manager)).toContain('- Max -> all: first reply\n- Lee -> all: second reply')
    const clearing: MessageChanges = {
      get content() {
        manager.clear()
        return 'x'
      },
    }
    expect(thrownBy(() => manager.updateMessage('msg-3', clearing)).code).toBe('ERR_UNKNOWN_MESSAGE')
    expect(stateOf(manager)).toEqual(stateOf(new ContextManager()))
  })
})

describe('removeMessage', () => {
  it('removes a message everywhere, and returns it', () => {
    const manager = talk()
    const [, second] = manager.getMessages()
    expect(manager.removeMessage('msg-2')).toBe(second)
    expect(contentsOf(manager.getMessages())).toEqual(['the question', 'second reply', 'the last'])
    expect(contentsOf(manager.exportSnapshot().messages)).toEqual(['the question', 'second reply', 'the last'])
    expect(promptOf(manager)).toBe(
      '[CONTEXT]\n- Kailai -> all: the question\n- Sarah -> all: second reply\n\n[MESSAGE]\nthe last',
    )
    expect(contentsOf(siblingsOf(manager))).toEqual(['second reply'])
  })

  it('does not reuse the id until the conversation is cleared', () => {
    const manager = talk()
    manager.removeMessage('msg-4')
    expect(manager.getLatestMessage()?.content).toBe('second reply')
    expect(manager.addMessage(spoken('x')).id).toBe('msg-5')
    for (const { id } of manager.getMessages()) manager.removeMessage(id)
    expect([manager.getMessages(), manager.getLatestMessage()]).toEqual([[], null])
    expect(manager.getContextForAgent('a', 'codex')).toMatchObject({ contextMessages: [], currentMessage: '' })
    expect(manager.addMessage(spoken('y')).id).toBe('msg-6')
    manager.clear()
    expect(manager.addMessage(spoken('z')).id).toBe('msg-1')
  })

  it('makes its routes routes with a missing parent', () => {
    const { logger, warnings } = keepingLogger()
    const manager = managerWith(numbered(2), { logger })
    manager.removeMessage('msg-1')
    const { currentMessage } = manager.getContextForRoute('a', 'codex', {
      parentMessageId: 'msg-1',
      targetMemberId: 'a',
    })
    expect(currentMessage).toBe('m2')
    expect(warnings).toEqual([['[ContextManager] Parent message msg-1 not found, falling back to latest']])
  })

  it('removes messages from long conversations', () => {
    const manager = managerWith(numbered(1000), { contextWindowSize: 1000 })
    for (let number = 1; number <= 1000; number += 2) manager.removeMessage(`msg-${number}`)
    for (let number = 0; number < 30; number++) manager.addMessage(spoken(`more ${number}`))
    const contents = contentsOf(manager.getMessages())
    expect(contents.slice(0, 3)).toEqual(['m2', 'm4', 'm6'])
    expect(contents).toHaveLength(530)
    const { contextMessages, currentMessage } = manager.getContextForAgent('a', 'codex')
    expect([...contentsOf(contextMessages), currentMessage]).toEqual(contents)
  })
})

describe('a message that is not there', () => {
  it.each(['msg-9', 'msg-0', 'mine', '', '__proto__', 'msg-9007199254740993'])(
    'causes an error with its id: %j',
    (id) => {
      for (const call of UNKNOWN) {
        const manager = talk()
        const error = thrownBy(() => call(manager, id))
        expect([error.name, error.code]).toEqual(['Error', 'ERR_UNKNOWN_MESSAGE'])
        expect(error.message).toContain(JSON.stringify(id))
        expect(isPromptmasonError(error, 'ERR_UNKNOWN_MESSAGE')).toBe(true)
        expect(stateOf(manager)).toEqual(stateOf(talk()))
      }
    },
  )

  it.each([undefined, null, 2, {}])('causes a TypeError if the id is not a string: %j', (id) => {
    for (const call of UNKNOWN) {
      const error = thrownBy(() => call(talk(), untyped(id)))
      expect([error.code, error.message]).toEqual([
        'ERR_INVALID_ARG_TYPE',
        expect.stringMatching(/^id must be a string/),
      ])
    }
  })
})

describe('onMissingParent', () => {
  const route = { parentMessageId: 'msg-404', targetMemberId: 'max' }
  const calls: ((manager: ContextManager) => unknown)[] = [
    (manager) => manager.getContextForRoute('max', 'codex', route),
    (manager) => manager.assembleForRoute('max', 'codex', route),
    (manager) => manager.assembleForRoute('max', 'codex', route, undefined, { report: true }),
    (manager) => manager.assembleForRoute('max', 'codex', route, undefined, { as: 'buffer' }),
    (manager) => manager.assembleForRoute('max', 'codex', route, {}, { into: Buffer.alloc(1000) }),
  ]

  it.each([undefined, null, 'latest' as const])('%j uses the latest message, with a warning', (onMissingParent) => {
    for (const call of calls) {
      const { logger, warnings } = keepingLogger()
      call(managerWith(numbered(2), { logger, onMissingParent }))
      expect(warnings).toEqual([['[ContextManager] Parent message msg-404 not found, falling back to latest']])
    }
  })

  it('throw: throws without a warning', () => {
    for (const call of calls) {
      const { logger, warnings } = keepingLogger()
      const error = thrownBy(() => call(managerWith(numbered(2), { logger, onMissingParent: 'throw' })))
      expect([error.name, error.code]).toEqual(['Error', 'ERR_UNKNOWN_MESSAGE'])
      expect(error.message).toContain('msg-404')
      expect(warnings).toEqual([])
    }
  })

  it('throw: also if the logger removes the parent at the last moment', () => {
    const warn = (): void => void manager.removeMessage('msg-1')
    const logger = { debug: warn, info: warn, warn, error: warn }
    const manager: ContextManager = managerWith(numbered(2), { logger, onMissingParent: 'throw' })
    const late = thrownBy(() => manager.assembleForRoute('max', 'unheard-of', { ...route, parentMessageId: 'msg-1' }))
    expect(late.code).toBe('ERR_UNKNOWN_MESSAGE')
  })

  it('throw: leaves a route to a message that is there alone', () => {
    const manager = managerWith(numbered(2), { onMissingParent: 'throw' })
    expect(manager.getContextForRoute('max', 'codex', { ...route, parentMessageId: 'msg-1' }).currentMessage).toBe('m1')
  })

  it.each(['', 'error', 'THROW'])('rejects %j', (onMissingParent) => {
    const error = thrownBy(() => new ContextManager(untyped<{}>({ onMissingParent })))
    expect(error.message).toBe(`options.onMissingParent must be 'latest' or 'throw', got '${onMissingParent}'`)
  })
})

it('a message keeps its date', () => {
  expect(talk().updateMessage('msg-1', { content: 'x' }).timestamp).toBe(DATE)
})
