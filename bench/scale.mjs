/**
 * How many live conversations fit in a gigabyte, and how many prompts one core assembles in a
 * second. A conversation has 200 messages of 500 bytes.
 *
 *     node bench/scale.mjs
 *
 * Memory is the growth of the process's resident size as conversations are added, after garbage
 * collection. Time is that of one thread that makes prompts for one conversation after another, so
 * that none of them stays in the processor's caches until its next prompt.
 */
import { setTimeout } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { ContextManager } from '../index.js'

const MESSAGES = 200
const MESSAGE_BYTES = 500
const CONVERSATIONS = 1000
const SECONDS = 2
const DEFAULT_WINDOW = 5
const GIGABYTE = 1e9

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')

/** Every text is different and not a slice of another string, like text from a pipe. */
const textOf = (conversation, message) => {
  const start = `Message ${message} of conversation ${conversation}: `
  return Buffer.from(start.padEnd(MESSAGE_BYTES, 'what somebody says to somebody. ')).toString('latin1')
}

const conversationOf = (number) => {
  const manager = new ContextManager()
  manager.setTeamTask('Design the login')
  for (let message = 0; message < MESSAGES; message++) {
    const id = message % 2 === 0 ? 'max' : 'sarah'
    manager.addMessage({
      timestamp: new Date(),
      speaker: { id, name: id, type: 'ai' },
      content: textOf(number, message),
    })
  }
  return manager
}

/** The resident size, once no more memory is released. */
async function residentBytes() {
  for (let round = 0; round < 3; round++) collect()
  await setTimeout(100)
  return process.memoryUsage.rss()
}

const rounded = (value) => Number(value.toPrecision(2)).toLocaleString('en')

const managers = [conversationOf(0)]
const before = await residentBytes()
while (managers.length <= CONVERSATIONS) managers.push(conversationOf(managers.length))
const each = ((await residentBytes()) - before) / CONVERSATIONS
console.log(`${MESSAGES} messages of ${MESSAGE_BYTES} bytes: ${rounded(each / 1000)} KB per conversation`)
console.log(`${rounded(GIGABYTE / each)} live conversations in a gigabyte`)

for (const windowSizeOverride of [DEFAULT_WINDOW, MESSAGES]) {
  const options = { windowSizeOverride, systemInstruction: 'You are Sarah, a backend engineer.' }
  const prompt = (index) =>
    managers[index % managers.length].assembleForAgent('sarah', 'claude-code', options, { as: 'buffer' }).prompt
  const bytes = prompt(0).length
  let count = 0
  const start = performance.now()
  while (performance.now() - start < SECONDS * 1000) {
    for (let batch = 0; batch < 100; batch++) prompt(count++)
  }
  const perSecond = count / ((performance.now() - start) / 1000)
  console.log(
    `${rounded(perSecond)} assemblies per second and core, window of ${windowSizeOverride} messages, ${rounded(bytes / 1000)} KB each`,
  )
}
