/** `buildPrompt`. */
import native = require('../../binding.js')
import { later } from '../later.js'
import { assemblerOptions, nativeOptions } from './assembler-options.js'
import { readForm } from './form.js'
import { layout } from './layout.js'
import { checkIndices, instruction, linesOf, messages, moreOf, shared, sharedMore } from './materials.js'
import { fields } from '../checks/fields.js'
import { integer, optional, string } from '../checks/kinds.js'
import { typeProblem, wrongType } from '../checks/problems.js'
import { callNative } from '../errors.js'
import { endsOf, frameOf, makePrompt, type Subject } from './make-prompt.js'
import { nativeTokenizer } from '../tokens/token-functions.js'
import { tokenizer } from '../tokens/tokenizer.js'
import type { Kind } from '../checks/kinds.js'
import type { AgentType } from './agents.js'
import type { AssemblerOptions } from './assembler-options.js'
import type { BufferForm, Form, IntoForm, PromptForm, RequestForm, StringForm } from './form.js'
import type { LayoutDefinition } from './layout.js'
import type { SentMessage } from './message.js'
import type { PromptContextMessage } from '../messages/messages.js'
import type { BoundAssembler } from './assemblers.js'
import type { PromptMaterials } from './materials.js'
import type { ModelApi } from './model-requests.js'
import type {
  AnyAssemblerOutput,
  AssemblerOutput,
  BufferOutput,
  IntoOutput,
  RequestOutput,
  StringOutput,
} from './results.js'
import type { Tokenizer } from '../tokens/tokenizer.js'

const reportMisspelling = later(
  () => require('./misspelled.js') as typeof import('./misspelled.js'),
  'reportMisspelling',
)

/**
 * The input of `buildPrompt`. The field is called `systemInstructionText` here and `systemInstruction`
 * in assemblers and managers; passing the other one is an error.
 */
export interface PromptInput extends PromptMaterials {
  /**
   * Whose layout to use: `claude-code`, `openai-codex`, `google-gemini`, `opencode`, `qwen-code`,
   * `github-copilot`, `pi`, `grok`, `kimi-code`, `kilo-code`, or the short names `claude`, `codex`,
   * `gemini`, `qwen`, `copilot`, `kimi`, `kilo`, in any letter case. Any other agent gets plain text.
   */
  agentType: AgentType
  /** Only in `LayoutPromptInput`. @default undefined */
  layout?: null | undefined
  /** The configured instruction. It is never cut. Each element of an array becomes a line. @default undefined */
  systemInstructionText?: string | readonly string[] | null | undefined
  /**
   * The text of the instruction file. It follows `systemInstructionText` and is shortened if necessary.
   * @default undefined
   */
  instructionFileText?: string | null | undefined
  /** The message to act on. It is never cut. */
  message: string
  /**
   * What was said before `contextMessages`, such as a model's summary of older messages. It is placed
   * before them. If bytes run short after the context has been dropped, it is shortened to no less than
   * 1 KiB, then dropped. `recipient` does not affect it: pass only what that member may see.
   * @default undefined
   */
  summary?: string | null | undefined
  /** The maximum UTF-8 bytes of `prompt` and `systemFlag` together. @default 786432 (768 KiB) */
  maxBytes?: number | null | undefined
  /** What counts tokens. Overrides `options.tokenizer`. @default 'o200k' for Codex, else undefined */
  tokenizer?: Tokenizer | null | undefined
  /** How many of the newest messages to include (of those that `recipient` may see); 0 for none. @default 5 */
  maxContextMessages?: number | null | undefined
  /**
   * Includes only what this member may see: messages to all, to the member (alone or in a list such as
   * `max, sarah`; `，` and `、` also separate names), or from the member. Letter case and surrounding
   * white space do not matter. A name that contains a comma is matched as a whole first: if it is the
   * name of the recipient, or of a sender among the messages examined, it is not a list.
   * @default undefined (everything)
   */
  recipient?: string | null | undefined
  /**
   * The member's role in a few words, at most 512 bytes. It becomes the first line of the system text.
   * @default undefined
   */
  roleSummary?: string | null | undefined
  /**
   * The maximum bytes of the system text. The instruction file is shortened to fit, but not below 2 KiB;
   * if that is not enough, an error is thrown. The default is a preference: the system text gets more
   * than half if the instruction and 2 KiB of the file need more.
   * @default half of maxBytes, and half of maxTokens
   */
  systemMaxBytes?: number | null | undefined
  /**
   * Indices into `contextMessages` of messages to keep before any other, in their places, even outside
   * `maxContextMessages`. Messages that `recipient` may not see stay hidden.
   * @default undefined
   */
  pinned?: readonly number[] | null | undefined
  /** How to lay out and trim the prompt. @default {} */
  options?: AssemblerOptions | null | undefined
}

