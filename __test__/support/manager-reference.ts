/**
 * A second, plain implementation of `ContextManager`: an array of messages, searched
 * from the beginning for every call. Slow and obvious, to compare the real one with.
 */
import type {
  AgentContext,
  AgentContextOptions,
  AssemblerInput,
  AssemblerOutput,
  ContextManager,
  ContextManagerOptions,
  ContextSnapshot,
  ConversationMessage,
  ExportSnapshotOptions,
  ImportSnapshotOptions,
  MessageAddressee,
  MessageChanges,
  NewConversationMessage,
  RouteContextOptions,
  RouteContextResult,
  RoutingItem,
  ShownContextMessage,
} from 'promptmason'
import type { Agent } from './assemblers.js'
import { referenceAssemble, shorten } from './reference.js'
import { referenceStrip } from './strip-reference.js'
import { type Addressed, type VisibilityRecord, VisibilityReference } from './visibility-reference.js'

/** What the real and the plain one have in common. */
export type Managed = Pick<
  ContextManager,
  | 'getMessages'
  | 'getLatestMessage'
  | 'setTeamTask'
  | 'getTeamTask'
  | 'getContextForRoute'
  | 'clear'
  | 'exportSnapshot'
  | 'importSnapshot'
  | 'updateMessage'
  | 'removeMessage'
> & {
  addMessage(message: NewConversationMessage): ConversationMessage
  getContextForAgent(agentId: string, agentType: string, options?: AgentContextOptions): AgentContext
  assemblePrompt(agentType: string, input: AssemblerInput): AssemblerOutput
  assembleForAgent(agentId: string, agentType: string, options?: AgentContextOptions): AssemblerOutput
  assembleForRoute(
    agentId: string,
    agentType: string,
    route: RoutingItem,
    options?: RouteContextOptions,
  ): AssemblerOutput
}

const TASK_LIMIT_BYTES = 5 * 1024

const NAMES: Record<string, Agent> = {
  'claude-code': 'claude',
  claude: 'claude',
  'openai-codex': 'codex',
  codex: 'codex',
  'google-gemini': 'gemini',
  gemini: 'gemini',
}

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** The longest beginning that ends between graphemes and whose size is at most `limit`. */
const headBy = (size: (text: string) => number, text: string, limit: number): string => {
  if (size(text) <= limit) return text
  let kept = 0
  for (const { segment, index } of segmenter.segment(text)) {
    kept += size(segment)
    if (kept > limit) return text.slice(0, index)
  }
  return text
}
const bytesOf = (text: string): number => Buffer.byteLength(text, 'utf8')
const unitsOf = (text: string): number => text.length

const sameText = (one: string | null | undefined, other: string): boolean =>
  one?.toWellFormed() === other.toWellFormed()

/** Who wrote a message; speakers here have an `id` and no `roleId`. */
const speakerId = ({ speaker }: ConversationMessage): string => speaker.id ?? ''

const nameOf = (addressee: MessageAddressee): string =>
  typeof addressee === 'string'
    ? addressee
    : (addressee.identifier ?? addressee.name ?? addressee.id ?? addressee.memberId ?? '')

const addresseesOf = ({ routing }: ConversationMessage): MessageAddressee[] => {
  const [resolved, others] = [routing?.resolvedAddressees, routing?.addressees].map((list) =>
    (list ?? []).filter((to) => nameOf(to).trim() !== ''),
  )
  return resolved?.length ? resolved : (others ?? [])
}

const namesGiven = (...names: (string | null | undefined)[]): string[] =>
  names.filter((name) => name !== undefined && name !== null)

/** What a message says about who may see it. */
const addressed = (message: ConversationMessage): Addressed => ({
  from: namesGiven(speakerId(message), message.speaker.name, message.speaker.displayName),
  to: addresseesOf(message).map((to) =>
    typeof to === 'string' ? to : { ids: namesGiven(to.id, to.memberId, to.identifier), name: to.name ?? undefined },
  ),
})

