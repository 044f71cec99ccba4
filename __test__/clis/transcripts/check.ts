/* oxlint-disable no-await-in-loop -- one turn after another */
/** Compares what is read of a session with what went over the wire, for each kind of session. */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Transcript, type TranscriptMessage, listTranscripts, readTranscript } from 'promptmason'
import type { Rig } from '../rig.js'
import { difference, saidBy, wireOf, wireOfSubAgent } from './compare.js'
import { STAGES, SUMMARY, Session, type Stage } from './session.js'

/** The CLIs whose sessions can be read. */
export const KEPT = ['claude', 'codex', 'gemini', 'opencode', 'qwen', 'copilot']

export const placeOf = ({ cli, home, programs }: Rig, cwd: string) => ({
  agent: cli.command,
  home,
  cwd,
  command: join(programs, cli.command),
})

/** Where the files of a home directory are, when they were written, and what they have. */
const filesOf = async (home: string): Promise<string> => {
  const entries = await readdir(home, { withFileTypes: true, recursive: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const lines = files.toSorted().map(async (file) => {
    const { mtimeMs } = await stat(file)
    return `${file} ${mtimeMs} ${createHash('sha256')
      .update(await readFile(file))
      .digest('hex')}`
  })
  return (await Promise.all(lines)).join('\n')
}

const reasoningIn = (messages: readonly TranscriptMessage[]): string[] =>
  messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'reasoning' ? [part.text] : [])))

/** What is wrong with what was read of sub-agents. */
const subAgentProblem = (session: Session, { agent, branches }: Transcript): string | undefined => {
  const own = branches.filter(({ kind }) => kind === 'sub-agent')
  if (own.length !== 1) return `${own.length} sub-agents`
  // The agent gives the task.
  const said = own.flatMap(({ messages }) => saidBy(messages, ({ id }) => id === agent))
  // What its last call returns is not sent any more.
  for (const call of said.at(-1)?.calls ?? []) delete call.output
  const problem = difference(wireOfSubAgent(session), said)
  return problem === undefined ? undefined : `the sub-agent: ${problem}`
}

/** The transcript of a session beside its requests: `as sent`, or what differs. */
export const compared = (session: Session, transcript: Transcript): string => {
  const { said, dropped, afterSummary, reasoning } = wireOf(session)
  const { messages, summary, branches, skipped } = transcript
  const problems = [
    difference(said, saidBy(messages)),
    JSON.stringify(reasoning) === JSON.stringify(reasoningIn(messages))
      ? undefined
      : `reasoning: ${JSON.stringify(reasoningIn(messages))}`,
    skipped.length === 0 ? undefined : `not understood: ${JSON.stringify(skipped)}`,
    transcript.session === session.id ? undefined : `the session ${transcript.session}`,
    session.turns.some(({ prompt }) => prompt.startsWith('GO SUB')) ? subAgentProblem(session, transcript) : undefined,
  ]
  const taken = branches.filter(({ kind }) => kind === 'abandoned').flatMap((branch) => saidBy(branch.messages))
  const gone = difference(dropped, taken)
  problems.push(gone === undefined ? undefined : `taken back: ${gone}`)
  if ((summary === undefined) !== (afterSummary === undefined))
    problems.push(summary === undefined ? 'no summary was read' : 'the last request has no summary')
  if (summary !== undefined && afterSummary !== undefined) {
    if (!summary.text.includes(SUMMARY) || summary.text.length > SUMMARY.length + 40)
      problems.push(`the summary ${JSON.stringify(summary.text)}`)
    const after = difference(afterSummary, saidBy(messages.slice(summary.covers)), true)
    if (after !== undefined) problems.push(`after the summary: ${after}`)
  }
  const first = problems.find((problem) => problem !== undefined)
  if (first !== undefined) return first
  const notes = [dropped.length > 0 ? `${dropped.length} taken back` : '', summary === undefined ? '' : 'summary']
  return ['as sent', ...notes.filter((note) => note !== '')].join(', ')
}

/** A second session of the same directory is listed before the first one. */
const listed = async (rig: Rig, session: Session): Promise<string> => {
  const place = placeOf(rig, session.cwd)
  const before = await listTranscripts(place)
  const other = new Session(rig, session.cwd)
  await other.turn('ANOTHER SESSION ⟦t1⟧', [{ text: 'Yes ⟦a1⟧.' }])
  const after = await listTranscripts(place)
  const ids = [before, after].map((list) => list.map((each) => each.session))
  // Gemini may have removed it: when it starts, it deletes sessions that it cannot resume.
  const isKept = before.every(({ file }) => existsSync(file))
  const expected = [[session.id], isKept ? [other.id, session.id] : [other.id]]
  if (JSON.stringify(ids) !== JSON.stringify(expected)) return JSON.stringify(ids)
  const read = [(await readTranscript(place)).session]
  if (isKept) read.push((await readTranscript({ ...place, session: session.id ?? '' })).session)
  return JSON.stringify(read) === JSON.stringify(expected[1]) ? 'newest first' : 'another one was read'
}

/** What is read of each CLI, where that is not `as sent`. */
const usualOf = (command: string, { name, isAfterError = false }: Stage): string => {
  // It removes what could not be answered.
  const taken = command === 'gemini' && isAfterError ? ', 1 taken back' : ''
  return `as sent${taken}${name === 'compacted' ? ', summary' : ''}`
}

/** What a CLI has kept as lines of a table. Returns how much has changed. */
export const checkTranscripts = async (rig: Rig): Promise<number> => {
  const { command } = rig.cli
  if (!KEPT.includes(command)) return 0
  let changed = 0
  const line = (name: string, measured: string, expected: string): void => {
    const isSame = measured === expected
    if (!isSame) changed++
    const verdict = isSame ? 'as recorded' : `has changed, was: ${expected}`
    console.log(`| ${name} | ${measured.replaceAll('|', '\\|').replaceAll('\n', ' ')} | ${verdict} |`)
  }
  console.log(`\n### What ${command} ${rig.version} keeps of a session\n\n| session | read | |\n| --- | --- | --- |`)
  const session = new Session(rig, await rig.project({ 'a.txt': 'content of a\n' }))
  let files = 'as they were'
  for (const stage of STAGES) {
    if (stage.applies?.(rig) === false) continue
    await stage.run(session)
    const before = await filesOf(rig.home)
    const read = await readTranscript(placeOf(rig, session.cwd)).then(
      (transcript) => compared(session, transcript),
      (error: unknown) => `error: ${String(error)}`,
    )
    await listTranscripts(placeOf(rig, session.cwd))
    if ((await filesOf(rig.home)) !== before) files = 'written to'
    line(stage.name, read, usualOf(command, stage))
  }
  line('its files', files, 'as they were')
  line('two sessions of a directory', await listed(rig, session).catch(String), 'newest first')
  return changed
}
