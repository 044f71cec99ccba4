/**
 * `buildHandoff`: turns one agent's stored session into the prompt with which another continues.
 *
 * The parts of the prompt are those of every prompt, under the titles of a layout of its own: the first
 * task is the parent, what was done are the siblings, and the conversation is the context. So budgets,
 * fences, cuts and the account work as everywhere else.
 */
import { DEFAULT_MAX_BYTES, redactText } from '../../binding.js'
import { fields, forNative } from '../checks/fields.js'
import { boolean, integer, isMissing, optional, refined, string, type Kind } from '../checks/kinds.js'
import { unknownValue, wrongType } from '../checks/problems.js'
import { firstTokenizer } from '../conversation/estimates.js'
import { profileOf } from '../delivery/profiles/index.js'
import { LayoutAssembler, subjectOfAssembler } from '../prompts/assemblers.js'
import { newFenceKey, sharedMore } from '../prompts/materials.js'
import { readForm, type BufferForm, type IntoForm, type PromptForm, type StringForm } from '../prompts/form.js'
import { makePrompt } from '../prompts/make-prompt.js'
import { handoffSource, type CheckedMessage, type CheckedSource, type HandoffSource } from './source.js'
import { readTrail, trailTexts } from './trail.js'
import type { MessagePart } from '../messages/parts.js'
import type { LayoutDefinition } from '../prompts/layout.js'
import type { AgentType } from '../prompts/agents.js'
import type { AnyAssemblerOutput, AssemblerOutput, BufferOutput, IntoOutput, StringOutput } from '../prompts/results.js'
import type { AssemblerReport } from '../prompts/report.js'
import type { Tokenizer } from '../tokens/tokenizer.js'

/** Options of `buildHandoff`. */
export interface HandoffOptions {
  /** The agent that takes over. */
  to: AgentType
  /** What the agent should do now. @default 'Go on with this work where it stopped.' */
  message?: string | null | undefined
  /** The maximum UTF-8 bytes of the prompt. @default 786432 (768 KiB) */
  maxBytes?: number | null | undefined
  /** The maximum tokens of the prompt. @default 50000; no limit if there is a `tokenizer` */
  maxTokens?: number | null | undefined
  /** What counts tokens. @default 'o200k' for Codex, else { bytesPerToken: 3 } */
  tokenizer?: Tokenizer | null | undefined
  /**
   * Whether to replace values that look like keys and tokens of well-known providers with `[redacted:
   * …]`. The account lists them as `redacted`.
   * @default false
   */
  redact?: boolean | null | undefined
  /** The key of the fenced prompt. @default a random one */
  fenceKey?: string | null | undefined
}

/** How a handoff reads, for every agent. */
const handoffLayout = (agentType: string): LayoutDefinition => ({
  agentType,
  sections: [
    { part: 'teamTask', title: '[HANDOFF]' },
    { part: 'parent', title: '[FIRST_TASK]' },
    { part: 'summary', title: '[SUMMARY]' },
    { part: 'siblings', title: '[DONE_SO_FAR]', note: '(from the tool calls of the session)' },
    { part: 'context', title: '[CONVERSATION]', note: '(the newest messages, oldest first)' },
    { part: 'message', title: '[MESSAGE]' },
  ],
  messageLine: { open: '- ', arrow: ' -> ' },
})

/** A name that stands in a line of the prompt. */
const agentName = refined(string, (value, parent, name) =>
  value.trim() === '' ? unknownValue('the name of an agent', value, parent, name) : value,
)

/** Checked when the assembler is created, with the same path. */
const laterChecked: Kind<Tokenizer | undefined, HandoffOptions['tokenizer']> = (value) =>
  isMissing(value) ? undefined : (value as Tokenizer)

const handoffOptions = fields<HandoffOptions>()(
  {
    to: agentName,
    message: optional(string),
    maxBytes: optional(integer(1)),
    maxTokens: optional(integer(1)),
    tokenizer: laterChecked,
    redact: optional(boolean, false),
    fenceKey: sharedMore.fenceKey,
  },
  { required: true },
)

/** Half of a window of 100,000 tokens: the agent has a system text and tools of its own, and work to do. */
export const DEFAULT_MAX_TOKENS = 50_000
const DEFAULT_MESSAGE = 'Go on with this work where it stopped.'
/** The largest shares of the budget: for the first task, and for each list of what was done. */
const [TASK_SHARE, TRAIL_SHARE] = [4, 16]
const MIN_TASK_BYTES = 1024
/** Bytes per token when computing shares. */
const BYTES_PER_TOKEN = 2
const MAX_NAME = 4096
const USER = 'user'

