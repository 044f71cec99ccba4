/** Going on with another agent. */
import type { AgentType } from './agents.js'
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
} from './forms.js'
import type { NewConversationMessage } from './messages.js'
import type { Tokenizer } from './tokens.js'
import type { TranscriptBranch, TranscriptSummary } from './transcripts.js'

/** What a handoff is made of: a `Transcript`, also one that went through JSON. */
export interface HandoffSource {
  /** Who has done the work; also names the tools that are looked at for `[DONE_SO_FAR]`. */
  agent: string
  /** The conversation, oldest first. The first message of a `human` is the first task. */
  messages: readonly Pick<NewConversationMessage, 'speaker' | 'content' | 'parts' | 'timestamp'>[]
  /**
   * The id of the session.
   * @default undefined
   */
  session?: string | null | undefined
  /**
   * The directory that it is about.
   * @default undefined
   */
  cwd?: string | null | undefined
  /**
   * What stands for the first messages, which are not shown then, except the first task.
   * @default undefined
   */
  summary?: TranscriptSummary | null | undefined
  /**
   * Not part of the prompt, apart from what sub-agents have done.
   * @default []
   */
  branches?: readonly Pick<TranscriptBranch, 'kind' | 'messages'>[] | null | undefined
  /**
   * Messages that were not read. The account counts them.
   * @default { messages: 0, bytes: 0 }
   */
  omitted?: { messages: number; bytes: number } | null | undefined
}

/** For whom a handoff is, and how large it may be. */
export interface HandoffOptions {
  /** The agent that takes over. */
  to: AgentType
  /**
   * What it is to do now.
   * @default 'Go on with this work where it stopped.'
   */
  message?: string | null | undefined
  /**
   * The most UTF-8 bytes of the prompt.
   * @default 786432 (768 KiB)
   */
  maxBytes?: number | null | undefined
  /**
   * The most tokens of the prompt.
   * @default 50000; no limit if there is a `tokenizer`
   */
  maxTokens?: number | null | undefined
  /**
   * What counts tokens.
   * @default 'o200k' for Codex, else { bytesPerToken: 3 }
   */
  tokenizer?: Tokenizer | null | undefined
  /**
   * Whether values that look like keys and tokens of well-known providers are replaced by
   * `[redacted: …]`, which the account lists as `redacted`.
   * @default false
   */
  redact?: boolean | null | undefined
  /**
   * The key of the fenced prompt.
   * @default a random one
   */
  fenceKey?: string | null | undefined
}

/** `buildHandoff` as a new Buffer, with a report. */
export declare function buildHandoff(
  transcript: HandoffSource,
  options: HandoffOptions,
  form: BufferForm & { report: true },
): AssemblerBufferReportOutput
/** `buildHandoff` as a new Buffer. */
export declare function buildHandoff(
  transcript: HandoffSource,
  options: HandoffOptions,
  form: BufferForm<false>,
): AssemblerBufferOutput
/** `buildHandoff` written into your buffer, with a report. */
export declare function buildHandoff(
  transcript: HandoffSource,
  options: HandoffOptions,
  form: IntoForm & { report: true },
): AssemblerIntoReportOutput
/** `buildHandoff` written into your buffer. */
export declare function buildHandoff(
  transcript: HandoffSource,
  options: HandoffOptions,
  form: IntoForm<false>,
): AssemblerIntoOutput
/** `buildHandoff` as a string, with a report. */
export declare function buildHandoff(
  transcript: HandoffSource,
  options: HandoffOptions,
  form: StringForm & { report: true },
): AssemblerReportOutput
/** `buildHandoff` as a string. */
export declare function buildHandoff(
  transcript: HandoffSource,
  options: HandoffOptions,
  form: StringForm<false>,
): AssemblerOutput
/** `buildHandoff` in a form that is only known at run time. */
export declare function buildHandoff(
  transcript: HandoffSource,
  options: HandoffOptions,
  form: PromptForm | null | undefined,
): AnyAssemblerOutput
/**
 * The prompt with which another agent goes on with a session: what it is, the first task, the summary if
 * there is one, what was done (files, plan and commands, from the tool calls), and the newest messages with
 * their tools. It is fenced, and inside the budget; the report accounts for everything else.
 */
export declare function buildHandoff(transcript: HandoffSource, options: HandoffOptions, form?: null): AssemblerOutput
