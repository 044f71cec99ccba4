/** The forms of a prompt: the last argument of every function that builds one. */
import { types } from 'node:util'
import { fields, recordOf } from '../checks/fields.js'
import { boolean, integer, oneOf, optional, string } from '../checks/kinds.js'
import { typeProblem, unknownValue, wrongType } from '../checks/problems.js'
import type { Kind } from '../checks/kinds.js'
import type { ModelApi } from './model-requests.js'
import type { RequestFields } from '../../binding.js'

const { isArray } = Array

/** What all forms share. */
interface FormFields<Report extends boolean> {
  /** Whether to return a `report` of what was kept, cut and dropped. @default false */
  report?: Report | null | undefined
}

/** What all forms but `IntoForm` share. */
interface NewFields<Report extends boolean> extends FormFields<Report> {
  /** Only in `IntoForm`. */
  into?: null | undefined
  /** Only in `IntoForm`. */
  offset?: null | undefined
}

/** The prompt as a string. */
export interface StringForm<Report extends boolean = boolean> extends NewFields<Report> {
  /** The type of the prompt. @default 'string' */
  as?: 'string' | null | undefined
}

/** The prompt as a new Buffer of UTF-8 bytes, ready for `child.stdin.write`. */
export interface BufferForm<Report extends boolean = boolean> extends NewFields<Report> {
  /** The type of the prompt. */
  as: 'buffer'
}

/** The prompt's UTF-8 bytes, written into a caller-supplied buffer. */
export interface IntoForm<Report extends boolean = boolean> extends FormFields<Report> {
  /**
   * The buffer to write to. If the prompt does not fit, nothing is written, and the `ERR_OUT_OF_RANGE`
   * error has `requiredBytes`.
   */
  into: Uint8Array
  /** The index of the first byte to write. @default 0 */
  offset?: number | null | undefined
  /** Not together with `into`. */
  as?: null | undefined
}

/** The form of a prompt: the last argument of every function that builds one. */
export type PromptForm = StringForm | BufferForm | IntoForm

/** A request to a model API instead of a prompt. */
export interface RequestForm<Api extends ModelApi = ModelApi, Report extends boolean = boolean>
  extends NewFields<Report> {
  /**
   * The API: `'anthropic'` (Messages), `'openai'` (Responses), `'openai-chat'` (Chat Completions),
   * `'gemini'` (`generateContent`) or `'ai-sdk'` (`ModelMessage`).
   */
  as: Api
  /**
   * How to use the provider's prompt cache. `'auto'` marks where the cached prefix should end (Anthropic, and the AI
   * SDK if `model` is a Claude model), or groups requests with the same prefix (OpenAI). `'none'` does neither. `ttl`
   * is the lifetime of Anthropic's cache entries; an hour costs more than five minutes.
   * @default 'auto'
   */
  cache?: 'auto' | 'none' | { ttl: '5m' | '1h' } | null | undefined
  /**
   * The model that the request is for, such as `'claude-opus-4-5'`. Anthropic caches nothing below a
   * minimum size, which depends on the model.
   * @default the largest minimum of any model applies
   */
  model?: string | null | undefined
}

const memory: Kind<Uint8Array> = (value, parent, name) =>
  types.isUint8Array(value) ? value : wrongType('a Buffer or Uint8Array', value, parent, name)

/** Requests to model APIs. */
export const APIS: readonly ModelApi[] = ['anthropic', 'openai', 'openai-chat', 'gemini', 'ai-sdk']
const PROMPTS = ['string', 'buffer'] as const

const lifetime = fields<{ ttl: '5m' | '1h' }>()({ ttl: oneOf(['5m', '1h']) })

/** What the provider's cache is told: the lifetime of marks, if it is given. */
export const caching: Kind<'auto' | 'none' | '5m' | '1h', NonNullable<RequestForm['cache']>> = (
  value,
  parent,
  name,
) => {
  if (typeof value === 'object' && value !== null && !isArray(value)) return lifetime(value, parent, name).ttl
  if (value === 'auto' || value === 'none') return value
  return unknownValue("'auto', 'none' or { ttl: '5m' | '1h' }", String(value), parent, name)
}

const table = recordOf({
  report: optional(boolean, false),
  as: optional(oneOf([...PROMPTS, ...APIS])),
  into: optional(memory),
  offset: optional(integer(0)),
  cache: optional(caching),
  model: optional(string),
})

/** A form that was checked. */
export interface Form {
  kind: 'string' | 'buffer' | 'into' | 'array'
  /** If the kind is 'array'. */
  request: RequestFields | undefined
  /** Whether the result has a report. */
  report: boolean
  into: Uint8Array | undefined
  offset: number
}

const STRING: Form = { kind: 'string', request: undefined, report: false, into: undefined, offset: 0 }

const withoutApi = (name: string) => typeProblem(`form.${name} must be given together with an API in form.as`)

/** @param takesApis Whether the function can also make requests to model APIs. */
export const readForm = (given: unknown, takesApis: boolean = false): Form => {
  if (given === undefined || given === null) return STRING
  if (isArray(given)) wrongType('an object', given, '', 'form')
  const { report, as, into, offset, cache, model } = table(given, '', 'form')
  const api = as === 'buffer' || as === 'string' ? undefined : as
  if (api !== undefined && !takesApis) unknownValue("'string' or 'buffer'", api, 'form', 'as')
  if (into !== undefined && as !== undefined) throw typeProblem('form.as must not be given together with form.into')
  if (into === undefined && offset !== undefined) throw typeProblem('form.offset must be given together with form.into')
  if (api !== undefined)
    return { kind: 'array', request: { api, cache: cache ?? 'auto', model }, report, into, offset: 0 }
  if (cache !== undefined) throw withoutApi('cache')
  if (model !== undefined) throw withoutApi('model')
  const prompt = as === 'buffer' ? 'buffer' : 'string'
  return { kind: into === undefined ? prompt : 'into', request: undefined, report, into, offset: offset ?? 0 }
}
