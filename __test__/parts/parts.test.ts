import { describe, expect, it } from 'vitest'
import {
  buildPrompt,
  ContextManager,
  CodexContextAssembler,
  countTokens,
  type MessagePart,
  type PromptContextMessage,
  type AssemblerReport,
} from 'promptmason'

const call = (id: string, path = 'a.ts'): MessagePart => ({ type: 'tool-call', id, name: 'read_file', input: { path } })
const result = (id: string, output: unknown = 'export {}'): MessagePart => ({ type: 'tool-result', id, output })
const text = (said: string): MessagePart => ({ type: 'text', text: said })
const from = (name: string, ...parts: MessagePart[]): PromptContextMessage => ({ from: name, content: '', parts })

const built = (contextMessages: PromptContextMessage[], more: object = {}) =>
  buildPrompt({ agentType: 'codex', contextMessages, message: 'Go on.', ...more }, { report: true })

const managerOf = (messages: PromptContextMessage[], options: object = {}) => {
  const manager = new ContextManager(options)
  for (const { from: id, parts } of messages) manager.addMessage({ speaker: { id }, content: '', parts })
  manager.addMessage({ speaker: { id: 'lee' }, content: 'Go on.' })
  return manager
}

const contextOf = (prompt: string) => prompt.split('\n\n[MESSAGE]')[0]?.replace('[CONTEXT]\n', '')