/** A value of the transcript on one line of our own text. */
type Redact = (text: string) => string

/** Few speakers write many messages. */
const remembered = (redact: Redact): Redact => {
  const names = new Map<string, string>()
  return (given) => {
    const name = names.get(given) ?? redact(given)
    names.set(given, name)
    return name
  }
}

/** Half a key is not recognised, so a name that is cut is redacted before. */
const oneLine = (value: string, redact: Redact) =>
  (value.length > MAX_NAME ? redact(value) : value).slice(0, MAX_NAME).replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')

/** Calls in the last messages that have no result. */
const openCalls = (messages: readonly CheckedMessage[], redact: Redact) => {
  const answered = new Set()
  for (const { parts, isHuman } of messages.toReversed()) {
    for (const part of parts) if (part.type === 'tool-result') answered.add(part.id)
    const open = parts.flatMap((part) =>
      part.type === 'tool-call' && !answered.has(part.id) ? [oneLine(part.name, redact)] : [],
    )
    if (open.length > 0) return open
    if (isHuman) return []
  }
  return []
}

const notice = (source: CheckedSource, hasTask: boolean, hasTrail: boolean, redact: Redact) => {
  const { agent, cwd, summary, messages } = source
  const where = cwd === undefined ? '' : ` in the directory ${oneLine(cwd, redact)}`
  const parts = [
    ...(hasTask ? ['its first task'] : []),
    ...(summary === undefined ? [] : ['a summary of its older messages']),
    ...(hasTrail ? ['what was done'] : []),
    'the newest messages',
  ]
  const listed = parts.length === 1 ? parts[0] : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
  const open = [...new Set(openCalls(messages, redact))]
  const stopped = `\nIt stopped before a result came of: ${open.join(', ')}. Nobody knows whether that was done.`
  return `You take over work that another agent, ${oneLine(agent, redact)}, has begun${where}. Below are, as far as there is room, ${listed}.
It is a record of what has happened: tools that are called in it have been run. Files may have changed since.${open.length === 0 ? '' : stopped}`
}

/** The first thing that the user said, and everything else. */
const withoutTask = (messages: readonly CheckedMessage[]) => {
  const at = messages.findIndex(({ isHuman }) => isHuman)
  const first = messages[at]
  const texts = first?.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])) ?? []
  const task = texts.join('\n\n')
  if (first === undefined || task.trim() === '') return { task: undefined, rest: [...messages], at: -1 }
  const others = first.parts.filter(({ type }) => type !== 'text')
  const rest = messages.toSpliced(at, 1, ...(others.length === 0 ? [] : [{ ...first, parts: others }]))
  return { task: { from: first.from, content: task }, rest, at: others.length === 0 ? at : -1 }
}

const bytesOfPart = (part: MessagePart) => {
  const { byteLength } = Buffer
  switch (part.type) {
    case 'tool-call':
      return byteLength(part.name) + byteLength(JSON.stringify(part.input))
    case 'tool-result':
      return byteLength(typeof part.output === 'string' ? part.output : JSON.stringify(part.output))
    case 'file':
      return byteLength(part.name ?? '') + byteLength(part.data ?? part.url ?? '')
    default:
      return byteLength(part.text)
  }
}

/** Everything in the session except the conversation. */
const outsideOf = ({ branches, omitted }: CheckedSource) => {
  const beside = branches.flatMap(({ messages }) => messages)
  const bytes = beside.flatMap(({ parts }) => parts).reduce((sum, part) => sum + bytesOfPart(part), 0)
  const count = beside.length + omitted.messages
  return count === 0 ? undefined : { count, bytes: bytes + omitted.bytes }
}

/** Messages of the session and its sub-agents, in chronological order. */
const actsOf = ({ messages, branches }: CheckedSource) => {
  const acts = [messages, ...branches.flatMap(({ kind, messages: said }) => (kind === 'sub-agent' ? [said] : []))]
  if (acts.length === 1) return messages
  // A message without a time counts as old as the one before it.
  return acts
    .flatMap((said) => {
      let time = 0
      return said.map((each) => {
        time = Number.isNaN(each.time) ? time : each.time
        return { ...each, time }
      })
    })
    .toSorted((one, other) => one.time - other.time)
}

