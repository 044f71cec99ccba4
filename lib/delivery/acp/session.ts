/** One session with an agent, and one prompt. `run.ts` describes what is passed on. */
import type { ReadableStream, WritableStream } from 'node:stream/web'
import { arrayOf, objectOf, textOf } from '../formats/format.js'
import type { AcpSettings } from '../plan.js'

const READING = ['read', 'search', 'fetch', 'think']

/** What tools may do, by the protocol's names. With `all`, they may do anything. */
const ALLOWED: Record<'default' | 'read-only' | 'edit', readonly string[]> = {
  default: [],
  'read-only': READING,
  edit: [...READING, 'edit', 'delete', 'move'],
}

export interface PermissionOption {
  optionId: string
  kind: string
}

/**
 * The answer, which applies once, not forever. No user is asked: whatever is not allowed is rejected.
 * @param kind What the tool does.
 * @returns `optionId` is undefined if the agent offers no such option.
 */
const answerTo = (
  permissions: NonNullable<AcpSettings['permissions']>,
  kind: unknown,
  options: readonly PermissionOption[],
): { optionId: string | undefined; isGranted: boolean } => {
  const isWanted = permissions === 'all' || ALLOWED[permissions].includes(textOf(kind) ?? '')
  const kinds = isWanted ? ['allow_once', 'allow_always'] : ['reject_once', 'reject_always']
  const optionId = kinds.map((each) => options.find((option) => option?.kind === each)).find(Boolean)?.optionId
  return { optionId, isGranted: isWanted && optionId !== undefined }
}

export interface MessageStream {
  readable: ReadableStream<unknown>
  writable: WritableStream<unknown>
}

/** What is used of the protocol's package. Each version of the protocol has its own entry. */
export interface Sdk {
  PROTOCOL_VERSION: number
  ndJsonStream: (output: WritableStream<Uint8Array>, input: ReadableStream<Uint8Array>) => MessageStream
  client: (options: { name: string }) => Client
}

interface Client {
  onRequest: (method: string, handler: (request: { params: PermissionRequest }) => object) => Client
  onNotification: (
    method: string,
    handler: (message: { params: { sessionId: string; update: Update } }) => void,
  ) => Client
  connect: (stream: object) => Connection
}

export interface Connection {
  agent: Agent
  closed: Promise<void>
  close: () => void
}

/** What the package returns has been checked against the protocol. */
export interface Agent {
  request: <Answer>(method: string, params: object) => Promise<Answer>
  notify: (method: string, params: object) => Promise<void>
}

export interface ToolCall {
  toolCallId?: string | undefined
  kind?: string | null | undefined
  title?: string | null | undefined
}

/** In version 1 with the tool call, in version 2 with its subject. */
export interface PermissionRequest {
  toolCall?: ToolCall
  title?: string
  subject?: { type: string; toolCall?: ToolCall; command?: string; cwd?: string; toolCallId?: string | null } | null
  options: readonly PermissionOption[]
}

export interface Stop {
  stopReason?: string
  usage?: object | null
}

/** What happens in a session. Everything else in it is passed on unread. */
export interface Update extends ToolCall, Stop {
  sessionUpdate: string
  /** Of the session, in version 2. */
  state?: string
  error?: unknown
}

/** What a version of the protocol says in its own way. */
export interface Version {
  initialize: (
    agent: Agent,
    protocolVersion: number,
  ) => Promise<{
    agentInfo: unknown
    /** The method that resumes a session; undefined if the agent cannot. */
    resumeMethod: string | undefined
  }>
  /** What a session is opened with, besides its directory. */
  sessionFields?: object
  /** What selects the model, besides the session. */
  modelFields: (option: ConfigOption, model: string) => object
  /** The tool call that permission is asked for. */
  toolCallOf: (request: PermissionRequest, kinds: ReadonlyMap<unknown, string>) => ToolCall
  /** What to pass on of an update, if anything. */
  read: (update: Update) => object | undefined
  /** Sends the prompt, and waits for the end of the turn. */
  prompt: (connection: Connection, params: object, emit: (event: object) => void) => Promise<Stop>
}

/** A setting that the agent offers: its id is `id` in version 1, `configId` in version 2. */
interface ConfigOption {
  category?: string | null
  id?: string
  configId?: string
}

export interface AcpTurn {
  stream: object
  cwd: string
  prompt: string
  settings: AcpSettings & { resume?: string | undefined }
  emit: (event: object) => void
}

export const converse = (sdk: Sdk, version: Version, { stream, cwd, prompt, settings, emit }: AcpTurn) => {
  const { resume, model, permissions = 'default' } = settings
  let sessionId: string | undefined
  let isPrompted = false
  /** The error code of a failure, if it is known by where it happens. */
  let failedCode: string | undefined
  /** The kinds of tools, by call id: not every permission request repeats them. */
  const kinds: Map<unknown, string> = new Map()
  const connection = sdk
    .client({ name: 'promptmason' })
    .onRequest('session/request_permission', ({ params }) => {
      const toolCall = version.toolCallOf(params, kinds)
      const kind = toolCall.kind ?? kinds.get(toolCall.toolCallId)
      const { optionId, isGranted } = answerTo(permissions, kind, params.options)
      emit({ type: 'permission', toolCall, isGranted })
      return { outcome: optionId === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId } }
    })
    .onNotification('session/update', ({ params }) => {
      // Anything before the prompt belongs to an old conversation.
      if (!isPrompted || params.sessionId !== sessionId) return
      const event = version.read(params.update)
      if (event === undefined) return
      const { toolCallId, kind } = params.update
      if (typeof kind === 'string') kinds.set(toolCallId, kind)
      emit(event)
    })
    .connect(stream)
  const { agent } = connection

  const open = async () => {
    const { agentInfo, resumeMethod } = await version.initialize(agent, sdk.PROTOCOL_VERSION)
    const fields = { cwd, ...version.sessionFields }
    let opened: { sessionId?: string; configOptions?: readonly ConfigOption[] | null }
    if (resume === undefined) {
      opened = await agent.request('session/new', fields)
    } else {
      if (resumeMethod === undefined) throw new Error('the agent cannot resume sessions')
      failedCode = 'session-not-found'
      opened = await agent.request(resumeMethod, { ...fields, sessionId: resume })
      failedCode = undefined
    }
    sessionId = resume ?? textOf(opened?.sessionId)
    if (sessionId === undefined) throw new Error('the agent has opened no session')
    if (model !== undefined) {
      const option = arrayOf(opened?.configOptions)
        .map((each) => objectOf(each) as ConfigOption)
        .find(({ category }) => category === 'model')
      if (option === undefined) throw new Error('the agent does not offer a choice of models')
      await agent.request('session/set_config_option', { sessionId, ...version.modelFields(option, model) })
    }
    emit({ type: 'session', sessionId, agentInfo })
  }

  const run = async () => {
    await open()
    isPrompted = true
    const params = { sessionId, prompt: [{ type: 'text', text: prompt }] }
    const { stopReason, usage } = await version.prompt(connection, params, emit)
    emit({ type: 'stop', stopReason, usage })
  }

  return {
    done: run(),
    state: () => ({ isPrompted, failedCode }),
    cancel: () => (isPrompted ? agent.notify('session/cancel', { sessionId }) : undefined),
    close: () => connection.close(),
  }
}
