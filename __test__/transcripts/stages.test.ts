/**
 * Sessions that `npm run test:clis -- --transcripts --record` has written with the real programs: tools,
 * a sub-agent, an error, two interruptions and a compaction. `--transcripts` alone compares them with what
 * was sent.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type TranscriptAgent, readTranscript } from 'promptmason'
import { expect, it } from 'vitest'
import { shown } from '../support/shown-parts.js'

const STAGES = join(__dirname, 'stages')
const AGENTS = readdirSync(STAGES) as TranscriptAgent[]

/** The first file of the session, by name. */
const fileOf = (agent: TranscriptAgent): string => {
  const files = readdirSync(join(STAGES, agent), { recursive: true, encoding: 'utf8' }).toSorted()
  const isOwn = (file: string): boolean => /\.jsonl?$/.test(file) && !/sub-?agents|chats.[\da-f-]{36}[\\/]/.test(file)
  return join(STAGES, agent, files.find(isOwn) ?? '')
}

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
