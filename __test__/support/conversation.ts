import {
  type AgentContextOptions,
  ContextManager,
  type ContextManagerOptions,
  type MessageRouting,
  type NewConversationMessage,
  type RouteContextOptions,
  type RoutingItem,
} from 'promptmason'
import { expect } from 'vitest'

export const DATE = new Date('2026-02-26T08:00:00.000Z')

/** A message by a human, `kailai`, unless the test is about something else. */
export const spoken = (content: string, fields: Partial<NewConversationMessage> = {}): NewConversationMessage => ({
  speaker: { id: 'kailai', name: 'Kailai', type: 'human' },
  content,
  timestamp: DATE,
  ...fields,
})

/** A message by an AI, whose name is its id with a capital. */
export const byAi = (id: string, content: string, routing?: MessageRouting): NewConversationMessage =>
  spoken(content, { speaker: { id, name: id[0]?.toUpperCase() + id.slice(1), type: 'ai' }, routing })

export const managerWith = (messages: NewConversationMessage[], options?: ContextManagerOptions): ContextManager => {
  const manager = new ContextManager(options)
  for (const message of messages) manager.addMessage(message)
  return manager
}

/** `count` messages `m1`, `m2`, …: each says which id it has. */
export const numbered = (count: number): NewConversationMessage[] =>
  Array.from({ length: count }, (_, index) => spoken(`m${index + 1}`))

export const contentsOf = (messages: { content: string }[]): string[] => messages.map(({ content }) => content)

/** A logger that keeps its warnings. */
export const keepingLogger = () => {
  const warnings: unknown[][] = []
  const unexpected = (): void => {
    throw new Error('only warnings are expected')
  }
  return {
    warnings,
    logger: {
      debug: unexpected,
      info: unexpected,
      warn: (...words: unknown[]) => void warnings.push(words),
      error: unexpected,
    },
  }
}

/** Everything that can be seen of a manager's state. */
export const stateOf = (manager: ContextManager) => {
  const { timestamp: _, ...snapshot } = manager.exportSnapshot()
  const { messages } = snapshot
  return {
    snapshot,
    all: manager.getMessages(),
    latest: manager.getLatestMessage(),
    task: manager.getTeamTask(),
    agent: manager.getContextForAgent('max', 'claude-code', { windowSizeOverride: 1000 }),
    routes: messages.map(({ id }) =>
      manager.getContextForRoute('max', 'codex', { parentMessageId: id, targetMemberId: 'max' }),
    ),
    prompt: manager.assembleForAgent('max', 'gemini'),
  }
}

/** The prompt of a turn, after checking that the four forms agree. */
export const promptOfAllForms = (
  manager: ContextManager,
  agentId: string,
  agentType: string,
  options?: AgentContextOptions & RouteContextOptions,
  route?: RoutingItem,
): string => {
  const made = route
    ? {
        text: manager.assembleForRoute(agentId, agentType, route, options),
        report: manager.assembleForRoute(agentId, agentType, route, options, { report: true }),
        buffer: manager.assembleForRoute(agentId, agentType, route, options, { as: 'buffer' }),
      }
    : {
        text: manager.assembleForAgent(agentId, agentType, options),
        report: manager.assembleForAgent(agentId, agentType, options, { report: true }),
        buffer: manager.assembleForAgent(agentId, agentType, options, { as: 'buffer' }),
      }
  const memory = Buffer.alloc(made.buffer.prompt.length)
  if (route) manager.assembleForRoute(agentId, agentType, route, options, { into: memory })
  else manager.assembleForAgent(agentId, agentType, options, { into: memory })
  const { prompt } = made.text
  expect([made.report.prompt, made.buffer.prompt.toString(), memory.toString()]).toEqual([prompt, prompt, prompt])
  return prompt
}
