/** Turns of pi against a stand-in for its provider, in `__test__/delivery/turns/`. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DeliveryEvent, parseOutput } from 'promptmason'
import { expect, it } from 'vitest'
import { OutputReader } from '../../dist/delivery/read-output.js'

const recorded = (situation: string): Buffer =>
  readFileSync(join(import.meta.dirname, 'turns', `pi-${situation}.jsonl`))

it('reports a turn with tools', () => {
  const events: DeliveryEvent[] = []
  const reader = new OutputReader('pi', { onEvent: (event: DeliveryEvent) => events.push(event) })
  reader.push(recorded('turn'))
  expect(reader.finish('', 0)).toMatchObject({
    text: 'FINAL ANSWER',
    finishReason: 'stop',
    model: 'm',
    delivered: 'yes',
    usage: { inputTokens: 303, cachedInputTokens: 21, outputTokens: 69 },
  })
  const texts = (type: DeliveryEvent['type']): string =>
    events.map((event) => (event.type === type && 'text' in event ? event.text : '')).join('')
  expect(texts('text')).toBe('Let me look.And another one.FINAL ANSWER')
  expect(texts('reasoning')).toBe('I think first.Now I know.')
  const tools = events.flatMap((event) => (event.type === 'tool-call' ? [event.input] : []))
  expect(tools).toEqual([{ command: 'echo one; cat a.txt' }, { command: 'cat missing.txt' }])
  const failed = events.flatMap((event) => (event.type === 'tool-result' ? [event.isError === true] : []))
  expect(failed).toEqual([false, true])
})

it('does not take other text for an answer that was cut off', () => {
  const { text, error } = parseOutput('pi', { stdout: recorded('cut'), exitCode: 0 })
  expect([text, error?.message]).toEqual([undefined, 'Stream ended without finish_reason'])
})

it('marks an answer that was cut off by the limit of tokens', () => {
  const result = parseOutput('pi', { stdout: recorded('length'), exitCode: 0 })
  expect(result).toMatchObject({ text: 'PARTIAL TEXT', finishReason: 'length' })
})
