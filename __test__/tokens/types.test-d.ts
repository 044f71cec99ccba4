/** Checked by `npm run typecheck`, never run. */
import {
  type LearnedEstimate,
  type TokenEstimate,
  type TokenScript,
  type TokenUsage,
  type Tokenizer,
  calibrate,
  countTokens,
} from 'promptmason'

export const tokenizers: readonly Tokenizer[] = [
  'o200k',
  'cl100k',
  { bytesPerToken: 4 },
  { bytesPerToken: 4, byScript: { cjk: 2, other: null }, spread: null, turns: undefined },
  (text) => text.length,
]
export const counts: number[] = tokenizers.map(
  (tokenizer) => countTokens('text', tokenizer) + countTokens(Buffer.from('text'), tokenizer),
)
export const bytes: number = countTokens(new Uint8Array(3), 'o200k')

export const usages: readonly TokenUsage[] = [
  { bytes: 1, tokens: 1 },
  { tokens: 1, text: 'a' },
  { tokens: 1, text: Buffer.from('a'), bytes: null },
  { bytes: 1, tokens: 1, text: undefined },
]

// A calibrated estimate can be used, calibrated again, and read from JSON.
export const learned: LearnedEstimate = usages.reduce<TokenEstimate>(calibrate, { bytesPerToken: 4 }) as LearnedEstimate
export const again: LearnedEstimate = calibrate(JSON.parse(JSON.stringify(learned)) as LearnedEstimate, {
  bytes: 1,
  tokens: 1,
})
export const count: number = countTokens('text', again)
export const rate = (script: TokenScript): number | undefined => again.byScript?.[script]

// @ts-expect-error -- a vocabulary that there is not
countTokens('text', 'gpt2')
// @ts-expect-error -- other arrays are no text
countTokens(new Float64Array(3), 'o200k')
// @ts-expect-error -- a function has to return a number
countTokens('text', async () => 1)
// @ts-expect-error -- only estimates learn
calibrate('o200k', { bytes: 1, tokens: 1 })
// @ts-expect-error -- tokens are needed
calibrate({ bytesPerToken: 4 }, { bytes: 1 })