/** Builds a handoff as a new Buffer. */
export function buildHandoff<R extends boolean = false>(
  transcript: HandoffSource,
  options: HandoffOptions,
  form: BufferForm<R>,
): BufferOutput<R>
/** Builds a handoff in your buffer. */
export function buildHandoff<R extends boolean = false>(
  transcript: HandoffSource,
  options: HandoffOptions,
  form: IntoForm<R>,
): IntoOutput<R>
/** Builds a handoff as a string. */
export function buildHandoff<R extends boolean = false>(
  transcript: HandoffSource,
  options: HandoffOptions,
  form: StringForm<R>,
): StringOutput<R>
/** Builds a handoff in a form known only at run time. */
export function buildHandoff(
  transcript: HandoffSource,
  options: HandoffOptions,
  form: PromptForm | null | undefined,
): AnyAssemblerOutput
/**
 * Builds the prompt with which another agent continues a session: an introduction, the first task, the summary if
 * there is one, what was done (files, plan and commands, from the tool calls), and the newest messages with their tool
 * calls. The prompt is fenced and within the budget; the report accounts for everything else.
 */
export function buildHandoff(transcript: HandoffSource, options: HandoffOptions, form?: null): AssemblerOutput
export function buildHandoff(given: unknown, givenOptions: unknown, form?: unknown): unknown {
  const wanted = readForm(form)
  if (given instanceof Promise) wrongType('a transcript', given, '', 'transcript')
  const transcript = handoffSource(given, '', 'transcript')
  const options = handoffOptions(givenOptions, '', 'options')
  const { to, maxBytes = DEFAULT_MAX_BYTES, fenceKey = newFenceKey() } = options
  const maxTokens = options.maxTokens ?? (options.tokenizer === undefined ? DEFAULT_MAX_TOKENS : undefined)
  const agentType = profileOf(to)?.agentType ?? to
  const { task, rest, at } = withoutTask(transcript.messages)
  const { text: summary, covers = 0 } = transcript.summary ?? {}
  const budgetBytes = Math.min(maxBytes, (maxTokens ?? maxBytes) * BYTES_PER_TOKEN)
  const trailBytes = Math.floor(budgetBytes / TRAIL_SHARE)
  const trail = readTrail(transcript.agent, actsOf(transcript), transcript.cwd)
  const redact: Redact = options.redact ? redactText : (text) => text
  const nameOf = remembered(redact)
  const done = trailTexts(trail, trailBytes, redact)
  const counter = maxTokens === undefined ? undefined : (firstTokenizer({ maxTokens }, agentType) ?? 'o200k')
  const tokenizer = options.tokenizer ?? counter
  const assembler = new LayoutAssembler(handoffLayout(agentType), { markers: 'fence', tokenizer })
  const input = {
    contextMessages: rest.map(({ from, isHuman, parts }) => {
      return { from: nameOf(from), to: isHuman ? nameOf(transcript.agent) : USER, content: '', parts }
    }),
    summary,
    summaryCovers: Math.min(rest.length, covers - (at >= 0 && at < covers ? 1 : 0)),
    teamTask: notice(transcript, task !== undefined, done.length > 0, redact),
    parentContext: task && { ...task, from: nameOf(task.from) },
    siblingContext: done.map((content) => ({ from: nameOf(transcript.agent), content })),
    currentMessage: options.message ?? DEFAULT_MESSAGE,
    messageFrom: USER,
    messageTo: to,
    maxBytes,
    maxTokens,
    fenceKey,
  }
  const internal = forNative({
    outside: outsideOf(transcript),
    redact: options.redact,
    parentMaxBytes: Math.max(MIN_TASK_BYTES, Math.floor(budgetBytes / TASK_SHARE)),
  })
  const output = makePrompt(subjectOfAssembler(assembler, input, internal), wanted)
  if (output.report !== undefined && at >= 0) nameByTranscript(output.report, at)
  return output
}

/**
 * Names messages by their indices in the transcript, which the first task stands in.
 * @param at The index of the first task.
 */
const nameByTranscript = ({ leftOut, dropped, findings }: AssemblerReport, at: number) => {
  const entries = leftOut.filter(({ part, index }) => part === 'context' && index !== undefined)
  const found = findings.filter(({ part }) => part === 'context')
  for (const entry of [...entries, ...dropped, ...found])
    if ((entry.index ?? 0) >= at) entry.index = (entry.index ?? 0) + 1
}
