/** Stored sessions of agent CLIs. */
import type { AgentType } from '../prompts/agents.js'
import type { MessagePart } from '../messages/parts.js'

/** The CLIs whose sessions can be read. */
export type TranscriptAgent = 'claude' | 'codex' | 'gemini' | 'opencode' | 'qwen' | 'copilot'

/** Options of `readTranscript`. */
export interface TranscriptOptions {
  /** The CLI: a `TranscriptAgent`, or another name of one. */
  agent: TranscriptAgent | AgentType | (string & {})
  /**
   * The id of the session.
   * @default the newest session of `cwd`
   */
  session?: string | null | undefined
  /**
   * The file to read, anywhere; for opencode, its database or the output of its `export`.
   * @default found by `session` or `cwd`
   */
  file?: string | null | undefined
  /**
   * The directory of the session.
   * @default the current directory
   */
  cwd?: string | null | undefined
  /**
   * The home directory that contains the CLI's sessions. If set, variables such as `CODEX_HOME` and
   * `CLAUDE_CONFIG_DIR` are ignored.
   * @default that of the current user
   */
  home?: string | null | undefined
  /**
   * The maximum bytes of messages to keep: the user's first message and the newest ones. The messages in
   * between are counted in `omitted`.
   * @default 16777216
   */
  maxBytes?: number | null | undefined
  /**
   * The opencode program. opencode keeps a database, so its own `export` is run on a copy.
   * @default 'opencode'
   */
  command?: string | null | undefined
}

/** A stored session. */
export interface Transcript {
  agent: TranscriptAgent
  /** The id to resume it with. */
  session: string
  /** The file it was read from. */
  file: string
  /** The directory of the session, if the CLI stores it. */
  cwd?: string
  /** The model that answered last. */
  model?: string
  /** The version of the CLI that last wrote to it. */
  version?: string
  startedAt?: Date
  /**
   * The conversation, oldest first: what the user and the agent said, with tool calls and results. What
   * the CLI itself inserted, such as reminders and its system text, is left out. Compacted history is
   * included: `summary.covers` says how much.
   */
  messages: TranscriptMessage[]
  /** The summary that replaced the oldest messages when the CLI compacted the session. */
  summary?: TranscriptSummary
  /** Messages that are no longer, or never were, part of the conversation. */
  branches: TranscriptBranch[]
  /** Messages that `maxBytes` left out. They follow the user's first message. */
  omitted: { messages: number; bytes: number }
  /** Entries that could not be interpreted, by kind. */
  skipped: SkippedEntries[]
}

/** A message of a transcript. You can pass it to `ContextManager.addMessage`. */
export interface TranscriptMessage {
  /** Its id in the transcript, or its position if it has none. */
  id: string
  timestamp?: Date
  /** The user is `{ id: 'user', type: 'human' }`. An agent's id is its name, such as `claude`. */
  speaker: { id: string; type: 'human' | 'ai' }
  /** The texts, joined by blank lines. */
  content: string
  /** The parts of the message. A result is in the message of its call. */
  parts: MessagePart[]
}

/** The summary that a CLI continues with after compacting a session. */
export interface TranscriptSummary {
  text: string
  /** How many messages it covers, from the first. */
  covers: number
}

/** Messages outside the conversation. */
export interface TranscriptBranch {
  /** `abandoned`: the user went back to an earlier point. `sub-agent`: another agent said it. */
  kind: 'abandoned' | 'sub-agent'
  /** The id of the sub-agent, or of the first message. */
  id: string
  messages: TranscriptMessage[]
}

/** Entries of one kind that could not be interpreted. */
export interface SkippedEntries {
  /**
   * The entry's own type, or `not JSON`, `too long` or `incomplete` (a last line that is still being
   * written).
   */
  kind: string
  count: number
  /** The line of the first one, from 1; in an opencode export, its message. */
  firstLine: number
}

/** Options of `listTranscripts`. */
export interface ListTranscriptsOptions {
  /** A `TranscriptAgent`, or another name of one. */
  agent: TranscriptAgent | AgentType | (string & {})
  /**
   * The directory of the sessions.
   * @default the current directory
   */
  cwd?: string | null | undefined
  /**
   * The home directory that contains the CLI's sessions.
   * @default that of the current user
   */
  home?: string | null | undefined
  /**
   * The opencode program.
   * @default 'opencode'
   */
  command?: string | null | undefined
}

/** A session that `readTranscript` can read. */
export interface TranscriptFile {
  agent: TranscriptAgent
  session: string
  file: string
  /** When it was last modified. */
  modifiedAt: Date
  /** The size of the file; for opencode, of its database. */
  bytes: number
}

/**
 * Reads a stored session of a CLI. Its files are only read, off the event loop, and memory is needed
 * only for what is kept. An incomplete last line, very long lines, unknown entries and newer versions
 * are not errors. Rejects with `ERR_NO_TRANSCRIPT` if there is no such session, and with
 * `ERR_UNREADABLE_FILE` if it cannot be read.
 */
export declare function readTranscript(options: TranscriptOptions): Promise<Transcript>

/** Lists a CLI's stored sessions of a directory, newest first. */
export declare function listTranscripts(options: ListTranscriptsOptions): Promise<TranscriptFile[]>