/** The same, with the message as it stands in a conversation. */
export interface MessagePromptInput extends Omit<PromptInput, 'message'> {
  /**
   * The message to act on, with its sender and addressees; or its text. The prompt shows who sent it unless
   * `options.showSender` is false. If there is a `recipient`, the message must be one that this member may see.
   * @default the last of `contextMessages`
   */
  message?: string | PromptContextMessage | null | undefined
  /** Who wrote the message to act on. @default the sender of `message` */
  messageFrom?: string | null | undefined
  /** Who the message to act on is for; an array for several. @default the addressees of `message` */
  messageTo?: string | readonly string[] | null | undefined
}

/**
 * The same with a custom layout instead of an agent type. The layout is read and validated on each call;
 * for many prompts, a `LayoutAssembler` or a `ContextManager` reads it once.
 */
export interface LayoutPromptInput extends Omit<MessagePromptInput, 'agentType' | 'layout'> {
  /** The layout of the prompt. */
  layout: LayoutDefinition
  /** Not needed. If set, it must be a name of the layout. @default undefined */
  agentType?: AgentType | null | undefined
}

/** What to pass to the agent's CLI. */
export type PromptOutput = AssemblerOutput

/** The input for a request to a model API: the same, but the agent type does not matter. */
export type RequestInput = Omit<MessagePromptInput, 'agentType'> & { agentType?: AgentType | null | undefined }

/** The fields that say which assembler makes the prompt. */
interface SubjectInput extends Pick<RequestInput, 'agentType' | 'options' | 'tokenizer'> {
  layout?: LayoutDefinition | null | undefined
}

const subjectTable = {
  layout: optional(layout),
  agentType: optional(string),
  options: optional(assemblerOptions),
  tokenizer: optional(tokenizer),
}

/** Loaded on first use. */
const ofMessages = () => require('./message.js') as typeof import('./message.js')

const givenMessage: Kind<string | SentMessage, string | PromptContextMessage> = (value, parent, name) =>
  typeof value === 'object' ? ofMessages().sentMessage(value, parent, name) : string(value, parent, name)

/** Fields that most inputs lack. */
const moreTable = {
  recipient: optional(string),
  roleSummary: optional(string),
  systemMaxBytes: optional(integer(0)),
  ...sharedMore,
}

const table = {
  contextMessages: messages,
  maxBytes: optional(integer(1)),
  maxContextMessages: optional(integer(0)),
  systemInstructionText: optional(instruction),
  message: optional(givenMessage),
  ...shared,
  ...moreTable,
}

const RULES = { required: true, top: true }
export const subjectFields = fields<SubjectInput>()(subjectTable, {
  ...RULES,
  also: [...Object.keys(table), 'systemInstruction'],
})
export const promptFields = fields<Omit<MessagePromptInput, keyof SubjectInput>>()(table, {
  ...RULES,
  anyKeys: true,
  misnamed: { systemInstruction: 'systemInstructionText' },
  besides: ['ends', 'tokenizer', 'showSender'],
})

const morePromptFields = moreOf({ ...moreTable, tokenizer })
const { recipient: _, ...others } = moreTable
const moreThanRecipient = moreOf({ ...others, tokenizer })

/** Builds a request to a model API. Messages from `recipient` have the role of the assistant. */
export function buildPrompt<Api extends ModelApi, R extends boolean = false>(
  input: RequestInput | LayoutPromptInput,
  form: RequestForm<Api, R>,
): RequestOutput<Api, R>
/** Builds a prompt as a new Buffer. */
export function buildPrompt<R extends boolean = false>(
  input: MessagePromptInput | LayoutPromptInput,
  form: BufferForm<R>,
): BufferOutput<R>
/** Builds a prompt in your buffer. */
export function buildPrompt<R extends boolean = false>(
  input: MessagePromptInput | LayoutPromptInput,
  form: IntoForm<R>,
): IntoOutput<R>
/** Builds a prompt as a string. */
export function buildPrompt<R extends boolean = false>(
  input: MessagePromptInput | LayoutPromptInput,
  form: StringForm<R>,
): StringOutput<R>
/** Builds a prompt in a form known only at run time. */
export function buildPrompt(
  input: MessagePromptInput | LayoutPromptInput,
  form: PromptForm | null | undefined,
): AnyAssemblerOutput
/**
 * Builds the prompt of one member from everything a coordinator knows: picks the layout by `agentType`, includes what
 * `recipient` may see, and stays within the budget without ever cutting the message.
 */
