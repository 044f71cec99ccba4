/** Continuing a session with another agent. */
import type { AgentType } from '../prompts/agents.js'
import type {
  AnyAssemblerOutput,
  AssemblerBufferOutput,
  AssemblerBufferReportOutput,
  AssemblerIntoOutput,
  AssemblerIntoReportOutput,
  AssemblerOutput,
  AssemblerReportOutput,
  BufferForm,
  IntoForm,
  PromptForm,
  StringForm,
} from '../prompts/forms-types.js'
import type { NewConversationMessage } from '../messages/messages.js'
import type { Tokenizer } from '../tokens/types.js'
import type { TranscriptBranch, TranscriptSummary } from '../transcripts/transcripts.js'

/** The input of a handoff: a `Transcript`, which may have gone through JSON. */
export interface HandoffSource {
  /** Who has done the work. It also determines which tools count for `[DONE_SO_FAR]`. */
  agent: string
  /** The conversation, oldest first. The first message from a `human` is the first task. */
  messages: readonly Pick<NewConversationMessage, 'speaker' | 'content' | 'parts' | 'timestamp'>[]
  /**
   * The id of the session.
   * @default undefined
   */
  session?: string | null | undefined
  /**
   * The directory of the session.
   * @default undefined
   */
  cwd?: string | null | undefined
  /**
   * The summary that replaces the first messages. These are then not shown, except for the first task.
   * @default undefined
   */
  summary?: TranscriptSummary | null | undefined
  /**
   * Not part of the prompt, except for what sub-agents have done.
   * @default []
   */
  branches?: readonly Pick<TranscriptBranch, 'kind' | 'messages'>[] | null | undefined
  /**
   * Messages that were not read. The account counts them.
   * @default { messages: 0, bytes: 0 }
   */
  omitted?: { messages: number; bytes: number } | null | undefined
}

/** Options of `buildHandoff`. */
export interface HandoffOptions {
  /** The agent that takes over. */
  to: AgentType
  /**
   * What the agent should do now.
   * @default 'Go on with this work where it stopped.'
   */
  message?: string | null | undefined
  /**
   * The maximum UTF-8 bytes of the prompt.
   * @default 786432 (768 KiB)
   */
  maxBytes?: number | null | undefined
  /**
   * The maximum tokens of the prompt.
   * @default 50000; no limit if there is a `tokenizer`
   */
  maxTokens?: number | null | undefined
  /**
   * What counts tokens.
   * @default 'o200k' for Codex, else { bytesPerToken: 3 }
   */
  tokenizer?: Tokenizer | null | undefined
  /**
   * Whether to replace values that look like keys and tokens of well-known providers with `[redacted:
   * …]`. The account lists them as `redacted`.
   * @default false
   */
  redact?: boolean | null | undefined
  /**
   * The key of the fenced prompt.
   * @default a random one
   */
  fenceKey?: string | null | undefined
}

/** Builds a handoff as a new Buffer, with a report. */
export declare function buildHandoff(
  transcript: HandoffSource,
  options: HandoffOptions,
  form: BufferForm & { report: true },
): AssemblerBufferReportOutput
/** Builds a handoff as a new Buffer. */
export declare function buildHandoff(
  transcript: HandoffSource,
  options: HandoffOptions,
  form: BufferForm<false>,
): AssemblerBufferOutput
/** Builds a handoff in your buffer, with a report. */
export declare function buildHandoff(
  transcript: HandoffSource,
  options: HandoffOptions,
  form: IntoForm & { report: true },
): AssemblerIntoReportOutput
/** Builds a handoff in your buffer. */
export declare function buildHandoff(
  transcript: HandoffSource,
  options: HandoffOptions,
  form: IntoForm<false>,
): AssemblerIntoOutput
/** Builds a handoff as a string, with a report. */
export declare function buildHandoff(
  transcript: HandoffSource,
  options: HandoffOptions,
  form: StringForm & { report: true },
): AssemblerReportOutput
/** Builds a handoff as a string. */
export declare function buildHandoff(
  transcript: HandoffSource,
  options: HandoffOptions,
  form: StringForm<false>,
): AssemblerOutput
/** Builds a handoff in a form known only at run time. */
export declare function buildHandoff(
  transcript: HandoffSource,
  options: HandoffOptions,
  form: PromptForm | null | undefined,
): AnyAssemblerOutput
/**
 * Builds the prompt with which another agent continues a session: an introduction, the first task, the
 * summary if there is one, what was done (files, plan and commands, from the tool calls), and the newest
 * messages with their tool calls. The prompt is fenced and within the budget; the report accounts for
 * everything else.
 */
export declare function buildHandoff(transcript: HandoffSource, options: HandoffOptions, form?: null): AssemblerOutput
