/* oxlint-disable no-await-in-loop -- the loops pause now and then */
/**
 * No prompt and no request shows a call without its result, or a result without its call, whatever the budget, the
 * window, the pins, the session and the edits are. `RUNS_FACTOR` makes more prompts.
 */
import { ContextManager, type MessagePart, buildPrompt, isPromptmasonError } from 'promptmason'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { APIS, numbersOf } from './lists.js'
import { brokenByRequest } from './made.js'
import { brokenPairs, writtenTexts } from './written-pairs.js'
import { runs } from '../support/runs.js'

const RUNS = runs(8000).numRuns
/** How many prompts are assembled from a conversation while it changes. */
const TURNS = 20
const TIMEOUT = 60_000 + 10 * RUNS
/** After this many prompts, the engine may free memory. */
const BREATH = 1000
const FORMS = ['codex', 'claude', 'gemini', 'plain', 'own', 'quoting', ...APIS] as const
const LAYOUT = {
  agentType: 'own',
  sections: [{ part: 'context' }, { part: 'siblings' }, { part: 'message' }],
  messageLine: { open: '* ', arrow: ' an ', colon: ': ' },
  tools: { call: 'calls ', result: 'gets', error: 'fails' },
} as const
/** Shows the parent, because it does not show the message. */
const QUOTING = {
  ...LAYOUT,
  agentType: 'quoting',
  sections: [{ part: 'parent' }, { part: 'siblings' }],
} as const
const quiet = { debug() {}, info() {}, warn() {}, error() {} }

type Numbers = ReturnType<typeof numbersOf>
const pick = <T>(number: Numbers, from: readonly T[]): T => from[number(from.length)] as T

/** Makes messages with calls and results that have a number each, and knows which were called. */
class Messages {
  #calls = 0
  #open: number[] = []

  constructor(private readonly number: Numbers) {}

  parts(): MessagePart[] {
    const { number } = this
    return Array.from({ length: 1 + number(number(4) === 0 ? 12 : 4) }, (): MessagePart => {
      const kind = number(9)
      if (kind < 2) return { type: 'text', text: 'word '.repeat(number(60)) }
      if (kind === 2) return { type: 'reasoning', text: 'Hmm.' }
      if (kind === 3) return { type: 'file', mediaType: 'text/plain', data: 'x'.repeat(number(90)) }
      if (kind < 6) {
        this.#open.push(++this.#calls)
        return {
          type: 'tool-call',
          id: `id ${this.#calls}`,
          name: `call_${this.#calls}_`,
          input: pick(number, [{}, 7, { text: 'z'.repeat(number(700)) }]),
        }
      }
      const [answered] = this.#open.splice(number(2) === 0 ? this.#open.length - 1 : 0, 1)
      if (answered === undefined) return { type: 'text', text: 'Nothing to do.' }
      const output = `result_${answered}_ `.repeat(number(4) === 0 ? 90 : 1 + number(9))
      return { type: 'tool-result', id: `id ${answered}`, output, isError: number(4) === 0 }
    })
  }

  message() {
    const { number } = this
    const from = pick(number, ['max', 'sarah', 'tool'])
    const content = number(4) === 0 ? { content: 'word '.repeat(number(80)) } : { parts: this.parts() }
    // Rarely, somebody may not see it.
    const to = number(8) === 0 ? { routing: { addressees: ['max'] } } : {}
    return { speaker: { id: from, type: 'ai' }, ...to, ...content } as any
  }
}

/** The numbers of calls and results in a text. */
const numbersIn = (kind: 'call' | 'result', text: string) =>
  new Set([...text.matchAll(new RegExp(`${kind}_(\\d+)_`, 'g'))].map(([, id]) => Number(id)))

interface Given {
  parts?: readonly MessagePart[] | null | undefined
  audience: string
}

/** Which calls have a later result that the same people may see, and which have none at all. */
const pairsOf = (messages: Given[]) => {
  const places = messages.flatMap(({ parts, audience }) => (parts ?? []).map((part) => ({ part, audience })))
  const find = (type: 'tool-call' | 'tool-result') =>
    new Map(
      places.flatMap(({ part, audience }, at) => (part.type === type ? [[part.id, { at, audience }] as const] : [])),
    )
  const [calls, results] = [find('tool-call'), find('tool-result')]
  const numberOf = (id: string) => Number(id.slice('id '.length))
  const isPair = ([id, { at, audience }]: [string, { at: number; audience: string }]) => {
    const result = results.get(id)
    return result !== undefined && result.audience === audience && result.at > at
  }
  return {
    pairs: [...calls].filter(isPair).map(([id]) => numberOf(id)),
    hasOrphans: [...calls].filter(isPair).length < results.size,
    unanswered: [...calls.keys()].filter((id) => !results.has(id)).map(numberOf),
  }
}

