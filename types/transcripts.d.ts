/** What agent CLIs have kept of their sessions. */
import type { AgentType } from './agents.js'
import type { MessagePart } from './messages.js'

/** The CLIs whose sessions can be read. */
export type TranscriptAgent = 'claude' | 'codex' | 'gemini' | 'opencode' | 'qwen' | 'copilot'

/** Which session `readTranscript` reads. */
export interface TranscriptOptions {
  /** The CLI that has kept it: a `TranscriptAgent`, or another name of one. */
  agent: TranscriptAgent | AgentType | (string & {})
  /**
   * The id of the session.
   * @default the newest session of `cwd`
   */
  session?: string | null | undefined
  /**
   * The file to read, wherever it is; for opencode, its database, or what its `export` has printed.
   * @default found by `session` or `cwd`
   */
  file?: string | null | undefined
  /**
   * The directory that the session was about.
   * @default the current directory
   */
  cwd?: string | null | undefined
  /**
   * The home directory below which the CLI keeps its sessions. If it is given, variables such as
   * `CODEX_HOME` and `CLAUDE_CONFIG_DIR` do not count.
   * @default that of the current user
   */
  home?: string | null | undefined
  /**
   * Bytes of messages to keep: the first message of the user, and the newest ones. What lies between
   * is counted in `omitted`.
   * @default 16777216
   */
  maxBytes?: number | null | undefined
  /**
   * The program of opencode, which keeps a database: its own `export` is run, on a copy.
   * @default 'opencode'
   */
  command?: string | null | undefined
}

/** A session as its CLI has kept it. */
export interface Transcript {
  agent: TranscriptAgent
  /** Its id, with which the CLI resumes it. */
  session: string
  /** Where it was read. */
  file: string
  /** The directory that it is about, if the CLI has kept it. */
  cwd?: string
  /** The model that answered last. */
  model?: string
  /** The version of the CLI that wrote it last. */
  version?: string
  startedAt?: Date
  /**
   * The conversation, oldest first: what the user and the agent said, with tool calls and their
   * results. What the CLI itself put in, such as reminders and its system text, is not here. Compacted
   * history is: `summary.covers` says how much of it.
   */
  messages: TranscriptMessage[]
  /** What the CLI goes on with in place of the oldest messages, after it has compacted them. */
  summary?: TranscriptSummary
  /** What is no longer, or never was, part of the conversation. */
  branches: TranscriptBranch[]
  /** Messages that `maxBytes` left out. They lie after the first message of the user. */
  omitted: { messages: number; bytes: number }
  /** Entries that were not understood, by kind. */
  skipped: SkippedEntries[]
}

/** A message of a transcript. `ContextManager.addMessage` takes it as it is. */
export interface TranscriptMessage {
  /** Its id in the transcript, or its place if it has none. */
  id: string
  timestamp?: Date
  /** The user is `{ id: 'user', type: 'human' }`. An agent has its name as id, such as `claude`. */
  speaker: { id: string; type: 'human' | 'ai' }
  /** Its texts, joined by a blank line. */
  content: string
  /** What it says and does. A result stands in the message of its call. */
  parts: MessagePart[]
}

/** What a CLI goes on with after it has compacted a session. */
export interface TranscriptSummary {
  text: string
  /** How many messages, from the first on, it stands for. */
  covers: number
}

/** Messages beside the conversation. */
export interface TranscriptBranch {
  /** `abandoned`: the user went back, and it was said before that. `sub-agent`: another agent did it. */
  kind: 'abandoned' | 'sub-agent'
  /** The id of the sub-agent, or of the first message. */
  id: string
  messages: TranscriptMessage[]
}

/** Entries of one kind that were not understood. */
export interface SkippedEntries {
  /** What the entry calls itself, `not JSON`, `too long` or `incomplete` (a last line that is being written). */
  kind: string
  count: number
  /** The line of the first of them, from 1 on; in an export of opencode, its message. */
  firstLine: number
}

/** Where `listTranscripts` looks. */
export interface ListTranscriptsOptions {
  /** A `TranscriptAgent`, or another name of one. */
  agent: TranscriptAgent | AgentType | (string & {})
  /**
   * The directory that the sessions are about.
   * @default the current directory
   */
  cwd?: string | null | undefined
  /**
   * The home directory below which the CLI keeps its sessions.
   * @default that of the current user
   */
  home?: string | null | undefined
  /**
   * The program of opencode.
   * @default 'opencode'
   */
  command?: string | null | undefined
}

/** A session that `readTranscript` can read. */
export interface TranscriptFile {
  agent: TranscriptAgent
  session: string
  file: string
  /** When it was last written. */
  modifiedAt: Date
  /** The size of the file; of opencode, of its database. */
  bytes: number
}

/**
 * Reads what a CLI has kept of a session. Its files are only read, off the event loop and in the memory
 * of what is kept. Half a last line, lines of megabytes, unknown kinds of entries and newer versions are
 * no errors. Rejects with `ERR_NO_TRANSCRIPT` if there is no such session, and with
 * `ERR_UNREADABLE_FILE` if it cannot be read.
 */
export declare function readTranscript(options: TranscriptOptions): Promise<Transcript>

/** The sessions that a CLI has kept of a directory, newest first. */
export declare function listTranscripts(options: ListTranscriptsOptions): Promise<TranscriptFile[]>