describe('a message with parts', () => {
  const messages = [
    from('max', { type: 'reasoning', text: 'Hmm.' }, text('Let me look.'), call('1')),
    from('tool', result('1')),
    from('max', text('Done.'), text('See it.'), {
      type: 'file',
      name: 'x.png',
      mediaType: 'image/png',
      data: 'aGFsbG8=',
    }),
  ]
  const expected = [
    '- max -> all: Let me look.',
    '→ read_file {"path":"a.ts"}',
    '← result',
    'export {}',
    '- max -> all: Done.',
    '',
    'See it.',
    '[x.png, image/png, 8 bytes]',
  ].join('\n')

  it('is laid out, each result after its call', () => {
    const { prompt, report } = built(messages)
    expect(contextOf(prompt)).toBe(expected)
    expect(report.leftOut.map(({ reason, bytes }) => [reason, bytes])).toEqual([
      ['layout', 8],
      ['reasoning', 4],
    ])
    expect(report.account.givenBytes).toBe(report.account.sentBytes + report.account.leftOutBytes)
  })

  it('is laid out by a manager in the same way, also after a snapshot went through JSON', () => {
    const manager = managerOf(messages)
    const { prompt, report } = manager.assembleForAgent('a', 'codex', {}, { report: true })
    expect(contextOf(prompt)).toBe(expected)
    expect(report.account).toEqual(built(messages).report.account)
    const other = new ContextManager()
    other.importSnapshot(JSON.parse(JSON.stringify(manager.exportSnapshot())))
    expect(other.assembleForAgent('a', 'codex').prompt).toBe(prompt)
    expect(other.getMessages()).toEqual(manager.getMessages())
    const context = manager.getContextForAgent('a', 'codex')
    expect(new CodexContextAssembler().assemble(context).prompt).toBe(prompt)
    expect(context.contextMessages.map(({ content }) => content)).toEqual(['Let me look.', '', 'Done.\n\nSee it.'])
  })

  it('has content in outputs, and cannot be changed later', () => {
    const manager = new ContextManager()
    const input = { path: 'a.ts' }
    const parts: MessagePart[] = [text('a'), { type: 'tool-call', id: '1', name: 't', input }, text('b')]
    expect(manager.addMessage({ speaker: { id: 'max' }, content: '', parts }).content).toBe('a\n\nb')
    input.path = 'changed'
    parts.pop()
    expect(manager.getMessages()[0]?.parts).toEqual([
      text('a'),
      { type: 'tool-call', id: '1', name: 't', input: { path: 'a.ts' } },
      text('b'),
    ])
  })

  it('shows reasoning if requested', () => {
    const options = { reasoning: 'keep' } as const
    expect(contextOf(built(messages, { options }).prompt)).toContain('- max -> all: Hmm.\n\nLet me look.')
    expect(managerOf(messages, options).assembleForAgent('a', 'codex').prompt).toContain('Hmm.')
  })

  it('can be shown by lines of a layout', () => {
    const layout = {
      agentType: 'own',
      sections: [{ part: 'context' }, { part: 'message' }],
      messageLine: { open: '* ' },
      tools: { call: 'calls ', result: 'gets', error: 'fails' },
    } as const
    const failed: MessagePart = { type: 'tool-result', id: '1', output: { code: 1 }, isError: true }
    const { prompt } = buildPrompt({ layout, contextMessages: [from('max', call('1'), failed)], message: 'Go on.' })
    expect(prompt).toBe('* max: calls read_file {"path":"a.ts"}\nfails\n{"code":1}\n\nGo on.')
    // By a manager, too, wherever the message stands.
    const manager = managerOf([from('max', call('1'), failed)], { layouts: [layout] })
    expect(manager.assembleForAgent('a', 'own').prompt).toBe(prompt)
    expect(manager.assembleForAgent('a', 'codex').prompt).toContain('→ read_file {"path":"a.ts"}\n← error')
    const counted = { tokenizer: 'o200k' } as const
    const { report } = manager.assembleForAgent('a', 'own', counted, { report: true })
    expect(report.totalTokens).toBe(countTokens(prompt, 'o200k'))
    expect(report.totalBytes).toBe(Buffer.byteLength(prompt))
    manager.assembleForAgent('a', 'codex', counted)
    manager.removeMessage('msg-2')
    expect(manager.assembleForAgent('a', 'own').prompt).toBe('calls read_file {"path":"a.ts"}\nfails\n{"code":1}')
    expect(manager.getContextForAgent('a', 'own').currentMessage).toContain('calls read_file')
    const { totalTokens } = manager.assembleForAgent('a', 'own', counted, { report: true }).report
    expect(totalTokens).toBe(countTokens('calls read_file {"path":"a.ts"}\nfails\n{"code":1}', 'o200k'))
  })

  it('has the lines of a layout in a route, in the parent and in replies', () => {
    const layout = {
      agentType: 'own',
      sections: [{ part: 'context' }, { part: 'parent' }, { part: 'siblings' }, { part: 'message' }],
      messageLine: { open: '* ' },
      tools: { call: 'calls ', result: 'gets', error: 'fails' },
    } as const
    const manager = new ContextManager({ layouts: [layout], contextWindowSize: 0 })
    manager.addMessage({ speaker: { id: 'max' }, content: '', parts: [call('1'), result('1', 'one')] })
    manager.addMessage({
      speaker: { id: 'lee' },
      content: '',
      parts: [call('2'), result('2', 'two')],
      routing: { parentMessageId: 'msg-1' },
    })
    const route = { parentMessageId: 'msg-1', targetMemberId: 'sarah' }
    const { prompt, report } = manager.assembleForRoute('sarah', 'own', route, {}, { report: true })
    expect(prompt).not.toMatch(/[→←]/)
    expect(prompt).toContain('calls read_file {"path":"a.ts"}\ngets\none')
    expect(prompt).toContain('gets\ntwo')
    expect(report.account.givenBytes).toBe(report.account.sentBytes + report.account.leftOutBytes)
  })

  it.each([
    [
      { content: 'x', parts: [text('y')] },
      'contextMessages[0].content must be left out, because the message has parts, got string',
    ],
    [{ parts: 'x' }, 'contextMessages[0].parts must be an array, got string'],
    [{ parts: [null] }, 'contextMessages[0].parts[0] must be an object, got null'],
    [
      { parts: [{ type: 'x' }] },
      "contextMessages[0].parts[0].type must be one of text, reasoning, tool-call, tool-result, file, got 'x'",
    ],
    [
      { parts: [{ type: 'tool-call', id: '', name: 'x' }] },
      'contextMessages[0].parts[0].id must be a string that is not empty, got string',
    ],
    [
      { parts: [{ type: 'tool-call', id: '1', name: 'x', input: 1n }] },
      'contextMessages[0].parts[0].input must be a JSON value: Do not know how to serialize a BigInt',
    ],
    [
      { parts: [{ type: 'file', mediaType: 'x' }] },
      'contextMessages[0].parts[0].data must be a base64 string or a Uint8Array, or there must be a url, got undefined',
    ],
  ])('is rejected if it is invalid: %o', (wrong: any, problem) => {
    const contextMessages = [{ from: 'max', ...wrong }]
    expect(() => buildPrompt({ agentType: 'codex', contextMessages, message: 'x' })).toThrow(problem)
    const manager = new ContextManager()
    const inManager = problem.replace('contextMessages[0].', 'Message ')
    expect(() => manager.addMessage({ speaker: { id: 'max' }, ...wrong })).toThrow(inManager)
    expect(manager.getMessages()).toEqual([])
  })
})

