/** Which agents there are, and the parts of a prompt. */

/** Which agent a prompt is for. Any other string is an agent that promptmason has no layout for. */
export type AgentType =
  | 'claude-code'
  | 'openai-codex'
  | 'google-gemini'
  | 'opencode'
  | 'qwen-code'
  | 'github-copilot'
  | 'pi'
  | 'grok'
  | 'kimi-code'
  | 'kilo-code'
  | (string & {})

/** A part of the prompt. In the layouts of this package, parts stand in this order. */
export type PromptPart = 'system' | 'teamTask' | 'summary' | 'context' | 'parent' | 'siblings' | 'message' | 'routing'
