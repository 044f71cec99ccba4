/** One session, one prompt, by version 1 of the protocol. `run.js` describes what is passed on. */
import { modelOptionOf } from './models.js'
import { answerTo } from './permissions.js'
import type { Talk } from './run.js'

const canResume = (capabilities: any) => Boolean(capabilities?.sessionCapabilities?.resume ?? capabilities?.loadSession)

/**
 * The session to prompt: a new or a resumed one.
 * @param capabilities The capabilities that the agent reports.
 */
const openSession = async (agent: any, capabilities: any, cwd: string, resume: string | undefined): Promise<any> => {
  const where = { cwd, mcpServers: [] }
  if (resume === undefined) return agent.request('session/new', where)
  const session = { ...where, sessionId: resume }
  if (!canResume(capabilities)) throw new Error('the agent cannot resume sessions')
  // The latter replays the whole conversation before it resolves.
  const method = capabilities?.sessionCapabilities?.resume ? 'session/resume' : 'session/load'
  await agent.request(method, session)
  return { sessionId: resume }
}

export const talk: Talk = (sdk, { stream, cwd, prompt, resume, model, permissions, emit }) => {
  let sessionId: string | undefined
  let isPrompted = false
  let failedCode: string | undefined
  /** The kinds of tools, by call id: not every permission request repeats them. */
  const kinds: Map<string, string> = new Map()
  const connection = sdk
    .client({ name: 'promptmason' })
    .onRequest('session/request_permission', ({ params }: any) => {
      const { toolCall, options } = params
      const kind = toolCall.kind ?? kinds.get(toolCall.toolCallId)
      const { optionId, isGranted } = answerTo(permissions, kind, options)
      emit({ type: 'permission', toolCall, isGranted })
      return { outcome: optionId === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId } }
    })
    .onNotification('session/update', ({ params }: any) => {
      // Anything before the prompt belongs to an old conversation.
      if (!isPrompted || params.sessionId !== sessionId) return
      const { toolCallId, kind } = params.update
      if (typeof kind === 'string') kinds.set(toolCallId, kind)
      emit({ type: 'update', update: params.update })
    })
    .connect(stream)
  const { agent } = connection

  const run = async () => {
    const { agentCapabilities, agentInfo } = await agent.request('initialize', {
      protocolVersion: sdk.PROTOCOL_VERSION,
      clientInfo: { name: 'promptmason', version: '1' },
      clientCapabilities: {},
    })
    failedCode = resume !== undefined && canResume(agentCapabilities) ? 'session-not-found' : undefined
    const session = await openSession(agent, agentCapabilities, cwd, resume)
    failedCode = undefined
    sessionId = session.sessionId
    if (model !== undefined) {
      const { id: configId } = modelOptionOf(session.configOptions)
      await agent.request('session/set_config_option', { sessionId, configId, value: model })
    }
    emit({ type: 'session', sessionId, agentInfo })
    isPrompted = true
    const { stopReason, usage } = await agent.request('session/prompt', { sessionId, prompt })
    emit({ type: 'stop', stopReason, usage })
  }

  return {
    done: run(),
    state: () => ({ isPrompted, failedCode }),
    cancel: () => (isPrompted ? agent.notify('session/cancel', { sessionId }) : undefined),
    close: () => connection.close(),
  }
}
