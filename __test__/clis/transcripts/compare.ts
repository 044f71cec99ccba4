/** Compares what was read of a session with what went over the wire. */
import type { MessagePart, TranscriptMessage } from 'promptmason'
import { type Exchange, SUB_TASK, SUMMARY, type Session, marksIn } from './session.js'
import { type WireCall, type WireMessage, conversationIn } from './wire.js'

/** One message in a form in which both can be compared. */
export interface Said {
  by: 'user' | 'agent'
  text: string
  calls: WireCall[]
  /** Whether no request has it, so that nothing is known of the results. */
  isUnsent?: boolean
}

const isMarked = (text: string): boolean => marksIn(text).length > 0

/**
 * What a request has of the conversation: texts and calls with a mark. A text of the user becomes the
 * prompt that it contains: some CLIs add the time to it, or line breaks.
 */
const saidIn = (messages: readonly WireMessage[], prompts: readonly string[]): Said[] =>
  messages.flatMap(({ by, texts, calls }): Said[] => {
    if (by === 'user') {
      const said = texts.flatMap((text) => prompts.filter((prompt) => text.includes(prompt.trim())))
      return said.map((text) => ({ by, text, calls: [] }))
    }
    const text = texts.filter((each) => isMarked(each) && !each.includes(SUMMARY)).join('')
    return text !== '' || calls.length > 0 ? [{ by, text, calls }] : []
  })

const outputText = (output: unknown): string => (typeof output === 'string' ? output : JSON.stringify(output))

const textsOf = (parts: readonly MessagePart[]): string[] =>
  parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))

/** Messages of a transcript in the same form. */
export const saidBy = (
  messages: readonly TranscriptMessage[],
  isUser = ({ type }: TranscriptMessage['speaker']): boolean => type === 'human',
): Said[] =>
  messages.map(({ speaker, parts }) => {
    const results = new Map(
      parts.flatMap((part) => (part.type === 'tool-result' ? [[part.id, outputText(part.output)] as const] : [])),
    )
    const calls = parts.flatMap((part): WireCall[] => {
      if (part.type !== 'tool-call') return []
      const output = results.get(part.id)
      return [{ name: part.name, input: part.input, ...(output === undefined ? {} : { output }) }]
    })
    return { by: isUser(speaker) ? 'user' : 'agent', text: textsOf(parts).join(''), calls }
  })

/** Texts, reasoning and calls of an answer of the stand-in. */
const saidInAnswer = ({ answer }: Exchange): Said | undefined => {
  if (answer === undefined || 'fails' in answer) return undefined
  const text = typeof answer.text === 'string' ? answer.text : (answer.text ?? []).join('')
  return { by: 'agent', text, calls: (answer.tools ?? []).map(({ name, input }) => ({ name, input })) }
}

const inputsOf = ({ calls }: Said): string => JSON.stringify(calls.map(({ input }) => input))

/** What is the same for a message whenever it is sent: after a compaction, its text may be gone. */
const keyOf = (said: Said): string => marksIn(inputsOf(said) + said.text)[0] ?? inputsOf(said)

/** What a sub-agent was sent and has answered. */
export const wireOfSubAgent = ({ turns }: Session): Said[] => {
  const last = turns.flatMap(({ exchanges }) => exchanges.filter(({ kind }) => kind === 'sub-agent')).at(-1)
  const answer = last === undefined ? undefined : saidInAnswer(last)
  return [...saidIn(conversationIn(last?.body), [SUB_TASK]), ...(answer === undefined ? [] : [answer])]
}

export interface Wire {
  /** Everything that was said, in order. */
  said: Said[]
  /** What a later request no longer had, although nothing was summarized. */
  dropped: Said[]
  /** What the last request has after the summary, with its answer. */
  afterSummary: Said[] | undefined
  reasoning: string[]
}

/** What went over the wire in a session. */
export const wireOf = ({ turns }: Session): Wire => {
  const prompts = turns.map(({ prompt }) => prompt).filter(isMarked)
  const exchanges = turns.flatMap((turn) => turn.exchanges)
  const requests = exchanges.filter(({ kind }) => kind === 'turn')
  const [said, dropped] = [new Map<string, Said>(), new Map<string, Said>()]
  const summarized = exchanges.findIndex(({ kind }) => kind === 'summary')
  for (const [at, exchange] of exchanges.entries()) {
    // A request for a summary has what was said as well.
    if (exchange.kind !== 'turn' && exchange.kind !== 'summary') continue
    const has = new Map(saidIn(conversationIn(exchange.body), prompts).map((each) => [keyOf(each), each]))
    if (summarized === -1 || at < summarized)
      for (const [key, each] of said) {
        if (has.has(key)) continue
        dropped.set(key, each)
        said.delete(key)
      }
    for (const [key, each] of has) said.set(key, { ...each, text: said.get(key)?.text ?? each.text })
    // Some have it in no request after that.
    const answer = exchanges[at + 1]?.kind === 'summary' ? saidInAnswer(exchange) : undefined
    if (exchange.kind === 'turn' && answer !== undefined) said.set(keyOf(answer), { ...answer, isUnsent: true })
  }
  const last = requests.at(-1)
  const answer = last === undefined ? undefined : saidInAnswer(last)
  if (answer !== undefined && answer.text !== '') said.set(keyOf(answer), answer)

  const whole = last === undefined ? [] : conversationIn(last.body)
  const place = whole.findIndex(({ texts }) => texts.some((text) => text.includes(SUMMARY)))
  const behind = (whole[place]?.texts ?? []).filter((text) => !text.includes(SUMMARY))
  const rest: WireMessage[] = [{ by: 'user', texts: behind, calls: [] }, ...whole.slice(place + 1)]
  const finished = exchanges.filter(({ answer: step }) => step !== undefined && !('fails' in step))
  return {
    said: [...said.values()],
    dropped: [...dropped.values()],
    afterSummary: place === -1 ? undefined : [...saidIn(rest, prompts), ...(answer === undefined ? [] : [answer])],
    reasoning: finished.flatMap(({ answer: step }) =>
      step !== undefined && 'reasoning' in step && step.reasoning !== undefined ? [step.reasoning] : [],
    ),
  }
}

const sameCall = (wire: WireCall, read: WireCall): boolean => {
  if (wire.name !== read.name || JSON.stringify(wire.input) !== JSON.stringify(read.input)) return false
  if (wire.output === read.output) return true
  // Of an interrupted call, the CLI tells the model something of its own. If there was time, it has stored what the
  // tool had written by then.
  return !isMarked(wire.output ?? '') && (read.output === undefined || isMarked(`${read.output}`))
}

const isSame = (wire: Said | undefined, read: Said | undefined, isPart: boolean): boolean =>
  wire !== undefined &&
  read !== undefined &&
  wire.by === read.by &&
  (wire.text === read.text || (isPart && wire.text === '')) &&
  wire.calls.length === read.calls.length &&
  wire.calls.every((call, at) => {
    const other = read.calls[at] as WireCall
    return sameCall(call, wire.isUnsent === true ? { name: other.name, input: other.input } : other)
  })

/** The first message that differs, or nothing. The first one may have only its calls, if `isPart` is set. */
export const difference = (wire: readonly Said[], read: readonly Said[], isPart = false): string | undefined => {
  for (let at = 0; at < Math.max(wire.length, read.length); at++) {
    if (!isSame(wire[at], read[at], isPart && at === 0))
      return `message ${at + 1}: sent ${JSON.stringify(wire[at])}, read ${JSON.stringify(read[at])}`
  }
  return undefined
}
