/** Messages that a session could not show, because of the budget or because they are older than its window. */
import { ContextManager, type LayoutDefinition } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { thrownBy, untyped } from '../support/assemblers.js'
import { managerWith, numbered, promptOfAllForms, spoken } from '../support/conversation.js'
import { DELTA, quiet, namesIn, next, delivered, say } from '../support/sessions.js'

describe('messages without room', () => {
  const GAP = '[… messages omitted …]'

  it('are left out for good, and announced in the prompt, the account and overflow', () => {
    const manager = managerWith(numbered(2), { maxBytes: 120 })
    delivered(manager)
    say(manager, 'm3', `m4 ${'x'.repeat(60)}`, 'm5', 'm6')
    const { prompt, report } = manager.assembleForAgent('a', 'codex', DELTA, { report: true })
    expect(prompt).toBe(`[CONTEXT]\n${GAP}\n- Kailai -> all: m5\n\n[MESSAGE]\nm6`)
    const reasons = () =>
      manager
        .assembleForAgent('a', 'codex', DELTA, { report: true })
        .report.leftOut.filter(({ reason }) => reason !== 'seen')
        .map(({ id, reason }) => [id, reason])
    expect(report.sections.find(({ name }) => name === 'context')).toMatchObject({ itemsBefore: 3, itemsAfter: 1 })
    expect(reasons()).toEqual([
      ['msg-4', 'budget'],
      ['msg-3', 'budget'],
    ])
    const missed = () => manager.overflow('a', 'codex', DELTA).messages.map(({ id }) => id)
    expect(missed()).toEqual(['msg-3', 'msg-4'])
    manager.confirm('a')
    expect(missed()).toEqual(['msg-3', 'msg-4'])
    say(manager, 'm7')
    expect(reasons()).toEqual([
      ['msg-4', 'window'],
      ['msg-3', 'window'],
    ])
    expect(delivered(manager)).toEqual(['m7'])
    manager.setSummary({ upTo: 'msg-4', text: 'SUM1' })
    expect(missed()).toEqual([])
    say(manager, 'm8')
    expect(next(manager)).toEqual(['SUM1', 'm8'])
  })

  it('are announced even if there is no room for anything else', () => {
    const manager = managerWith(numbered(1), { maxBytes: 60 })
    delivered(manager)
    say(manager, `m2 ${'x'.repeat(60)}`, 'm3')
    expect(manager.assembleForAgent('a', 'codex', DELTA).prompt).toBe(`[CONTEXT]\n${GAP}\n\n[MESSAGE]\nm3`)
    const small = managerWith(numbered(1), { maxBytes: 49 })
    delivered(small)
    say(small, `m2 ${'x'.repeat(60)}`, 'm3')
    const error = thrownBy(() => next(small))
    expect(error).toMatchObject({ code: 'ERR_BUDGET_EXCEEDED', requiredBytes: 50, sections: { context: 36 } })
  })

  it('are caused only by the budget, not by window or eviction step', () => {
    const manager = managerWith(numbered(2), { contextWindowSize: 1, evictionStep: 4 })
    delivered(manager)
    say(manager, 'm3', 'm4', 'm5', 'm6', 'm7')
    expect(next(manager)).toEqual(['m3', 'm4', 'm5', 'm6', 'm7'])
  })

  it('do not include a message that was cut', () => {
    const manager = managerWith([spoken(`m1 ${'x'.repeat(2000)}`)], { maxBytes: 1000 })
    expect(delivered(manager)).toEqual(['m1'])
    say(manager, 'm2')
    expect(next(manager)).toEqual(['m2'])
    const { report } = manager.assembleForAgent('a', 'codex', DELTA, { report: true })
    expect(report.leftOut).toEqual([expect.objectContaining({ id: 'msg-1', reason: 'seen' })])
  })

  it('include what an eviction step dropped from the first prompt', () => {
    const manager = managerWith(numbered(7), { contextWindowSize: 5, evictionStep: 4 })
    expect(delivered(manager)).toEqual(['m5', 'm6', 'm7'])
    expect(manager.exportSnapshot().sessions).toMatchObject([{ except: [['missed', 'msg-1', 'msg-4']] }])
  })

  it('are handled the same with budgets in tokens', () => {
    const manager = managerWith(numbered(1), { maxTokens: 40 })
    delivered(manager)
    say(manager, `m2 ${'word '.repeat(30)}`, 'm3', 'm4')
    const { prompt } = manager.assembleForAgent('a', 'codex', DELTA)
    expect(prompt).toBe(`[CONTEXT]\n${GAP}\n- Kailai -> all: m3\n\n[MESSAGE]\nm4`)
  })

  it('are kept apart from what was shown in between, however many there are', () => {
    const manager = managerWith(numbered(1), { maxBytes: 120 })
    delivered(manager)
    for (let turn = 0; turn < 200; turn++) {
      say(manager, `m2 ${'x'.repeat(90)}`, 'm3')
      expect(delivered(manager)).toEqual(['m3'])
    }
    const { except } = manager.exportSnapshot().sessions![0]!
    const ids = Array.from({ length: 200 }, (_, turn) => `msg-${2 * turn + 2}`)
    expect(except).toEqual(ids.map((id) => ['missed', id, id]))
    expect(manager.overflow('a', 'codex', DELTA).messages.map(({ id }) => id)).toEqual(ids)
  })
})