export function buildPrompt(input: MessagePromptInput | LayoutPromptInput, form?: null): AssemblerOutput
export function buildPrompt(given: unknown, form?: unknown): unknown {
  const wanted = readForm(form, true)
  const subject = subjectOfPrompt(given, wanted.request)
  const output = makePrompt(subject, wanted)
  if (output.report !== undefined) reportMisspelling(output.report, subject.agentType)
  return output
}

/** What `buildPrompt` makes. */
interface PromptSubject extends Subject {
  /** As the caller wrote it, if the layout depends on it. */
  agentType: string | undefined
}

/** @param request The request that is made. It needs no agent type. */
export const subjectOfPrompt = (given: unknown, request?: Form['request']): PromptSubject => {
  const subject = subjectFields(given, '', 'input')
  const { agentType, layout: custom, options } = subject
  if (custom === undefined && agentType === undefined && request === undefined) {
    wrongType('a string', undefined, '', 'agentType')
  }
  const input = promptFields(given, '', 'input')
  const { list, count: all } = input.contextMessages
  checkIndices(input.pinned, all, 'pinned')
  const nativeInput: typeof input & native.MorePromptFields = input
  if (subject.tokenizer !== undefined) nativeInput.tokenizer = nativeTokenizer(subject.tokenizer)
  const count = input.message === undefined ? all - 1 : all
  if (count < 0) throw typeProblem('message must be given, because contextMessages is empty')
  const message = input.message ?? ofMessages().sentMessage(list[count], 'contextMessages', count)
  const isText = typeof message === 'string'
  const text = isText ? message : message.text
  if (!isText) {
    if (input.recipient !== undefined) ofMessages().checkRecipient(message, input.recipient)
    // It is in the prompt anyway.
    if (input.pinned !== undefined) nativeInput.pinned = input.pinned.filter((index) => index < count)
    nativeInput.messageFrom ??= message.from
    nativeInput.messageTo ??= message.to
    nativeInput.showSender = options?.showSender ?? true
  }
  const maxBytes = input.maxBytes ?? native.DEFAULT_MAX_BYTES
  const ends = endsOf(text, maxBytes)
  if (ends !== undefined) nativeInput.ends = ends
  const more = morePromptFields(nativeInput)
  const { native: assembler, frame } = assemblerOf(subject, input.recipient, request)
  return {
    begin: (batch, texts, output) => assembler.buildPrompt(more, batch.numbers, texts, batch.extras, output),
    frame,
    list,
    count,
    texts: [ends === undefined ? text : '', input.teamTask, input.instructionFileText],
    instruction: linesOf(input.systemInstructionText),
    maxBytes,
    maxMessages: input.maxContextMessages ?? native.DEFAULT_CONTEXT_WINDOW_SIZE,
    isForOne: input.recipient !== undefined,
    isSpecial: moreThanRecipient(nativeInput) !== undefined,
    tokenizer: subject.tokenizer ?? options?.tokenizer,
    agentType: custom === undefined && request === undefined ? agentType : undefined,
  }
}

type Assembler = Pick<BoundAssembler, 'native' | 'frame'>

/** The assemblers of agent types, without options. */
const known = new Map<string, Assembler>()
/** Callers can make up agent types. */
const MOST_KNOWN = 64

const assemblerOf = (
  { agentType, layout: custom, options }: ReturnType<typeof subjectFields>,
  recipient: string | undefined,
  request: Form['request'],
): Assembler => {
  const isPlain = custom === undefined && options === undefined && request === undefined && agentType !== undefined
  const found = isPlain ? known.get(agentType) : undefined
  if (found !== undefined) return found
  const optionFields = options && nativeOptions(options)
  const requested = request && { ...request, ...(recipient !== undefined && { member: recipient }) }
  const made = callNative(() => native.NativeAssembler.forPrompt(agentType, custom, optionFields, requested))
  const assembler = { native: made, frame: frameOf(made) }
  if (isPlain) {
    if (known.size >= MOST_KNOWN) known.clear()
    known.set(agentType, assembler)
  }
  return assembler
}
