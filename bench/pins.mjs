/**
 * The cost of a turn with 100 pinned messages among 50,000, against the same turn without pins. The
 * cost depends on what is kept, so both keep about the same number of messages. With pins, a turn may
 * take at most 1.5 times as long.
 *
 *     node bench/pins.mjs
 *
 * The two alternate in short rounds; the ratio is the median of the ratios within each round. With
 * `ContextManager`, times include one message that is added before every turn.
 */
import { ContextManager, CodexContextAssembler, GeminiContextAssembler, buildPrompt } from '../index.js'

const MESSAGES = 50_000
const PINS = 100
const WINDOW = 200
const ROUNDS = 41
const SAMPLE_MS = 8
const MOST = 1.5
const TO = ['all', 'max', 'sarah']
const KIB = 1024

const textOf = (number) => `Message ${number}: what somebody says to somebody. `.repeat(4)
const buffer = Buffer.alloc(1 << 20)
const pinned = Array.from({ length: PINS }, (_, nth) => Math.floor((nth * MESSAGES) / PINS))

const add = (manager, number, isPinned) =>
  manager.addMessage({
    speaker: { id: 'kailai', name: 'Kailai', type: 'human' },
    content: textOf(number),
    routing: { resolvedAddressees: [TO[number % TO.length]] },
    ...(isPinned && { pinned: true }),
  })

/** A separate conversation for each side, because turns add to it. */
const conversationOf = (pins) => {
  const manager = new ContextManager({ maxBytes: 256 * KIB, evictionStep: 16 })
  const isPinned = new Set(pins)
  for (let number = 0; number < MESSAGES; number++) add(manager, number, isPinned.has(number))
  return manager
}

const contextMessages = Array.from({ length: MESSAGES }, (_, number) => ({
  from: 'kailai',
  to: TO[number % TO.length],
  content: textOf(number),
}))

const inManager = (agentType, options) => {
  const side = (pins, own) => {
    const manager = conversationOf(pins)
    let number = 0
    return () => {
      add(manager, number++, false)
      manager.assembleForAgent('sarah', agentType, { ...options, ...own }, { into: buffer })
    }
  }
  // Messages pinned outside the window are shown as well.
  return [
    side([], options.windowSizeOverride < MESSAGES ? { windowSizeOverride: options.windowSizeOverride + PINS } : {}),
    side(pinned, {}),
  ]
}

const stateless = (assembler) =>
  [[], pinned].map((pins) => {
    const input = { contextMessages, currentMessage: 'Go on.', teamTask: null, maxBytes: 256 * KIB, pinned: pins }
    return () => assembler.assemble(input, { into: buffer })
  })

const built = (recipient) =>
  [[], pinned].map((pins) => {
    const maxContextMessages = WINDOW + PINS - pins.length
    const input = {
      agentType: 'codex',
      contextMessages,
      message: 'Go on.',
      maxContextMessages,
      recipient,
      pinned: pins,
    }
    return () => buildPrompt(input, { into: buffer })
  })

const CASES = {
  [`manager, window of ${WINDOW}`]: () => inManager('codex', { windowSizeOverride: WINDOW }),
  [`manager, window of ${WINDOW}, Gemini`]: () => inManager('gemini', { windowSizeOverride: WINDOW }),
  [`manager, window of ${WINDOW}, recipient`]: () =>
    inManager('codex', { windowSizeOverride: WINDOW, recipient: 'sarah' }),
  'manager, window of everything, 256 KiB': () => inManager('codex', { windowSizeOverride: 2 * MESSAGES }),
  'manager, window of everything, 256 KiB, Gemini': () => inManager('gemini', { windowSizeOverride: 2 * MESSAGES }),
  'assembler, 256 KiB': () => stateless(new CodexContextAssembler()),
  'assembler, 256 KiB, Gemini': () => stateless(new GeminiContextAssembler()),
  [`buildPrompt, ${WINDOW} messages`]: () => built(undefined),
  [`buildPrompt, ${WINDOW} messages, recipient`]: () => built('sarah'),
}

/** Microseconds per turn. */
const measure = (turn, count) => {
  const start = performance.now()
  for (let call = 0; call < count; call++) turn()
  return ((performance.now() - start) * 1000) / count
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1]

for (const [name, sidesOf] of Object.entries(CASES)) {
  const sides = sidesOf()
  for (const turn of sides) measure(turn, 100)
  const count = Math.max(1, Math.round((SAMPLE_MS * 1000) / measure(sides[0], 100)))
  const rounds = Array.from({ length: ROUNDS }, (_, round) => {
    const order = round % 2 === 0 ? sides : sides.toReversed()
    const times = order.map((turn) => measure(turn, count))
    return round % 2 === 0 ? times : times.toReversed()
  })
  const [without, withPins] = [0, 1].map((side) => median(rounds.map((times) => times[side])))
  const ratio = median(rounds.map(([plain, pins]) => pins / plain))
  const isMet = ratio <= MOST
  console.log(
    `${name}: ${without.toFixed(1)} µs without pins, ${withPins.toFixed(1)} µs with ${PINS}: ${ratio.toFixed(2)} ×, at most ${MOST}: ${isMet ? 'met' : 'missed'}`,
  )
  if (!isMet) process.exitCode = 1
}
