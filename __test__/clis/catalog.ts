/** The CLIs that are checked: where they come from, how they reach the stand-in, and where a request has its texts. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ToolCall } from './provider-streams.js'

export interface Cli {
  agentType: string
  /** The package on npm. */
  package: string
  command: string
  /** Other packages that it needs, with versions: a newer Node. */
  packages?: readonly string[]
  /**
   * Writes settings into a new home directory, and returns the environment: dummy keys, no
   * telemetry and, if the CLI has a setting for it, no retries, unless `retries` is set.
   */
  prepare(home: string, url: string, retries: boolean): Promise<Record<string, string>>
  /** All system texts of a request. */
  system(body: any): string[]
  /** All texts of the user's messages, oldest first. */
  user(body: any): string[]
  /** The call of a tool that runs a command in a shell, and the arguments that allow it. */
  shell(command: string): ToolCall
  allow: readonly string[]
  /** The call that starts a sub-agent with `SUBTASK`. */
  subAgent?: ToolCall
  /** The call with which a sub-agent ends, where it has to. */
  subAgentEnd?: ToolCall
  /** Whether a request with tools belongs to the CLI itself, and not to the turn. */
  isAside?: (body: any) => boolean
  /** A version that lacks an option of the measured one. */
  older?: string
  /** Its agent for the Agent Client Protocol: these arguments, or another package with its own program. */
  acp?: { package?: string; version?: string; command?: string; args?: readonly string[]; speaksVersion2?: boolean }
  /** Files of a project that define the command `/pm-command`, where it has such. */
  commandFiles?: Record<string, string>
  /** Files in its home directory that define a skill of this name, where it has such. */
  skillFile?: (name: string) => string
}

const texts = (content: unknown): string[] => {
  if (typeof content === 'string') return [content]
  if (!Array.isArray(content)) return []
  return content.flatMap((part: { text?: unknown }) => (typeof part.text === 'string' ? [part.text] : []))
}

const ofRole = (messages: any[] | undefined, ...roles: string[]): string[] =>
  (messages ?? []).filter(({ role }) => roles.includes(role)).flatMap(({ content, parts }) => texts(content ?? parts))

const chat = {
  system: (body: any) => ofRole(body.messages, 'system', 'developer'),
  user: (body: any) => ofRole(body.messages, 'user'),
}

const settings = async (home: string, path: string, content: string): Promise<void> => {
  await mkdir(join(home, path, '..'), { recursive: true })
  await writeFile(join(home, path), content)
}

const KEY = 'dummy-key'

/** The stand-in as a provider of opencode, and of its forks. */
const opencodeSettings = (url: string): string =>
  JSON.stringify({
    autoupdate: false,
    share: 'disabled',
    model: 'standin/m',
    small_model: 'standin/m',
    provider: {
      standin: {
        npm: '@ai-sdk/openai-compatible',
        name: 'standin',
        options: { baseURL: `${url}/v1`, apiKey: KEY },
        models: { m: { name: 'm', limit: { context: 10_000_000, output: 1000 } } },
      },
    },
  })

const xdg = (home: string): Record<string, string> => ({
  XDG_CONFIG_HOME: join(home, '.config'),
  XDG_DATA_HOME: join(home, '.local/share'),
  XDG_STATE_HOME: join(home, '.local/state'),
  XDG_CACHE_HOME: join(home, '.cache'),
})

