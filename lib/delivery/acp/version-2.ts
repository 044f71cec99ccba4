/**
 * One session, one prompt, by version 2 of the protocol, as far as its draft goes. `run.js` describes
 * what is passed on. What differs from version 1:
 *
 * - The response to a prompt is its acknowledgement: the session has the prompt.
 * - A turn is over when the session is idle again, which is a notification. It may come before the
 *   response. If a session reports idle without having been busy since the prompt, it is only repeating
 *   its state.
 */
import { modelOptionOf } from './models.js'
import { answerTo } from './permissions.js'
import type { Talk } from './run.js'

/** The tool call that permission is asked for, as version 1 has it. */
const toolCallOf = ({ title, subject }: any, kinds: ReadonlyMap<string, string>) => {
  if (subject?.type === 'tool_call') {
    const { toolCall } = subject
    return { ...toolCall, title: toolCall.title ?? title, kind: toolCall.kind ?? kinds.get(toolCall.toolCallId) }
  }
  if (subject?.type !== 'command') return { title }
  const { command, cwd, toolCallId } = subject
  return { toolCallId: toolCallId ?? undefined, title, kind: 'execute', rawInput: { command, cwd } }
}

/** Invalid request, invalid parameters, unsupported version. */
const REFUSALS = new Set([-32_600, -32_602, -32_022])

/** Whether an agent refuses to start, or answers in version 1. */
const isOfAnotherVersion = (error: any) => error?.name === 'ZodError' || REFUSALS.has(error?.code)

export const talk: Talk = (sdk, { stream, cwd, prompt, resume, model, permissions, emit }) => {
  let sessionId: string | undefined
  let isPrompted = false
  let isBusy = false
  let failedCode: string | undefined
  /** The kinds of tools, by call id: not every permission request repeats them. */
  const kinds: Map<string, string> = new Map()
  let settle: (idle: any) => void = () => {}
  const idle = new Promise((resolve) => {
    settle = resolve
  })

  const readState = (update: any) => {
    if (update.state !== 'idle') isBusy = true
    else if (isBusy) settle(update)
  }

  const connection = sdk
    .client({ name: 'promptmason' })
    .onRequest('session/request_permission', ({ params }: any) => {
      const toolCall = toolCallOf(params, kinds)
      const { optionId, isGranted } = answerTo(permissions, toolCall.kind, params.options)
      emit({ type: 'permission', toolCall, isGranted })
      return { outcome: optionId === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId } }
    })
    .onNotification('session/update', ({ params }: any) => {
      // Anything before the prompt belongs to an old conversation.
      if (!isPrompted || params.sessionId !== sessionId) return
      const { update } = params
      if (update.sessionUpdate === 'state_update') return readState(update)
      if (typeof update.kind === 'string') kinds.set(update.toolCallId, update.kind)
      emit({ type: 'update', update, protocolVersion: 2 })
    })
    .connect(stream)
  const { agent } = connection

  const run = async () => {
    const { capabilities, info } = await agent
      .request('initialize', {
        protocolVersion: sdk.PROTOCOL_VERSION,
        info: { name: 'promptmason', version: '1' },
        capabilities: {},
      })
      .catch((error: any) => {
        if (!isOfAnotherVersion(error)) throw error
        throw new Error('the agent does not speak version 2 of the protocol: leave out protocolVersion')
      })
    const canResume = Boolean(capabilities?.session)
    if (resume !== undefined && !canResume) throw new Error('the agent cannot resume sessions')
    failedCode = resume === undefined ? undefined : 'session-not-found'
    const opened =
      resume === undefined
        ? await agent.request('session/new', { cwd })
        : await agent.request('session/resume', { cwd, sessionId: resume })
    failedCode = undefined
    sessionId = resume ?? opened.sessionId
    if (model !== undefined) {
      const { configId } = modelOptionOf(opened.configOptions)
      await agent.request('session/set_config_option', { sessionId, configId, type: 'id', value: model })
    }
    emit({ type: 'session', sessionId, agentInfo: info })
    isPrompted = true
    await agent.request('session/prompt', { sessionId, prompt })
    emit({ type: 'taken' })
    const ended = connection.closed.then(() => Promise.reject(new Error('the agent ended before its turn')))
    const { stopReason, usage, error } = await Promise.race([idle, ended])
    if (stopReason === 'error') throw error ?? new Error('the turn failed')
    emit({ type: 'stop', stopReason, usage })
  }

  return {
    done: run(),
    state: () => ({ isPrompted, failedCode }),
    cancel: () => (isPrompted ? agent.notify('session/cancel', { sessionId }) : undefined),
    close: () => connection.close(),
  }
}
