/** Checked by `npm run typecheck`: what callers have at hand fits without casts. */
import {
  InstructionPrompt,
  type InstructionFetch,
  type InstructionOptions,
  type InvalidConfigError,
  type LoadedInstruction,
  SystemPrompt,
  type SystemPromptReport,
  type SystemPromptTransform,
  assembleSystemPrompt,
  compressionHint,
  findUp,
  findUpAll,
  systemHint,
  truncateToolOutput,
} from 'promptmason'

interface AgentInfo {
  name: string
  mode: 'build' | 'plan'
  prompt?: string
}

interface AppConfig {
  provider: { id: string }[]
  instructions?: string[]
}

declare const agent: AgentInfo
declare const config: AppConfig

export const parts: Promise<string[]> = SystemPrompt.build({
  agent,
  modelID: 'gpt-5',
  directory: '.',
  config,
  now: new Date(),
  extra: { Shell: 'zsh' },
  families: { qwen: 'x', '^k2': ['y'] },
  transform: (given, context) => [...given, context.agent.mode, context.modelID ?? ''],
})
export const without: Promise<string[]> = SystemPrompt.build({ agent: { name: 'x' } })
export const hook: SystemPromptTransform = async (given) => void given.push('x')
export const frozen: Promise<string[]> = SystemPrompt.build({
  agent,
  modelID: undefined,
  config: { instructions: ['x'] as const },
  files: ['y'] as const,
  transform: () => ['z'] as const,
})
// @ts-expect-error an agent is needed
void SystemPrompt.build({ modelID: 'x' })
// @ts-expect-error the result has to be texts
void SystemPrompt.build({ agent, transform: () => [1] })
// @ts-expect-error a prompt is a text
void SystemPrompt.build({ agent: { prompt: 1 } })

export const provider: string[] = SystemPrompt.provider('x')
export const environment: string[] = SystemPrompt.environment({ extra: ['x'] })

const options: InstructionOptions = { files: ['CLAUDE.md'], appName: 'tool', order: 'root-first', timeoutMs: 1 }
export const paths: Promise<Set<string>> = InstructionPrompt.systemPaths(options)
export const messages: Promise<string[]> = InstructionPrompt.system()
export const loaded: Promise<LoadedInstruction[]> = InstructionPrompt.load({ config })
export const found: Promise<string | undefined> = InstructionPrompt.find('.', { files: ['x'] })
export const nearbyPaths: Promise<string[]> = InstructionPrompt.resolvePaths('a', { loaded: ['b'] })
export const nearby: Promise<LoadedInstruction[]> = InstructionPrompt.resolve('a', {
  loaded: new Set(['b']),
  directory: '.',
})
// @ts-expect-error no such order
void InstructionPrompt.system({ order: 'random' })

export const up: Promise<string | undefined> = findUp('.git', '.')
export const all: Promise<string[]> = findUpAll(['a', 'b'] as const, '.', '/')
export const allOfSet: Promise<string[]> = findUpAll(new Set(['a']), undefined, null)

interface SdkTool {
  description?: string
  execute(): void
}
declare const registry: Record<string, SdkTool>
export const text: Promise<string> = assembleSystemPrompt(['hint'], { core: 'x', tools: registry, locale: 'en' })
export const listed: Promise<string> = assembleSystemPrompt(undefined, { tools: [{ name: 'a', usage: 'b' }] })
export const hint: string = systemHint({ type: 'tool_degraded', tool: 'bash', retries: 3 }, 'x')
// @ts-expect-error a hint has a type
systemHint({ tool: 'bash' }, 'x')
export const summary: string = compressionHint('x', { locale: 'en' })
export const output: string = truncateToolOutput('bash', 'x', { maxChars: 1 })

export function place(error: InvalidConfigError): string {
  return `${error.file}:${error.line ?? 0}:${error.column ?? 0} ${error.code satisfies 'ERR_INVALID_CONFIG'}`
}

export const { fetch } = globalThis
export const everything: InstructionOptions = {
  preset: 'claude-code',
  untrusted: true,
  includes: false,
  alreadyReadBy: 'my-own-cli',
  allowHosts: ['*.example.com'] as const,
  fetch,
}
export const nothing: InstructionOptions = {
  preset: null,
  untrusted: undefined,
  includes: null,
  alreadyReadBy: undefined,
  allowHosts: null,
  fetch: undefined,
}
export const mocked: InstructionFetch = (_url, { headers, signal }) =>
  Promise.resolve({ status: signal.aborted ? 500 : 200, headers: new Headers(headers), body: new Response('x').body })
export const reported: Promise<SystemPromptReport> = SystemPrompt.buildWithReport({ agent, preset: 'codex' })
// @ts-expect-error there is no such preset
void InstructionPrompt.load({ preset: 'clippy' })
// @ts-expect-error a response has a status
void InstructionPrompt.load({ fetch: () => Promise.resolve('text') })
