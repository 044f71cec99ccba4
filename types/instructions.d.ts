/** Instruction files and URLs. */
import type { AgentType } from './agents.js'

/**
 * Whose rules decide which instruction files are read: names, places, order, fallbacks, includes
 * and limits as that tool has them. `etcode` is this package's own set of rules.
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

/**
 * Where instructions come from.
 *
 * By default, a repository is trusted: its configuration, its includes and its links may lead to
 * any file of yours, and to any URL, also of your local network. For somebody else's repository,
 * pass `untrusted: true`.
 */
export interface InstructionOptions {
  /**
   * Whose rules decide which files are read.
   * @default 'etcode'
   */
  preset?: InstructionPreset | null | undefined
  /**
   * Whether the repository may be hostile. What its own files (configuration, includes, links)
   * lead to must lie inside the repository then, and not in `.git`; no URL that it names is
   * fetched; and nothing above its root is searched. `load` lists what was rejected. What you pass
   * in these options and the user's own files stay trusted.
   * @default false
   */
  untrusted?: boolean | null | undefined
  /**
   * Whether `@path` in an instruction file is replaced by that file: relative to the file,
   * absolute or `~/`, not in code, at most 5 deep, each file once. What is no existing file stays
   * text.
   * @default as the preset's tool: true for 'claude-code', 'gemini-cli', 'qwen-code' and 'copilot'
   */
  includes?: boolean | null | undefined
  /**
   * The CLI that the prompt is for. Files that it reads by itself from `directory` are left out,
   * so that nothing is sent twice; `load` lists them as skipped. An agent whose CLI is not known
   * reads nothing.
   * @default undefined
   */
  alreadyReadBy?: AgentType | null | undefined
  /**
   * The hosts that URLs may be fetched from, also after redirects: names, addresses, or
   * `*.example.com` for everything below `example.com`. An empty array allows none.
   * @default undefined (all hosts)
   */
  allowHosts?: readonly string[] | null | undefined
  /**
   * The working directory of the agent. Instruction files are looked for in it and in every
   * directory above, up to the root of the git repository; outside one, in it alone.
   * @default process.cwd()
   */
  directory?: string | null | undefined
  /**
   * The configuration, instead of the files: `<appName>.json`, `<appName>.jsonc` and
   * `.<appName>.json` of the nearest directory from `directory` up to the root of the repository
   * that has one, then the user's `<appName>.json(c)`; with the preset `opencode`, all those that
   * opencode reads. They may have comments and trailing commas; one that cannot be parsed is an
   * `InvalidConfigError`.
   * @default undefined
   */
  config?: InstructionConfig | null | undefined
  /**
   * The names of instruction files in the project's directories, instead of those of the preset.
   * With the preset `etcode` or an `appName`, the first of them is also looked for in
   * `$XDG_CONFIG_HOME/<appName>` or `~/.config/<appName>`.
   * @default those of the preset; for 'etcode' ['AGENTS.md', 'ETCODE.md'], the second by `appName`
   */
  files?: readonly string[] | null | undefined
  /**
   * The application: names the configuration file, the user's configuration directory and
   * the second instruction file. With another preset than `etcode`, it replaces the configuration
   * file and the user's files of that preset.
   * @default 'etcode' with the preset 'etcode'
   */
  appName?: string | null | undefined
  /**
   * Which directory's files come first: the working directory's or the repository root's.
   * @default as the preset's tool: 'nearest-first' for 'etcode' and 'opencode', sorted by path for
   * 'gemini-cli', the root first and then 'nearest-first' for 'copilot', 'root-first' for others
   */
  order?: 'nearest-first' | 'root-first' | null | undefined
  /**
   * Milliseconds for a URL, everything included: name, connection, redirects, body. At most
   * a day.
   * @default 5000
   */
  timeoutMs?: number | null | undefined
  /**
   * The most bytes of a URL's body; a larger one fails.
   * @default 262144
   */
  maxUrlBytes?: number | null | undefined
  /**
   * The most bytes of a file; of a larger one, beginning and end are kept, with a line
   * between them that says how many bytes are missing.
   * @default 262144
   */
  maxFileBytes?: number | null | undefined
  /**
   * Fetches URLs: a `fetch` with a proxy, certificates or a cache, or a mock. It is
   * called as a method of the options, once for each URL and each redirect.
   * @default globalThis.fetch
   */
  fetch?: InstructionFetch | null | undefined
}

/** Fetches a URL, as Node's `fetch` does. */
export type InstructionFetch = (
  /** The URL, without user name, password and fragment. */
  url: string,
  init: {
    method: 'GET'
    /** `user-agent`, `accept`, `accept-encoding`, and `authorization` if the URL has a password. */
    headers: Record<string, string>
    /** Redirects are followed by this package, which checks each of them. */
    redirect: 'manual'
    /** Aborted when the time is up, and when the response is no longer needed. */
    signal: AbortSignal
  },
) => Promise<InstructionResponse>