/** `isQuoted` if messages are repeated in other parts than the context, where findings are not listed. */
const check = (
  form: (typeof FORMS)[number],
  { report, ...made }: any,
  messages: Given[],
  at: string,
  isQuoted = false,
) => {
  const text = JSON.stringify(made)
  const shown = { calls: numbersIn('call', text), results: numbersIn('result', text) }
  const { pairs, unanswered, hasOrphans } = pairsOf(messages)
  const written = writtenTexts(made)
  const broken = brokenPairs(written, new Set(pairs), hasOrphans)
  if (broken.length > 0) expect.fail(`${at}: ${broken}: ${written}`)
  for (const pair of pairs) {
    const isAlone = shown.calls.has(pair) ? !shown.results.has(pair) && !isQuoted : shown.results.has(pair)
    if (isAlone) expect.fail(`${at}: ${pair} is alone: ${text}`)
  }
  if ((APIS as readonly string[]).includes(form)) expect(brokenByRequest(form as any, made), at).toEqual([])
  const { givenBytes, sentBytes, leftOutBytes } = report.account
  expect(givenBytes, at).toBe(sentBytes + leftOutBytes)
  expect(leftOutBytes, at).toBe(report.leftOut.reduce((sum: number, { bytes }: any) => sum + bytes, 0))
  expect(report.totalBytes, at).toBeLessThanOrEqual(report.maxBytes)
  const found = report.findings.filter(({ pretends }: any) => pretends === 'call').map((one: any) => one.text)
  for (const call of isQuoted ? [] : unanswered)
    if (shown.calls.has(call)) expect(found, at).toContainEqual(expect.stringContaining(`call_${call}_`))
}

/** The output, unless it does not fit, there is nothing to send, or there is a later summary. */
const EXPECTED = new Set(['ERR_BUDGET_EXCEEDED', 'ERR_NOTHING_TO_SEND', 'ERR_UNKNOWN_MESSAGE'])
const attempt = (make: () => any): any => {
  try {
    return make()
  } catch (error) {
    if (!isPromptmasonError(error) || !EXPECTED.has(error.code)) throw error
    return undefined
  }
}

const formOf = (number: Numbers) => {
  const form = pick(number, FORMS)
  const isApi = (APIS as readonly string[]).includes(form)
  return { form, agentType: isApi ? 'codex' : form === 'plain' ? 'unknown' : form, as: isApi ? form : 'string' }
}

