/** `ids: 'keep'`: messages keep the ids that callers give. */
import { ContextManager } from 'promptmason'
import { expect, it } from 'vitest'
import { thrownBy, untyped } from '../support/assemblers.js'
import { spoken } from '../support/conversation.js'

const withId = (id: unknown, content = 'x') =>
  untyped<{ id: string; speaker: { id: string }; content: string }>({ ...spoken(content), id })

it('keeps ids, in any order, also in snapshots and their parts', () => {
  const manager = new ContextManager({ ids: 'keep' })
  for (const id of ['b', 'msg-7', 'msg-3', 'a']) expect(manager.addMessage(withId(id, id)).id).toBe(id)
  expect(manager.getMessages().map(({ id }) => id)).toEqual(['b', 'msg-7', 'msg-3', 'a'])
  const route = { parentMessageId: 'msg-3', targetMemberId: 'x' }
  expect(manager.getContextForRoute('x', 'codex', route).currentMessage).toBe('msg-3')
  const copy = new ContextManager({ ids: 'keep' })
  copy.addMessage(withId('b', 'b'))
  copy.importSnapshot(manager.exportSnapshot({ after: 'b' }), { append: true })
  expect(copy.assembleForAgent('x', 'codex')).toEqual(manager.assembleForAgent('x', 'codex'))
  manager.removeMessage('msg-7')
  expect(manager.exportSnapshot()).not.toHaveProperty('lastNumber')
  const whole = new ContextManager({ ids: 'keep' })
  whole.importSnapshot(manager.exportSnapshot())
  expect(whole.addMessage(withId('c')).id).toBe('c')
})

it.each<[string, unknown, string]>([
  ['no id', undefined, 'Message id is required'],
  ['an empty id', '', 'Message id is required'],
  ['a number', 7, 'Message id is required'],
  ['an id that is there', 'a', 'Message id "a" is already used by an earlier message'],
  ['a number that is too large', 'msg-99999999999999999999', 'has a number beyond'],
])('refuses %s', (_, id, problem) => {
  const manager = new ContextManager({ ids: 'keep' })
  manager.addMessage(withId('a'))
  const error = thrownBy(() => manager.addMessage(withId(id)))
  expect(error.message).toContain(problem)
  expect(error).toMatchObject({ name: 'TypeError', code: 'ERR_INVALID_ARG_TYPE' })
  expect(manager.getMessages()).toHaveLength(1)
})

it('is one of two options', () => {
  expect(() => new ContextManager({ ids: untyped('mine') })).toThrow("options.ids must be 'number' or 'keep'")
  expect(new ContextManager({ ids: 'number' }).addMessage(withId('mine')).id).toBe('msg-1')
})
