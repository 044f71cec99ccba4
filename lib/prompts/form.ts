/** The last argument of every function that makes a prompt: the form of the result. */
import { types } from 'node:util'
import { recordOf } from '../checks/fields.js'
import { boolean, integer, isMissing, oneOf, optional, string } from '../checks/kinds.js'
import { typeProblem, unknownValue, wrongType } from '../checks/problems.js'
import type { Kind } from '../checks/kinds.js'

const { isArray } = Array

const memory: Kind<Uint8Array> = (value, parent, name) =>
  types.isUint8Array(value) ? value : wrongType('a Buffer or Uint8Array', value, parent, name)

/** Requests to model APIs. */
export const APIS = ['anthropic', 'openai', 'openai-chat', 'gemini', 'ai-sdk']
const PROMPTS = ['string', 'buffer']

const cacheFields = recordOf({ ttl: oneOf(['5m', '1h']) })

/** What the provider's cache is told: the lifetime of marks, if it is given. */
export const caching: Kind<string> = (value, parent, name) => {
  if (typeof value === 'object' && value !== null && !isArray(value)) return cacheFields(value, parent, name).ttl
  return value === 'auto' || value === 'none'
    ? value
    : unknownValue("'auto', 'none' or { ttl: '5m' | '1h' }", value, parent, name)
}

const table = recordOf({
  report: optional(boolean, false),
  as: optional(oneOf([...PROMPTS, ...APIS])),
  into: optional(memory),
  offset: optional(integer(0)),
  cache: optional(caching),
  model: optional(string),
})

export interface Form {
  kind: 'string' | 'buffer' | 'into' | 'array'
  /** If the kind is 'array'. */
  request: { api: string; cache: string; model: string | undefined } | undefined
  /** Whether the result has a report. */
  report: boolean
  into: Uint8Array | undefined
  offset: number
}

const STRING: Form = { kind: 'string', request: undefined, report: false, into: undefined, offset: 0 }

/** @param takesApis Whether the function can also make requests to model APIs. */
export const readForm = (given: unknown, takesApis: boolean = false): Form => {
  if (given === undefined || given === null) return STRING
  if (isArray(given)) wrongType('an object', given, '', 'form')
  const { report, as, into, offset, cache, model } = table(given, '', 'form')
  const api = as !== undefined && !PROMPTS.includes(as) ? as : undefined
  if (api !== undefined && !takesApis) unknownValue("'string' or 'buffer'", api, 'form', 'as')
  if (into !== undefined && as !== undefined) throw typeProblem('form.as must not be given together with form.into')
  if (into === undefined && offset !== undefined) throw typeProblem('form.offset must be given together with form.into')
  if (api !== undefined)
    return { kind: 'array', request: { api, cache: cache ?? 'auto', model }, report, into, offset: 0 }
  for (const [name, value] of Object.entries({ cache, model }))
    if (!isMissing(value)) throw typeProblem(`form.${name} must be given together with an API in form.as`)
  const kind = into === undefined ? (as ?? ('string' as 'string' | 'buffer')) : 'into'
  return { kind, request: undefined, report, into, offset: offset ?? 0 }
}
