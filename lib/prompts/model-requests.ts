/** Requests to model APIs: what `buildPrompt` and a `ContextManager` return for each value of `as`. */

/** Marks the end of a prefix that Anthropic caches. */
export interface AnthropicCacheControl {
  type: 'ephemeral'
  /** @default '5m' */
  ttl?: '5m' | '1h'
}

/** Text in a request to Anthropic. */
export interface AnthropicText {
  type: 'text'
  text: string
  cache_control?: AnthropicCacheControl
}

/** A tool call in a request to Anthropic. */
export interface AnthropicToolUse {
  type: 'tool_use'
  id: string
  name: string
  input: Record<string, unknown>
  cache_control?: AnthropicCacheControl
}

/** A tool result in a request to Anthropic. */
export interface AnthropicToolResult {
  type: 'tool_result'
  tool_use_id: string
  content: string
  is_error?: true
  cache_control?: AnthropicCacheControl
}

/** Arguments for `client.messages.create` in `@anthropic-ai/sdk`. */
export interface AnthropicRequest {
  /** Absent if there is no system text. */
  system?: AnthropicText[]
  messages: (
    | { role: 'user'; content: (AnthropicText | AnthropicToolResult)[] }
    | { role: 'assistant'; content: (AnthropicText | AnthropicToolUse)[] }
  )[]
}

/** Arguments for `client.responses.create` in `openai`. */
export interface OpenAiRequest {
  /** Absent if there is no system text. */
  instructions?: string
  input: (
    | { role: 'user' | 'assistant'; content: string }
    | { type: 'function_call'; call_id: string; name: string; arguments: string }
    | { type: 'function_call_output'; call_id: string; output: string }
  )[]
  /** Identical in all requests of one member in one conversation. Absent with `cache: 'none'`. */
  prompt_cache_key?: string
}

/** Arguments for `client.chat.completions.create` in `openai`. The system text is the first message. */
export interface OpenAiChatRequest {
  messages: (
    | { role: 'system' | 'user'; content: string }
    | {
        role: 'assistant'
        content: string | null
        tool_calls?: { id: string; type: 'function'; function: { name: string; arguments: string } }[]
      }
    | { role: 'tool'; tool_call_id: string; content: string }
  )[]
  /** Identical in all requests of one member in one conversation. Absent with `cache: 'none'`. */
  prompt_cache_key?: string
}

/** A text, a tool call or a tool result in a request to Gemini. */
export type GeminiPart =
  | { text: string }
  | { functionCall: { name: string; args: Record<string, unknown> } }
  | { functionResponse: { name: string; response: { output: string } | { error: string } } }

/** Arguments for `generateContent`. In `@google/genai`, pass `systemInstruction` inside `config`. */
export interface GeminiRequest {
  /** Absent if there is no system text. */
  systemInstruction?: { parts: { text: string }[] }
  contents: { role: 'user' | 'model'; parts: GeminiPart[] }[]
}

/** Marks the end of a prefix that Anthropic caches. */
export interface AiSdkCacheMark {
  providerOptions?: { anthropic: { cacheControl: { type: 'ephemeral'; ttl?: '5m' | '1h' } } }
}

/** Text in a request of the AI SDK. */
export interface AiSdkText extends AiSdkCacheMark {
  type: 'text'
  text: string
}

/** Arguments for `generateText` and `streamText` in `ai`. */
export interface AiSdkRequest {
  /** Absent if there is no system text. */
  system?: string
  messages: (
    | { role: 'user'; content: AiSdkText[] }
    | {
        role: 'assistant'
        content: (
          | AiSdkText
          | (AiSdkCacheMark & {
              type: 'tool-call'
              toolCallId: string
              toolName: string
              input: Record<string, unknown>
            })
        )[]
      }
    | {
        role: 'tool'
        content: (AiSdkCacheMark & {
          type: 'tool-result'
          toolCallId: string
          toolName: string
          output: { type: 'text' | 'error-text'; value: string }
        })[]
      }
  )[]
}

/** The request type for each value of `as`. */
export interface ModelRequests {
  anthropic: AnthropicRequest
  openai: OpenAiRequest
  'openai-chat': OpenAiChatRequest
  gemini: GeminiRequest
  'ai-sdk': AiSdkRequest
}

/** The model APIs for which `buildPrompt` and `ContextManager` build requests. */
export type ModelApi = keyof ModelRequests
