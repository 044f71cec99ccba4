/** Where instructions come from: the options of `InstructionPrompt`. */
import native = require('../../binding.js')
import { fields } from '../checks/fields.js'
import { arrayOf, boolean, func, integer, object, oneOf, optional, refined, string, strings } from '../checks/kinds.js'
import { pathOf, unknownValue } from '../checks/problems.js'
import type { Kind } from '../checks/kinds.js'
import type { AgentType } from '../prompts/agents.js'

const { isArray } = Array

/**
 * The tool whose rules decide which instruction files are read: names, locations, order, fallbacks,
 * includes and limits. `etcode` is promptmason's own set of rules.
 */
export type InstructionPreset =
  | 'etcode'
  | 'agents'
  | 'claude-code'
  | 'codex'
  | 'gemini-cli'
  | 'opencode'
  | 'copilot'
  | 'cursor'
  | 'qwen-code'

/** The names of all presets. */
export const PRESETS = Array.from(native.instructionPresets()) as InstructionPreset[]

/** Fetches a URL like Node's `fetch`. */
export type InstructionFetch = (
  /** The URL, without user name, password and fragment. */
  url: string,
  init: {
    method: 'GET'
    /** `user-agent`, `accept`, `accept-encoding`, and `authorization` if the URL has a password. */
    headers: Record<string, string>
    /** promptmason follows redirects itself and checks each of them. */
    redirect: 'manual'
    /** Aborted when the time is up or the response is no longer needed. */
    signal: AbortSignal
  },
) => Promise<InstructionResponse>

/** The parts of a `Response` that are used. */
export interface InstructionResponse {
  status: number
  headers: { get(name: string): string | null }
  /** A stream of bytes that can be iterated with `for await`, such as a `ReadableStream`. */
  body?: object | null | undefined
  /** Whether redirects have already been followed. If so, `url` must be the final URL. */
  redirected?: boolean | undefined
  /** The final URL. It is checked if it differs from the requested one. */
  url?: string | undefined
}

/** The part of a configuration that concerns instructions. Other keys are ignored. */
export interface InstructionConfig {
  /**
   * Paths, glob patterns and http or https URLs, in order. A path is relative to the working directory
   * (or, if nothing is found there, to the directory of the configuration file), absolute, or begins
   * with `~/`. Patterns support `*`, `**`, `?`, `[a-z]` and `{a,b}`. They do not enter `.git`, and a
   * leading `!` is an error: it does not exclude files. At most 10,000 files are examined.
   * @default []
   */
  instructions?: readonly string[] | null | undefined
}

/** What a configuration lists. It may have other fields, which are not ours. */
const config: Kind<string[], InstructionConfig> = (value, parent, field) =>
  optional(strings, [])(object(value, parent, field)['instructions'], pathOf(parent, field), 'instructions')

/**
 * Where instructions come from.
 *
 * By default, a repository is trusted: its configuration, includes and links may lead to any file you can read, and to
 * any URL, including your local network. For somebody else's repository, pass `untrusted: true`.
 */
export interface InstructionOptions {
  /** The tool whose rules apply. @default 'etcode' */
  preset?: InstructionPreset | null | undefined
  /**
   * Whether the repository may be hostile. Whatever its own files (configuration, includes, links) lead to must then
   * be inside the repository and outside `.git`. URLs that it names are not fetched, and nothing above its root is
   * searched. `load` lists what was rejected. What you pass in these options, and the user's own files, stay trusted.
   * @default false
   */
  untrusted?: boolean | null | undefined
  /**
   * Whether `@path` in an instruction file is replaced with that file: relative to the file, absolute or
   * `~/`, not in code, at most 5 levels deep, each file once. If no such file exists, the text stays.
   * @default as the preset's tool: true for 'claude-code', 'gemini-cli', 'qwen-code' and 'copilot'
   */
  includes?: boolean | null | undefined
  /**
   * The CLI that the prompt is for. Files that it reads itself from `directory` are left out, so that
   * nothing is sent twice; `load` lists them as skipped. An unknown CLI is assumed to read nothing.
   * @default undefined
   */
  alreadyReadBy?: AgentType | null | undefined
  /**
   * The hosts that URLs may be fetched from, including after redirects: names, addresses, or
   * `*.example.com` for everything below `example.com`. An empty array allows none.
   * @default undefined (all hosts)
   */
  allowHosts?: readonly string[] | null | undefined
  /**
   * The agent's working directory. Instruction files are searched for in it and in every directory
   * above, up to the root of the git repository; outside a repository, only in it.
   * @default process.cwd()
   */
  directory?: string | null | undefined
  /**
   * The configuration, instead of the files: `<appName>.json`, `<appName>.jsonc` and `.<appName>.json`
   * in the nearest directory that has one, from `directory` up to the root of the repository, then the
   * user's `<appName>.json(c)`; with the preset `opencode`, all those that opencode reads. The files may
   * have comments and trailing commas. A file that cannot be parsed is an `InvalidConfigError`.
   * @default undefined
   */
  config?: InstructionConfig | null | undefined
  /**
   * The names of instruction files in the project's directories, instead of the preset's. With the preset `etcode` or
   * an `appName`, the first of them is also searched for in `$XDG_CONFIG_HOME/<appName>` or `~/.config/<appName>`.
   * @default those of the preset; for 'etcode' ['AGENTS.md', 'ETCODE.md'], the second by `appName`
   */
  files?: readonly string[] | null | undefined
  /**
   * The application. It names the configuration file, the user's configuration directory and the second instruction
   * file. With a preset other than `etcode`, it replaces the preset's configuration file and user files.
   * @default 'etcode' with the preset 'etcode'
   */
  appName?: string | null | undefined
  /**
   * Which directory's files come first: those of the working directory or of the repository root.
   * @default as the preset's tool: 'nearest-first' for 'etcode' and 'opencode', sorted by path for
   * 'gemini-cli', the root first and then 'nearest-first' for 'copilot', 'root-first' for others
   */
  order?: 'nearest-first' | 'root-first' | null | undefined
  /**
   * The timeout of a URL in milliseconds, for everything: name lookup, connection, redirects, body. At most a day.
   * @default 5000
   */
  timeoutMs?: number | null | undefined
  /** The maximum bytes of a URL's body; a larger one fails. @default 262144 */
  maxUrlBytes?: number | null | undefined
  /**
   * The maximum bytes of a file. A larger one keeps its beginning and end, with a line between them that
   * says how many bytes are missing.
   * @default 262144
   */
  maxFileBytes?: number | null | undefined
  /**
   * Fetches URLs, for example with a proxy, certificates or a cache, or a mock. It is called as a method
   * of the options, once for each URL and each redirect.
   * @default globalThis.fetch
   */
  fetch?: InstructionFetch | null | undefined
}

