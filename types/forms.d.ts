/** In which form a prompt is wanted, and the result of each form. */
import type { AssemblerReport } from './reports.js'

/** What all forms have in common. */
interface FormFields<Report extends boolean> {
  /**
   * Whether the result also has a `report` of what was kept, cut and dropped.
   * @default false
   */
  report?: Report | null | undefined
}

/** The prompt as a string. */
export interface StringForm<Report extends boolean = boolean> extends FormFields<Report> {
  /**
   * As what the prompt is returned.
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
  /** As what the prompt is returned. */
  as: 'buffer'
  /** Only in `IntoForm`. */
  into?: null | undefined
  /** Only in `IntoForm`. */
  offset?: null | undefined
}

/** The prompt's UTF-8 bytes, written into a caller-supplied buffer. */
export interface IntoForm<Report extends boolean = boolean> extends FormFields<Report> {
  /**
   * Where the prompt is written. If it does not fit, nothing is written and the
   * `ERR_OUT_OF_RANGE` error has `requiredBytes`.
   */
  into: Uint8Array
  /**
   * Index of the first byte that is written.
   * @default 0
   */
  offset?: number | null | undefined
  /** Not together with `into`. */
  as?: null | undefined
}

/** In which form a prompt is wanted: the last argument of every function that makes one. */
export type PromptForm = StringForm | BufferForm | IntoForm

/** The model APIs whose requests `buildPrompt` and `ContextManager` make. */
export type ModelApi = keyof ModelRequests

/** A request to a model's API instead of a prompt. */
export interface RequestForm<Api extends ModelApi = ModelApi, Report extends boolean = boolean>
  extends FormFields<Report> {
  /**
   * The API: `'anthropic'` (Messages), `'openai'` (Responses), `'openai-chat'` (Chat Completions),
   * `'gemini'` (`generateContent`) or `'ai-sdk'` (`ModelMessage`).
   */
  as: Api
  /**
   * What the provider's cache is told. `'auto'` marks where it should end (Anthropic, and the AI SDK
   * if `model` is a Claude model), or names the requests that begin alike (OpenAI). `'none'` does
   * neither. `ttl` is how long a mark of Anthropic lives; an hour costs more than five minutes.
   * @default 'auto'
   */
  cache?: 'auto' | 'none' | { ttl: '5m' | '1h' } | null | undefined
  /**
   * The model that the request is for, such as `'claude-opus-4-5'`. Anthropic caches nothing that is
   * shorter than a minimum, which depends on the model.
   * @default the largest minimum of any model counts
   */
  model?: string | null | undefined
  /** Only in `IntoForm`. */
  into?: null | undefined
  /** Only in `IntoForm`. */
  offset?: null | undefined
}

/** What to hand to the agent's CLI. */
export interface AssemblerOutput {
  /** For the CLI's stdin. Always well-formed Unicode. */
  prompt: string
  /** For the CLI's system prompt flag; `undefined` when there is none. */
  systemFlag?: string | undefined
}

/**
 * An assembled prompt, and what happened on the way. To account for all messages it has to
 * read them, so a wrong one among the dropped is an error with a report and not without.
 */
export interface AssemblerReportOutput extends AssemblerOutput {
  report: AssemblerReport
}

/** An assembled prompt as bytes. */
export interface AssemblerBufferOutput {
  /** The prompt in UTF-8, for `child.stdin.write`. */
  prompt: Buffer
  /** For the CLI's system prompt flag; `undefined` when there is none. */
  systemFlag?: string | undefined
}

/** An assembled prompt as bytes, and what happened on the way. */
export interface AssemblerBufferReportOutput extends AssemblerBufferOutput {
  report: AssemblerReport
}

/** What was written into the caller's buffer. */
export interface AssemblerIntoOutput {
  /** How many bytes of the buffer are the prompt. */
  bytes: number
  /** For the CLI's system prompt flag; `undefined` when there is none. */
  systemFlag?: string | undefined
}

/** What was written into the caller's buffer, and what happened on the way. */
export interface AssemblerIntoReportOutput extends AssemblerIntoOutput {
  report: AssemblerReport
}

/** Ends a part of a request that Anthropic caches. */
export interface AnthropicCacheControl {
  type: 'ephemeral'
  /** @default '5m' */
  ttl?: '5m' | '1h'
}

/** A text in a request to Anthropic. */
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

/** Parts of `client.messages.create` of `@anthropic-ai/sdk`. */
export interface AnthropicRequest {
  /** Absent if there is no system text. */
  system?: AnthropicText[]
  messages: (
    | { role: 'user'; content: (AnthropicText | AnthropicToolResult)[] }
    | { role: 'assistant'; content: (AnthropicText | AnthropicToolUse)[] }
  )[]
}

/** Parts of `client.responses.create` of `openai`. */
export interface OpenAiRequest {
  /** Absent if there is no system text. */
  instructions?: string
  input: (
    | { role: 'user' | 'assistant'; content: string }
    | { type: 'function_call'; call_id: string; name: string; arguments: string }
    | { type: 'function_call_output'; call_id: string; output: string }
  )[]
  /** The same for all requests of one member in one conversation. Absent with `cache: 'none'`. */
  prompt_cache_key?: string
}

/** Parts of `client.chat.completions.create` of `openai`. The system text is the first message. */
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
  /** The same for all requests of one member in one conversation. Absent with `cache: 'none'`. */
  prompt_cache_key?: string
}

/** A text, a tool call or a tool result in a request to Gemini. */
export type GeminiPart =
  | { text: string }
  | { functionCall: { name: string; args: Record<string, unknown> } }
  | { functionResponse: { name: string; response: { output: string } | { error: string } } }

/** Parts of a request to `generateContent`. In `@google/genai`, `systemInstruction` is a part of `config`. */
export interface GeminiRequest {
  /** Absent if there is no system text. */
  systemInstruction?: { parts: { text: string }[] }
  contents: { role: 'user' | 'model'; parts: GeminiPart[] }[]
}

/** Ends a part of a request that Anthropic caches. */
export interface AiSdkCacheMark {
  providerOptions?: { anthropic: { cacheControl: { type: 'ephemeral'; ttl?: '5m' | '1h' } } }
}

/** A text in a request of the AI SDK. */
export interface AiSdkText extends AiSdkCacheMark {
  type: 'text'
  text: string
}

/** Parts of `generateText` and `streamText` of `ai`. */
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

/** What each value of `as` makes. */
export interface ModelRequests {
  anthropic: AnthropicRequest
  openai: OpenAiRequest
  'openai-chat': OpenAiChatRequest
  gemini: GeminiRequest
  'ai-sdk': AiSdkRequest
}

/** The result of any form. Its `report` is there if the form asked for one. */
export type AnyAssemblerOutput = (AssemblerOutput | AssemblerBufferOutput | AssemblerIntoOutput) & {
  report?: AssemblerReport
}

// Without this line, what is not marked `export` above would be exported as well.
// oxlint-disable-next-line unicorn/require-module-specifiers
export {}
