/** System prompts: models, the environment, and the input of `SystemPrompt.build`. */
import { types } from 'node:util'
import { recordOf } from '../checks/fields.js'
import { instructionFields } from '../instructions/checks.js'
import { entriesOf, func, object, optional, string, strings } from '../checks/kinds.js'
import { outOfRange, pathOf, unknownValue, wrongType } from '../checks/problems.js'
import type { Kind } from '../checks/kinds.js'

const { isArray } = Array
const { apply } = Reflect
const { getTime, toDateString } = Date.prototype

/** A day, by default today, as `toDateString` writes it in the local time zone. */
const day: Kind<string> = (value, parent, name) => {
  const date = value ?? new Date()
  if (!types.isDate(date)) return wrongType('a Date', date, parent, name)
  return Number.isNaN(apply(getTime, date, []))
    ? outOfRange('a valid date', date, parent, name, 'Invalid Date')
    : apply(toDateString, date, [])
}

const entries = entriesOf(optional(string))

/** Lines, or names and values. */
const extra: Kind<string[]> = (value, parent, name) => {
  if (typeof value !== 'object' || isArray(value)) return strings(value, parent, name)
  const given = entries(value, parent, name).filter(([, text]) => text !== undefined)
  return given.map(([key, text]) => `${key}: ${text}`)
}

/** Families of models, and what they are told. */
const families: Kind<{ pattern: string; prompts: string[] }[]> = (value, parent, name) => {
  const prompts: Kind<string[]> = (given, path, pattern) => {
    // It would match every model.
    if (/^\^*$/.test(`${pattern}`))
      unknownValue('an object whose keys are parts of model names', `${pattern}`, parent, name)
    return optional(strings, [])(given, path, pattern)
  }
  return entriesOf(prompts)(value, parent, name).map(([pattern, texts]) => ({ pattern, prompts: texts }))
}

/** An agent of any kind, and its own prompt. */
const agent: Kind<{ agent: object; prompt: string }> = (value, parent, name) => {
  const { prompt } = object(value, parent, name)
  return { agent: value, prompt: optional(string, '')(prompt, pathOf(parent, name), 'prompt') }
}

const providerFields = { families: optional(families, []) }
const environmentFields = { directory: optional(string), now: day, extra: optional(extra, []) }

export const providerOptions = recordOf(providerFields)
export const environmentOptions = recordOf(environmentFields)

/** The input of `SystemPrompt.build`, in the order in which it is read. */
export const systemPromptInput = recordOf(
  {
    agent,
    transform: optional(func()),
    fetch: optional(func()),
    modelID: optional(string),
    ...providerFields,
    ...environmentFields,
    ...instructionFields,
  },
  { required: true, top: true },
)
