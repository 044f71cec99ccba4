/** What changed from one prompt of an agent to another. */
import { buildPrompt, ContextManager, type PromptInput } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { changeBetween } from '../../dist/explain/page/changes.js'
import { describeTurn, type Turn } from '../../dist/explain/turn.js'
import { chatter } from '../support/conversations.js'

const bytes = (text: string): Buffer => Buffer.from(text)
const turnOf = (input: PromptInput): Turn => {
  const output = buildPrompt(input, { report: true })
  const sent = { prompt: output.prompt, systemFlag: output.systemFlag ?? '' }
  return { ...describeTurn({ ...output, input }), sent }
}
const INPUT: PromptInput = {
  agentType: 'codex',
  systemInstructionText: 'You are Sarah.',
  teamTask: 'Design the login',
  contextMessages: chatter(10, 80),
  message: 'Go on.',
  maxContextMessages: 30,
  maxBytes: 40_000,
}
const changeOf = (changes: Partial<PromptInput>, first: Partial<PromptInput> = {}) => {
  const [before, after] = [turnOf({ ...INPUT, ...first }), turnOf({ ...INPUT, ...changes })]
  const change = changeBetween(before, after, true)
  // The excerpts are exact.
  const [one, other] = [bytes(before.sent!.prompt), bytes(after.sent!.prompt)]
  const same = change.sameBytes ?? -1
  expect(one.subarray(0, same).equals(other.subarray(0, same))).toBe(true)
  expect(change.first === null).toBe(one.equals(other))
  if (change.first !== null) expect(one[same]).not.toBe(other[same])
  return change
}
const [FIRST, ...REST] = chatter(12, 80)

describe('the first difference', () => {
  it.each<[string, Partial<PromptInput>, Partial<PromptInput>, string]>([
    ['a team task', { teamTask: 'Build the login' }, {}, 'the team task changed'],
    ['a system text', { systemInstructionText: 'You are Max.' }, {}, 'the system text changed'],
    ['a message', { message: 'Stop.' }, {}, 'the message changed'],
    ['a summary that is new', { summary: 'They agreed.' }, {}, 'the summary is new'],
    ['a summary that is gone', {}, { summary: 'They agreed.' }, 'the summary is gone'],
    ['a summary that changed', { summary: 'They agreed.' }, { summary: 'They argued.' }, 'the summary changed'],
    ['more messages', { contextMessages: chatter(12, 80) }, {}, '2 new messages at the end of the conversation'],
    [
      'a window that moved on',
      { maxContextMessages: 7 },
      {},
      '3 messages from #0 on are gone: outside the window, or removed',
    ],
    ['no room', { maxBytes: 700 }, {}, 'messages from #0 on are gone: no room'],
    [
      'a message put first',
      { contextMessages: [REST[5]!, FIRST!, ...REST.slice(0, 5)] },
      { contextMessages: [FIRST!, ...REST.slice(0, 6)] },
      '#0 was put before #0',
    ],
    [
      'a conversation that ends earlier',
      { contextMessages: chatter(8, 80) },
      {},
      '2 messages from #8 on are gone: outside the window, or removed',
    ],
  ])('is caused by %s', (_, now, before, cause) => {
    expect(changeOf(now, before).first?.cause).toContain(cause)
  })

  it('has the text around it in whole characters, and the right part', () => {
    const change = changeOf({ teamTask: '设计登出' }, { teamTask: '设计登录' })
    expect(change.first).toMatchObject({
      part: 'teamTask',
      before: { same: '[SYSTEM]\nYou are Sarah.\n\n[TEAM_TASK]\n设计登', rest: expect.stringMatching(/^录\n/) },
      after: { rest: expect.stringMatching(/^出\n/) },
    })
  })

  it('is null for equal prompts', () => {
    expect(changeOf({})).toMatchObject({
      first: null,
      added: [],
      gone: [],
      sameBytes: turnOf(INPUT).report.promptBytes,
    })
  })

  it('is in the fence if its key differs', () => {
    const fenced = (fenceKey: string) => ({ fenceKey, messageFrom: 'max', options: { markers: 'fence' as const } })
    expect(changeOf(fenced('abcdefghijkl'), fenced('abcdefghijkm')).first?.cause).toBe('the key of the fence changed')
    expect(changeOf(fenced('abcdefghijkl')).first?.cause).toBe('only one of both is fenced')
    const more = { ...fenced('abcdefghijkl'), contextMessages: chatter(11, 80) }
    expect(changeOf(more, fenced('abcdefghijkl')).first?.cause).toBe('1 new message at the end of the conversation')
  })
})

describe('what a cache could have read', () => {
  it('includes the flag and the beginning of the prompt', () => {
    const claude = { agentType: 'claude' }
    const change = changeOf({ ...claude, message: 'Stop.' }, claude)
    const { systemFlagBytes } = turnOf({ ...INPUT, ...claude }).report
    expect(change).toMatchObject({ flag: 'same', reusableBytes: systemFlagBytes + change.sameBytes! })
    expect(systemFlagBytes).toBeGreaterThan(0)
  })

  it('is nothing if the flag changed', () => {
    const change = changeOf({ agentType: 'claude', systemInstructionText: 'You are Lee.' }, { agentType: 'claude' })
    expect(change).toMatchObject({ flag: 'changed', reusableBytes: 0, first: null })
    expect(change.sections).toContainEqual(expect.objectContaining({ name: 'system', what: 'changed' }))
  })
})

describe('messages', () => {
  it('that came and went are named, also if two are the same', () => {
    const twice = [FIRST!, FIRST!, ...REST]
    const change = changeOf({ contextMessages: twice.slice(1, 9) }, { contextMessages: twice.slice(0, 7) })
    expect(change.gone.map(({ text }) => text.head)).toEqual([FIRST!.content])
    expect(change.added.map(({ text }) => text.head)).toEqual(twice.slice(7, 9).map(({ content }) => content))
  })

  it('of a manager are named by their ids', () => {
    const manager = new ContextManager({ contextWindowSize: 20 })
    for (const { from, content } of chatter(6, 80)) manager.addMessage({ speaker: { id: from }, content })
    const turn = (): Turn => {
      const output = manager.assembleForAgent('sarah', 'codex', undefined, { report: true })
      const sent = { prompt: output.prompt, systemFlag: '' }
      return { ...describeTurn({ ...output, input: manager.getContextForAgent('sarah', 'codex') }), sent }
    }
    const first = turn()
    manager.updateMessage('msg-3', { content: 'Something else.' })
    const second = turn()
    expect(changeBetween(first, second, true).first?.cause).toBe('msg-3 was changed')
    manager.removeMessage('msg-2')
    expect(changeBetween(second, turn(), true).first?.cause).toBe('msg-2 is gone: outside the window, or removed')
  })
})

describe('with reports alone', () => {
  it('shows what the reports contain', () => {
    const manager = new ContextManager()
    manager.setTeamTask('Design the login')
    const turn = (): Turn => {
      manager.addMessage({ speaker: { id: 'max' }, content: 'This is a message.' })
      return describeTurn({ report: manager.assembleForAgent('sarah', 'codex', undefined, { report: true }).report })
    }
    const first = turn()
    manager.setTeamTask('Build the login')
    const second = turn()
    expect(changeBetween(first, second, true)).toMatchObject({
      sameBytes: second.report.stablePrefixBytes,
      first: { cause: 'the team task changed', before: null },
      sections: expect.arrayContaining([{ name: 'context', before: 0, after: 42, what: 'new' }]),
    })
    expect(changeBetween(first, second, false)).toMatchObject({ sameBytes: null, first: null })
  })
})
