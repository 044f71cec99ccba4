/** What `readTranscript` and `listTranscripts` take. */
import { transcriptPlaces } from '../../binding.js'
import { fields } from '../checks/fields.js'
import { integer, listed, optional, refined, string } from '../checks/kinds.js'
import { unknownValue } from '../checks/problems.js'
import { profileOf } from '../delivery/profiles/index.js'
import type { AgentType } from '../prompts/agents.js'

/** The CLIs whose sessions can be read. */
export type TranscriptAgent = 'claude' | 'codex' | 'gemini' | 'opencode' | 'qwen' | 'copilot'

/** Where they keep their sessions. */
export const PLACES = new Map(Array.from(transcriptPlaces(), (place) => [place.agent as TranscriptAgent, place]))

const AGENTS = [...PLACES.keys()]
const EXPECTED = listed(AGENTS)

/** Options of `listTranscripts`. */
export interface ListTranscriptsOptions {
  /** The CLI: a `TranscriptAgent`, or another name of one. */
  agent: TranscriptAgent | AgentType | (string & {})
  /** The directory of the sessions. @default the current directory */
  cwd?: string | null | undefined
  /**
   * The home directory that contains the CLI's sessions. If set, variables such as `CODEX_HOME` and
   * `CLAUDE_CONFIG_DIR` are ignored.
   * @default that of the current user
   */
  home?: string | null | undefined
  /** The opencode program. opencode keeps a database, which its own program reads, on a copy. @default 'opencode' */
  command?: string | null | undefined
}

/** A CLI by any of its names, as the first of these. */
const agent = refined(string, (name, parent, field) => {
  const profile = profileOf(name)
  const names = new Set([profile?.agentType, ...(profile?.aliases ?? [])])
  return AGENTS.find((known) => names.has(known)) ?? unknownValue(EXPECTED, name, parent, field)
})

/** A path or a name that can be passed to the system. */
const systemString = refined(string, (value, parent, field) =>
  value === '' || value.includes('\0')
    ? unknownValue('a string that is not empty and has no null characters', value, parent, field)
    : value,
)

const listFields = {
  agent,
  cwd: optional(systemString),
  home: optional(systemString),
  command: optional(systemString, 'opencode'),
}

export const listOptions = fields<ListTranscriptsOptions>()(listFields, { required: true })

/** Options of `readTranscript`. */
export interface TranscriptOptions extends ListTranscriptsOptions {
  /** The id of the session. @default the newest session of `cwd` */
  session?: string | null | undefined
  /**
   * The file to read, anywhere; for opencode, its database or the output of its `export`.
   * @default found by `session` or `cwd`
   */
  file?: string | null | undefined
  /**
   * The maximum bytes of messages to keep: the user's first message and the newest ones. The messages in
   * between are counted in `omitted`.
   * @default 16777216
   */
  maxBytes?: number | null | undefined
}

const DEFAULT_MAX_BYTES = 16 * 1024 * 1024

export const transcriptOptions = fields<TranscriptOptions>()(
  {
    ...listFields,
    session: optional(systemString),
    file: optional(systemString),
    maxBytes: optional(integer(1), DEFAULT_MAX_BYTES),
  },
  { required: true },
)
