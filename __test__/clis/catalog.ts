/** The CLIs that are checked: where they come from, how they reach the stand-in, and where a request has its texts. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface Cli {
  agentType: string
  /** The package on npm. */
  package: string
  command: string
  /** Writes settings into a new home directory, and returns the environment: dummy keys, telemetry off. */
  prepare(home: string, url: string): Promise<Record<string, string>>
  /** All system texts of a request. */
  system(body: any): string[]
  /** All texts of the user's messages, oldest first. */
  user(body: any): string[]
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

export const CLIS: readonly Cli[] = [
  {
    agentType: 'claude-code',
    package: '@anthropic-ai/claude-code',
    command: 'claude',
    prepare: async (home, url) => ({
      CLAUDE_CONFIG_DIR: join(home, '.claude'),
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: KEY,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_AUTOUPDATER: '1',
      CLAUDE_CODE_MAX_RETRIES: '0',
    }),
    system: (body) => texts(body.system),
    user: (body) => ofRole(body.messages, 'user'),
    commandFiles: { '.claude/commands/pm-command.md': '---\ndescription: d\n---\nCOMMAND-TEXT $ARGUMENTS' },
    skillFile: (name) => `.claude/skills/${name}/SKILL.md`,
  },
  {
    agentType: 'openai-codex',
    package: '@openai/codex',
    command: 'codex',
    prepare: async (home, url) => {
      await settings(
        home,
        '.codex/config.toml',
        [
          'model = "gpt-5.1-codex"',
          'model_provider = "standin"',
          'check_for_update_on_startup = false',
          '[analytics]',
          'enabled = false',
          '[model_providers.standin]',
          'name = "standin"',
          `base_url = "${url}/v1"`,
          'wire_api = "responses"',
          'env_key = "STANDIN_KEY"',
          'request_max_retries = 0',
          'stream_max_retries = 0',
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
    prepare: async (home, url) => {
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
            retryFetchErrors: false,
            maxAttempts: 1,
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
    prepare: async (home, url) => {
      await settings(
        home,
        '.config/opencode/opencode.json',
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
        }),
      )
      return {
        XDG_CONFIG_HOME: join(home, '.config'),
        XDG_DATA_HOME: join(home, '.local/share'),
        XDG_STATE_HOME: join(home, '.local/state'),
        XDG_CACHE_HOME: join(home, '.cache'),
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
]
