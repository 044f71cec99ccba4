/** Checks and copies a caller's report. Only the fields named here get into a page. */
import { isObject } from '../checks/kinds.js'
import type { AssemblerReport } from '../prompts/report.js'
import { typeProblem } from '../checks/problems.js'

/** A type, an object of types, or an array of one type. A `?` marks it as optional. */
type Shape = string | { readonly [name: string]: Shape } | readonly [Shape]

type ShapeOf<T> =
  NonNullable<T> extends readonly (infer Item)[]
    ? readonly [ShapeOf<Item>]
    : NonNullable<T> extends object
      ? { readonly [Field in keyof NonNullable<T>]-?: ShapeOf<NonNullable<T>[Field]> }
      : `${NameOf<NonNullable<T>>}${undefined extends T ? '?' : ''}`

type NameOf<T> = T extends string ? 'string' : T extends number ? 'number' : 'boolean'

/** More than any report has. An object can claim to have any number. */
export const MAX_ITEMS = 10_000

/** Everything except what no page shows. */
const REPORT: ShapeOf<Omit<AssemblerReport, 'tokenizer' | 'promptTokens' | 'systemFlagTokens' | 'session'>> = {
  agentId: 'string?',
  agentType: 'string',
  maxBytes: 'number',
  totalBytes: 'number',
  neededBytes: 'number?',
  promptBytes: 'number',
  systemFlagBytes: 'number',
  stablePrefixBytes: 'number?',
  tokensExact: 'boolean?',
  maxTokens: 'number?',
  totalTokens: 'number?',
  limitedBy: 'string?',
  sections: [
    {
      name: 'string',
      action: 'string',
      bytesBefore: 'number?',
      bytesAfter: 'number',
      itemsBefore: 'number?',
      itemsAfter: 'number?',
      tokensBefore: 'number?',
      tokensAfter: 'number?',
    },
  ],
  dropped: [{ id: 'string?', index: 'number', from: 'string', bytes: 'number', tokens: 'number?', reason: 'string' }],
  leftOut: [
    {
      part: 'string',
      action: 'string',
      reason: 'string',
      step: 'string?',
      bytes: 'number',
      count: 'number',
      id: 'string?',
      index: 'number?',
      from: 'string?',
    },
  ],
  account: { givenBytes: 'number', sentBytes: 'number', leftOutBytes: 'number' },
  decisions: ['string'],
  findings: [
    {
      part: 'string',
      index: 'number',
      field: 'string?',
      line: 'number',
      pretends: 'string',
      text: 'string',
      escaped: 'boolean',
    },
  ],
}

const copied = (value: unknown, shape: Shape, path: string): unknown => {
  if (typeof shape === 'string') return copiedValue(value, shape, path)
  if (Array.isArray(shape)) {
    // A proxy may return any length, and a different one each time.
    const length = Array.isArray(value) ? value.length : -1
    if (!Array.isArray(value) || !Number.isSafeInteger(length) || length < 0 || length > MAX_ITEMS)
      throw typeProblem(`${path} must be an array of a report`)
    return Array.from({ length }, (_, at) => copied(value[at], shape[0], `${path}[${at}]`))
  }
  if (!isObject(value)) throw typeProblem(`${path} must be an object of a report`)
  const entries = Object.entries(shape).map(([name, inner]) => [name, copied(value[name], inner, `${path}.${name}`)])
  return Object.fromEntries(entries.filter(([, field]) => field !== undefined))
}

const copiedValue = (value: unknown, type: string, path: string) => {
  const [wanted] = type.split('?')
  if (type.endsWith('?') && (value === undefined || value === null)) return undefined
  // A size is never negative, and a page cannot draw what has no end.
  const isRight =
    typeof value === wanted && (typeof value !== 'number' || (value >= 0 && value <= Number.MAX_SAFE_INTEGER))
  if (!isRight) throw typeProblem(`${path} must be a ${wanted} of a report`)
  return value
}

// It has exactly the fields of the table, which is that of the interface.
export const checkedReport = (report: unknown, path: string) => copied(report, REPORT, path) as AssemblerReport
