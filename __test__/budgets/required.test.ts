/** Errors name the smallest budget that is enough, whatever budget was tried. */
import { ContextManager, type ContextManagerOptions } from 'promptmason'
import { expect, it } from 'vitest'
import { thrownBy } from '../support/assemblers.js'

/** Checks every budget around the one that errors name. `make` throws if a budget is exceeded. */
const check = (make: (maxTokens: number) => unknown) => {
  const { requiredTokens = 0 } = thrownBy(() => make(1))
  for (let maxTokens = 1; maxTokens < requiredTokens; maxTokens++) {
    expect(thrownBy(() => make(maxTokens)).requiredTokens, `with ${maxTokens}`).toBe(requiredTokens)
  }
  for (let maxTokens = requiredTokens; maxTokens < requiredTokens + 60; maxTokens++) make(maxTokens)
}

const managerOf = (options: ContextManagerOptions = {}) => new ContextManager({ tokenizer: 'o200k', ...options })

it.each(['anthropic', 'openai', 'openai-chat', 'gemini', 'ai-sdk'] as const)(
  'holds for a request to %s whose message has no text',
  (as) => {
    const manager = managerOf()
    manager.addMessage({ speaker: { id: 'lee' }, content: 'Read it.', pinned: true })
    manager.addMessage({ speaker: { id: 'max' }, content: '' })
    check((maxTokens) => manager.assembleForAgent('a', 'codex', { maxTokens }, { as }))
  },
)

it('holds for a fenced delta with a changed message', () => {
  for (const [changed, added] of [
    [1, 1],
    [12, 20],
    [30, 1],
    [1, 30],
  ] as const) {
    const manager = managerOf({ markers: 'fence' })
    const say = (content: string) => manager.addMessage({ speaker: { id: 'lee' }, content })
    for (const content of ['one', 'two', 'three', 'four']) say(content)
    manager.assembleForAgent('a', 'codex', { session: 'delta' })
    manager.confirm('a')
    manager.updateMessage('msg-2', { content: 'word '.repeat(changed) })
    for (const content of ['word '.repeat(added), 'Go on.']) say(content)
    check((maxTokens) => manager.assembleForAgent('a', 'codex', { session: 'delta', maxTokens }))
  }
})