/** Who sent a message, and whom it is for. */
const envelopeOf = (message: ConversationMessage): { from: string; to: string } => {
  return {
    from: (message.speaker.name ?? speakerId(message)).toWellFormed(),
    to: addresseesOf(message).map(nameOf).join(', ').toWellFormed() || 'all',
  }
}

const unknownMessage = (id: string): Error =>
  new Error(`there is no message with the id ${JSON.stringify(id.toWellFormed())} in this conversation`)

const checkMessage = (message: NewConversationMessage): void => {
  if (message === null || message === undefined) throw new TypeError('Message cannot be null or undefined')
  if (typeof message.content !== 'string') throw new TypeError('Message content must be a string')
  if (message.speaker === null || message.speaker === undefined) throw new TypeError('Message speaker is required')
  if (typeof message.speaker.id !== 'string' || message.speaker.id === '')
    throw new TypeError('Message speaker.id is required')
}

const invalid = (problem: string): Error => new Error(`Invalid snapshot format: ${problem}`)

/** The number of an id like `msg-7`; 0 for any other id. */
const numberOf = ({ id }: ConversationMessage): number => Number(/^msg-([1-9]\d*)$/.exec(id)?.[1] ?? 0)

const restoredMessage = (message: ConversationMessage): ConversationMessage => {
  if (typeof message !== 'object' || message === null) throw invalid('message')
  if (typeof message.id !== 'string' || message.id === '') throw invalid('id')
  try {
    checkMessage(message)
  } catch (error) {
    throw new Error(`Invalid snapshot format: ${String(error)}`, { cause: error })
  }
  if (message.timestamp === undefined || message.timestamp === null) return { ...message }
  const timestamp = message.timestamp instanceof Date ? message.timestamp : new Date(message.timestamp)
  if (Number.isNaN(timestamp.getTime())) throw invalid('timestamp')
  return { ...message, timestamp }
}

export class ReferenceManager implements Managed {
  #messages: ConversationMessage[] = []
  #teamTask: string | null = null
  #lastNumber = 0
  #visibility = new VisibilityReference()
  readonly #options: ContextManagerOptions

  constructor(options: ContextManagerOptions = {}) {
    this.#options = options
  }

  // ---- state

  addMessage(given: NewConversationMessage): ConversationMessage {
    checkMessage(given)
    this.#lastNumber += 1
    const message = { ...given, id: `msg-${this.#lastNumber}` }
    this.#messages.push(message)
    this.#visibility.add(addressed(message))
    this.#options.onMessageAdded?.(message)
    return message
  }

