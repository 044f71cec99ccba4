'use strict'
/** System prompts: models, the environment, and the input of `SystemPrompt.build`. */
const { types } = require('node:util')
const { fields } = require('./fields.js')
const { instructionFields } = require('./instructions.js')
const { entriesOf, func, object, optional, string, strings } = require('./kinds.js')
const { outOfRange, pathOf, unknownValue, wrongType } = require('./problems.js')

/**
 * @template [T=any]
 * @typedef {import('./kinds.js').Kind<T>} Kind
 */

const { isArray } = Array
const { apply } = Reflect
const { getTime, toDateString } = Date.prototype

/** @type {Kind<string>} A day, by default today, as `toDateString` writes it in the local time zone. */
const day = (value, parent, name) => {
  const date = value ?? new Date()
  if (!types.isDate(date)) return wrongType('a Date', date, parent, name)
  return Number.isNaN(apply(getTime, date, []))
    ? outOfRange('a valid date', date, parent, name, 'Invalid Date')
    : apply(toDateString, date, [])
}

const entries = entriesOf(optional(string))

/** @type {Kind<string[]>} Lines, or names and values. */
const extra = (value, parent, name) => {
  if (typeof value !== 'object' || isArray(value)) return strings(value, parent, name)
  const given = entries(value, parent, name).filter(([, text]) => text !== undefined)
  return given.map(([key, text]) => `${key}: ${text}`)
}

/** @type {Kind<{ pattern: string, prompts: string[] }[]>} Families of models, and what they are told. */
const families = (value, parent, name) => {
  /** @type {Kind<string[]>} */
  const prompts = (given, path, pattern) => {
    // It would match every model.
    if (/^\^*$/.test(`${pattern}`))
      unknownValue('an object whose keys are parts of model names', `${pattern}`, parent, name)
    return optional(strings, [])(given, path, pattern)
  }
  return entriesOf(prompts)(value, parent, name).map(([pattern, texts]) => ({ pattern, prompts: texts }))
}

/** @type {Kind<{ agent: object, prompt: string }>} An agent of any kind, and its own prompt. */
const agent = (value, parent, name) => {
  const { prompt } = object(value, parent, name)
  return { agent: value, prompt: optional(string, '')(prompt, pathOf(parent, name), 'prompt') }
}

const providerFields = { families: optional(families, []) }
const environmentFields = { directory: optional(string), now: day, extra: optional(extra, []) }

const providerOptions = fields(providerFields)
const environmentOptions = fields(environmentFields)

/** The input of `SystemPrompt.build`, in the order in which it is read. */
const systemPromptInput = fields(
  {
    agent,
    transform: optional(func),
    fetch: optional(func),
    modelID: optional(string),
    ...providerFields,
    ...environmentFields,
    ...instructionFields,
  },
  { required: true, top: true },
)

module.exports = { environmentOptions, providerOptions, systemPromptInput }
