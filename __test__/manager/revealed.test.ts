/** Messages that the recipient of a session may see only after newer ones were sent. */
import { ContextManager, type MessageRouting, type NewConversationMessage } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { thrownBy } from '../support/assemblers.js'
import { managerWith, spoken } from '../support/conversation.js'
import { DELTA, delivered, next, say, throughJson } from '../support/sessions.js'

const MAX = { recipient: 'max' }
const to = (name: string): { routing: MessageRouting } => ({ routing: { resolvedAddressees: [name] } })
const by = (id: string, displayName?: string): NewConversationMessage => ({
  speaker: { id, ...(displayName !== undefined && { displayName }) },
  content: 'own',
})
const restored = (manager: ContextManager): ContextManager => {
  const copy = new ContextManager()
  copy.importSnapshot(throughJson(manager.exportSnapshot()))
  return copy
}
/** Why a message is left out of the next prompt; undefined if it is not. */
const reasonFor = (manager: ContextManager, id: string): string | undefined => {
  const { report } = manager.assembleForAgent('a', 'codex', { ...DELTA, ...MAX }, { report: true })
  expect(report.account.givenBytes).toBe(report.account.sentBytes + report.account.leftOutBytes)
  return report.leftOut.find((one) => one.id === id)?.reason
}

type Reveal = [why: string, hidden: NewConversationMessage, reveal: (manager: ContextManager) => unknown]
const REVEALS: Reveal[] = [
  ['it speaks under the name', spoken('m1', to('Ann')), (manager) => manager.addMessage(by('max', 'Ann'))],
  ['it turns out to have the id', spoken('m1', to('u1')), (manager) => manager.addMessage(by('u1', 'Max'))],
  ['it wrote it', { ...by('u1'), content: 'm1', ...to('x') }, (manager) => manager.addMessage(by('u1', 'Max'))],
  ['it is addressed', spoken('m1', to('x')), (manager) => manager.updateMessage('msg-1', to('max'))],
  ['it is addressed late', spoken('m1', { private: true }), (manager) => manager.updateMessage('msg-1', to('max'))],
]

describe('a message that becomes visible to the recipient of a session', () => {
  it.each(REVEALS)('because %s is sent once, to each such session', (_, hidden, reveal) => {
    const first = managerWith([hidden, spoken('m2')])
    expect(delivered(first, MAX)).toEqual(['m2'])
    expect(delivered(first, MAX, 'b')).toEqual(['m2'])
    expect(delivered(first, { recipient: 'kim' }, 'c')).toEqual(['m2'])
    expect(delivered(first, {}, 'd')).toEqual(['m1', 'm2'])
    reveal(first)
    say(first, 'm3')
    for (const manager of [restored(first), first]) {
      const prompt = manager.assembleForAgent('a', 'codex', { ...DELTA, ...MAX }).prompt
      expect(prompt).toMatch(/^\[CONTEXT\]\n\(earlier messages, .*\)\n- .*: m1\n/)
      expect(reasonFor(manager, 'msg-1')).toBeUndefined()
      expect(reasonFor(manager, 'msg-2')).toBe('seen')
      expect(delivered(manager, MAX)).toEqual(expect.arrayContaining(['m1', 'm3']))
      expect(next(manager, MAX, 'b')).toEqual(expect.arrayContaining(['m1', 'm3']))
      expect(next(manager, { recipient: 'kim' }, 'c')).not.toContain('m1')
      say(manager, 'm4')
      expect(next(manager, MAX)).toEqual(['m4'])
      expect(reasonFor(manager, 'msg-1')).toBe('seen')
    }
  })

  it.each(REVEALS.slice(0, 3))('because %s is not sent again to a session that hides nothing', (_, hidden, reveal) => {
    const manager = managerWith([hidden, spoken('m2')])
    expect(delivered(manager)).toEqual(['m1', 'm2'])
    reveal(manager)
    say(manager, 'm3')
    expect(next(manager)).toEqual(['own', 'm3'])
  })

  it.each(REVEALS.slice(3))('because %s is the one to act on if nothing else is new', (_, hidden, reveal) => {
    const manager = managerWith([hidden, spoken('m2')])
    delivered(manager, MAX)
    const send = () => manager.assembleForAgent('a', 'codex', { ...DELTA, ...MAX })
    expect(thrownBy(send)).toMatchObject({ code: 'ERR_NOTHING_TO_SEND' })
    reveal(manager)
    expect(send().prompt).toBe('[MESSAGE]\nm1')
    manager.confirm('a')
    expect(thrownBy(send)).toMatchObject({ code: 'ERR_NOTHING_TO_SEND' })
  })
})
