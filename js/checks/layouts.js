'use strict'
/**
 * Caller-supplied layouts. Only own properties are read, so nothing added to `Object.prototype` becomes
 * part of a layout. The core decides whether a layout is valid.
 */
const { fields } = require('./fields.js')
const { array, optional, string, stringArray } = require('./kinds.js')
const { pathOf } = require('./problems.js')

const RULES = { own: true, strict: true }
const text = optional(string)

const section = fields({ part: string, title: text, note: text }, { ...RULES, required: true })

/** There are eight parts, so a longer list of sections must contain an invalid one. */
const MAX_SECTIONS = 9

/** @type {import('./kinds.js').Kind<ReturnType<typeof section>[]>} */
const sections = (value, parent, name) => {
  const { length } = array(value, parent, name)
  const path = pathOf(parent, name)
  return Array.from({ length: Math.min(length, MAX_SECTIONS) }, (_, index) => section(value[index], path, index))
}

const layout = fields(
  {
    agentType: string,
    aliases: optional(stringArray, []),
    systemPlacement: text,
    sections,
    messageLine: fields({ open: text, arrow: text, colon: text }, { ...RULES, required: true }),
    quoteLine: fields({ open: text, colon: text }, RULES),
    senderLine: fields({ open: text, arrow: text, colon: text }, RULES),
    fence: fields({ note: text, open: text, from: text, to: text, summary: text, end: text }, RULES),
    tools: fields({ call: text, result: text, error: text }, RULES),
    labels: fields({ parentMessageId: text, intent: text }, RULES),
    notes: fields({ earlier: text, new: text }, RULES),
  },
  { ...RULES, required: true },
)

module.exports = { layout }
