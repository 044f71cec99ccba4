/**
 * What providers' caches save over 340 turns of one member in a conversation of three, by the simulator of the tests.
 *
 *     node --import tsx bench/cache.mjs [--turns=340]
 */
import { simulate } from '../__test__/arrays/simulated.ts'

const given = process.argv.find((argument) => argument.startsWith('--turns='))
const TURNS = Number(given?.slice('--turns='.length) ?? 340)
const STEPS = [1, 20, 40, 80]

const million = (tokens) => (tokens / 1e6).toFixed(2)
const ofAll = (tokens, all) => `${million(tokens)} (${Math.round((100 * tokens) / all)} %)`

console.log("| `evictionStep` | prefix | no marks | a mark on the last message | `cache: 'auto'` | OpenAI |")
console.log('| --- | --- | --- | --- | --- | --- |')
for (const step of STEPS) {
  const { input, prefixShare, billed } = simulate(TURNS, step)
  const shares = [billed['a mark on the last message'], billed['cache: auto'], billed.OpenAI].map((sum) =>
    ofAll(sum, input),
  )
  console.log(`| ${step} | ${(100 * prefixShare).toFixed(1)} % | ${[million(input), ...shares].join(' | ')} |`)
}
