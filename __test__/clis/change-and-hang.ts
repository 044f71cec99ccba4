/** A coordinator that changes the agent of a member, and is killed in the first turn after that. */
import { readFileSync } from 'node:fs'
import { type AgentMember, fileStore, openConversation } from 'promptmason'

interface Given {
  directory: string
  id: string
  member: AgentMember
  removed: string[]
  said: [string, string, string]
}

const { directory, id, member, removed, said } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Given

const main = async (): Promise<void> => {
  const members = { kailai: { human: true as const }, sarah: { run: () => said[1] } }
  const talk = await openConversation<string>({ id, store: fileStore(directory), members })
  await talk.say('kailai', said[0])
  await talk.send('sarah')
  await talk.say('kailai', said[2])
  const env = { ...member.env, ...Object.fromEntries(removed.map((name) => [name, undefined])) }
  await talk.change('sarah', { ...member, env })
  await talk.send('sarah')
}

main().catch((error: unknown) => {
  console.error(error)
  process.exitCode = 1
})
