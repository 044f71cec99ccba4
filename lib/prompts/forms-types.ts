/** The forms of a prompt, and the result of each form. */
import type { AssemblerReport } from './report.js'

/** What all forms share. */
interface FormFields<Report extends boolean> {
  /**
   * Whether to return a `report` of what was kept, cut and dropped.
   * @default false
   */
  report?: Report | null | undefined
}

/** The prompt as a string. */
export interface StringForm<Report extends boolean = boolean> extends FormFields<Report> {
  /**
   * The type of the prompt.
   * @default 'string'
   */
  as?: 'string' | null | undefined
  /** Only in `IntoForm`. */
  into?: null | undefined
  /** Only in `IntoForm`. */
  offset?: null | undefined
}

/** The prompt as a new Buffer of UTF-8 bytes, ready for `child.stdin.write`. */
export interface BufferForm<Report extends boolean = boolean> extends FormFields<Report> {
  /** The type of the prompt. */
  as: 'buffer'
  /** Only in `IntoForm`. */
  into?: null | undefined
  /** Only in `IntoForm`. */
  offset?: null | undefined
}

/** The prompt's UTF-8 bytes, written into a caller-supplied buffer. */
export interface IntoForm<Report extends boolean = boolean> extends FormFields<Report> {
  /**
   * The buffer to write to. If the prompt does not fit, nothing is written, and the `ERR_OUT_OF_RANGE`
   * error has `requiredBytes`.
   */
  into: Uint8Array
  /**
   * The index of the first byte to write.
   * @default 0
   */
  offset?: number | null | undefined
  /** Not together with `into`. */
  as?: null | undefined
}

/** The form of a prompt: the last argument of every function that builds one. */
export type PromptForm = StringForm | BufferForm | IntoForm

/** The model APIs for which `buildPrompt` and `ContextManager` build requests. */
export type ModelApi = keyof ModelRequests

/** A request to a model API instead of a prompt. */
export interface RequestForm<Api extends ModelApi = ModelApi, Report extends boolean = boolean>
  extends FormFields<Report> {
  /**
   * The API: `'anthropic'` (Messages), `'openai'` (Responses), `'openai-chat'` (Chat Completions),
   * `'gemini'` (`generateContent`) or `'ai-sdk'` (`ModelMessage`).
   */
  as: Api
  /**
   * How to use the provider's prompt cache. `'auto'` marks where the cached prefix should end (Anthropic, and
   * the AI SDK if `model` is a Claude model), or groups requests with the same prefix (OpenAI). `'none'`
   * does neither. `ttl` is the lifetime of Anthropic's cache entries; an hour costs more than five
   * minutes.
   * @default 'auto'
   */
  cache?: 'auto' | 'none' | { ttl: '5m' | '1h' } | null | undefined
  /**
   * The model that the request is for, such as `'claude-opus-4-5'`. Anthropic caches nothing below a
   * minimum size, which depends on the model.
   * @default the largest minimum of any model applies
   */
  model?: string | null | undefined
  /** Only in `IntoForm`. */
  into?: null | undefined
  /** Only in `IntoForm`. */
  offset?: null | undefined
}

/** What to pass to the agent's CLI. */
export interface AssemblerOutput {
  /** For the CLI's stdin. Always well-formed Unicode. */
  prompt: string
  /** For the CLI's system prompt flag; `undefined` if there is none. */
  systemFlag?: string | undefined
}

/**
 * An assembled prompt with a report. A report accounts for all messages and therefore reads all of them:
 * an invalid message among the dropped ones is an error with a report, but not without.
 */
export interface AssemblerReportOutput extends AssemblerOutput {
  report: AssemblerReport
}

/** An assembled prompt as bytes. */
export interface AssemblerBufferOutput {
  /** The prompt in UTF-8, for `child.stdin.write`. */
  prompt: Buffer
  /** For the CLI's system prompt flag; `undefined` if there is none. */
  systemFlag?: string | undefined
}

/** An assembled prompt as bytes, with a report. */
export interface AssemblerBufferReportOutput extends AssemblerBufferOutput {
  report: AssemblerReport
}

/** The result of writing into the caller's buffer. */
export interface AssemblerIntoOutput {
  /** The number of bytes written. */
  bytes: number
  /** For the CLI's system prompt flag; `undefined` if there is none. */
  systemFlag?: string | undefined
}

/** The result of writing into the caller's buffer, with a report. */
export interface AssemblerIntoReportOutput extends AssemblerIntoOutput {
  report: AssemblerReport
}

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

/** The result of any form. It has a `report` if the form asked for one. */
export type AnyAssemblerOutput = (AssemblerOutput | AssemblerBufferOutput | AssemblerIntoOutput) & {
  report?: AssemblerReport
}

// Without this line, declarations without `export` would be exported too.
// oxlint-disable-next-line unicorn/require-module-specifiers
export {}
