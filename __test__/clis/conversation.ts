/* oxlint-disable no-await-in-loop -- one turn after another */
/**
 * A conversation of three members with real CLIs: 40 turns, a lost session and an agent that is
 * replaced on the way. Checks in each request that the model reads each message that is visible
 * to the member once, in order, and nothing else.
 */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type AgentMember, type ConversationMessage, openConversation } from 'promptmason'
import type { Rig } from './rig.js'
import { hasTools } from './situations/turns.js'

const TURNS = 40
/** The session of sarah is lost before this turn, and another agent takes the place of max before that one. */
const [LOST, EXCHANGED] = [14, 26]
const tokensIn = (text: string): string[] => text.match(/⟦\w+⟧/g) ?? []

/** The files of all sessions of `sarah`'s CLI. */
const SESSIONS = join('.claude', 'projects')

/** The commands of the CLIs that are needed: of sarah, max, lee, and of max later on. */
export const SPEAKERS = ['claude', 'codex', 'gemini', 'qwen'] as const

class Speaker {
  /** What the model has read in the last turn: the texts of the user, in order. */
  read: string[] = []
  requests = 0

  constructor(
    readonly rig: Rig,
    readonly cwd: string,
    next: () => string,
  ) {
    rig.standIn.respond = ({ body }) => {
      if (!hasTools(body) || rig.cli.isAside?.(body) === true) return undefined
      this.requests += 1
      this.read = tokensIn(rig.cli.user(body).join('\n'))
      return { text: `I say ${next()}.` }
    }
  }

  /** As a member. */
  get member(): AgentMember {
    const { rig, cwd } = this
    const { PATH = '', ...env } = rig.plan('x', { cwd }).env
    const trust = rig.cli.command === 'gemini' ? ['--skip-trust'] : []
    return { agent: rig.cli.agentType, cwd, args: trust, env: { ...env, PATH: `${rig.programs}:${PATH}` } }
  }
}

const isVisibleTo = (name: string, { private: isPrivate, speaker, routing }: ConversationMessage): boolean =>
  isPrivate !== true || speaker.id === name || (routing?.addressees ?? []).some((one) => one === name)

/** Returns what was wrong. */
export const checkConversation = async (rigs: readonly Rig[]): Promise<string[]> => {
  const problems: string[] = []
  let count = 0
  const next = (): string => `⟦m${++count}⟧`
  const speakers = await Promise.all(rigs.map(async (rig) => new Speaker(rig, await rig.project(), next)))
  const [claude, codex, gemini, qwen] = speakers as [Speaker, Speaker, Speaker, Speaker]
  const members: Record<string, Speaker> = { sarah: claude, max: codex, lee: gemini }
  const events: string[] = []
  const talk = await openConversation<string>({
    task: 'Talk to each other.',
    contextWindowSize: 1000,
    onEvent: ({ type, member }) => void (type === 'retried' && events.push(`${type} ${member}`)),
    members: {
      kailai: { human: true },
      ...Object.fromEntries(Object.entries(members).map(([name, { member }]) => [name, member])),
    },
  })
  const modes: Record<string, number> = { whole: 0, delta: 0 }
  const names = Object.keys(members)
  try {
    for (let turn = 0; turn < TURNS; turn++) {
      const name = names[turn % names.length] ?? ''
      const isPrivate = turn % 5 === 3
      const to = isPrivate ? [names[(turn * 2) % names.length] ?? ''] : undefined
      await talk.say('kailai', `I ask ${next()}.`, { to, private: isPrivate })
      // A member that has been shown everything has nothing to answer.
      if (isPrivate) await talk.say('kailai', `And all of you ${next()}.`)
      if (turn === LOST) await rm(join(claude.rig.home, SESSIONS), { recursive: true })
      if (turn === EXCHANGED) {
        await talk.change('max', qwen.member)
        members['max'] = qwen
      }
      const speaker = members[name] as Speaker
      speaker.read = []
      const visible = talk.messages().filter((message) => isVisibleTo(name, message) && message.speaker.id !== name)
      const expected = visible.flatMap(({ content }) => tokensIn(content))
      const { report, message } = await talk.send(name)
      const own = new Set(
        talk.messages().flatMap(({ content, speaker: { id } }) => (id === name ? tokensIn(content) : [])),
      )
      const read = speaker.read.filter((token) => !own.has(token))
      const mode = report.session?.mode ?? 'whole'
      modes[mode] = (modes[mode] ?? 0) + 1
      if (JSON.stringify(read) !== JSON.stringify(expected)) {
        problems.push(`turn ${turn} of ${name} (${speaker.rig.cli.command}, ${mode}): ${read} instead of ${expected}`)
      }
      if (tokensIn(message.content).length !== 1) problems.push(`turn ${turn} of ${name} said ${message.content}`)
    }
  } catch (error) {
    problems.push(`${error instanceof Error ? error.stack : error}`)
  } finally {
    await talk.close()
    for (const { rig } of speakers) rig.standIn.respond = undefined
  }
  if (events.join() !== 'retried sarah') problems.push(`retried: ${events.join() || 'nothing'}`)
  if (modes['whole'] !== 5) problems.push(`${modes['whole']} prompts were whole, not 5`)
  const asked = speakers.map(({ rig, requests }) => `${rig.cli.command} ${requests}`).join(', ')
  console.log(`\n## A conversation\n\n${TURNS} turns, ${talk.messages().length} messages; requests: ${asked}.`)
  console.log(
    `Prompts: ${modes['whole']} whole, ${modes['delta']} of what is new. Retried: ${events.join() || 'none'}.`,
  )
  for (const problem of problems) console.log(`- ${problem}`)
  if (problems.length === 0) console.log('Each member has read what is visible to it once, in order, and nothing else.')
  return problems
}
