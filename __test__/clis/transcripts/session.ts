/** A session with everything that a CLI may have to store, turn by turn. */
import type { DeliveryEvent } from 'promptmason'
import { eventually } from '../processes.js'
import type { Step, ToolCall } from '../provider-streams.js'
import type { Rig, SendOptions, Sent } from '../rig.js'
import { FINAL, hasTools, sleeper } from '../situations/turns.js'
import type { Response } from '../stand-in.js'
import { COMPACTIONS } from './compactions.js'
import { conversationIn } from './wire.js'

/** What a request is for: the turn, a sub-agent, a summary of the session, or the CLI itself. */
type Kind = 'turn' | 'sub-agent' | 'summary' | 'aside'

/** A request, and what it was answered. */
export interface Exchange {
  kind: Kind
  body: any
  answer: Response | undefined
}

export interface Turn {
  prompt: string
  exchanges: Exchange[]
  sent: Sent
}

/** When a turn is interrupted. */
type Interruption = (isBegun: () => boolean) => Promise<unknown>

export const SUB_TASK = 'SUBTASK please'
const SUB_ANSWER = 'SUBRESULT ⟦s1⟧'
export const SUMMARY = 'THE SUMMARY ⟦c1⟧ of it'

/** All texts here have such a mark; what a CLI adds has none. */
const MARK = /⟦[a-z]\d+⟧/
const MARK_OF_PROMPT = /⟦t\d+⟧/

export const marksIn = (text: string): string[] => text.match(new RegExp(MARK, 'g')) ?? []

export class Session {
  id: string | undefined
  readonly turns: Turn[] = []
  /** Whether it may be compacted now. */
  isCompacting = false
  #exchanges: Exchange[] = []
  #steps: Response[] = []

  constructor(
    readonly rig: Rig,
    readonly cwd: string,
  ) {}

  #kindOf(body: any): Kind {
    const { cli } = this.rig
    const texts = cli.user(body).join('\n')
    const whole = JSON.stringify(body)
    if (this.isCompacting && MARK.test(whole)) {
      const last = conversationIn(body).at(-1)
      const isOwn = last?.by === 'user' && !last.texts.some((text) => MARK.test(text))
      // After the summary, some tell the model to go on.
      if ((isOwn && !whole.includes(SUMMARY)) || !hasTools(body)) return 'summary'
    }
    if (!hasTools(body)) return 'aside'
    if (texts.includes(SUB_TASK) && !MARK_OF_PROMPT.test(texts)) return 'sub-agent'
    return cli.isAside?.(body) === true ? 'aside' : 'turn'
  }

  #answerTo(kind: Kind): Response | undefined {
    if (kind === 'turn') return this.#steps.length > 1 ? this.#steps.shift() : this.#steps[0]
    const { subAgentEnd } = this.rig.cli
    if (kind === 'sub-agent') return { text: SUB_ANSWER, ...(subAgentEnd && { tools: [subAgentEnd] }) }
    if (kind === 'aside') return undefined
    // In the element that some ask for. It claims a long input, so that CLIs find the summary worth keeping.
    const inputTokens = COMPACTIONS[this.rig.cli.command]?.fullTokens
    return { text: `<state_snapshot>${SUMMARY}</state_snapshot>`, ...(inputTokens && { inputTokens }) }
  }

  /** One turn, whose requests get these answers in turn. */
  async turn(prompt: string, steps: Response[], interruption?: Interruption, more: SendOptions = {}): Promise<void> {
    const { rig, cwd } = this
    this.#exchanges = []
    this.#steps = [...steps]
    rig.standIn.respond = ({ body }) => {
      const kind = this.#kindOf(body)
      const answer = this.#answerTo(kind)
      this.#exchanges.push({ kind, body, answer })
      return answer
    }
    const controller = new AbortController()
    let isSaid = false
    const onEvent = ({ type }: DeliveryEvent): void => {
      isSaid ||= type === 'text'
    }
    const resume = this.id === undefined ? {} : { resume: this.id }
    const delivery = { signal: controller.signal, onEvent }
    const sending = rig.send(prompt, { cwd, allows: true, ...resume, ...more, delivery })
    if (interruption !== undefined) {
      await interruption(() => isSaid || this.#exchanges.length > 0)
      controller.abort()
    }
    const sent = await sending
    rig.standIn.respond = undefined
    this.id ??= sent.result?.sessionId ?? sent.error?.sessionId
    this.turns.push({ prompt, exchanges: this.#exchanges, sent })
  }
}

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms)
  })

