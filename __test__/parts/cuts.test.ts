/** Texts with tool calls that are cut: the message, the repeated parent, sibling replies. */
import { ContextManager, type MessagePart, isPromptmasonError } from 'promptmason'
import { describe, expect, it } from 'vitest'

const call = (id: string, input: unknown): MessagePart => ({ type: 'tool-call', id, name: `tool_${id}`, input })
const result = (id: string, output: string): MessagePart => ({ type: 'tool-result', id, output })
const text = (words: string, times = 1): MessagePart => ({ type: 'text', text: words.repeat(times) })
const human = { id: 'lee', type: 'human' } as const

const managerWith = (parts: MessagePart[], options: object = {}) => {
  const manager = new ContextManager({ maxBytes: 700, ...options })
  manager.addMessage({ speaker: { id: 'max', type: 'ai' }, content: '', parts })
  return manager
}

const checkAccount = ({ account, leftOut, totalBytes, maxBytes }: any) => {
  expect(account.givenBytes).toBe(account.sentBytes + account.leftOutBytes)
  expect(account.leftOutBytes).toBe(leftOut.reduce((sum: number, { bytes }: any) => sum + bytes, 0))
  expect(totalBytes).toBeLessThanOrEqual(maxBytes)
}

describe('a message that is cut', () => {
  const messageOf = (parts: MessagePart[], maxBytes: number) => {
    const manager = managerWith(parts, { maxBytes })
    const { prompt, report } = manager.assembleForAgent('sarah', 'codex', {}, { report: true })
    checkAccount(report)
    expect(Buffer.byteLength(prompt)).toBeLessThanOrEqual(maxBytes)
    return prompt.slice('[MESSAGE]\n'.length)
  }

  it('leaves out a call with its result', () => {
    const parts = [text('before ', 60), call('1', { path: 'a.ts' }), result('1', '#'.repeat(81)), text('after ', 60)]
    for (let maxBytes = 300; maxBytes < 900; maxBytes += 7) {
      const message = messageOf(parts, maxBytes)
      expect(message).toContain(' bytes omitted …]')
      expect(message.includes('→ tool_1 {"path":"a.ts"}\n← result\n'), message).toBe(message.includes('#'))
      expect(message.includes('tool_1'), message).toBe(message.includes('← result\n#'))
    }
  })

  it('leaves out the middle of a long result', () => {
    const message = messageOf([text('Look:'), call('1', {}), result('1', '#'.repeat(8100)), text('Done.')], 700)
    expect(message).toMatch(/^Look:\n→ tool_1 {}\n← result\n#+\n\[… \d+ bytes omitted …\]\n#+\n\nDone\.$/)
  })

  it('leaves out the middle of long arguments', () => {
    const message = messageOf(
      [text('I write it.'), call('1', { text: 'x'.repeat(9000) }), result('1', 'ok'), text('Done.')],
      700,
    )
    expect(message).toMatch(
      /^I write it\.\n→ tool_1 {"text":"x+\n\[… \d+ bytes omitted …\]\nx+"}\n← result\nok\n\nDone\.$/,
    )
  })

  it('may end with the omission line if a call stands at its end', () => {
    const message = messageOf([text('before ', 300), call('1', {}), result('1', '#'.repeat(2700))], 700)
    expect(message).toMatch(/^before [^]*\n\[… \d+ bytes omitted …\]\n$/)
    expect(message).not.toContain('#')
  })

  it('says how much is needed if nothing can be left out', () => {
    const parts = [call('1', 'x'.repeat(3000)), result('1', 'y'.repeat(3000))]
    const make = (maxBytes: number) => messageOf(parts, maxBytes)
    try {
      make(700)
      expect.fail('it fits')
    } catch (error) {
      if (!isPromptmasonError(error, 'ERR_BUDGET_EXCEEDED')) throw error
      const { requiredBytes } = error
      expect(make(requiredBytes)).toContain('→ tool_1 ')
      expect(make(requiredBytes)).toContain('\n← result\ny')
      expect(() => make(requiredBytes - 1)).toThrow(`needs ${requiredBytes}`)
    }
  })

  it('is cut between calls where keys of a fence are broken up before them', () => {
    const manager = new ContextManager({ maxBytes: 1500, markers: 'fence' })
    manager.addMessage({ speaker: human, content: 'Hi.' })
    const [, key = ''] = /=== (\w{12}) from lee/.exec(manager.assembleForAgent('sarah', 'codex').prompt) ?? []
    expect(key).not.toBe('')
    for (let times = 0; times < 60; times++) {
      const parts = [text(`${key} `, times), call('1', { path: key }), result('1', '#'.repeat(500)), text('after ', 99)]
      manager.addMessage({ speaker: { id: 'max', type: 'ai' }, content: '', parts })
      const { prompt, report } = manager.assembleForAgent('sarah', 'codex', { windowSizeOverride: 0 }, { report: true })
      checkAccount(report)
      expect(prompt.includes('→ tool_1 {"path":"'), prompt).toBe(prompt.includes('"}\n← result\n#'))
      expect(prompt.includes('tool_1'), prompt).toBe(prompt.includes('#'))
    }
  })

  it.each(['anthropic', 'openai', 'openai-chat', 'gemini', 'ai-sdk'] as const)('is cut alike for %s', (as) => {
    const parts = [text('before ', 60), call('1', { path: 'a.ts' }), result('1', '#'.repeat(81)), text('after ', 60)]
    const manager = managerWith(parts, { tokenizer: 'o200k' })
    for (let maxTokens = 130; maxTokens < 260; maxTokens += 3) {
      const { report, ...request } = manager.assembleForAgent('sarah', 'codex', { maxTokens }, {
        as,
        report: true,
      } as any) as any
      checkAccount(report)
      expect(report.totalTokens).toBeLessThanOrEqual(maxTokens)
      const written = JSON.stringify(request)
      expect(written).toContain(' bytes omitted …]')
      expect(written.includes('tool_1'), written).toBe(written.includes('← result\\n#'))
      expect(written.includes('tool_1'), written).toBe(written.includes('#'))
    }
  })
})

describe('a routed turn', () => {
  const route = { parentMessageId: 'msg-1', targetMemberId: 'sarah', intent: 'reply' } as any
  const reply = (manager: ContextManager, parts: MessagePart[]) =>
    manager.addMessage({
      speaker: { id: 'tim', type: 'ai' },
      content: '',
      parts,
      routing: { parentMessageId: 'msg-1' },
    } as any)

  it('cuts sibling replies between calls and shows a result as far as there is room', () => {
    const parts = [text('I looked.'), call('1', { path: 'a.ts' }), result('1', '#'.repeat(81))]
    for (let length = 1; length < 140; length++) {
      const manager = new ContextManager({ siblingContentMaxLength: length })
      manager.addMessage({ speaker: human, content: 'Why?' })
      reply(manager, parts)
      const [sibling] = manager.getContextForRoute('sarah', 'codex', route).siblingContext
      const shown = sibling?.content ?? ''
      expect(shown.includes('tool_1'), shown).toBe(/→ tool_1 {"path":"a\.ts"}\n← result\n#/.test(shown))
      expect(shown.includes('→'), shown).toBe(shown.includes('←'))
      const { prompt, report } = manager.assembleForRoute('sarah', 'codex', route, {}, { report: true })
      checkAccount(report)
      expect(prompt).toContain(`- tim: ${shown}`)
    }
  })

  it('removes code blocks from each part of a sibling reply', () => {
    const manager = new ContextManager()
    manager.addMessage({ speaker: human, content: 'Why?' })
    reply(manager, [call('1', { fence: '```' }), result('1', 'a ```ts\nx\n``` b ```'), text('```sh\nls\n``` Done.')])
    const { prompt, report } = manager.assembleForRoute('sarah', 'codex', route, {}, { report: true })
    expect(prompt).toContain(
      '- tim: → tool_1 {"fence":"```"}\n← result\na [code block omitted] b ```\n\n[code block omitted] Done.\n',
    )
    expect(report.leftOut).toContainEqual(expect.objectContaining({ part: 'siblings', reason: 'code', bytes: 11 + 12 }))
    checkAccount(report)
  })

  it('cuts the repeated parent between calls', () => {
    const parts = [text('before ', 60), call('1', { path: 'a.ts' }), result('1', '#'.repeat(270)), text('after ', 60)]
    const layouts = [
      { agentType: 'quoting', sections: [{ part: 'parent' }], messageLine: { open: '- ', arrow: ' -> ', colon: ': ' } },
    ] as const
    for (let limit = 150; limit < 1100; limit += 13) {
      for (const maxBytes of [5000, 1100]) {
        const manager = managerWith([...parts, text('end ', 250)], {
          maxBytes,
          layouts,
          parentReinsertionMaxBytes: limit + 900,
        })
        const { prompt, report } = manager.assembleForRoute('sarah', 'quoting', route, {}, { report: true })
        checkAccount(report)
        expect(prompt.includes('tool_1'), prompt).toBe(prompt.includes('← result\n#'))
        expect(prompt.includes('#'), prompt).toBe(prompt.includes('→ tool_1 {"path":"a.ts"}\n← result\n'))
      }
    }
  })

  it('does not repeat a parent of which only one end is left', () => {
    const manager = managerWith([text('before ', 300), call('1', {}), result('1', '#'.repeat(2700))], {
      maxBytes: 9000,
    })
    const { prompt, report } = manager.assembleForRoute('sarah', 'codex', route, {}, { report: true })
    expect(prompt).not.toContain('[PARENT_CONTEXT]')
    checkAccount(report)
  })
})
