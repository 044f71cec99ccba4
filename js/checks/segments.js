'use strict'
/** System prompts as one text, and hints. */
const { fields } = require('./fields.js')
const { arrayOf, entriesOf, integer, isMissing, object, oneOf, optional, string, stringArray } = require('./kinds.js')
const { pathOf, unknownValue, wrongType } = require('./problems.js')

/**
 * @template [T=any]
 * @typedef {import('./kinds.js').Kind<T>} Kind
 */

const { isArray } = Array
const { hasOwn, keys } = Object

const toolList = arrayOf(fields({ name: string, usage: string }, { required: true }))

/** A tool from an SDK's registry. Most of its fields do not concern us. */
const registry = entriesOf((value, parent, name) =>
  optional(string, '')(object(value, parent, name)['description'], pathOf(parent, name), 'description'),
)

/** @type {Kind<{ name: string, usage: string }[]>} A list of tools, or a registry. */
const tools = (value, parent, name) => {
  if (isArray(value)) return toolList(value, parent, name)
  if (typeof value !== 'object') return wrongType('an array or an object', value, parent, name)
  return registry(value, parent, name).map(([tool, usage]) => ({ name: tool, usage }))
}

const locale = optional(oneOf(['auto', 'zh', 'en']))

const segmentOptions = fields({
  core: optional(string),
  coreFile: optional(string),
  tools: optional(tools, []),
  locale,
})
const hintOptions = fields({ locale }, { also: ['core', 'coreFile', 'tools'] })
const truncateOptions = fields({ maxChars: optional(integer(0)), locale: optional(oneOf(['zh', 'en'])) })
const runtimeHints = optional(stringArray, [])

/** @type {Kind<{ name: string, value: string }[]>} */
const hintAttributes = (value, parent, name) => {
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

module.exports = { hintAttributes, hintOptions, runtimeHints, segmentOptions, truncateOptions }
