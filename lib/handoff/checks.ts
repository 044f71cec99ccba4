/** What `buildHandoff` takes: a transcript from `readTranscript`, even after a round trip through JSON. */
import { recordOf } from '../checks/fields.js'
import { anything, arrayOf, boolean, integer, isMissing, object, optional, refined, string } from '../checks/kinds.js'
import { checkParts } from '../messages/parts.js'
import { pathOf, unknownValue, wrongType } from '../checks/problems.js'
import { sharedMore } from '../prompts/assembler-input.js'
import type { Kind } from '../checks/kinds.js'

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
  parts: any[]
}

const message: Kind<CheckedMessage> = (value, parent, name) => {
  const given = object(value, parent, name)
  const path = pathOf(parent, name)
  const { content, parts, timestamp } = given
  const { id, type } = speakerFields(given['speaker'], path, 'speaker')
  const said = isMissing(parts) ? [{ type: 'text', text: string(content, path, 'content') }] : undefined
  return {
    from: id,
    isHuman: type === 'human',
    time: timeOf(timestamp),
    parts: said ?? checkParts(parts, content, path).parts,
  }
}

const messages = arrayOf(message)

const TRANSCRIPT = {
  agent: string,
  messages,
  session: optional(string),
  cwd: optional(string),
  summary: optional(recordOf({ text: string, covers: integer(0) }, { anyKeys: true })),
  branches: optional(arrayOf(recordOf({ kind: string, messages }, { required: true, anyKeys: true })), []),
  omitted: optional(recordOf({ messages: integer(0), bytes: integer(0) }, { anyKeys: true }), {
    messages: 0,
    bytes: 0,
  }),
}

export const transcript = recordOf(TRANSCRIPT, { required: true, anyKeys: true })

/** A name that stands in a line of the prompt. */
const agentName = refined(string, (value, parent, name) =>
  value.trim() === '' ? unknownValue('the name of an agent', value, parent, name) : value,
)

const handoffOptions = recordOf(
  {
    to: agentName,
    message: optional(string),
    maxBytes: optional(integer(1)),
    maxTokens: optional(integer(1)),
    // Checked when the assembler is created, with the same path.
    tokenizer: optional(anything),
    redact: optional(boolean, false),
    fenceKey: sharedMore.fenceKey,
  },
  { required: true },
)

/** Both arguments, checked. */
export const checkHandoff = (given: unknown, options: unknown) => {
  if (given instanceof Promise) wrongType('a transcript', given, '', 'transcript')
  return { transcript: transcript(given, '', 'transcript'), options: handoffOptions(options, '', 'options') }
}
