/** Pinned messages in `buildPrompt`. Random inputs are in the properties. */
import { buildPrompt, type PromptInput } from 'promptmason'
import { expect, it } from 'vitest'
import { bytesOf, checkAccount } from '../support/account.js'
import { byteLength, history, said, thrownBy, untyped } from '../support/assemblers.js'
import { GAP_LINE } from '../support/reference.js'

const TYPES = ['claude-code', 'openai-codex', 'google-gemini', 'plain'] as const

/** The contents that a context shows, and `…` for a line that says that some are missing. */
const shownIn = (prompt: string): string =>
  prompt
    .split('\n')
    .flatMap((line) => (line === GAP_LINE ? ['…'] : (/: (\w+)$/.exec(line)?.slice(1) ?? [])))
    .join(' ')

/** What it shows, after checking that the four forms agree. */
const built = (fields: Partial<PromptInput>): string => {
  const contexts = TYPES.map((agentType) => {
    const input = { contextMessages: history(9), message: 'hello', ...fields, agentType, layout: undefined }
    const { prompt } = buildPrompt(input)
    const memory = Buffer.alloc(byteLength(prompt))
    expect(buildPrompt(input, { report: true }).prompt).toBe(prompt)
    expect(buildPrompt(input, { as: 'buffer' }).prompt.toString()).toBe(prompt)
    expect(buildPrompt(input, { into: memory }).bytes).toBe(memory.length)
    expect(memory.toString()).toBe(prompt)
    return shownIn(prompt)
  })
  expect(new Set(contexts).size).toBe(1)
  return contexts[0]!
}

it('keeps pinned messages outside maxContextMessages', () => {
  expect(built({ pinned: [1, 2, 5], maxContextMessages: 2 })).toBe('m1 m2 … m5 … m7 m8')
  expect(built({ pinned: [1, 2, 5], maxContextMessages: 0 })).toBe('m1 m2 … m5')
  expect(built({ pinned: [3] })).toBe('m3 m4 m5 m6 m7 m8')
  expect(built({ pinned: null, maxContextMessages: 2 })).toBe('m7 m8')
  expect(built({ pinned: [1], maxContextMessages: 2, options: { evictionStep: 4 }, maxBytes: 786432 })).toBe(
    'm1 … m7 m8',
  )
})

const addressed = ['sarah', 'max', 'sarah', 'sarah', 'max', 'max', 'sarah', 'max'].map((to, index) =>
  said('kai', `m${index}`, to),
)

it('respects recipient: a hidden pin is only in the sum of what is not for it', () => {
  const input = { contextMessages: addressed, pinned: [1, 3, 6], maxContextMessages: 1, recipient: 'max' }
  expect(built(input)).toBe('m1 … m7')
  const { report } = buildPrompt({ ...input, agentType: 'codex', message: 'hello' }, { report: true })
  expect(report.leftOut.filter(({ reason }) => reason === 'recipient')).toEqual([
    { part: 'context', action: 'dropped', reason: 'recipient', bytes: 8, count: 4 },
  ])
  expect(report.leftOut.filter(({ reason }) => reason === 'window').map(({ index }) => index)).toEqual([5, 4])
  checkAccount(report, 5 + 16)
})

it('does not say that messages are missing where only hidden ones are', () => {
  const to = ['max', 'sarah', 'max', 'sarah', 'sarah', 'max', 'sarah', 'max', 'sarah']
  const contextMessages = to.map((name, index) => said('kai', `m${index}`, name))
  const shown = (fields: Partial<PromptInput>) => built({ contextMessages, recipient: 'max', ...fields })
  expect(shown({ pinned: [0, 2], maxContextMessages: 2 })).toBe('m0 m2 m5 m7')
  expect(shown({ pinned: [0, 2], maxContextMessages: 1 })).toBe('m0 m2 … m7')
  expect(shown({ pinned: [0, 5], maxContextMessages: 1 })).toBe('m0 … m5 m7')
  expect(shown({ pinned: [0, 1, 2], maxContextMessages: 0 })).toBe('m0 m2')
  // As if the hidden message did not exist.
  for (let pins = 0; pins < 32; pins++)
    for (const maxContextMessages of [0, 1, 2, 3]) {
      const visible = contextMessages.filter((message) => message.to === 'max')
      const pinned = visible.flatMap((message, nth) => (pins & (1 << nth) ? [contextMessages.indexOf(message)] : []))
      const pinnedAlone = visible.flatMap((_, nth) => (pins & (1 << nth) ? [nth] : []))
      expect(shown({ pinned, maxContextMessages })).toBe(
        built({ contextMessages: visible, pinned: pinnedAlone, maxContextMessages }),
      )
    }
})

