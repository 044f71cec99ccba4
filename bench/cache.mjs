/**
 * What providers' caches save over 340 turns of one member in a conversation of three, using the simulator of the tests.
 *
 *     node --import tsx bench/cache.mjs [--turns=340]
 */
import { simulate } from '../__test__/arrays/simulated.ts'

const given = process.argv.find((argument) => argument.startsWith('--turns='))
const TURNS = Number(given?.slice('--turns='.length) ?? 340)
/** The window and the step; the second row has the defaults of `openConversation`. */
const SETTINGS = [
  [50, 1],
  [50, 16],
  [50, 40],
  [120, 60],
  [240, 1],
  [240, 20],
  [240, 40],
  [240, 80],
  [240, 120],
]

const million = (tokens) => (tokens / 1e6).toFixed(2)
const ofAll = (tokens, all) => `${million(tokens)} (${Math.round((100 * tokens) / all)} %)`

console.log("| window | `evictionStep` | prefix | no marks | a mark on the last message | `cache: 'auto'` | OpenAI |")
console.log('| --- | --- | --- | --- | --- | --- | --- |')
for (const [window, step] of SETTINGS) {
  const { input, prefixShare, billed } = simulate(TURNS, step, window)
  const shares = [billed['a mark on the last message'], billed['cache: auto'], billed.OpenAI].map((sum) =>
    ofAll(sum, input),
  )
  const row = [window, step, `${(100 * prefixShare).toFixed(1)} %`, million(input), ...shares]
  console.log(`| ${row.join(' | ')} |`)
}