describe('a call and its result', () => {
  it('are shown as text if one of them is missing, and listed', () => {
    const messages = [from('max', call('1')), from('tool', text('late'), result('2'))]
    for (const { prompt, report } of [
      built(messages),
      managerOf(messages).assembleForAgent('a', 'codex', {}, { report: true }),
    ]) {
      expect(contextOf(prompt)).toBe(
        '- max -> all: → read_file {"path":"a.ts"}\n- tool -> all: late\n← result\nexport {}',
      )
      expect(report.findings.map(({ index, pretends, text: found }) => [index, pretends, found])).toEqual([
        [0, 'call', '1 read_file'],
        [1, 'result', '2'],
      ])
    }
  })

  it('are also listed in the message and in sibling replies', () => {
    const manager = new ContextManager({ contextWindowSize: 0 })
    const said = (id: string, parts: MessagePart[], routing = {}) =>
      manager.addMessage({ speaker: { id }, content: '', parts, routing })
    const parentMessageId = said('max', [text('first'), call('1')]).id
    const found = (report: AssemblerReport) =>
      report.findings.map(({ part, index, pretends, text: quoted }) => [part, index, pretends, quoted])
    const { report } = manager.assembleForAgent('a', 'codex', {}, { report: true })
    expect(found(report)).toEqual([['message', 0, 'call', '1 read_file']])
    for (const id of ['lee', 'kai']) said(id, [text(id), result(`of ${id}`)], { parentMessageId })
    const route = { parentMessageId, targetMemberId: 'a' }
    const routed = manager.assembleForRoute('a', 'codex', route, {}, { report: true })
    expect(found(routed.report)).toEqual([
      ['siblings', 0, 'result', 'of kai'],
      ['siblings', 1, 'result', 'of lee'],
      ['message', 0, 'call', '1 read_file'],
    ])
  })

  it('stay together when messages are edited and removed', () => {
    const manager = managerOf([from('max', call('1')), from('tool', result('1', 'one'))])
    const shown = () => contextOf(manager.assembleForAgent('a', 'codex').prompt)
    expect(shown()).toBe('- max -> all: → read_file {"path":"a.ts"}\n← result\none')
    manager.updateMessage('msg-2', { parts: [result('1', 'two')] })
    expect(shown()).toBe('- max -> all: → read_file {"path":"a.ts"}\n← result\ntwo')
    manager.updateMessage('msg-1', { content: 'Nothing.' })
    expect(shown()).toBe('- max -> all: Nothing.\n- tool -> all: ← result\ntwo')
    manager.updateMessage('msg-1', { parts: [call('1')] })
    expect(shown()).toBe('- max -> all: → read_file {"path":"a.ts"}\n← result\ntwo')
    manager.removeMessage('msg-1')
    expect(shown()).toBe('- tool -> all: ← result\ntwo')
  })

  it('do not reveal a result to a member who may not see its message', () => {
    const manager = new ContextManager()
    manager.addMessage({ speaker: { id: 'max' }, content: '', parts: [call('1')] })
    manager.addMessage({
      speaker: { id: 'tool' },
      content: '',
      parts: [result('1', 'secret')],
      routing: { addressees: ['max'] },
    })
    manager.addMessage({ speaker: { id: 'lee' }, content: 'Go on.' })
    expect(manager.assembleForAgent('eve', 'codex', { recipient: 'eve' }).prompt).not.toContain('secret')
    expect(manager.assembleForAgent('max', 'codex', { recipient: 'max' }).prompt).toContain('secret')
  })

  it('do not reveal a result to a member after it is addressed late', () => {
    const manager = new ContextManager()
    manager.addMessage({ speaker: { id: 'max' }, content: '', parts: [call('1')] })
    const late = {
      speaker: { id: 'tool' },
      content: '',
      parts: [result('1', 'secret')],
      routing: { addressees: [] as string[] },
    }
    manager.addMessage(late)
    manager.addMessage({ speaker: { id: 'lee' }, content: 'Go on.' })
    expect(manager.assembleForAgent('eve', 'codex', { recipient: 'eve' }).prompt).toContain('secret')
    late.routing.addressees.push('max')
    expect(manager.assembleForAgent('eve', 'codex', { recipient: 'eve' }).prompt).not.toContain('secret')
  })

  it('stay together if their addressee was not known when the call was added', () => {
    const manager = new ContextManager()
    const routing = { addressees: ['max'] }
    manager.addMessage({ speaker: { id: 'sarah' }, content: '', parts: [call('1')], routing })
    manager.addMessage({ speaker: { id: 'max' }, content: 'Hello.' })
    manager.addMessage({ speaker: { id: 'sarah' }, content: '', parts: [result('1', 'found')], routing })
    manager.addMessage({ speaker: { id: 'lee' }, content: 'Go on.' })
    expect(manager.assembleForAgent('max', 'codex', { recipient: 'max' }).prompt).toContain(
      '→ read_file {"path":"a.ts"}\n← result\nfound\n- max',
    )
    expect(manager.assembleForAgent('eve', 'codex', { recipient: 'eve' }).prompt).not.toContain('found')
  })

  it('are sent again to a session that has seen the call without its result', () => {
    const manager = new ContextManager()
    manager.addMessage({ speaker: { id: 'lee' }, content: 'Look.' })
    manager.addMessage({ speaker: { id: 'max' }, content: '', parts: [call('1')] })
    manager.assembleForAgent('a', 'codex', { session: 'delta' })
    manager.confirm('a')
    manager.addMessage({ speaker: { id: 'max' }, content: '', parts: [result('1', 'found')] })
    const { prompt } = manager.assembleForAgent('a', 'codex', { session: 'delta' })
    expect(prompt).toContain('→ read_file {"path":"a.ts"}\n← result\nfound')
  })

  it('act as the current message if they are the newest', () => {
    const manager = new ContextManager()
    manager.addMessage({ speaker: { id: 'max' }, content: '', parts: [call('1')] })
    manager.addMessage({ speaker: { id: 'tool' }, content: '', parts: [result('1')] })
    expect(manager.assembleForAgent('a', 'codex').prompt).toBe(
      '[MESSAGE]\n→ read_file {"path":"a.ts"}\n← result\nexport {}',
    )
  })
})
