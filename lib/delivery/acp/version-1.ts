/** What is particular to version 1 of the protocol. */
import type { Stop, Version } from './session.js'

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
