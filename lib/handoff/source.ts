/** The input of a handoff: a transcript from `readTranscript`, even after a round trip through JSON. */
import { fields, recordOf } from '../checks/fields.js'
import { arrayOf, integer, isMissing, object, optional, string, type Kind } from '../checks/kinds.js'
import { pathOf } from '../checks/problems.js'
import { checkParts, type MessagePart } from '../messages/parts.js'
import type { NewConversationMessage } from '../messages/messages.js'
import type { TranscriptBranch, TranscriptSummary } from '../transcripts/transcripts.js'

/** The input of a handoff: a `Transcript`, which may have gone through JSON. */
export interface HandoffSource {
  /** Who has done the work. It also determines which tools count for `[DONE_SO_FAR]`. */
  agent: string
  /** The conversation, oldest first. The first message from a `human` is the first task. */
  messages: readonly Pick<NewConversationMessage, 'speaker' | 'content' | 'parts' | 'timestamp'>[]
  /** The id of the session. @default undefined */
  session?: string | null | undefined
  /** The directory of the session. @default undefined */
  cwd?: string | null | undefined
  /**
   * The summary that replaces the first messages. These are then not shown, except for the first task.
   * @default undefined
   */
  summary?: TranscriptSummary | null | undefined
  /** Not part of the prompt, except for what sub-agents have done. @default [] */
  branches?: readonly Pick<TranscriptBranch, 'kind' | 'messages'>[] | null | undefined
  /** Messages that were not read. The account counts them. @default { messages: 0, bytes: 0 } */
  omitted?: { messages: number; bytes: number } | null | undefined
}

const NONE_OMITTED = { messages: 0, bytes: 0 }

const speakerFields = recordOf({ id: string, type: optional(string, '') }, { required: true, anyKeys: true })

/** A date, or its JSON form. Anything else counts as no time. */
const timeOf = (value: unknown) => {
  const isDate = typeof value === 'string' || value instanceof Date
  return isDate ? new Date(value).getTime() : Number.NaN
}

export interface CheckedMessage {
  from: string
  isHuman: boolean
  /** NaN if it is not known. */
  time: number
  parts: MessagePart[]
}

const message: Kind<CheckedMessage, HandoffSource['messages'][number]> = (value, parent, name) => {
  const given = object(value, parent, name)
  const path = pathOf(parent, name)
  const { content, parts, timestamp, speaker } = given
  const { id, type } = speakerFields(speaker, path, 'speaker')
  const said = isMissing(parts)
    ? [{ type: 'text' as const, text: string(content, path, 'content') }]
    : checkParts(parts, content, path).parts
  return { from: id, isHuman: type === 'human', time: timeOf(timestamp), parts: said }
}

const messages = arrayOf(message)

const branchFields = recordOf({ kind: string, messages }, { required: true, anyKeys: true })

/** Branches of unknown kinds are accepted. */
const branch: Kind<ReturnType<typeof branchFields>, Pick<TranscriptBranch, 'kind' | 'messages'>> = (...place) =>
  branchFields(...place)

export const handoffSource = fields<HandoffSource>()(
  {
    agent: string,
    messages,
    session: optional(string),
    cwd: optional(string),
    summary: optional(fields<TranscriptSummary>()({ text: string, covers: integer(0) }, { anyKeys: true })),
    branches: optional(arrayOf(branch), []),
    omitted: optional(recordOf({ messages: integer(0), bytes: integer(0) }, { anyKeys: true }), NONE_OMITTED),
  },
  { required: true, anyKeys: true },
)

export type CheckedSource = ReturnType<typeof handoffSource>
