/** Another agent takes the place of a member, and something is killed in its first turn. */
import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type AgentMember, fileStore, openConversation } from 'promptmason'
import type { Fact } from '../facts.js'
import { eventually, processesIn } from '../processes.js'
import type { Rig } from '../rig.js'
import { fact, hasTools, kill } from './turns.js'

const SAID: [string, string, string] = ['I ask ⟦m1⟧.', 'I answer ⟦m2⟧.', 'I ask again ⟦m3⟧.']
const ANSWER = 'I take over ⟦m4⟧.'
const PROGRAM = join(import.meta.dirname, '..', 'change-and-hang.ts')

const marksIn = (texts: readonly string[]): string => (texts.join('\n').match(/⟦m\d⟧/g) ?? []).join(' ')

const memberOf = (rig: Rig, cwd: string): AgentMember => {
  const { PATH = '', ...env } = rig.plan('x', { cwd }).env
  const args = rig.cli.command === 'gemini' ? ['--skip-trust'] : []
  return { agent: rig.cli.agentType, cwd, args, env: { ...env, PATH: `${rig.programs}:${PATH}` } }
}

/** Whether a turn has been asked for; from then on, it is silent until it is to answer. */
class Model {
  isAsked = false
  isSilent = true
  /** What it has read in the last request. */
  read: string[] = []

  constructor({ standIn, cli }: Rig) {
    standIn.respond = ({ body }) => {
      if (!hasTools(body) || cli.isAside?.(body) === true) return undefined
      this.isAsked = true
      this.read = cli.user(body)
      return this.isSilent ? { text: ['I begin ', 'and begin'], end: 'silent' } : { text: ANSWER }
    }
  }
}

/** Continues a conversation after the kill. Returns what the model has read, and what is in the log. */
const goOn = async (
  talk: Awaited<ReturnType<typeof openConversation<string>>>,
  model: Model,
  rig: Rig,
): Promise<string> => {
  model.isSilent = false
  try {
    await talk.send('sarah')
    return `read ${marksIn(model.read)}; kept ${marksIn(talk.messages().map(({ content }) => content))}`
  } finally {
    await talk.close()
    rig.standIn.respond = undefined
  }
}

const killAllIn = (cwd: string): void => {
  for (const id of processesIn(cwd)) kill(id)
}

/** The coordinator is killed, and what it has started. */
const coordinatorKilled = async (rig: Rig): Promise<string> => {
  const cwd = await rig.project()
  const [directory, file, id] = [join(cwd, '..', 'store'), join(cwd, '..', 'change.json'), `changed-${Date.now()}`]
  const member = memberOf(rig, cwd)
  const removed = Object.entries(member.env ?? {}).flatMap(([name, value]) => (value === undefined ? [name] : []))
  await writeFile(file, JSON.stringify({ directory, id, member, removed, said: SAID }))
  const model = new Model(rig)
  const child = spawn(process.execPath, [...process.execArgv, PROGRAM, file], { stdio: 'inherit' })
  const ended = new Promise((resolve) => {
    child.on('exit', resolve)
  })
  const isAsked = await eventually(() => model.isAsked)
  child.kill('SIGKILL')
  await ended
  killAllIn(cwd)
  if (!isAsked) return 'it was not asked'
  const members = { kailai: { human: true as const }, sarah: member }
  return goOn(await openConversation<string>({ id, store: fileStore(directory), members }), model, rig)
}

/** Only the CLI is killed. */
const cliKilled = async (rig: Rig): Promise<string> => {
  const cwd = await rig.project()
  const members = { kailai: { human: true as const }, sarah: { run: () => SAID[1] } }
  const talk = await openConversation<string>({ members })
  await talk.say('kailai', SAID[0])
  await talk.send('sarah')
  await talk.say('kailai', SAID[2])
  await talk.change('sarah', memberOf(rig, cwd))
  const model = new Model(rig)
  const failed = talk.send('sarah').then(
    () => false,
    () => true,
  )
  await eventually(() => model.isAsked)
  killAllIn(cwd)
  if (!(await failed)) return 'it has answered'
  return goOn(talk, model, rig)
}

/** A message of the member's own is shown as its own. */
const ONCE = 'read ⟦m1⟧ ⟦m2⟧ ⟦m3⟧; kept ⟦m1⟧ ⟦m2⟧ ⟦m3⟧ ⟦m4⟧'

export const CHANGES: readonly Fact[] = [
  fact('the coordinator is killed in the first turn of another agent', ONCE, coordinatorKilled),
  fact('the CLI is killed in the first turn of another agent', ONCE, cliKilled),
]
