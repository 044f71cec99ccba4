import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  buildPrompt,
  ContextManager,
  type MessagePart,
  type PromptContextMessage,
  type AssemblerReport,
} from 'promptmason'
import { runs } from '../support/runs.js'

const RUNS = runs(120)

/** Every call and result has an id of its own in its text, so that a prompt tells what it shows. */
const conversation = fc
  .array(
    fc.record({
      from: fc.constantFrom('max', 'sarah', 'tool'),
      parts: fc.array(fc.constantFrom('text', 'reasoning', 'call', 'result', 'late', 'file'), {
        minLength: 1,
        maxLength: 4,
      }),
      size: fc.integer({ min: 0, max: 300 }),
    }),
    { maxLength: 12 },
  )
  .map((messages) => {
    let calls = 0
    const open: number[] = []
    return messages.map(({ from, parts, size }): PromptContextMessage => {
      const made = (parts ?? []).flatMap((kind): MessagePart[] => {
        if (kind === 'text' || kind === 'reasoning') return [{ type: kind, text: 'word '.repeat(size / 5) }]
        if (kind === 'file') return [{ type: 'file', mediaType: 'text/plain', data: 'x'.repeat(size) }]
        if (kind === 'call') {
          open.push(++calls)
          return [{ type: 'tool-call', id: `${calls}`, name: `call${calls}`, input: {} }]
        }
        const answered = kind === 'result' ? open.pop() : open.shift()
        if (answered === undefined) return []
        return [{ type: 'tool-result', id: `${answered}`, output: `<result${answered}>${'y'.repeat(size)}` }]
      })
      return { from, content: '', parts: made }
    })
  })

/** The ids of the calls and of the results that a prompt shows. */
const shownIn = (prompt: string) => ({
  calls: [...prompt.matchAll(/→ call(\d+) /g)].map(([, id]) => id),
  results: [...prompt.matchAll(/<result(\d+)>/g)].map(([, id]) => id),
})

const answeredIn = (messages: readonly PromptContextMessage[]) =>
  new Set(
    messages.flatMap(({ parts }) => (parts ?? []).flatMap((part) => (part.type === 'tool-result' ? [part.id] : []))),
  )

const check = (
  prompt: string,
  report: AssemblerReport,
  messages: readonly PromptContextMessage[],
  maxBytes: number,
) => {
  const { calls, results } = shownIn(prompt)
  const answered = answeredIn(messages)
  expect(results).toEqual(calls.filter((id) => answered.has(id ?? '')))
  expect(Buffer.byteLength(prompt)).toBeLessThanOrEqual(maxBytes)
  const { givenBytes, sentBytes, leftOutBytes } = report.account
  expect(givenBytes).toBe(sentBytes + leftOutBytes)
  expect(leftOutBytes).toBe(report.leftOut.reduce((sum, { bytes }) => sum + bytes, 0))
}

const settings = fc.record({
  maxBytes: fc.integer({ min: 40, max: 3000 }),
  window: fc.integer({ min: 0, max: 12 }),
  evictionStep: fc.integer({ min: 1, max: 4 }),
  pins: fc.array(fc.nat(11), { maxLength: 2 }),
  markers: fc.constantFrom('verbatim' as const, 'escape' as const),
  agentType: fc.constantFrom('codex', 'gemini', 'unknown'),
})

it('no prompt shows a call without its result, and every byte is accounted for', () => {
  fc.assert(
    fc.property(
      conversation,
      settings,
      (contextMessages, { maxBytes, window, evictionStep, pins, markers, agentType }) => {
        const pinned = [...new Set(pins)].filter((pin) => pin < contextMessages.length).toSorted((a, b) => a - b)
        // What is pinned has to fit.
        const most = maxBytes + 2000 * pinned.length
        const { prompt, report } = buildPrompt(
          {
            agentType,
            contextMessages,
            message: 'Go on.',
            maxBytes: most,
            maxContextMessages: window,
            pinned,
            options: { evictionStep, markers },
          },
          { report: true },
        )
        check(prompt, report, contextMessages, most)
      },
    ),
    RUNS,
  )
})

it('no prompt of a manager does, whatever is edited, removed or pinned', () => {
  const edits = fc.array(fc.tuple(fc.constantFrom('pin', 'remove', 'update'), fc.nat(11), conversation), {
    maxLength: 4,
  })
  fc.assert(
    fc.property(
      conversation,
      settings,
      edits,
      (messages, { maxBytes, window, evictionStep, agentType, markers }, changes) => {
        const manager = new ContextManager({
          assemblers: { unknown: {} },
          maxBytes: maxBytes + 3000,
          contextWindowSize: window,
          evictionStep,
          markers,
        })
        for (const { from, parts } of messages) manager.addMessage({ speaker: { id: from }, content: '', parts })
        for (const [kind, nth, [other]] of changes) {
          const message = manager.getMessages()[nth]
          if (message === undefined) continue
          if (kind === 'remove') manager.removeMessage(message.id)
          else if (kind === 'pin') manager.pin(message.id)
          else if (other !== undefined)
            manager.updateMessage(message.id, { parts: (other.parts ?? []).filter(({ type }) => type === 'text') })
        }
        manager.addMessage({ speaker: { id: 'lee' }, content: 'Go on.' })
        const kept = manager.getMessages().map(({ parts }) => ({ from: '', content: '', parts: parts ?? [] }))
        const { prompt, report } = manager.assembleForAgent('a', agentType, {}, { report: true })
        const { calls, results } = shownIn(prompt)
        const answered = answeredIn(kept)
        const called = new Set(
          kept.flatMap(({ parts }) => (parts ?? []).flatMap((part) => (part.type === 'tool-call' ? [part.id] : []))),
        )
        expect(results.filter((id) => called.has(id ?? ''))).toEqual(calls.filter((id) => answered.has(id ?? '')))
        const { givenBytes, sentBytes, leftOutBytes } = report.account
        expect(givenBytes).toBe(sentBytes + leftOutBytes)
      },
    ),
    RUNS,
  )
})
