/**
 * Caller-supplied layouts. Only own properties are read, so nothing added to `Object.prototype` becomes
 * part of a layout. The core decides whether a layout is valid.
 */
import { recordOf } from '../checks/fields.js'
import { array, optional, string, stringArray } from '../checks/kinds.js'
import { pathOf } from '../checks/problems.js'
import type { Kind } from '../checks/kinds.js'

const RULES = { own: true, strict: true }
const text = optional(string)

const section = recordOf({ part: string, title: text, note: text }, { ...RULES, required: true })

/** There are eight parts, so a longer list of sections must contain an invalid one. */
const MAX_SECTIONS = 9

const sections: Kind<ReturnType<typeof section>[]> = (value, parent, name) => {
  const { length } = array(value, parent, name)
  const path = pathOf(parent, name)
  return Array.from({ length: Math.min(length, MAX_SECTIONS) }, (_, index) => section(value[index], path, index))
}

export const layout = recordOf(
  {
    agentType: string,
    aliases: optional(stringArray, []),
    systemPlacement: text,
    sections,
    messageLine: recordOf({ open: text, arrow: text, colon: text }, { ...RULES, required: true }),
    quoteLine: recordOf({ open: text, colon: text }, RULES),
    senderLine: recordOf({ open: text, arrow: text, colon: text }, RULES),
    fence: recordOf({ note: text, open: text, from: text, to: text, summary: text, end: text }, RULES),
    tools: recordOf({ call: text, result: text, error: text }, RULES),
    labels: recordOf({ parentMessageId: text, intent: text }, RULES),
    notes: recordOf({ earlier: text, new: text }, RULES),
  },
  { ...RULES, required: true },
)