/** The parts of a `Response` that are used. */
export interface InstructionResponse {
  status: number
  headers: { get(name: string): string | null }
  /** A stream of bytes that can be iterated with `for await`, such as a `ReadableStream`. */
  body?: object | null | undefined
  /** Whether redirects were followed already. Then `url` must say where the response comes from. */
  redirected?: boolean | undefined
  /** Where the response comes from. It is checked, too, if it is not the requested URL. */
  url?: string | undefined
}

/** The part of a configuration that concerns instructions. Other keys are ignored. */
export interface InstructionConfig {
  /**
   * Paths, glob patterns and http or https URLs, in order. Paths are relative to the working
   * directory (or, where there is nothing, to the directory of the configuration file),
   * absolute, or begin with `~/`. Patterns know `*`, `**`, `?`, `[a-z]` and `{a,b}`. They do not
   * enter `.git`, and a leading `!` is an error: it does not exclude files. At most 10,000 files
   * are looked at.
   * @default []
   */
  instructions?: readonly string[] | null | undefined
}

/** What a file's nearby instructions are seen from. */
export interface ResolveOptions extends InstructionOptions {
  /**
   * Paths that are in the prompt already, such as those of `InstructionPrompt.systemPaths`.
   * @default []
   */
  loaded?: Iterable<string> | null | undefined
}

/** A file or URL that was considered, and what became of it. */
export interface LoadedInstruction {
  /**
   * The path, or scheme, host and path of the URL; where the configuration leads to neither, what
   * it says.
   */
  source: string
  kind: 'file' | 'url'
  /**
   * Why it was considered: found in the project, found among the user's own, configured, or
   * included by another file.
   */
  origin: 'project' | 'global' | 'config' | 'include'
  /** Of an include: the path of the file that mentions it. */
  from?: string
  /**
   * `loaded`: it is used; `truncated`: its beginning and end are; `empty`: there is no text in
   * it; `skipped`: it was left out on purpose, as one that is there already; `failed`: it could
   * not be read.
   */
  status: 'loaded' | 'empty' | 'skipped' | 'failed' | 'truncated'
  /**
   * What it says, without front matter and with its includes; only when `loaded` or `truncated`.
   * The text of an include is in that of the file that includes it.
   */
  text?: string
  /** Its size as it was found, as far as that is known. */
  bytes: number
  /**
   * Why it is not used, or not all of it; always there unless `loaded`. If it is `loaded`, how
   * many bytes were replaced because they are not UTF-8, if there were any.
   */
  reason?: string
  /** Of a rule for certain paths: their patterns. `InstructionPrompt.resolve` has such a rule. */
  appliesTo?: string[]
  /** Of a rule: its `description`. */
  description?: string
}

export declare namespace InstructionPrompt {
  /** The first instruction file in a directory. */
  export function find(
    directory: string,
    options?: Pick<InstructionOptions, 'preset' | 'files' | 'appName' | 'untrusted'> | null,
  ): Promise<string | undefined>
  /** Everything that was considered, used or not, and what became of it. */
  export function load(options?: InstructionOptions | null): Promise<LoadedInstruction[]>
  /**
   * The instruction files for a file that a tool reads: those from its directory up to, and
   * without, the project directory, whose own are in the system prompt already; and the rules
   * for certain paths that apply to it. The file itself and what is `loaded` are left out.
   */
  export function resolve(filePath: string, options?: ResolveOptions | null): Promise<LoadedInstruction[]>
  /** The paths of what `resolve` returns and is used. */
  export function resolvePaths(filePath: string, options?: ResolveOptions | null): Promise<string[]>
  /**
   * The instructions as system messages, each `Instructions from: <path or URL>` and its text.
   * What cannot be read is left out; `load` says why.
   */
  export function system(options?: InstructionOptions | null): Promise<string[]>
  /**
   * The instruction files that there are, in the order in which `system` has them: those of the
   * project, the user's own, those that the configuration names, and what they include. URLs and
   * rules for certain paths are not among them.
   */
  export function systemPaths(options?: InstructionOptions | null): Promise<Set<string>>
}

/** The nearest file or directory called `name`, in `from` or above. */
export declare function findUp(name: string, from?: string | null): Promise<string | undefined>

/**
 * Every file or directory called one of `names`, nearest first, from `from` up to `root`,
 * which is looked in as well; without a root, up to that of the file system.
 */
export declare function findUpAll(
  names: string | Iterable<string>,
  from?: string | null,
  root?: string | null,
): Promise<string[]>
