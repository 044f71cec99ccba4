import { describe, expect, it } from 'vitest'
import { simulate } from './simulated.js'
import { AnthropicCache, OpenAiCache } from './simulator.js'

const block = (json: string, isMarked = false) => ({ json, tokens: 1000, isMarked })

describe('the simulator', () => {
  it('caches what is marked, and finds it 20 blocks back', () => {
    const cache = new AnthropicCache(1024)
    const said = (count: number) => Array.from({ length: count }, (_, at) => block(`m${at}`, at === count - 1))
    expect(cache.send(said(1))).toEqual({ input: 1000, cached: 0, written: 0 })
    expect(cache.send(said(2))).toEqual({ input: 2000, cached: 0, written: 2000 })
    expect(cache.send(said(21))).toEqual({ input: 21000, cached: 2000, written: 19000 })
    expect(cache.send(said(42))).toEqual({ input: 42000, cached: 0, written: 42000 })
    expect(() => cache.send(Array.from({ length: 5 }, () => block('x', true)))).toThrow('four')
  })

  it('caches what OpenAI was sent before', () => {
    const cache = new OpenAiCache()
    cache.send([block('a'), block('b')])
    expect(cache.send([block('a'), block('b'), block('c')])).toEqual({ input: 3000, cached: 1920, written: 0 })
    expect(cache.send([block('a'), block('x')])).toEqual({ input: 2000, cached: 0, written: 0 })
  })
})

it('over 340 turns, repeats at least 90 % of the previous turn, and saves more than a mark on the last message alone', () => {
  const { prefixShare, billed } = simulate(340, 80)
  expect(prefixShare).toBeGreaterThanOrEqual(0.9)
  expect(billed['cache: auto']).toBeLessThan(0.9 * billed['a mark on the last message'])
  expect(billed['cache: auto']).toBeLessThan(0.3 * billed['no marks'])
})

it.each([
  ['every turn drops messages', 1, 30],
  ['a step is as short as a turn', 2, 30],
  ['a step is a little longer than a turn', 4, 30],
  ['the window is that of a manager by default', 1, 5],
])('marks never cost more than they save: %s', (_, evictionStep, window) => {
  const { billed } = simulate(100, evictionStep, window)
  expect(billed['cache: auto']).toBeLessThan(billed['no marks'])
  expect(billed['cache: auto']).toBeLessThan(billed['a mark on the last message'])
})

it('with the defaults of openConversation, marks save more than half', () => {
  const { billed } = simulate(200, 16, 50)
  expect(billed['cache: auto']).toBeLessThan(0.5 * billed['no marks'])
})
