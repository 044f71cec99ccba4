'use strict'
/** What `buildHandoff` takes: a transcript from `readTranscript`, even after a round trip through JSON. */
const { fields } = require('./fields.js')
const { anything, arrayOf, boolean, integer, isMissing, object, optional, refined, string } = require('./kinds.js')
const { checkParts } = require('./parts.js')
const { pathOf, unknownValue, wrongType } = require('./problems.js')
const { sharedMore } = require('./assemblers.js')

const speakerFields = fields({ id: string, type: optional(string, '') }, { required: true, anyKeys: true })

/**
 * A date, or its JSON form. Anything else counts as no time.
 * @param {unknown} value
 */
const timeOf = (value) => {
  const isDate = typeof value === 'string' || value instanceof Date
  return isDate ? new Date(value).getTime() : Number.NaN
}

/**
 * @typedef {object} CheckedMessage
 * @property {string} from
 * @property {boolean} isHuman
 * @property {number} time NaN if it is not known.
 * @property {any[]} parts
 */

/** @type {import('./kinds.js').Kind<CheckedMessage>} */
const message = (value, parent, name) => {
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
  summary: optional(fields({ text: string, covers: integer(0) }, { anyKeys: true })),
  branches: optional(arrayOf(fields({ kind: string, messages }, { required: true, anyKeys: true })), []),
  omitted: optional(fields({ messages: integer(0), bytes: integer(0) }, { anyKeys: true }), { messages: 0, bytes: 0 }),
}

const transcript = fields(TRANSCRIPT, { required: true, anyKeys: true })

/** A name that stands in a line of the prompt. */
const agentName = refined(string, (value, parent, name) =>
  value.trim() === '' ? unknownValue('the name of an agent', value, parent, name) : value,
)

const handoffOptions = fields(
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

/**
 * Both arguments, checked.
 * @param {unknown} given
 * @param {unknown} options
 */
const checkHandoff = (given, options) => {
  if (given instanceof Promise) wrongType('a transcript', given, '', 'transcript')
  return { transcript: transcript(given, '', 'transcript'), options: handoffOptions(options, '', 'options') }
}

module.exports = { checkHandoff, transcript }
