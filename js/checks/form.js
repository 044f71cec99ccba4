'use strict'
/** The last argument of every function that makes a prompt: the form of the result. */
const { types } = require('node:util')
const { fields } = require('./fields.js')
const { boolean, integer, isMissing, oneOf, optional, string } = require('./kinds.js')
const { typeProblem, unknownValue, wrongType } = require('./problems.js')

const { isArray } = Array

/** @type {import('./kinds.js').Kind<Uint8Array>} */
const memory = (value, parent, name) =>
  types.isUint8Array(value) ? value : wrongType('a Buffer or Uint8Array', value, parent, name)

/** Requests to model APIs. */
const APIS = ['anthropic', 'openai', 'openai-chat', 'gemini', 'ai-sdk']
const PROMPTS = ['string', 'buffer']

const cacheFields = fields({ ttl: oneOf(['5m', '1h']) })

/** @type {import('./kinds.js').Kind<string>} What the provider's cache is told: the lifetime of marks, if it is given. */
const caching = (value, parent, name) => {
  if (typeof value === 'object' && value !== null && !isArray(value)) return cacheFields(value, parent, name).ttl
  return value === 'auto' || value === 'none'
    ? value
    : unknownValue("'auto', 'none' or { ttl: '5m' | '1h' }", value, parent, name)
}

const table = fields({
  report: optional(boolean, false),
  as: optional(oneOf([...PROMPTS, ...APIS])),
  into: optional(memory),
  offset: optional(integer(0)),
  cache: optional(caching),
  model: optional(string),
})

/**
 * @typedef {object} Form
 * @property {'string' | 'buffer' | 'into' | 'array'} kind
 * @property {{ api: string, cache: string, model: string | undefined } | undefined} request If the kind is 'array'.
 * @property {boolean} report Whether the result has a report.
 * @property {Uint8Array | undefined} into
 * @property {number} offset
 */

/** @type {Form} */
const STRING = { kind: 'string', request: undefined, report: false, into: undefined, offset: 0 }

/**
 * @param {unknown} given
 * @param {boolean} [takesApis] Whether the function can also make requests to model APIs.
 * @returns {Form}
 */
const readForm = (given, takesApis = false) => {
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
  const kind = into === undefined ? /** @type {'string' | 'buffer'} */ (as ?? 'string') : 'into'
  return { kind, request: undefined, report, into, offset: offset ?? 0 }
}

module.exports = { APIS, caching, readForm }
