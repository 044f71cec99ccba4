/* oxlint-disable no-await-in-loop -- one turn after another */
/**
 * Each CLI creates a session, and each of the others takes over. It is asked for the first task, which
 * only the handoff's prompt contains.
 */
import { buildHandoff, readTranscript } from 'promptmason'
import type { Rig } from './rig.js'
import { hasTools } from './situations/turns.js'
import { KEPT, placeOf } from './transcripts/check.js'
import { STAGES, Session } from './transcripts/session.js'

/** The CLIs that take part. */
export const PARTNERS = KEPT

const TASK = /FIRST TASK ⟦t1⟧: look at a\.txt/
const QUESTION = 'What was the first task?'

/** The first task as the model has read it, or what is wrong. */
const askFor = async (rig: Rig, prompt: string): Promise<string> => {
  let read = ''
  rig.standIn.respond = ({ body }) => {
    if (!hasTools(body) || rig.cli.isAside?.(body) === true) return undefined
    read = rig.cli.user(body).join('\n')
    return { text: `It was: ${TASK.exec(read)?.[0] ?? 'unknown'}.` }
  }
  const { result, error } = await rig.send(prompt)
  rig.standIn.respond = undefined
  if (result?.text === undefined) return `no answer: ${result?.error?.message ?? error}`
  if (!TASK.test(result.text)) return 'its request has no first task'
  return read.includes(prompt.trim()) ? 'has it' : 'has it, in another prompt'
}

/** All pairs as a table. Returns how many have changed. */
export const checkHandoffs = async (rigs: readonly Rig[]): Promise<number> => {
  let changed = 0
  const names = rigs.map(({ cli }) => cli.command)
  console.log('\n## Handoffs: the request of the agent that takes over, asked for the first task\n')
  console.log(`| from | ${names.map((name) => `to ${name}`).join(' | ')} |\n| --- |${' --- |'.repeat(names.length)}`)
  for (const from of rigs) {
    const session = new Session(from, await from.project({ 'a.txt': 'content of a\n' }))
    for (const { run } of STAGES.slice(0, 2)) await run(session)
    const transcript = await readTranscript(placeOf(from, session.cwd))
    const cells: string[] = []
    for (const to of rigs) {
      if (to === from) {
        cells.push('')
        continue
      }
      const { prompt } = buildHandoff(transcript, { to: to.cli.agentType, message: QUESTION })
      const fate = await askFor(to, prompt)
      if (fate !== 'has it') changed++
      cells.push(fate)
    }
    console.log(`| ${from.cli.command} ${from.version} | ${cells.join(' | ')} |`)
  }
  return changed
}
