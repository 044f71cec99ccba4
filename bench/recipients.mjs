/**
 * The cost of a turn for a recipient who may see every third message, in a conversation of 5,000
 * messages and in one of 50,000. Times include one message that is added before every turn. The cost
 * depends on what is kept: the longer conversation may take at most 1.3 times as long.
 *
 *     node bench/recipients.mjs
 *
 * The two take turns in short rounds; the ratio is the median of the ratios within each round.
 */
import { ContextManager } from '../index.js'

const [FEW, MANY] = [5000, 50_000]
const ROUNDS = 41
const TURNS = 500
const MOST = 1.3
const TO = [['carol', 'dave'], ['max'], ['sarah']]

const add = (manager, number) =>
  manager.addMessage({
    speaker: { id: 'kailai', name: 'Kailai', displayName: 'Kailai Z.', type: 'human' },
    content: `Message ${number}: what somebody says to somebody. `.repeat(4),
    routing: { resolvedAddressees: TO[number % TO.length] },
  })

const conversationOf = (count) => {
  const manager = new ContextManager({ evictionStep: 16 })
  for (let number = 0; number < count; number++) add(manager, number)
  return manager
}

const buffer = Buffer.alloc(1 << 20)

/** Microseconds per message and turn. */
const measure = (manager, options) => {
  const start = performance.now()
  for (let turn = 0; turn < TURNS; turn++) {
    add(manager, turn)
    manager.assembleForAgent('sarah', 'claude-code', options, { into: buffer })
  }
  return ((performance.now() - start) * 1000) / TURNS
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1]

for (const windowSizeOverride of [5, 200]) {
  const options = { windowSizeOverride, recipient: 'sarah' }
  const managers = [conversationOf(FEW), conversationOf(MANY)]
  for (const manager of managers) measure(manager, options)
  const rounds = Array.from({ length: ROUNDS }, (_, round) => {
    const order = round % 2 === 0 ? managers : managers.toReversed()
    const times = order.map((manager) => measure(manager, options))
    return round % 2 === 0 ? times : times.toReversed()
  })
  const [few, many] = [0, 1].map((index) => median(rounds.map((times) => times[index])))
  const ratio = median(rounds.map(([short, long]) => long / short))
  const isMet = ratio <= MOST
  console.log(
    `window of ${windowSizeOverride}: ${few.toFixed(2)} µs with ${FEW} messages, ${many.toFixed(2)} µs with ${MANY}: ${ratio.toFixed(2)} ×, at most ${MOST}: ${isMet ? 'met' : 'missed'}`,
  )
  if (!isMet) process.exitCode = 1
}
