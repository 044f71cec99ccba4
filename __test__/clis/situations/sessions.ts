/** Sessions of several turns, with a coordinator that sends only what is new. */
import { ContextManager } from 'promptmason'
import type { Fact } from '../facts.js'
import { installed } from '../install.js'
import { type Rig, openRig } from '../rig.js'
import { failure } from './turns.js'

const systemsIn = (texts: readonly string[]): string =>
  [...new Set(texts.join('\n').match(/SYSTEM-[AB]/g) ?? [])].join(' and ')

/** How often each text is in what the model was sent. */
const countIn = (texts: readonly string[], wanted: readonly string[]): number[] =>
  wanted.map((each) => texts.join('\n').split(each).length - 1)

/** Four turns of one session. Another system text comes with the third. */
const fourTurns = async (rig: Rig, version: string): Promise<string> => {
  const cwd = await rig.project()
  const manager = new ContextManager({ showSender: true })
  const systems: string[] = []
  let resume: string | undefined
  for (const turn of [1, 2, 3, 4]) {
    manager.addMessage({ speaker: { id: 'max' }, content: `NOTE-${turn}` })
    manager.addMessage({ speaker: { id: 'kailai', type: 'human' }, content: `QUESTION-${turn}` })
    const systemInstruction = turn < 3 ? 'SYSTEM-A' : 'SYSTEM-B'
    const { prompt, systemFlag } = manager.assembleForAgent('sarah', rig.cli.agentType, {
      systemInstruction,
      session: 'delta',
    })
    rig.standIn.answers = [`ANSWER-${turn}`]
    const options = { cwd, version, ...(systemFlag && { system: systemFlag }), ...(resume && { resume }) }
    // oxlint-disable-next-line no-await-in-loop -- one turn after the other
    const sent = await rig.send(prompt, options)
    rig.standIn.answers = ['ANSWER']
    if (sent.result?.text !== `ANSWER-${turn}`) return `turn ${turn}: ${failure(sent)}`
    systems.push(systemsIn(sent.system))
    const soFar = Array.from({ length: turn }, (_, index) => [`NOTE-${index + 1}`, `QUESTION-${index + 1}`]).flat()
    const last = sent.requests.at(-1)?.body
    if (countIn(rig.cli.user(last), soFar).some((count) => count !== 1)) return `turn ${turn}: not each message once`
    resume = sent.result.sessionId
    manager.confirm('sarah')
    manager.addMessage({ speaker: { id: 'sarah', type: 'ai' }, content: sent.result.text })
  }
  return `each message once; ${systems.join(', ')}`
}

export const SESSIONS: readonly Fact[] = [
  {
    name: 'four turns, another system text in the third',
    recorded: ({ command }) =>
      command === 'claude' ? 'each message once; SYSTEM-A, SYSTEM-A, SYSTEM-B, SYSTEM-B' : undefined,
    measure: (rig) => fourTurns(rig, rig.version),
  },
  {
    name: 'the same with a version that lacks a switch',
    recorded: ({ command }) =>
      command === 'claude' ? 'each message once; SYSTEM-A, SYSTEM-A, SYSTEM-B, SYSTEM-B' : undefined,
    measure: async (rig) => {
      const { cli } = rig
      const { older = '' } = cli
      const other = await openRig(cli, older, await installed(cli, older))
      try {
        return await fourTurns(other, older)
      } finally {
        await other.close()
      }
    },
  },
  {
    name: 'its version is not passed, and it lacks a switch',
    recorded: ({ command }) => (command === 'claude' ? 'turn 2: other' : undefined),
    measure: async (rig) => {
      const { cli } = rig
      const { older = '' } = cli
      const other = await openRig(cli, older, await installed(cli, older))
      try {
        return await fourTurns(other, rig.version)
      } finally {
        await other.close()
      }
    },
  },
]
