/** Instruction files and URLs. */
import type { AgentType } from '../prompts/agents.js'

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

/**
 * Where instructions come from.
 *
 * By default, a repository is trusted: its configuration, includes and links may lead to any file you
 * can read, and to any URL, including your local network. For somebody else's repository, pass
 * `untrusted: true`.
 */
export interface InstructionOptions {
  /**
   * The tool whose rules apply.
   * @default 'etcode'
   */
  preset?: InstructionPreset | null | undefined
  /**
   * Whether the repository may be hostile. Whatever its own files (configuration, includes, links) lead
   * to must then be inside the repository and outside `.git`. URLs that it names are not fetched, and
   * nothing above its root is searched. `load` lists what was rejected. What you pass in these options,
   * and the user's own files, stay trusted.
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
   * The names of instruction files in the project's directories, instead of the preset's. With the
   * preset `etcode` or an `appName`, the first of them is also searched for in
   * `$XDG_CONFIG_HOME/<appName>` or `~/.config/<appName>`.
   * @default those of the preset; for 'etcode' ['AGENTS.md', 'ETCODE.md'], the second by `appName`
   */
  files?: readonly string[] | null | undefined
  /**
   * The application. It names the configuration file, the user's configuration directory and the second
   * instruction file. With a preset other than `etcode`, it replaces the preset's configuration file and
   * user files.
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
   * The timeout of a URL in milliseconds, for everything: name lookup, connection, redirects, body. At
   * most a day.
   * @default 5000
   */
  timeoutMs?: number | null | undefined
  /**
   * The maximum bytes of a URL's body; a larger one fails.
   * @default 262144
   */
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

/** Options of `InstructionPrompt.resolve`. */
export interface ResolveOptions extends InstructionOptions {
  /**
   * Paths that are already in the prompt, such as those of `InstructionPrompt.systemPaths`.
   * @default []
   */
  loaded?: Iterable<string> | null | undefined
}

/** A file or URL that was considered, and what happened to it. */
export interface LoadedInstruction {
  /**
   * The path, or the scheme, host and path of the URL; if a configuration entry leads to neither, the
   * entry itself.
   */
  source: string
  kind: 'file' | 'url'
  /**
   * Why it was considered: found in the project, found among the user's files, configured, or included
   * by another file.
   */
  origin: 'project' | 'global' | 'config' | 'include'
  /** For an include: the path of the including file. */
  from?: string
  /**
   * `loaded`: it is used; `truncated`: its beginning and end are used; `empty`: it has no text;
   * `skipped`: it was left out on purpose, for example because it is already there; `failed`: it could
   * not be read.
   */
  status: 'loaded' | 'empty' | 'skipped' | 'failed' | 'truncated'
  /**
   * The text, without front matter and with its includes; only if `loaded` or `truncated`. The text of
   * an include is part of the including file's text.
   */
  text?: string
  /** Its original size, if known. */
  bytes: number
  /**
   * Why it is not used, or not completely; always set unless `loaded`. If `loaded`, how many bytes were
   * replaced because they are not UTF-8, if any.
   */
  reason?: string
  /**
   * For a rule that applies to certain paths: their patterns. `InstructionPrompt.resolve` returns such
   * rules.
   */
  appliesTo?: string[]
  /** For a rule: its `description`. */
  description?: string
}

export declare namespace InstructionPrompt {
  /** Returns the first instruction file in a directory. */
  export function find(
    directory: string,
    options?: Pick<InstructionOptions, 'preset' | 'files' | 'appName' | 'untrusted'> | null,
  ): Promise<string | undefined>
  /** Lists everything that was considered, used or not, and what happened to it. */
  export function load(options?: InstructionOptions | null): Promise<LoadedInstruction[]>
  /**
   * Returns the instruction files for a file that a tool reads: those from its directory up to, but not
   * including, the project directory, whose files are already in the system prompt; and the rules for
   * certain paths that apply to it. The file itself and everything in `loaded` are left out.
   */
  export function resolve(filePath: string, options?: ResolveOptions | null): Promise<LoadedInstruction[]>
  /** Returns the paths of the sources that `resolve` returns and uses. */
  export function resolvePaths(filePath: string, options?: ResolveOptions | null): Promise<string[]>
  /**
   * Returns the instructions as system messages, each `Instructions from: <path or URL>` and its text.
   * What cannot be read is left out; `load` says why.
   */
  export function system(options?: InstructionOptions | null): Promise<string[]>
  /**
   * Returns the existing instruction files in the order of `system`: those of the project, the user's
   * own, those named in the configuration, and their includes. URLs and rules for certain paths are not
   * included.
   */
  export function systemPaths(options?: InstructionOptions | null): Promise<Set<string>>
}

/** Finds the nearest file or directory called `name`, in `from` or above. */
export declare function findUp(name: string, from?: string | null): Promise<string | undefined>

/**
 * Finds every file or directory with one of `names`, nearest first, from `from` up to and including
 * `root`; without a root, up to that of the file system.
 */
export declare function findUpAll(
  names: string | Iterable<string>,
  from?: string | null,
  root?: string | null,
): Promise<string[]>