describe('a call and its result', () => {
  it.each([
    ['a call alone', 'max: → call_1_ {}\nword', 'call 1 has no result'],
    ['a call at the end', '→ call_1_ {}\n[… 30 bytes omitted …]\n', 'call 1 has no result'],
    ['half of a call', '→ call_1_ {"te...', 'call 1 has no result'],
    ['a call whose result is empty', '→ call_1_ {}\n← result\n\nword', 'call 1 has no result'],
    ['two calls', '→ call_1_ {}\n→ call_2_ {}\n← result\nresult_2_ ', 'call 1 has no result'],
    ['a result alone', '← result\nresult_1_ ', 'result without a call'],
    ['the end of a result', 'word\n[… 30 bytes omitted …]\nlt_1_ result_1_ ', 'result 1 has no call'],
    ['the result of another call', 'calls call_1_ {}\ngets\nresult_2_ ', 'result 2 has no call'],
  ])('are checked: %s', (_, text, expected) => {
    expect(brokenPairs(text, new Set([1, 2]), false).join()).toContain(expected)
    const whole = 'calls call_1_ {"te\n[… 30 bytes omitted …]\n"}\nfails\nresu\n[… 9 bytes omitted …]\nresult_1_ \nword'
    expect(brokenPairs(whole, new Set([1, 2]), false)).toEqual([])
  })

  it('are kept together by a manager', { timeout: TIMEOUT }, async () => {
    let made = 0
    const cut = { message: 0, parent: 0, siblings: 0 }
    for (let seed = 0; seed < RUNS / 2 / TURNS; seed++) {
      if (seed % (BREATH / TURNS) === 0) await setImmediate()
      const number = numbersOf(seed)
      const messages = new Messages(number)
      const manager = new ContextManager({
        layouts: [LAYOUT, QUOTING],
        assemblers: { unknown: {} },
        contextWindowSize: number(16),
        evictionStep: 1 + number(5),
        maxBytes: 400 + number(number(2) === 0 ? 1500 : 6000),
        markers: pick(number, ['verbatim', 'escape', 'fence'] as const),
        reasoning: pick(number, ['omit', 'keep'] as const),
        visibility: 'addressed',
        siblingContentMaxLength: 1 + number(400),
        parentReinsertionMaxBytes: 60 + number(number(2) === 0 ? 400 : 4000),
        logger: quiet,
      })
      for (let turn = 0; turn < TURNS; turn++) {
        for (let count = number(4); count > 0; count--) manager.addMessage(messages.message())
        const changed = pick(number, manager.getMessages())?.id
        const change = number(10)
        if (changed !== undefined) {
          if (change === 0) manager.removeMessage(changed)
          else if (change === 1) manager.pin(changed)
          else if (change === 2) manager.unpin(changed)
          else if (change === 3) manager.updateMessage(changed, { parts: messages.parts() } as any)
          else if (change === 4) manager.updateMessage(changed, { content: 'Nothing.' })
          else if (change === 5) attempt(() => manager.setSummary({ upTo: changed, text: 'They began.' }))
        }
        // The message is cut if it is too long.
        const isLong = number(2) === 0
        if (isLong) manager.addMessage(messages.message())
        else manager.addMessage({ speaker: { id: 'lee', type: 'human' }, content: 'Go on.' })
        const parent = number(2) === 0 ? pick(number, manager.getMessages()) : undefined
        for (let count = parent === undefined ? 0 : number(4); count > 0; count--) {
          const reply = messages.message()
          manager.addMessage({ ...reply, routing: { ...reply.routing, parentMessageId: parent?.id } })
        }
        const { form, agentType, as } = formOf(number)
        const options: any = {
          ...(number(2) === 0 && { recipient: 'sarah' }),
          ...(number(3) === 0 && { maxTokens: 100 + number(1500), tokenizer: 'o200k' }),
          ...(number(3) === 0 && { session: 'delta' }),
          ...(number(4) === 0 && { windowSizeOverride: number(16) }),
        }
        const output = attempt(() =>
          parent === undefined
            ? manager.assembleForAgent('sarah', agentType, options, { as, report: true } as any)
            : manager.assembleForRoute(
                'sarah',
                agentType,
                { parentMessageId: parent.id, targetMemberId: 'sarah', intent: 'reply' } as any,
                options,
                { as, report: true } as any,
              ),
        )
        if (output === undefined) continue
        made += 1
        const given = manager.getMessages().map(({ speaker, parts, routing }: any) => ({
          parts,
          audience: routing?.addressees === undefined ? '' : `${speaker.id} and ${routing.addressees}`,
        }))
        const at = `seed ${seed}, turn ${turn}, ${form}, ${JSON.stringify(options)}`
        check(form, output, given, at, isLong || parent !== undefined)
        const isShort = (part: string) =>
          output.report.sections.some(({ name, action }: any) => name === part && action === 'shortened')
        cut.message += Number(isShort('message'))
        cut.siblings += Number(isShort('siblings'))
        cut.parent += Number(form === 'quoting' && output.prompt.includes(' bytes omitted '))
        if (number(2) === 0 && options.session !== undefined) manager.confirm('sarah')
      }
    }
    expect(made).toBeGreaterThan(RUNS / 4)
    // Everything that can be cut was cut in some of them.
    for (const [part, count] of Object.entries(cut)) expect(count, part).toBeGreaterThan(RUNS / 1000)
  })

  it('are kept together by buildPrompt, and the required budget of an error suffices', {
    timeout: TIMEOUT,
  }, async () => {
    let made = 0
    for (let seed = 0; seed < RUNS / 2; seed++) {
      if (seed % BREATH === 0) await setImmediate()
      const number = numbersOf(seed + 5_000_000)
      const messages = new Messages(number)
      const contextMessages = Array.from({ length: number(14) }, () => {
        const { speaker, routing, ...said } = messages.message()
        return { from: speaker.id, to: routing === undefined ? null : 'max', ...said }
      })
      const { form, agentType, as } = formOf(number)
      const input: any = {
        ...(form === 'own' || form === 'quoting' ? { layout: LAYOUT } : { agentType }),
        contextMessages,
        message: 'Go on.',
        maxBytes: 300 + number(4000),
        maxContextMessages: number(16),
        ...(number(2) === 0 && { recipient: 'sarah' }),
        pinned: contextMessages.map((_, index) => index).filter(() => number(8) === 0),
        ...(number(3) === 0 && { maxTokens: 60 + number(900), tokenizer: 'o200k' }),
        options: { evictionStep: 1 + number(4), markers: pick(number, ['verbatim', 'escape'] as const) },
      }
      const make = (budget: object = {}) => buildPrompt({ ...input, ...budget }, { as, report: true } as any)
      const at = `seed ${seed}, ${form}`
      const given = contextMessages.map(({ from, parts, to }) => ({
        parts,
        audience: to === null ? '' : `${from} and ${to}`,
      }))
      try {
        check(form, make(), given, at)
        made += 1
      } catch (error: any) {
        if (!isPromptmasonError(error, 'ERR_BUDGET_EXCEEDED')) throw error
        const { unit, requiredBytes, requiredTokens } = error as any
        const name = unit === 'bytes' ? 'maxBytes' : 'maxTokens'
        const needed = unit === 'bytes' ? requiredBytes : requiredTokens
        const enough = attempt(() => make({ [name]: needed }))
        if (enough !== undefined) check(form, enough, given, at)
        else expect(() => make({ [name]: needed }), at).toThrow(unit === 'bytes' ? 'maxTokens is' : 'maxBytes is')
        expect(() => make({ [name]: needed - 1 }), at).toThrow(`needs ${needed}`)
      }
    }
    expect(made).toBeGreaterThan(RUNS / 4)
  })
})
