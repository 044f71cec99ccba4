/** When to try again, as a CLI reports it. */
import { parseOutput } from 'promptmason'
import { expect, it } from 'vitest'

const errorFor = (message: string) =>
  parseOutput('codex', { stdout: `${JSON.stringify({ type: 'turn.failed', error: { message } })}\n` }).error

it.each([
  ['Rate limit reached. Please try again in 1.898s.', 1898],
  ['429 Too Many Requests, retry after 30 seconds', 30_000],
  ['Rate limit reached. Please try again in 250ms.', 250],
  ['usage limit: try again in 5 minutes', 300_000],
  ['Rate limit reached.', undefined],
  ['Rate limit reached. Try again in a while.', undefined],
])('%s', (message, retryAfterMs) => {
  expect(errorFor(message)).toEqual({ code: 'rate-limit', message, ...(retryAfterMs && { retryAfterMs }) })
})

it('is present only for a rate limit', () => {
  expect(errorFor('Something is wrong, try again in 5s')).toEqual({
    code: 'other',
    message: 'Something is wrong, try again in 5s',
  })
})
