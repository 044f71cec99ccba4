/** How to make each CLI compact a session. */

interface Compaction {
  /** Tokens of a request, as its answer claims, that leave no room. */
  fullTokens?: number
  /** Words of the prompt, for CLIs that count tokens themselves. */
  words?: number
  environment?: Record<string, string>
  /** What the user says to have it compacted. */
  command?: string
}

/** By command. */
export const COMPACTIONS: Record<string, Compaction> = {
  claude: { command: '/compact' },
  codex: { fullTokens: 950_000 },
  gemini: { fullTokens: 900_000 },
  // More is refused.
  qwen: { fullTokens: 900_000 },
  opencode: { fullTokens: 9_999_500 },
  copilot: { words: 16_500, environment: { COPILOT_PROVIDER_MAX_PROMPT_TOKENS: '32000' } },
}
