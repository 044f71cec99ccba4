/** What is particular to each version of the protocol. */
import { propertyOf } from '../../thrown.js'
import type { PermissionRequest, Stop, ToolCall, Update, Version } from './session.js'

interface Initialized {
  agentInfo?: unknown
  agentCapabilities?: { loadSession?: boolean; sessionCapabilities?: { resume?: object | null } | null }
}

export const version1 = (): Version => ({
  async initialize(agent, protocolVersion) {
    const { agentCapabilities, agentInfo } = await agent.request<Initialized>('initialize', {
      protocolVersion,
      clientInfo: { name: 'promptmason', version: '1' },
      clientCapabilities: {},
    })
    if (agentCapabilities?.sessionCapabilities?.resume) return { agentInfo, resumeMethod: 'session/resume' }
    // It replays the whole conversation before it resolves.
    return { agentInfo, resumeMethod: agentCapabilities?.loadSession === true ? 'session/load' : undefined }
  },
  sessionFields: { mcpServers: [] },
  modelFields: ({ id: configId }, value) => ({ configId, value }),
  toolCallOf: ({ toolCall = {} }) => toolCall,
  read: (update) => ({ type: 'update', update }),
  prompt: ({ agent }, params) => agent.request<Stop>('session/prompt', params),
})

/** The tool call that permission is asked for, as version 1 has it. */
const toolCallOf = (
  { title, subject }: PermissionRequest,
  kinds: ReadonlyMap<unknown, string>,
): ToolCall & { rawInput?: unknown } => {
  if (subject?.type === 'tool_call') {
    const { toolCall = {} } = subject
    return { ...toolCall, title: toolCall.title ?? title, kind: toolCall.kind ?? kinds.get(toolCall.toolCallId) }
  }
  if (subject?.type !== 'command') return { title }
  const { command, cwd, toolCallId } = subject
  return { toolCallId: toolCallId ?? undefined, title, kind: 'execute', rawInput: { command, cwd } }
}

/** Invalid request, invalid parameters, unsupported version. */
const REFUSALS: ReadonlySet<unknown> = new Set([-32_600, -32_602, -32_022])

/** Whether an agent refuses to start, or answers in version 1. */
const isOfAnotherVersion = (error: unknown) =>
  propertyOf(error, 'name') === 'ZodError' || REFUSALS.has(propertyOf(error, 'code'))

/**
 * Version 2, as far as its draft goes:
 *
 * - The response to a prompt is its acknowledgement: the session has the prompt.
 * - A turn is over when the session is idle again, which is a notification. It may come before the
 *   response. If a session reports idle without having been busy since the prompt, it is only repeating
 *   its state.
 */
export const version2 = (): Version => {
  let isBusy = false
  let settle: (state: Update) => void = () => {}
  const idle = new Promise<Update>((resolve) => {
    settle = resolve
  })
  return {
    async initialize(agent, protocolVersion) {
      const { capabilities, info } = await agent
        .request<{ capabilities?: { session?: object | null }; info?: unknown }>('initialize', {
          protocolVersion,
          info: { name: 'promptmason', version: '1' },
          capabilities: {},
        })
        .catch((error: unknown) => {
          if (!isOfAnotherVersion(error)) throw error
          throw new Error('the agent does not speak version 2 of the protocol: leave out protocolVersion')
        })
      return { agentInfo: info, resumeMethod: capabilities?.session ? 'session/resume' : undefined }
    },
    modelFields: ({ configId }, value) => ({ configId, type: 'id', value }),
    toolCallOf,
    read(update) {
      if (update.sessionUpdate !== 'state_update') return { type: 'update', update, protocolVersion: 2 }
      if (update.state !== 'idle') isBusy = true
      else if (isBusy) settle(update)
      return undefined
    },
    async prompt({ agent, closed }, params, emit) {
      await agent.request('session/prompt', params)
      emit({ type: 'taken' })
      const ended = closed.then(() => Promise.reject(new Error('the agent ended before its turn')))
      const stop = await Promise.race([idle, ended])
      if (stop.stopReason === 'error') throw stop.error ?? new Error('the turn failed')
      return stop
    },
  }
}
