import { isPromptmasonError } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { APIS, numbersOf } from './lists.js'
import { brokenByRequest, managerOf, promptOf, sizeOf, talkOf } from './made.js'
import { runs } from '../support/runs.js'

/** `RUNS_FACTOR` runs more of them. */
const RUNS = runs(150).numRuns

const check = (api: (typeof APIS)[number], { report, ...request }: any, at: string) => {
  expect(brokenByRequest(api, request), `${at}: ${JSON.stringify(request)}`).toEqual([])
  const { account } = report
  expect(account.givenBytes, at).toBe(account.sentBytes + account.leftOutBytes)
  const { bytes, tokens } = sizeOf(request)
  expect(bytes, at).toBeLessThanOrEqual(report.totalBytes)
  expect(report.totalBytes, at).toBeLessThanOrEqual(report.maxBytes)
  expect(tokens, at).toBeLessThanOrEqual(report.totalTokens)
  if (report.maxTokens !== undefined) expect(report.totalTokens, at).toBeLessThanOrEqual(report.maxTokens)
}

/** A request, or the error that it does not fit. */
const attempt = (make: () => any): { made?: any; error?: any } => {
  try {
    return { made: make() }
  } catch (error) {
    if (!isPromptmasonError(error, 'ERR_BUDGET_EXCEEDED')) throw error
    return { error }
  }
}

describe.each(APIS)('requests to %s', (api) => {
  it('from any manager obey the rules of the API and the budgets', () => {
    for (let seed = 0; seed < RUNS; seed++) {
      const number = numbersOf(seed)
      const manager = managerOf(number, talkOf(number))
      const options: any = {
        tokenizer: 'o200k',
        ...(number(2) === 0 && { systemInstruction: 'You are Sarah.' }),
        ...(number(2) === 0 && { recipient: 'sarah' }),
        ...(number(2) === 0 && { maxTokens: 60 + number(800) }),
        ...(number(4) === 0 && { session: 'delta' }),
      }
      const messages = manager.getMessages()
      const route = { parentMessageId: messages[number(messages.length)]?.id ?? '', targetMemberId: 'sarah' }
      const isRouted = number(3) === 0 && messages.length > 0
      const { made } = attempt(() =>
        isRouted
          ? manager.assembleForRoute('sarah', 'claude', route, options, { as: api, report: true })
          : manager.assembleForAgent('sarah', 'claude', options, { as: api, report: true }),
      )
      if (made !== undefined) check(api, made, `seed ${seed}`)
    }
  })

  it('from any input of buildPrompt obey them, and the required budget of an error suffices', () => {
    let refused = 0
    for (let seed = 0; seed < RUNS; seed++) {
      const numbers = () => numbersOf(seed + 7_000_000)
      const talk = talkOf(numbers())
      const make = (budgets?: object) => attempt(() => promptOf(numbers(), talk, api, budgets))
      const { made, error } = make()
      if (made !== undefined) check(api, made, `seed ${seed}`)
      else {
        refused += 1
        const { unit, requiredBytes, requiredTokens } = error
        const needed = unit === 'bytes' ? requiredBytes : requiredTokens
        const budgetOf = (size: number) => (unit === 'bytes' ? { maxBytes: size } : { maxTokens: size })
        const sufficient = make(budgetOf(needed))
        // The other budget may be too small as well.
        expect(sufficient.error === undefined || sufficient.error.unit !== unit, `seed ${seed}`).toBe(true)
        if (sufficient.made !== undefined) check(api, sufficient.made, `seed ${seed}`)
        expect(make(budgetOf(needed - 1)).error, `seed ${seed}`).toBeDefined()
      }
    }
    expect(refused).toBeGreaterThan(0)
    expect(refused).toBeLessThan(RUNS / 2)
  })
})
