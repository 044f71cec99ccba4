/** Conversations with functions that stand in for CLIs. */
import {
  type Conversation,
  type ConversationOptions,
  type Member,
  openConversation,
  type RunAnswer,
  type RunInput,
} from 'promptmason'
import { afterEach } from 'vitest'

/** A member that records its prompts, and gives the set answers. */
export class Agent {
  readonly asked: RunInput[] = []
  /** What its session has been shown, by id. */
  readonly sessions = new Map<string, string[]>()
  #answers: (string | RunAnswer | Error | ((input: RunInput) => Promise<string | RunAnswer> | string | RunAnswer))[] =
    []
  #count = 0

  constructor(readonly name: string) {}

  /** What it answers next; after that, it counts. */
  next(...answers: Agent['answersType']): this {
    this.#answers.push(...answers)
    return this
  }

  declare answersType: (
    | string
    | RunAnswer
    | Error
    | ((input: RunInput) => Promise<string | RunAnswer> | string | RunAnswer)
  )[]

  run = async (input: RunInput): Promise<string | RunAnswer> => {
    this.asked.push(input)
    const next = this.#answers.shift()
    if (next instanceof Error) throw next
    if (typeof next === 'function') return next(input)
    if (next !== undefined) return next
    this.#count += 1
    const session = input.resume ?? `${this.name}-session-${this.#count}`
    return { text: `${this.name} ${this.#count}`, session }
  }

  get last(): RunInput {
    const last = this.asked.at(-1)
    if (last === undefined) throw new Error(`${this.name} was not asked`)
    return last
  }
}

/** An error as a function throws it. */
export const coded = (code: string, more: object = {}): Error =>
  Object.assign(new Error(`it is ${code}`), { code, ...more })

const open: Conversation[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((talk) => talk.close().catch(() => {})))
})

export const quiet = { debug() {}, info() {}, warn() {}, error() {} }

/** A conversation of kailai, sarah and max, which is closed after the test. */
export const team = async (
  options: Partial<ConversationOptions> = {},
  agents: { sarah?: Agent; max?: Agent; more?: Record<string, Member>; sarahIs?: object; maxIs?: object } = {},
) => {
  const sarah = agents.sarah ?? new Agent('sarah')
  const max = agents.max ?? new Agent('max')
  const talk: Conversation = await openConversation<string>({
    markers: 'verbatim',
    briefing: false,
    logger: quiet,
    ...options,
    members: {
      kailai: { human: true },
      sarah: { run: sarah.run, ...agents.sarahIs },
      max: { run: max.run, ...agents.maxIs },
      ...agents.more,
    },
  })
  open.push(talk)
  return { talk, sarah, max }
}

/** The error of something that must fail. */
export const failureOf = async (work: Promise<unknown>): Promise<any> =>
  work.then(
    (value) => {
      throw new Error(`it was fulfilled with ${JSON.stringify(value)}`)
    },
    (error: unknown) => error,
  )

/** The essence of a conversation: who said what to whom. */
export const said = (talk: Conversation): string[] =>
  talk.messages().map(({ id, speaker, content, routing, private: isPrivate }: any) => {
    const to = (routing?.addressees ?? []).join('+')
    return `${id} ${speaker.id}${to && `>${to}`}${isPrivate ? ' (private)' : ''}: ${content}`
  })
