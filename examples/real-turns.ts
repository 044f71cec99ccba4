/**
 * The whole loop with real CLIs: assemble, deliver, and add the answer to the conversation. Each member
 * resumes its CLI's session. A CLI that is not installed is replaced by a small program. They work in an
 * empty directory.
 */
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  type AgentContextOptions,
  ContextManager,
  type DeliveryProfile,
  deliver,
  isPromptmasonError,
  planDelivery,
} from 'promptmason'

const ROUNDS = 2
const TIMEOUT_MS = 300_000

const isInstalled = (command: string): boolean =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .some((folder) => ['', '.exe', '.cmd'].some((extension) => existsSync(join(folder, command + extension))))

/** A program that writes its answer in the same format as a CLI. */
const standIn = (name: string): DeliveryProfile => ({
  command: process.execPath,
  args: [fileURLToPath(new URL('stand-in-cli.mjs', import.meta.url)), name],
  resumeArgs: ['--resume', '{id}'],
  output: ['claude', 'codex', 'gemini'].includes(name) ? name : 'text',
})

class Member {
  readonly #standIn: DeliveryProfile | undefined
  /** The CLI's session, once there is one. */
  #session: string | undefined

  constructor(
    readonly name: string,
    readonly conversation: ContextManager,
    readonly cwd: string,
  ) {
    this.#standIn = isInstalled(name) ? undefined : standIn(name)
  }

  /** Options of the next turn: a resumed session is sent only what is new to it. */
  #turn(): AgentContextOptions {
    const systemInstruction = `You are ${this.name}, a member of a team. Answer in one short sentence and use no tools.`
    return { systemInstruction, session: 'delta' }
  }

  /** Asks the member for its next message. */
  async speak(signal: AbortSignal): Promise<void> {
    const output = this.conversation.assembleForAgent(this.name, this.name, this.#turn(), { as: 'buffer' })
    const plan = planDelivery(output, {
      agentType: this.name,
      cwd: this.cwd,
      resume: this.#session,
      trustWorkspace: true,
      profile: this.#standIn,
    })
    for (const { code, message } of plan.warnings) console.log(`   (${code}: ${message})`)
    try {
      const { text, sessionId, usage, error } = await deliver(plan, { signal, timeoutMs: TIMEOUT_MS })
      if (text === undefined) return this.#failed(`${error?.code}: ${error?.message}`)
      this.#session = sessionId
      // Without a session there is nothing to resume, so the next prompt is whole again.
      if (sessionId !== undefined) this.conversation.confirm(this.name)
      this.conversation.addMessage({ speaker: { id: this.name, type: 'ai' }, content: text })
      console.log(
        `${this.name}: ${text}${usage === undefined ? '' : ` (${usage.inputTokens} tokens in, ${usage.outputTokens} out)`}`,
      )
    } catch (error) {
      if (!isPromptmasonError(error, 'ERR_NO_ANSWER')) throw error
      this.#failed(error.message)
    }
  }

  /** The conversation is unchanged, and the next turn begins a new session. */
  #failed(reason: string): void {
    this.#session = undefined
    this.conversation.forget(this.name)
    console.log(`${this.name} did not answer: ${reason}`)
  }
}

export const takeRealTurns = async (names: readonly string[]): Promise<void> => {
  const cwd = await mkdtemp(join(tmpdir(), 'coordinator-'))
  const control = new AbortController()
  process.once('SIGINT', () => control.abort())
  // In the prompt, the system text stays in the session; a flag applies to one call only.
  const conversation = new ContextManager({
    contextWindowSize: 20,
    assemblers: { claude: { systemPlacement: 'inline' } },
  })
  conversation.setTeamTask('Design a user authentication system')
  const question = conversation.addMessage({
    speaker: { id: 'kailai', type: 'human' },
    content: 'Where should the session tokens live? Please agree on one place.',
  })
  console.log(`kailai: ${question.content}`)
  const members = names.map((name) => new Member(name, conversation, cwd))
  try {
    for (let round = 0; round < ROUNDS; round++) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other: each hears the others
      for (const member of members) await member.speak(control.signal)
    }
  } finally {
    await rm(cwd, { recursive: true, force: true })
  }
}
