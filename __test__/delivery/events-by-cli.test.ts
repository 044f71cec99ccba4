/** The table of events by CLI in `docs/delivery.md` is what was seen in the recorded turns. */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { DeliveryEvent } from 'promptmason'
import { expect, it } from 'vitest'
import { OutputReader } from '../../dist/delivery/read-output.js'

const FOLDER = join(import.meta.dirname, 'turns')
const GUIDE = join(import.meta.dirname, '..', '..', 'docs', 'delivery.md')

const TYPES = ['session', 'text', 'reasoning', 'tool-call', 'tool-result', 'permission', 'retry', 'usage', 'notice']

/** CLIs that write text in chunks: two events for the two chunks of an answer. */
const seenOf = (cli: string): Map<string, string> => {
  const seen = new Map<string, string>()
  for (const file of readdirSync(FOLDER).filter((name) => name.startsWith(`${cli}-`))) {
    const events: DeliveryEvent[] = []
    const reader = new OutputReader(cli, { onEvent: (event: DeliveryEvent) => events.push(event) })
    reader.push(readFileSync(join(FOLDER, file)))
    reader.finish('', 0)
    for (const { type } of events) if (!seen.has(type)) seen.set(type, 'yes')
    if (events.some((event) => event.type === 'text' && ['FINAL ', 'ANSWER', 'PARTIAL '].includes(event.text)))
      seen.set('text', 'in pieces')
  }
  if (seen.get('text') === 'yes') seen.set('text', 'whole')
  return seen
}

const CLIS = ['claude', 'codex', 'gemini', 'opencode', 'qwen', 'copilot', 'pi', 'grok', 'kimi', 'kilo']

const table = (): string => {
  const seen = CLIS.map(seenOf)
  const rows = TYPES.map((type) => `| \`${type}\` | ${seen.map((each) => each.get(type) ?? '–').join(' | ')} |`)
  return [`| | ${CLIS.join(' | ')} |`, `| ${'--- | '.repeat(CLIS.length + 1).trim()}`, ...rows].join('\n')
}

it('docs/delivery.md lists the recorded events of each CLI', () => {
  expect(readFileSync(GUIDE, 'utf8')).toContain(table())
})
