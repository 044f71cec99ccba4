/** Messages that the summary of a stateless call covers. */
import fc from 'fast-check'
import { CodexContextAssembler } from 'promptmason'
import { expect, it } from 'vitest'

const messages = (count: number) => Array.from({ length: count }, (_, at) => ({ from: 'max', content: `said ${at}` }))
const assemble = (count: number, more: object, options = {}) =>
  new CodexContextAssembler(options).assemble(
    { contextMessages: messages(count), currentMessage: 'Go on.', teamTask: null, maxBytes: 100_000, ...more },
    { report: true },
  )

it('leaves out what a summary covers, and says so', () => {
  const { prompt, report } = assemble(4, { summary: 'All of it.', summaryCovers: 2 })
  expect(prompt).toBe(
    '[SUMMARY]\nAll of it.\n\n[CONTEXT]\n- max -> all: said 2\n- max -> all: said 3\n\n[MESSAGE]\nGo on.',
  )
  expect(report.leftOut.map(({ reason, index }) => [reason, index])).toEqual([
    ['summary', 1],
    ['summary', 0],
  ])
  expect(report.decisions).toEqual(['[CONTEXT] 2 messages are covered by the summary'])
  expect(() => assemble(4, { summaryCovers: 5 })).toThrow(RangeError)
})

it('accounts for everything, with any pins and budgets', () => {
  const input = fc.record({
    count: fc.nat(30),
    covers: fc.nat(30),
    pins: fc.array(fc.nat(29), { maxLength: 3 }),
    maxBytes: fc.integer({ min: 300, max: 900 }),
    evictionStep: fc.integer({ min: 1, max: 5 }),
  })
  fc.assert(
    fc.property(input, ({ count, covers, pins, maxBytes, evictionStep }) => {
      const summaryCovers = Math.min(covers, count)
      const pinned = pins.filter((pin) => pin < count)
      const { prompt, report } = assemble(count, { summary: 's', summaryCovers, pinned, maxBytes }, { evictionStep })
      const { givenBytes, sentBytes, leftOutBytes } = report.account
      const given = messages(count).reduce((sum, { content }) => sum + content.length, 's'.length + 'Go on.'.length)
      expect(givenBytes).toBe(given)
      expect(sentBytes + leftOutBytes).toBe(given)
      expect(Buffer.byteLength(prompt)).toBeLessThanOrEqual(maxBytes)
      const shown = Array.from(prompt.matchAll(/said (\d+)/g), ([, at]) => Number(at))
      expect(shown.filter((at) => at < summaryCovers && !pinned.includes(at))).toEqual([])
      for (const pin of pinned) expect(shown).toContain(pin)
    }),
  )
})
