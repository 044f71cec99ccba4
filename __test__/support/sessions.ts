/** What the tests of sessions share. */
import { ContextManager, type AgentContextOptions, type ContextSnapshot, type RouteContextOptions } from 'promptmason'
import { expect } from 'vitest'
import { managerWith, numbered, spoken } from './conversation.js'

export const DELTA = { session: 'delta' } as const
export const AGENT_TYPES = ['claude-code', 'openai-codex', 'google-gemini', 'plain']
export const quiet = { logger: { debug() {}, info() {}, warn() {}, error() {} } }
export const throughJson = (snapshot: ContextSnapshot): ContextSnapshot => JSON.parse(JSON.stringify(snapshot))
export const namesIn = (prompt: string): string[] =>
  prompt.match(/\b(?:m\d+|SYS\d*|TASK\d*|SUM\d+|own\d*|secret)\b/g) ?? []

/** The names in an agent's next prompt. */
export const next = (manager: ContextManager, options: AgentContextOptions = {}, agent = 'a'): string[] =>
  namesIn(manager.assembleForAgent(agent, 'codex', { ...DELTA, ...options }).prompt)
/** The same, and the CLI accepts it. */
export const delivered = (manager: ContextManager, options: AgentContextOptions = {}, agent = 'a'): string[] => {
  const names = next(manager, options, agent)
  expect(manager.confirm(agent)).toBe(true)
  return names
}
export const routed = (manager: ContextManager, parent: string, options: RouteContextOptions = {}): string[] =>
  namesIn(
    manager.assembleForRoute('a', 'codex', { parentMessageId: parent, targetMemberId: 'a' }, { ...DELTA, ...options })
      .prompt,
  )

/** A conversation whose first two messages the agent has been shown. */
export const begun = (options = {}): ContextManager => {
  const manager = managerWith(numbered(2), { contextWindowSize: 50, ...options })
  delivered(manager)
  return manager
}
/** A message that agent a may not see. */
export const privately = (content: string) => spoken(content, { routing: { resolvedAddressees: ['b'] } })
export const say = (manager: ContextManager, ...contents: string[]): void =>
  contents.forEach((content) => manager.addMessage(spoken(content)))