/** A name that can be a part of a file name. */
const appName = refined(string, (name, parent, field) =>
  name === '' || name.startsWith('.') || /[/\\\0]/.test(name)
    ? unknownValue('a name without path separators', name, parent, field)
    : name,
)

/** On Windows, a path may also begin at the root of the current drive, or in a directory of another one. */
const ABSOLUTE = process.platform === 'win32' ? /^(?:[a-z]:|[\\/])/i : /^\//

/** The path of a file below a directory. */
const relativePath = refined(string, (path, parent, field) =>
  path === '' || ABSOLUTE.test(path) ? unknownValue('a relative path', path, parent, field) : path,
)

/** A host, or `*.` and a host. */
const host = refined(string, (given, parent, field) => {
  const name = given.startsWith('*.') ? given.slice(2) : given
  // More than one colon makes it an IPv6 address.
  const hasPort = name.split(':').length === 2
  if (name !== '' && !name.startsWith('.') && !hasPort && !/[\s\p{Cc}/\\?#@*%]/u.test(name)) return given
  return unknownValue("a host such as 'example.com' or '*.example.com', without a port", given, parent, field)
})

/** Several strings, or only one. Each is checked once all are known to be strings. */
const each =
  (kind: Kind<string>): Kind<string[], readonly string[]> =>
  (value, parent, field) =>
    arrayOf(kind)(strings(value, parent, field), parent, field)

/** The fields that native code takes, in the order in which they are read. */
export const instructionFields = {
  timeoutMs: optional(integer(1)),
  alreadyReadBy: optional(string),
  directory: optional(string),
  preset: optional(oneOf(PRESETS, `one of ${PRESETS.map((name) => `'${name}'`).join(', ')}`)),
  files: optional(each(relativePath)),
  appName: optional(appName),
  order: optional(oneOf(['nearest-first', 'root-first'] as const)),
  config: optional(config),
  includes: optional(boolean),
  untrusted: optional(boolean),
  allowHosts: optional(each(host)),
  maxFileBytes: optional(integer(1)),
  maxUrlBytes: optional(integer(1)),
}

/** Options of the functions that only find files. */
export const findOptions = fields<Omit<InstructionOptions, 'fetch'>>()(instructionFields, { also: ['fetch', 'loaded'] })

/** The same, for functions that read files and URLs. */
export const loadOptions = fields<InstructionOptions>()(
  { fetch: optional(func<InstructionFetch>()), ...instructionFields },
  { also: ['loaded'] },
)

/** Options of `InstructionPrompt.resolve`. */
export interface ResolveOptions extends InstructionOptions {
  /** Paths that are already in the prompt, such as those of `InstructionPrompt.systemPaths`. @default [] */
  loaded?: Iterable<string> | null | undefined
}

/** Strings in an array, a Set, or anything else that can be iterated. Bytes are refused. */
const stringList: Kind<string[], Iterable<string>> = (value, parent, field) => {
  const isIterable =
    typeof value === 'object' &&
    value !== null &&
    !isArray(value) &&
    !ArrayBuffer.isView(value) &&
    Symbol.iterator in value
  const list = isIterable ? Array.from(value as Iterable<unknown>) : value
  return arrayOf(string, 'an array or a Set of strings')(list, parent, field)
}

/** The same, or a single string. */
export const names: Kind<string[], string | Iterable<string>> = (value, parent, field) =>
  typeof value === 'string' ? [value] : stringList(value, parent, field)

export const resolveOptions = fields<Omit<ResolveOptions, 'fetch'>>()(
  { ...instructionFields, loaded: optional(stringList, []) },
  { also: ['fetch'] },
)
