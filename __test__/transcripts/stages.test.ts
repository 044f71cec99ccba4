/**
 * Sessions that `npm run test:clis -- --transcripts --record` has written with the real programs: tools,
 * a sub-agent, an error, two interruptions and a compaction. `--transcripts` alone compares them with what
 * was sent.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type MessagePart, type TranscriptAgent, type TranscriptMessage, readTranscript } from 'promptmason'
import { expect, it } from 'vitest'

const STAGES = join(__dirname, 'stages')
const AGENTS = readdirSync(STAGES) as TranscriptAgent[]

/** The first file of the session, by name. */
const fileOf = (agent: TranscriptAgent): string => {
  const files = readdirSync(join(STAGES, agent), { recursive: true, encoding: 'utf8' }).toSorted()
  const isOwn = (file: string): boolean => /\.jsonl?$/.test(file) && !/sub-?agents|chats.[\da-f-]{36}[\\/]/.test(file)
  return join(STAGES, agent, files.find(isOwn) ?? '')
}

const partText = (part: MessagePart): string => {
  if (part.type === 'text') return part.text
  if (part.type === 'reasoning') return `(${part.text})`
  if (part.type === 'tool-call') return `${part.name} ${JSON.stringify(part.input)}`
  if (part.type === 'tool-result') return `-> ${JSON.stringify(part.output)}${part.isError === true ? ' failed' : ''}`
  return part.type
}
const shown = (messages: readonly TranscriptMessage[]): string[] =>
  messages.map(({ speaker, parts }) => `${speaker.id}: ${parts.map(partText).join(' | ')}`)

it.each(AGENTS)('reads every stage of a session of %s', async (agent) => {
  const { messages, summary, branches, skipped, omitted } = await readTranscript({ agent, file: fileOf(agent) })
  expect(skipped).toEqual([])
  expect(omitted).toEqual({ messages: 0, bytes: 0 })
  expect({
    messages: shown(messages),
    summary,
    branches: branches.map((branch) => ({ kind: branch.kind, messages: shown(branch.messages) })),
  }).toMatchSnapshot()
})