it('reads only sender and addressee of a hidden pin, and no other message outside the window', () => {
  const read = new Set<string>()
  const contextMessages = addressed.map(
    (message, index) =>
      new Proxy(message, {
        get: (target, key, receiver): unknown => {
          read.add(`${index}.${String(key)}`)
          return Reflect.get(target, key, receiver)
        },
      }),
  )
  buildPrompt({
    agentType: 'codex',
    contextMessages,
    message: 'hello',
    pinned: [1, 3],
    maxContextMessages: 1,
    recipient: 'max',
  })
  const indices = new Set([...read].map((key) => key.split('.')[0]))
  // 5 is missing, and may be seen.
  expect([...indices].toSorted()).toEqual(['1', '3', '5', '6', '7'])
})

it('throws if pins do not fit, with a section for them and the exact size', () => {
  const input: PromptInput = {
    agentType: 'codex',
    contextMessages: history(9),
    message: 'hello',
    pinned: [2, 6],
    maxContextMessages: 1,
    instructionFileText: 'file\n'.repeat(2000),
  }
  const { code, requiredBytes = NaN, sections } = thrownBy(() => buildPrompt({ ...input, maxBytes: 20 }))
  expect(code).toBe('ERR_BUDGET_EXCEEDED')
  expect(sections?.pinned).toBe(byteLength(`[CONTEXT]\n- a -> b: m2\n${GAP_LINE}\n- a -> b: m6`))
  const { prompt } = buildPrompt({ ...input, maxBytes: requiredBytes })
  expect(byteLength(prompt)).toBeLessThanOrEqual(requiredBytes)
  expect(shownIn(prompt)).toBe('m2 … m6')
  expect(thrownBy(() => buildPrompt({ ...input, maxBytes: requiredBytes - 1 })).code).toBe('ERR_BUDGET_EXCEEDED')
})

it('rejects wrong indices with their path', () => {
  const refused = (pinned: unknown) =>
    thrownBy(() =>
      buildPrompt({ agentType: 'codex', contextMessages: history(3), message: 'x', pinned: untyped(pinned) }),
    )
  expect(refused([3])).toMatchObject({
    name: 'RangeError',
    code: 'ERR_OUT_OF_RANGE',
    message: expect.stringContaining('pinned[0]') as string,
  })
  expect(refused(['0'])).toMatchObject({
    name: 'TypeError',
    code: 'ERR_INVALID_ARG_TYPE',
    message: expect.stringContaining('pinned[0]') as string,
  })
  expect(refused(0)).toMatchObject({ name: 'TypeError', code: 'ERR_INVALID_ARG_TYPE' })
})

it('has an exact account with pins and more than a hundred messages outside', () => {
  const contextMessages = history(600)
  for (const maxBytes of [500, 786432]) {
    const input = {
      agentType: 'codex',
      contextMessages,
      message: 'hello',
      pinned: [0, 1, 200, 590, 599],
      maxContextMessages: 300,
      maxBytes,
    }
    const { report, prompt } = buildPrompt(input, { report: true })
    checkAccount(report, 5 + bytesOf(contextMessages.map(({ content }) => content)))
    const kept = shownIn(prompt).match(/m\d+/g) ?? []
    expect(kept).toEqual(expect.arrayContaining(['m0', 'm1', 'm200', 'm590', 'm599']))
    expect(report.leftOut.reduce((sum, { count }) => sum + count, 0)).toBe(600 - kept.length)
  }
})