export const CLIS: readonly Cli[] = [
  {
    agentType: 'claude-code',
    package: '@anthropic-ai/claude-code',
    command: 'claude',
    older: '2.1.242',
    acp: { package: '@agentclientprotocol/claude-agent-acp', version: '0.49.0', command: 'claude-agent-acp' },
    prepare: async (home, url, retries) => ({
      CLAUDE_CONFIG_DIR: join(home, '.claude'),
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: KEY,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_AUTOUPDATER: '1',
      ...(retries ? {} : { CLAUDE_CODE_MAX_RETRIES: '0' }),
    }),
    shell: (command) => ({ name: 'Bash', input: { command, description: 'd' } }),
    // Root is not allowed to turn permission prompts off.
    allow: ['--allowedTools', 'Bash,Agent'],
    subAgent: {
      name: 'Agent',
      input: { description: 'sub', prompt: 'SUBTASK please', subagent_type: 'general-purpose' },
    },
    system: (body) => texts(body.system),
    user: (body) => ofRole(body.messages, 'user'),
    commandFiles: { '.claude/commands/pm-command.md': '---\ndescription: d\n---\nCOMMAND-TEXT $ARGUMENTS' },
    skillFile: (name) => `.claude/skills/${name}/SKILL.md`,
  },
  {
    agentType: 'openai-codex',
    package: '@openai/codex',
    command: 'codex',
    acp: {
      package: '@agentclientprotocol/codex-acp',
      version: '2.6.0',
      command: 'codex-acp',
      speaksVersion2: true,
    },
    shell: (cmd) => ({ name: 'exec_command', input: { cmd, yield_time_ms: 60_000 } }),
    allow: ['--dangerously-bypass-approvals-and-sandbox'],
    subAgent: { namespace: 'multi_agent_v1', name: 'spawn_agent', input: { message: 'SUBTASK please' } },
    prepare: async (home, url, retries) => {
      await settings(
        home,
        '.codex/config.toml',
        [
          'model = "gpt-5.1-codex"',
          'model_provider = "standin"',
          'check_for_update_on_startup = false',
          '[analytics]',
          'enabled = false',
          // Its sandbox leaves directories behind where it lets commands write.
          '[sandbox_workspace_write]',
          'exclude_slash_tmp = true',
          '[model_providers.standin]',
          'name = "standin"',
          `base_url = "${url}/v1"`,
          'wire_api = "responses"',
          'env_key = "STANDIN_KEY"',
          ...(retries ? [] : ['request_max_retries = 0', 'stream_max_retries = 0']),
          '',
        ].join('\n'),
      )
      return { CODEX_HOME: join(home, '.codex'), STANDIN_KEY: KEY }
    },
    system: (body) => [body.instructions ?? '', ...ofRole(body.input, 'system', 'developer')],
    user: (body) => ofRole(body.input, 'user'),
    skillFile: (name) => `.codex/skills/${name}/SKILL.md`,
  },
  {
    agentType: 'google-gemini',
    package: '@google/gemini-cli',
    command: 'gemini',
    acp: { args: ['--acp'] },
    shell: (command) => ({ name: 'run_shell_command', input: { command, description: 'd' } }),
    allow: ['--yolo'],
    subAgent: { name: 'invoke_agent', input: { agent_name: 'generalist', prompt: 'SUBTASK please' } },
    subAgentEnd: { name: 'complete_task', input: { result: { response: 'SUBRESULT' } } },
    prepare: async (home, url, retries) => {
      await settings(
        home,
        '.gemini/settings.json',
        JSON.stringify({
          security: { auth: { selectedType: 'gemini-api-key' } },
          privacy: { usageStatisticsEnabled: false },
          telemetry: { enabled: false },
          general: {
            disableAutoUpdate: true,
            disableUpdateNag: true,
            enableAutoUpdate: false,
            ...(retries ? {} : { retryFetchErrors: false, maxAttempts: 1 }),
          },
        }),
      )
      return {
        GEMINI_API_KEY: KEY,
        GOOGLE_GEMINI_BASE_URL: url,
        GEMINI_TELEMETRY_ENABLED: 'false',
        GEMINI_MODEL: 'gemini-2.5-pro',
      }
    },
    system: (body) => texts(body.systemInstruction?.parts),
    user: (body) => ofRole(body.contents, 'user'),
    commandFiles: { '.gemini/commands/pm-command.toml': 'description = "d"\nprompt = "COMMAND-TEXT {{args}}"\n' },
    skillFile: (name) => `.gemini/skills/${name}/SKILL.md`,
  },
  {
    agentType: 'opencode',
    package: 'opencode-ai',
    command: 'opencode',
    acp: { args: ['acp'] },
    shell: (command) => ({ name: 'bash', input: { command, description: 'd' } }),
    allow: [],
    subAgent: { name: 'task', input: { description: 'sub', prompt: 'SUBTASK please', subagent_type: 'general' } },
    prepare: async (home, url) => {
      await settings(home, '.config/opencode/opencode.json', opencodeSettings(url))
      return {
        ...xdg(home),
        OPENCODE_DISABLE_AUTOUPDATE: '1',
        OPENCODE_DISABLE_MODELS_FETCH: '1',
        OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
        OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      }
    },
    ...chat,
    commandFiles: { '.opencode/command/pm-command.md': '---\ndescription: d\n---\nCOMMAND-TEXT $ARGUMENTS' },
    skillFile: (name) => `.config/opencode/skills/${name}/SKILL.md`,
  },
  {
    agentType: 'qwen-code',
    package: '@qwen-code/qwen-code',
    command: 'qwen',
    shell: (command) => ({ name: 'run_shell_command', input: { command, description: 'd', is_background: false } }),
    allow: ['--yolo'],
    subAgent: {
      name: 'agent',
      input: { description: 'sub', prompt: 'SUBTASK please', subagent_type: 'general-purpose' },
    },
    // It looks for something to remember.
    isAside: (body) => !(body.tools ?? []).some((tool: any) => tool.function?.name === 'agent'),
    prepare: async (home, url) => {
      await settings(
        home,
        '.qwen/settings.json',
        JSON.stringify({
          security: { auth: { selectedType: 'openai' } },
          privacy: { usageStatisticsEnabled: false },
          telemetry: { enabled: false },
          general: { disableAutoUpdate: true, disableUpdateNag: true, enableAutoUpdate: false },
        }),
      )
      return {
        OPENAI_API_KEY: KEY,
        OPENAI_BASE_URL: `${url}/v1`,
        OPENAI_MODEL: 'qwen3-coder-plus',
        QWEN_TELEMETRY_ENABLED: 'false',
      }
    },
    ...chat,
    commandFiles: { '.qwen/commands/pm-command.md': '---\ndescription: d\n---\nCOMMAND-TEXT {{args}}' },
    skillFile: (name) => `.qwen/skills/${name}/SKILL.md`,
  },
  {
    agentType: 'github-copilot',
    package: '@github/copilot',
    command: 'copilot',
    shell: (command) => ({ name: 'bash', input: { command, description: 'd', mode: 'sync', initial_wait: 60 } }),
    allow: [],
    subAgent: {
      name: 'task',
      input: {
        description: 'sub',
        prompt: 'SUBTASK please',
        agent_type: 'general-purpose',
        name: 'sub',
        mode: 'sync',
      },
    },
    prepare: async (home, url) => ({
      COPILOT_HOME: join(home, '.copilot'),
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_PROVIDER_API_KEY: KEY,
      COPILOT_MODEL: 'm',
      COPILOT_PROVIDER_MAX_PROMPT_TOKENS: '10000000',
      COPILOT_OFFLINE: 'true',
      COPILOT_AUTO_UPDATE: 'false',
    }),
    ...chat,
    skillFile: (name) => `.copilot/skills/${name}/SKILL.md`,
  },
  {
    agentType: 'pi',
    package: '@earendil-works/pi-coding-agent',
    command: 'pi',
    shell: (command) => ({ name: 'bash', input: { command } }),
    allow: [],
    packages: ['node@22.23.3'],
    prepare: async (home, url, retries) => {
      const standin = {
        baseUrl: `${url}/v1`,
        api: 'openai-completions',
        apiKey: KEY,
        models: [{ id: 'm', contextWindow: 10_000_000, maxTokens: 1000 }],
      }
      await settings(home, '.pi/agent/models.json', JSON.stringify({ providers: { standin } }))
      await settings(
        home,
        '.pi/agent/settings.json',
        JSON.stringify({ defaultProvider: 'standin', defaultModel: 'm', retry: { enabled: retries } }),
      )
      return { PI_OFFLINE: '1', PI_TELEMETRY: '0' }
    },
    ...chat,
    commandFiles: { '.pi/prompts/pm-command.md': '---\ndescription: d\n---\nCOMMAND-TEXT $ARGUMENTS' },
    skillFile: (name) => `.pi/agent/skills/${name}/SKILL.md`,
  },
  {
    agentType: 'grok',
    package: '@xai-official/grok',
    command: 'grok',
    // A title before the turn, a line about it after it.
    isAside: (body) =>
      body.model !== 'm' || JSON.stringify(body.messages?.at(-1)).includes('ultra-short dashboard line'),
    shell: (command) => ({ name: 'run_terminal_command', input: { command, description: 'd', is_background: false } }),
    allow: [],
    prepare: async (home, url) => {
      await settings(
        home,
        '.grok/config.toml',
        [
          '[model.standin]',
          'model = "m"',
          `base_url = "${url}/v1"`,
          'name = "standin"',
          'env_key = "STANDIN_KEY"',
          'context_window = 10000000',
          '[models]',
          'default = "standin"',
          '',
        ].join('\n'),
      )
      return { STANDIN_KEY: KEY }
    },
    ...chat,
    commandFiles: { '.grok/commands/pm-command.md': '---\ndescription: d\n---\nCOMMAND-TEXT $ARGUMENTS' },
    skillFile: (name) => `.grok/skills/${name}/SKILL.md`,
  },
  {
    agentType: 'kimi-code',
    package: '@moonshot-ai/kimi-code',
    command: 'kimi',
    packages: ['node@22.23.3'],
    shell: (command) => ({ name: 'Bash', input: { command } }),
    allow: [],
    prepare: async (home, url) => {
      await settings(
        home,
        '.kimi-code/config.toml',
        [
          'default_model = "m"',
          'telemetry = false',
          '[providers.standin]',
          'type = "openai"',
          `base_url = "${url}/v1"`,
          `api_key = "${KEY}"`,
          '[models.m]',
          'provider = "standin"',
          'model = "m"',
          'max_context_size = 10000000',
          '',
        ].join('\n'),
      )
      return {}
    },
    ...chat,
    skillFile: (name) => `.kimi-code/skills/${name}/SKILL.md`,
  },
  {
    agentType: 'kilo-code',
    package: '@kilocode/cli',
    command: 'kilo',
    shell: (command) => ({ name: 'bash', input: { command, description: 'd' } }),
    allow: ['--auto'],
    prepare: async (home, url) => {
      await settings(home, '.config/kilo/kilo.json', opencodeSettings(url))
      return { ...xdg(home), KILO_DISABLE_AUTOUPDATE: '1', KILO_DISABLE_MODELS_FETCH: '1', KILO_TELEMETRY: '0' }
    },
    ...chat,
    commandFiles: { '.kilo/command/pm-command.md': '---\ndescription: d\n---\nCOMMAND-TEXT $ARGUMENTS' },
    skillFile: (name) => `.config/kilo/skills/${name}/SKILL.md`,
  },
]
