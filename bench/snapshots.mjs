/**
 * The time to export the snapshot of a long conversation, and to import it after a round trip through
 * JSON.
 *
 *     node bench/snapshots.mjs [messages]
 *
 * Importing takes at most twice as long as exporting.
 */
import { ContextManager } from '../index.js'

const count = Number(process.argv[2] ?? 1_000_000)

const manager = new ContextManager()
for (let index = 0; index < count; index++) {
  const id = `member-${index % 5}`
  manager.addMessage({
    timestamp: new Date(),
    speaker: { id, name: id, type: 'ai' },
    content: `Message ${index}: what somebody says to somebody.`,
    routing: index % 2 === 0 ? undefined : { resolvedAddressees: [`member-${index % 3}`] },
  })
}

const timed = (run) => {
  const start = performance.now()
  const result = run()
  return { result, seconds: (performance.now() - start) / 1000 }
}

const exported = timed(() => manager.exportSnapshot())
const stored = exported.result.messages.map((message) => JSON.stringify(message))
const messages = stored.map((message) => JSON.parse(message))
const restored = new ContextManager()
const imported = timed(() => restored.importSnapshot({ ...exported.result, messages }))
const shown = (one) => one.assembleForAgent('a', 'codex', { recipient: 'member-1' }).prompt
if (shown(restored) !== shown(manager)) throw new Error('the restored conversation differs')

console.log('| messages | export | import | import / export |')
console.log('| --- | --- | --- | --- |')
const ratio = imported.seconds / exported.seconds
console.log(`| ${count} | ${exported.seconds.toFixed(2)} s | ${imported.seconds.toFixed(2)} s | ${ratio.toFixed(2)} |`)
if (ratio > 2) process.exitCode = 1
