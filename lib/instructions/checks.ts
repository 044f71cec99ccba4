/** Where instructions come from. */
import native = require('../../binding.js')
import { recordOf } from '../checks/fields.js'
import { arrayOf, boolean, func, integer, object, oneOf, optional, refined, string, strings } from '../checks/kinds.js'
import { pathOf, unknownValue } from '../checks/problems.js'
import type { Kind } from '../checks/kinds.js'

const { isArray } = Array

/** A name that can be a part of a file name. */
const appName: Kind<string> = refined(string, (name, parent, field) =>
  name === '' || name.startsWith('.') || /[/\\\0]/.test(name)
    ? unknownValue('a name without path separators', name, parent, field)
    : name,
)

/** On Windows, a path may also begin at the root of the current drive, or in a directory of another one. */
const ABSOLUTE = process.platform === 'win32' ? /^(?:[a-z]:|[\\/])/i : /^\//

/** The path of a file below a directory. */
const relativePath: Kind<string> = refined(string, (path, parent, field) =>
  path === '' || ABSOLUTE.test(path) ? unknownValue('a relative path', path, parent, field) : path,
)

/** A host, or `*.` and a host. */
const host: Kind<string> = refined(string, (given, parent, field) => {
  const name = given.startsWith('*.') ? given.slice(2) : given
  // More than one colon makes it an IPv6 address.
  const hasPort = name.split(':').length === 2
  if (name !== '' && !name.startsWith('.') && !hasPort && !/[\s\p{Cc}/\\?#@*%]/u.test(name)) return given
  return unknownValue("a host such as 'example.com' or '*.example.com', without a port", given, parent, field)
})

/** One or several strings. Each is checked once all are known to be strings. */
const each = (kind: Kind<string>) => refined(strings, (list, parent, field) => arrayOf(kind)(list, parent, field))

/** What a configuration lists. It may have other fields, which are not ours. */
const config: Kind<string[]> = (value, parent, field) =>
  optional(strings, [])(object(value, parent, field)['instructions'], pathOf(parent, field), 'instructions')

const presets = native.instructionPresets()

/** The fields that native code takes, in the order in which they are read. */
export const instructionFields = {
  timeoutMs: optional(integer(1)),
  alreadyReadBy: optional(string),
  directory: optional(string),
  preset: optional(oneOf(presets, `one of ${Array.from(presets, (name) => `'${name}'`).join(', ')}`)),
  files: optional(each(relativePath)),
  appName: optional(appName),
  order: optional(oneOf(['nearest-first', 'root-first'])),
  config: optional(config),
  includes: optional(boolean),
  untrusted: optional(boolean),
  allowHosts: optional(each(host)),
  maxFileBytes: optional(integer(1)),
  maxUrlBytes: optional(integer(1)),
}

/** Strings in an array, a Set, or anything else that can be iterated. Bytes are refused. */
const stringList: Kind<string[]> = (value, parent, field) => {
  const isIterable =
    typeof value === 'object' &&
    value !== null &&
    !isArray(value) &&
    !ArrayBuffer.isView(value) &&
    Symbol.iterator in value
  return arrayOf(string, 'an array or a Set of strings')(isIterable ? Array.from(value) : value, parent, field)
}

/** The same, or a single string. */
export const names: Kind<string[]> = (value, parent, field) =>
  typeof value === 'string' ? [value] : stringList(value, parent, field)

/** Options of the functions that only find files. */
export const findOptions = recordOf(instructionFields, { also: ['fetch', 'loaded'] })

/** The same, plus what has already been loaded. */
export const resolveOptions = recordOf({ ...instructionFields, loaded: optional(stringList, []) }, { also: ['fetch'] })

/** The same, for functions that read files and URLs. */
export const loadOptions = recordOf({ fetch: optional(func()), ...instructionFields }, { also: ['loaded'] })