/** The stages of a session. Each leaves it in a state from which it can continue. */
export interface Stage {
  name: string
  /** Whether a CLI can get there. */
  applies?: (rig: Rig) => boolean
  /** Whether a turn has failed before its end. */
  isAfterError?: boolean
  run(session: Session): Promise<void>
}

const shell = ({ rig }: Session, ...commands: string[]): ToolCall[] => commands.map((each) => rig.cli.shell(each))

export const STAGES: readonly Stage[] = [
  {
    name: 'text, reasoning and a tool',
    run: (session) =>
      session.turn('FIRST TASK ⟦t1⟧: look at a.txt', [
        { reasoning: 'I think ⟦r1⟧.', text: 'Let me look ⟦a1⟧.', tools: shell(session, 'echo ⟦o1⟧; cat a.txt') },
        { text: 'It says: content of a ⟦a2⟧.' },
      ]),
  },
  {
    name: 'resumed; two tools at once, of which one fails',
    run: (session) =>
      session.turn('SECOND TASK ⟦t2⟧:\n\n- "quoted" \\ 漢字 😀\n- <tag> & more', [
        {
          text: 'Two at once ⟦a3⟧:\n\n```sh\necho\n```',
          tools: shell(session, 'echo ⟦o2⟧ 漢字', 'echo ⟦o3⟧; exit 3'),
        },
        { text: '', tools: shell(session, 'echo ⟦o4⟧') },
        { text: 'Both ran ⟦a4⟧ 漢字 😀.' },
      ]),
  },
  {
    name: 'a sub-agent',
    applies: ({ cli }) => cli.subAgent !== undefined,
    run: async (session) => {
      const { subAgent } = session.rig.cli
      if (subAgent === undefined) return
      // Some do not wait for it, and continue when it is done.
      await session.turn('GO SUB ⟦t3⟧', [
        { text: 'I ask ⟦a5⟧.', tools: [subAgent] },
        { text: 'It is at it ⟦a6⟧.', tools: shell(session, 'echo ⟦o7⟧; sleep 1') },
        { text: 'I have waited ⟦a16⟧.' },
        { text: 'It has answered ⟦a17⟧.' },
      ])
      await session.turn('AFTER THE SUB-AGENT ⟦t4⟧', [{ text: 'It is done ⟦a7⟧.' }])
    },
  },
  {
    name: 'an error of the API',
    isAfterError: true,
    run: async (session) => {
      await session.turn('FAILING ⟦t5⟧', [{ fails: 'other' }])
      await session.turn('AFTER THE ERROR ⟦t6⟧', [{ text: 'Now it works ⟦a8⟧.' }])
    },
  },
  {
    name: 'interrupted while a tool runs',
    isAfterError: true,
    run: async (session) => {
      const { command, isAsleep } = sleeper()
      const begun = { text: 'I begin ⟦a9⟧.', tools: shell(session, `echo ⟦o5⟧; ${command}`) }
      await session.turn('INTERRUPT THE TOOL ⟦t7⟧', [begun, FINAL], isAsleep)
      await session.turn('AFTER THE TOOL ⟦t8⟧', [{ text: 'I go on ⟦a10⟧.' }])
    },
  },
  {
    name: 'interrupted while it speaks',
    isAfterError: true,
    run: async (session) => {
      const begun: Step = { text: ['I speak ⟦a11⟧ ', 'and speak'], end: 'silent' }
      await session.turn('INTERRUPT THE TEXT ⟦t9⟧', [begun], async (isBegun) => {
        await eventually(isBegun)
        // Not all of them pass on what they have read so far.
        await pause(1500)
      })
      await session.turn('AFTER THE TEXT ⟦t10⟧', [{ text: 'I speak again ⟦a12⟧.' }])
    },
  },
  {
    name: 'compacted',
    isAfterError: true,
    run: async (session) => {
      const { fullTokens, words = 0, command, environment = {} } = COMPACTIONS[session.rig.cli.command] ?? {}
      const full = fullTokens === undefined ? {} : { inputTokens: fullTokens }
      session.isCompacting = true
      // Some summarize while a tool runs.
      const read = { text: 'I read a lot ⟦a13⟧.', tools: shell(session, 'echo ⟦o6⟧; sleep 2'), ...full }
      const prompt = `FILL ⟦t11⟧${' words'.repeat(words)}`
      await session.turn(prompt, [read, { text: 'It is full ⟦a14⟧.' }], undefined, { environment })
      if (command !== undefined) await session.turn(command, [FINAL])
      session.isCompacting = false
      await session.turn('LAST QUESTION ⟦t12⟧', [{ text: 'LAST ANSWER ⟦a15⟧.' }])
    },
  },
]