describe('earlier messages', () => {
  const NOTES: [string, string, string][] = [
    ['codex', '(earlier messages, pinned or changed since)', '(new messages)'],
    ['gemini', 'Earlier messages (pinned or changed since):', 'New messages:'],
    ['plain', 'Earlier messages (pinned or changed since):', 'New messages:'],
    ['mine', 'FROM BEFORE', 'SINCE THEN'],
    ['yours', '(earlier messages, pinned or changed since)', '(new messages)'],
  ]
  const own = (agentType: string, notes?: { earlier: string; new: string }) => ({
    agentType,
    sections: [{ part: 'context' as const }, { part: 'message' as const }],
    messageLine: {},
    notes,
  })
  const layouts = [own('mine', { earlier: 'FROM BEFORE', new: 'SINCE THEN' }), own('yours')]

  it.each(NOTES)('follow a note, in the layout of %s', (agentType, earlier, later) => {
    const manager = managerWith(numbered(4), { contextWindowSize: 1, layouts, ...quiet })
    manager.assembleForAgent('a', agentType, DELTA)
    manager.confirm('a')
    manager.pin('msg-1')
    manager.updateMessage('msg-3', { content: 'm33' })
    say(manager, 'm5', 'm6')
    const lines = promptOfAllForms(manager, 'a', agentType, DELTA).split('\n')
    const shown = lines
      .map((line) => namesIn(line)[0] ?? line)
      .filter((line) => /^m\d/.test(line) || NOTES.flat().includes(line))
    expect(shown).toEqual([earlier, 'm1', 'm33', later, 'm5', 'm6'])
  })

  it('need no second note if nothing follows them', () => {
    const manager = managerWith(numbered(4), { contextWindowSize: 1 })
    delivered(manager)
    manager.pin('msg-1')
    say(manager, 'm5')
    expect(manager.assembleForAgent('a', 'codex', DELTA).prompt).toBe(
      '[CONTEXT]\n(earlier messages, pinned or changed since)\n- Kailai -> all: m1\n\n[MESSAGE]\nm5',
    )
  })

  it.each([
    [{ earlier: 'two\nlines' }, 'notes.earlier must be a single line'],
    [{ later: 'x' }, 'notes'],
  ])('a layout with the notes %j is rejected', (notes, message) => {
    const layout = untyped<LayoutDefinition>({ ...own('mine'), notes })
    expect(thrownBy(() => new ContextManager({ layouts: [layout] })).message).toContain(message)
  })

  it('give way to new ones if they were changed, and not if they are pinned', () => {
    const manager = managerWith(numbered(4), { contextWindowSize: 1, maxBytes: 200 })
    delivered(manager)
    manager.updateMessage('msg-3', { content: `m33 ${'x'.repeat(150)}` })
    say(manager, 'm5', 'm6')
    expect(delivered(manager)).toEqual(['m5', 'm6'])
    manager.pin('msg-3')
    say(manager, 'm7')
    expect(thrownBy(() => next(manager))).toMatchObject({ code: 'ERR_BUDGET_EXCEEDED' })
    manager.updateMessage('msg-3', { content: 'm34' })
    expect(next(manager)).toEqual(['m34', 'm7'])
  })
})

describe('messages older than the window of the first prompt', () => {
  it('are not shown later, and the account says so, unless they are pinned', () => {
    const manager = new ContextManager({ contextWindowSize: 2 })
    for (const text of ['m1', 'm2', 'm3', 'm4', 'm5']) say(manager, text)
    expect(delivered(manager)).toEqual(['m3', 'm4', 'm5'])
    say(manager, 'm6')
    expect(next(manager)).toEqual(['m6'])
    const { report } = manager.assembleForAgent('a', 'codex', DELTA, { report: true })
    expect(report.leftOut.filter(({ reason }) => reason === 'window').map(({ id }) => id)).toEqual(['msg-2', 'msg-1'])
    manager.pin('msg-1')
    expect(next(manager)).toEqual(['m1', 'm6'])
    const restored = new ContextManager({ contextWindowSize: 2 })
    restored.importSnapshot(JSON.parse(JSON.stringify(manager.exportSnapshot())))
    expect(next(restored)).toEqual(['m1', 'm6'])
    manager.removeMessage('msg-2')
    expect(next(manager)).toEqual(['m1', 'm6'])
  })
})
