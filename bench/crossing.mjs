/**
 * The overhead of a native call: a fixed part, and a part per message, measured with no messages
 * and with many nearly empty ones. This overhead is why JavaScript is hard to beat on small prompts
 * and on many short messages.
 */
import { JAVASCRIPT, OWN } from './candidates/index.mjs'
import { figure } from './figures.mjs'

const MESSAGES = 400
const ROUNDS = 15
const fixed = { systemInstruction: 'You are Max.', teamTask: 'Build', currentMessage: 'Go on.', maxBytes: 768 * 1024 }

function conversationOf(candidate, count) {
  const conversation = candidate.start(fixed)
  const messageOf = candidate.messageOf ?? ((message) => message)
  for (let index = 0; index < count; index++)
    conversation.add(messageOf({ from: `m${index % 5}`, to: 'all', content: 'x' }))
  return conversation
}

/** Microseconds per call: the median of the rounds. */
function callTime(run) {
  const calls = 2000
  const times = Array.from({ length: ROUNDS }, () => {
    const start = performance.now()
    for (let call = 0; call < calls; call++) run()
    return ((performance.now() - start) / calls) * 1000
  })
  return times.toSorted((a, b) => a - b)[ROUNDS >> 1]
}

const buffer = Buffer.alloc(fixed.maxBytes)
for (const candidate of [...OWN, ...JAVASCRIPT]) {
  const [few, many] = [1, MESSAGES + 1].map((count) => conversationOf(candidate, count))
  for (const form of ['string', 'bytes', 'into']) {
    if (!few[form] || candidate.name.startsWith('quadratic')) continue
    const base = callTime(() => few[form](buffer))
    const each = ((callTime(() => many[form](buffer)) - base) / MESSAGES) * 1000
    console.log(`${candidate.name}, ${form}: ${figure(base, 1)} µs a call, and ${figure(each, 0)} ns for each message`)
  }
}

/** The cost of reading `DEBUG`: the same call, with a plain object instead of `process.env`. */
const conversation = conversationOf(
  OWN.find(({ name }) => name === 'ContextManager'),
  6,
)
const { env } = process
const withEnvironment = callTime(() => conversation.into(buffer))
process.env = { ...env }
const withPlainObject = callTime(() => conversation.into(buffer))
process.env = env
console.log(
  `process.env.DEBUG: ${figure(withEnvironment - withPlainObject, 2)} µs of the ${figure(withEnvironment, 2)} µs of a ContextManager call, into`,
)
