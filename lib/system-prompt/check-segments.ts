/** System prompts as one text, and hints. */
import { recordOf } from '../checks/fields.js'
import {
  arrayOf,
  entriesOf,
  integer,
  isMissing,
  object,
  oneOf,
  optional,
  string,
  stringArray,
} from '../checks/kinds.js'
import { pathOf, unknownValue, wrongType } from '../checks/problems.js'
import type { Kind } from '../checks/kinds.js'

const { isArray } = Array
const { hasOwn, keys } = Object

const toolList = arrayOf(recordOf({ name: string, usage: string }, { required: true }))

/** A tool from an SDK's registry. Most of its fields do not concern us. */
const registry = entriesOf((value, parent, name) =>
  optional(string, '')(object(value, parent, name)['description'], pathOf(parent, name), 'description'),
)

/** A list of tools, or a registry. */
const tools: Kind<{ name: string; usage: string }[]> = (value, parent, name) => {
  if (isArray(value)) return toolList(value, parent, name)
  if (typeof value !== 'object') return wrongType('an array or an object', value, parent, name)
  return registry(value, parent, name).map(([tool, usage]) => ({ name: tool, usage }))
}

const locale = optional(oneOf(['auto', 'zh', 'en']))

export const segmentOptions = recordOf({
  core: optional(string),
  coreFile: optional(string),
  tools: optional(tools, []),
  locale,
})
export const hintOptions = recordOf({ locale }, { also: ['core', 'coreFile', 'tools'] })
export const truncateOptions = recordOf({ maxChars: optional(integer(0)), locale: optional(oneOf(['zh', 'en'])) })
export const runtimeHints = optional(stringArray, [])

export const hintAttributes: Kind<{ name: string; value: string }[]> = (value, parent, name) => {
  object(value, parent, name)
  const path = pathOf(parent, name)
  const attributes = []
  for (const key of keys(value)) {
    if (!/^[A-Za-z_][\w.-]*$/.test(key)) unknownValue('an object whose keys are attribute names', key, parent, name)
    const attribute = hasOwn(value, key) ? value[key] : undefined
    if (isMissing(attribute)) continue
    if (!['string', 'number', 'boolean'].includes(typeof attribute))
      wrongType('a string, a number or a boolean', attribute, path, key)
    attributes.push({ name: key, value: String(attribute) })
  }
  if (attributes.every((attribute) => attribute.name !== 'type'))
    wrongType('a string', hasOwn(value, 'type') ? value.type : undefined, path, 'type')
  return attributes
}