  getMessages(): ConversationMessage[] {
    return [...this.#messages]
  }

  getLatestMessage(): ConversationMessage | null {
    return this.#messages.at(-1) ?? null
  }

  updateMessage(id: string, changes: MessageChanges): ConversationMessage {
    const index = this.#knownIndexOf(id)
    const before = addressed(this.#messages[index]!)
    const message = { ...this.#messages[index]!, ...changes }
    checkMessage(message)
    this.#messages[index] = message
    const after = addressed(message)
    this.#visibility.speaker(index, after.from)
    if (JSON.stringify(before.to) !== JSON.stringify(after.to)) this.#visibility.address(index, after.to)
    return message
  }

  removeMessage(id: string): ConversationMessage {
    const index = this.#knownIndexOf(id)
    const [removed] = this.#messages.splice(index, 1)
    this.#visibility.remove(index)
    return removed!
  }

  #knownIndexOf(id: string): number {
    const index = this.#indexOf(id)
    if (index < 0) throw unknownMessage(id)
    return index
  }

  setTeamTask(task: string | null, onlyIfOther = false): void {
    const given = task?.toWellFormed() ?? null
    const before = this.#teamTask
    this.#teamTask = given === null ? null : headBy(bytesOf, given, TASK_LIMIT_BYTES)
    const isOther = this.#teamTask !== before
    const [from, to] = [bytesOf(given ?? ''), bytesOf(this.#teamTask ?? '')]
    if (to < from) this.#warn(`TeamTask exceeded 5KB limit (${from} bytes), truncated to ${to} bytes`)
    if (isOther || !onlyIfOther) this.#options.onTeamTaskChanged?.(this.#teamTask)
  }

  getTeamTask(): string | null {
    return this.#teamTask
  }

  clear(): void {
    this.#messages = []
    this.#lastNumber = 0
    this.#visibility = new VisibilityReference()
    this.setTeamTask(null)
  }

  exportSnapshot(options?: ExportSnapshotOptions): ContextSnapshot {
    const start = options?.after ? this.#knownIndexOf(options.after) + 1 : 0
    const after = this.#messages[start - 1]?.id
    const isLastThere =
      this.#lastNumber === 0 || this.#messages.some((message) => numberOf(message) === this.#lastNumber)
    const visibility = { visibility: this.#visibility.export(start) }
    return {
      ...visibility,
      messages: structuredClone(this.#messages.slice(start)),
      ...(after === undefined
        ? {}
        : { after, pinned: this.#messages.filter(({ pinned }) => pinned === true).map(({ id }) => id) }),
      teamTask: this.#teamTask,
      ...(isLastThere ? {} : { lastNumber: this.#lastNumber }),
      timestamp: Date.now(),
      version: 1,
    }
  }

  importSnapshot(snapshot: ContextSnapshot, options?: ImportSnapshotOptions): void {
    if (snapshot?.version !== 1) throw new Error('Invalid snapshot format: version')
    if (!Array.isArray(snapshot.messages)) throw new Error('Invalid snapshot format: messages')
    if (!['string', 'undefined'].includes(typeof (snapshot.teamTask ?? undefined)))
      throw new Error('Invalid snapshot format: teamTask')
    const restored = structuredClone(snapshot.messages.map(restoredMessage))
    const numbers = restored.map(numberOf)
    const ids = new Set(restored.map(({ id }) => id.toWellFormed()))
    if (ids.size < restored.length || !numbers.every(Number.isSafeInteger)) throw invalid('ids')
    const append = options?.append ?? false
    if (append) this.#checkBeginning(snapshot.after, restored)
    else if (typeof snapshot.after === 'string') throw invalid('after')
    const highest = Math.max(append ? this.#lastNumber : 0, ...numbers)
    const lastNumber = snapshot.lastNumber ?? highest
    if (lastNumber < highest) throw invalid('lastNumber')
    this.#messages = append ? [...this.#messages, ...restored] : restored
    if (!append) this.#visibility = new VisibilityReference()
    this.#visibility.import((snapshot as ContextSnapshot & { visibility: VisibilityRecord }).visibility)
    this.#lastNumber = lastNumber
    this.setTeamTask(snapshot.teamTask ?? null, append)
  }

  /** Messages to append begin where the conversation ends, and their numbers ascend. */
  #checkBeginning(after: string | undefined, added: ConversationMessage[]): void {
    const last = this.#messages.at(-1)
    const first = added[0]
    const isNext = first === undefined || last === undefined || first.id === `msg-${this.#lastNumber + 1}`
    if (typeof after === 'string' ? !last || !sameText(after, last.id) : !isNext) throw invalid('gap')
    if (added.some(({ id }) => this.#indexOf(id) >= 0)) throw invalid('overlap')
    const numbers = [this.#lastNumber, ...added.map(numberOf).filter((number) => number > 0)]
    if (numbers.some((number, index) => index > 0 && number <= (numbers[index - 1] ?? 0))) throw invalid('order')
  }

  // ---- what an agent sees

  #contentOf({ content }: ConversationMessage): string {
    const text = content.toWellFormed()
    return this.#options.stripMarkers === false ? text : referenceStrip(text)
  }

  #show(message: ConversationMessage): { from: string; to: string; content: string } {
    return { ...envelopeOf(message), content: this.#contentOf(message) }
  }

  #visible(message: ConversationMessage, { recipient }: AgentContextOptions): boolean {
    if (recipient === undefined || recipient === null) return true
    return this.#visibility.visible(recipient).includes(this.#messages.indexOf(message))
  }

  /** The newest messages before one, of those that the recipient may see. */
  #windowBefore(end: number, options: AgentContextOptions): ConversationMessage[] {
    const visible = this.#messages.slice(0, end).filter((message) => this.#visible(message, options))
    const { windowSizeOverride } = options
    const size = windowSizeOverride ?? this.#options.contextWindowSize ?? 5
    return size === 0 ? [] : visible.slice(-size)
  }

  /** A message that the recipient may not see is not there. */
  #indexOf(wanted: string, options: AgentContextOptions = {}): number {
    const index = this.#messages.findIndex(({ id }) => sameText(id, wanted))
    const message = this.#messages[index]
    return message && this.#visible(message, options) ? index : -1
  }

  /** The pinned messages that the recipient may see are shown in their places, whatever the window is. */
  #withPins(
    current: ConversationMessage | undefined,
    window: ConversationMessage[],
    options: AgentContextOptions,
  ): ConversationMessage[] {
    const isShown = (message: ConversationMessage): boolean =>
      window.includes(message) || (message.pinned === true && message !== current && this.#visible(message, options))
    return this.#messages.filter(isShown)
  }

  /** Before which of the shown messages others are missing that the recipient may see. */
  #gapsIn(
    context: ConversationMessage[],
    current: ConversationMessage | undefined,
    leftOut: ConversationMessage | undefined,
    options: AgentContextOptions,
  ): number[] {
    const others = this.#messages.filter(
      (message) => message !== current && message !== leftOut && this.#visible(message, options),
    )
    const places = context.map((message) => others.indexOf(message))
    return places.flatMap((place, index) => (index > 0 && place > places[index - 1]! + 1 ? [index] : []))
  }

  #inputOf(
    current: ConversationMessage | undefined,
    window: ConversationMessage[],
    options: AgentContextOptions,
    leftOut?: ConversationMessage,
  ): AgentContext {
    const context = this.#withPins(current, window, options).filter((message) => message !== leftOut)
    const gapsBefore = this.#gapsIn(context, current, leftOut, options)
    const pinned = context.flatMap((message, index) => (message.pinned === true ? [index] : []))
    return {
      ...(pinned.length > 0 && { pinned }),
      ...(pinned.length > 0 && gapsBefore.length > 0 && { gapsBefore }),
      contextMessages: context.map((message) => this.#show(message)),
      currentMessage: current === undefined ? '' : this.#contentOf(current),
      teamTask: this.#teamTask,
      systemInstruction: (options.systemInstruction ?? undefined) as string | string[] | undefined,
      instructionFileText: options.instructionFileText ?? undefined,
      maxBytes: this.#options.maxBytes ?? 768 * 1024,
    }
  }

  getContextForAgent(_agentId: string, _agentType: string, options: AgentContextOptions = {}): AgentContext {
    const latest = this.#messages.findLast((message) => this.#visible(message, options))
    if (latest === undefined) return this.#inputOf(undefined, [], options)
    const context = this.#windowBefore(this.#messages.lastIndexOf(latest), options)
    const last = context.at(-1)
    let repeated
    if (latest.speaker.type === 'ai' && last !== undefined) {
      const sameSpeaker = sameText(speakerId(last), speakerId(latest))
      if (sameText(last.id, latest.id) || (sameSpeaker && this.#contentOf(last) === this.#contentOf(latest)))
        repeated = context.pop()
    }
    return this.#inputOf(latest, context, options, repeated)
  }

  getContextForRoute(
    agentId: string,
    agentType: string,
    route: RoutingItem,
    options: RouteContextOptions = {},
  ): RouteContextResult {
    const parentMessageId = route.parentMessageId.toWellFormed()
    const targetMemberId = route.targetMemberId.toWellFormed()
    const intent = route.intent ?? undefined
    const parentIndex = this.#indexOf(parentMessageId, options)
    const parent = this.#messages[parentIndex]
    if (parent === undefined) {
      this.#warnOfMissingParent(parentMessageId)
      return {
        ...this.getContextForAgent(agentId, agentType, options),
        siblingContext: [],
        meta: {
          parentMessageId: undefined,
          intent,
          targetMemberId,
          siblingCount: 0,
          siblingTotalCount: 0,
          truncatedSiblings: false,
        },
      }
    }
    const isTargets = (message: ConversationMessage): boolean => sameText(speakerId(message), targetMemberId)
    const last = this.#messages.slice(0, parentIndex).findLast(isTargets)
    const window = this.#windowBefore(parentIndex, options)
    const own = last !== undefined && window.includes(last) && last.pinned !== true ? last : undefined
    const context = window.filter((message) => message !== own)
    const replies = this.#messages.filter(({ routing }) => sameText(routing?.parentMessageId, parentMessageId))
    const siblings = replies.filter((message) => !isTargets(message) && this.#visible(message, options)).toReversed()
    const shown = siblings.slice(0, options.maxSiblings ?? this.#options.defaultMaxSiblings ?? 5)
    const reinsert = options.forceParentReinsertion ?? this.#options.defaultForceParentReinsertion ?? true
    return {
      ...this.#inputOf(parent, context, options, own),
      parentContext: reinsert ? this.#repeated(parent) : undefined,
      siblingContext: shown.map((message) => this.#summary(message)),
      routeMeta: { parentMessageId, intent },
      meta: {
        parentMessageId,
        intent,
        targetMemberId,
        siblingCount: shown.length,
        siblingTotalCount: siblings.length,
        truncatedSiblings: siblings.length > shown.length,
      },
    }
  }

  #repeated(parent: ConversationMessage): ShownContextMessage | undefined {
    const message = this.#show(parent)
    const content = shorten(message.content, this.#options.parentReinsertionMaxBytes ?? 1024)
    return content === undefined ? undefined : { ...message, content }
  }

  #summary(reply: ConversationMessage): ShownContextMessage {
    const { from, to, content } = this.#show(reply)
    const intent = reply.routing?.intent?.toWellFormed()
    const text = content.replaceAll(/```[^]*?```/g, '[code block omitted]')
    const limit = this.#options.siblingContentMaxLength ?? 200
    return {
      from: intent ? `${from} [${intent}]` : from,
      to,
      content: text.length <= limit ? text : `${headBy(unitsOf, text, limit)}...`,
    }
  }

  // ---- prompts

  readonly #warned = new Set<string>()
  #agentOf(agentType: string): Agent {
    const name = agentType.trim().toLowerCase()
    const agent = NAMES[name]
    if (agent === undefined && !this.#warned.has(name)) {
      this.#warned.add(name)
      this.#warn(
        `Unknown agentType "${agentType}" (normalized: "${name}"), using PlainTextAssembler. This is said once for each type; to silence it, pass { assemblers: { "${name}": {} } }`,
      )
    }
    return agent ?? 'plain'
  }

  #assemble(agent: Agent, input: AssemblerInput): AssemblerOutput {
    const outcome = referenceAssemble(agent, {}, input)
    if ('prompt' in outcome) return outcome
    throw Object.assign(new RangeError('what must be kept does not fit'), { code: 'ERR_BUDGET_EXCEEDED', ...outcome })
  }

  assemblePrompt(agentType: string, input: AssemblerInput): AssemblerOutput {
    return this.#assemble(this.#agentOf(agentType), input)
  }

  assembleForAgent(agentId: string, agentType: string, options?: AgentContextOptions): AssemblerOutput {
    const agent = this.#agentOf(agentType)
    return this.#assemble(agent, this.getContextForAgent(agentId, agentType, options))
  }

  assembleForRoute(
    agentId: string,
    agentType: string,
    route: RoutingItem,
    options?: RouteContextOptions,
  ): AssemblerOutput {
    if (this.#indexOf(route.parentMessageId, options) < 0) {
      this.#warnOfMissingParent(route.parentMessageId)
      return this.assembleForAgent(agentId, agentType, options)
    }
    const agent = this.#agentOf(agentType)
    return this.#assemble(agent, this.getContextForRoute(agentId, agentType, route, options))
  }

  #warnOfMissingParent(id: string): void {
    if (this.#options.onMissingParent === 'throw') throw unknownMessage(id)
    this.#warn(`Parent message ${id.toWellFormed()} not found, falling back to latest`)
  }

  #warn(text: string): void {
    const warning = `[ContextManager] ${text}`
    if (this.#options.logger) this.#options.logger.warn(warning)
    else console.warn(warning)
  }
}
