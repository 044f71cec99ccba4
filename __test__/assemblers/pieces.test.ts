/** Strings that consist of long ASCII runs and other text. */
import { CodexContextAssembler, ContextManager } from 'promptmason'
import { expect, it } from 'vitest'

const ASCII = 'x'.repeat(100_000)
const TEXTS = [ASCII, '中文…', ASCII, `${ASCII}…${ASCII}`, 'short', '👍🏽', ASCII, ASCII, '\ud800', 'end']

it.each([
  ['as they are', TEXTS],
  ['backwards', TEXTS.toReversed()],
  ['only ASCII', [ASCII, ASCII, 'end']],
])('the string is the Buffer, with texts %s', (_, texts) => {
  for (const maxBytes of [1_000_000, 300_000, 99_000, 2000]) {
    const [currentMessage = '', ...rest] = texts.toReversed()
    const contextMessages = rest.toReversed().map((content) => ({ from: 'a', content }))
    const input = { contextMessages, currentMessage, teamTask: ASCII.slice(0, maxBytes / 4), maxBytes }
    const codex = new CodexContextAssembler()
    const { prompt } = codex.assemble(input)
    expect(prompt === codex.assemble(input, { as: 'buffer' }).prompt.toString()).toBe(true)
    expect(prompt === codex.assemble(input, { report: true }).prompt).toBe(true)
    const manager = new ContextManager({ contextWindowSize: 99, maxBytes })
    for (const content of texts) manager.addMessage({ speaker: { id: 'a' }, content })
    const kept = manager.assembleForAgent('b', 'codex').prompt
    expect(kept === manager.assembleForAgent('b', 'codex', {}, { as: 'buffer' }).prompt.toString()).toBe(true)
  }
})
