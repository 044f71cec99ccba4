/**
 * The cost of scanning 768 KB for text on which a CLI would act, compared with one `Buffer.copy` of
 * the same bytes. All of `planDelivery` is measured, including the encoding check and the plan. For
 * ordinary text it may take at most ten times as long as the copy. Two more texts are shown: one full
 * of matches, of which 100 are listed, and CJK text with matches, whose characters have to be counted
 * to give positions. Twice as much hostile text may take at most 2.3 times as long.
 *
 *     node bench/delivery.mjs
 *
 * Both take turns in short rounds; the ratio is the median of the ratios within each round.
 */
import { planDelivery } from '../index.js'
import { texts } from './text.mjs'

const BYTES = 768 * 1024
const ROUNDS = 41
const CALLS = 20
const MOST = 10
const MOST_OF_TWICE = 2.3
const AGENTS = ['claude', 'codex', 'gemini', 'opencode', 'qwen', 'copilot']

/** As many whole characters as fit. */
const cut = (text) => {
  let end = Math.min(BYTES, Buffer.byteLength(text))
  const bytes = Buffer.from(text)
  while ((bytes[end] & 0xc0) === 0x80) end--
  return Buffer.from(bytes.subarray(0, end))
}
const repeated = (piece) => cut(piece.repeat(Math.ceil(BYTES / Buffer.byteLength(piece))))

const CODE = `
@Component({ selector: 'app-root' })
export class AppComponent {
  private readonly total = this.items.map((item) => item.price * 1.2).reduce((sum, each) => sum + each, 0)
  // See docs/pricing.md; "$total" is what the template shows.
}
`
const PROSE =
  'Max has moved the login into a service of its own; the tokens live for fifteen minutes, and nobody has asked for more. '

/** Ordinary text: only words, and with occasional mentions and code. */
const ORDINARY = {
  'random words, ASCII': cut(texts('ascii')(BYTES)),
  'random words, CJK': cut(texts('cjk')(BYTES / 3)),
  prose: repeated(PROSE),
  'prose, a mail address every 64 KB': repeated(`${PROSE.repeat(546)}Write to max@example.org, or use $my-skill. `),
}
const FULL = {
  'CJK, a mail address every 64 KB': repeated(
    `${'我们把登录移到了自己的服务里。'.repeat(1456)}请写信给 max@example.org，或者用 $my-skill。`,
  ),
  'code with decorators': repeated(CODE),
  'mentions alone': repeated('@a '),
}
const HOSTILE = ['@', '@a ', '$a', '$', '/', '\u3000@', '.@', '\\@', '😀@a']

const target = Buffer.alloc(BYTES)
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1]

/** Microseconds per call. */
const time = (call) => {
  const start = performance.now()
  for (let each = 0; each < CALLS; each++) call()
  return ((performance.now() - start) * 1000) / CALLS
}

const compare = (name, prompt, isOrdinary) => {
  for (const agentType of AGENTS) {
    const copy = () => prompt.copy(target)
    const plan = () => planDelivery({ prompt }, { agentType })
    for (const call of [copy, plan]) time(call)
    const rounds = Array.from({ length: ROUNDS }, (_, round) =>
      round % 2 === 0 ? [time(copy), time(plan)] : [time(plan), time(copy)].toReversed(),
    )
    const [copied, planned] = [0, 1].map((index) => median(rounds.map((times) => times[index])))
    const ratio = median(rounds.map(([one, other]) => other / one))
    const isMet = ratio <= MOST
    const verdict = isOrdinary ? `, at most ${MOST}: ${isMet ? 'met' : 'missed'}` : ''
    console.log(
      `${name}, ${agentType}: copy ${copied.toFixed(1)} µs, plan ${planned.toFixed(1)} µs: ${ratio.toFixed(2)} ×${verdict}`,
    )
    if (isOrdinary && !isMet) process.exitCode = 1
  }
}

/** Microseconds of CPU time, which other programs do not affect. */
const processorTime = (call) => {
  const start = process.cpuUsage()
  call()
  const { user, system } = process.cpuUsage(start)
  return user + system
}

/** How much longer twice the text takes, for the slowest agent. Compares the shortest times, because the others include garbage collection. */
const compareSizes = (piece, guard) => {
  const [half, whole] = [BYTES / 4, BYTES / 2].map((bytes) =>
    Buffer.from(`a${piece.repeat(bytes / Buffer.byteLength(piece))}`),
  )
  const times = ['claude', 'codex', 'gemini'].map((agentType) => {
    const rounds = Array.from({ length: ROUNDS }, () =>
      [half, whole].map((prompt) => processorTime(() => planDelivery({ prompt }, { agentType, guard }))),
    )
    return [0, 1].map((index) => Math.min(...rounds.map((round) => round[index])))
  })
  const [once, twice] = times.toSorted((one, other) => other[1] - one[1])[0]
  const ratio = twice / once
  const isMet = ratio <= MOST_OF_TWICE
  console.log(
    `twice as much of ${JSON.stringify(piece)}, ${guard}: ${ratio.toFixed(2)} ×, at most ${MOST_OF_TWICE}: ${isMet ? 'met' : 'missed'}`,
  )
  if (!isMet) process.exitCode = 1
}

for (const [name, prompt] of Object.entries(ORDINARY)) compare(name, prompt, true)
for (const [name, prompt] of Object.entries(FULL)) compare(name, prompt, false)
for (const piece of HOSTILE) for (const guard of ['report', 'escape']) compareSizes(piece, guard)
