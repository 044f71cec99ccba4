/** Which agents there are, and the parts of a prompt. */

/** An agent that promptmason knows, by its type or a shorter name. */
export type AgentName =
  | 'claude'
  | 'claude-code'
  | 'codex'
  | 'openai-codex'
  | 'gemini'
  | 'google-gemini'
  | 'opencode'
  | 'qwen'
  | 'qwen-code'
  | 'copilot'
  | 'github-copilot'
  | 'pi'
  | 'grok'
  | 'kimi'
  | 'kimi-code'
  | 'kilo'
  | 'kilo-code'

/** Which agent a prompt is for, in any letter case. Any other name is allowed, and gets plain text. */
export type AgentType = AgentName | (string & {})

/** A part of the prompt. In the layouts of this package, parts stand in this order. */
export type PromptPart = 'system' | 'teamTask' | 'summary' | 'context' | 'parent' | 'siblings' | 'message' | 'routing'
