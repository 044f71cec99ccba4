/** Running a CLI with a prompt. */
import type { ChildProcess } from 'node:child_process'
import type { AgentType } from '../prompts/agents.js'
import type { DeliveryEvent } from './events.js'
import type { DeliveryResult } from './results.js'
import type { AssemblerBufferOutput, AssemblerOutput } from '../prompts/forms-types.js'

/** The unit of a size: UTF-8 bytes, Unicode code points, or UTF-16 units (the `length` of a string). */
export type SizeUnit = 'bytes' | 'codePoints' | 'utf16'

/** A custom agent, for `planDelivery`: a CLI, or an agent that speaks the Agent Client Protocol. */
export type DeliveryProfile = CliProfile | AcpProfile

/**
 * An agent that speaks the Agent Client Protocol, such as `{ acp: { command: 'gemini', args:
 * ['--acp'] } }`. Install `@agentclientprotocol/sdk` and `zod`: `deliver` loads them on demand.
 */
export interface AcpProfile {
  acp: {
    /** The program: a path, or a name to look up in `PATH`. */
    command: string
    /**
     * Its arguments.
     * @default []
     */
    args?: readonly string[] | null | undefined
    /**
     * Environment variables it needs; `undefined` or null removes one.
     * @default {}
     */
    env?: { readonly [name: string]: string | null | undefined } | null | undefined
    /**
     * The version of the protocol. Version 2 is a draft, which few agents speak.
     * @default 1
     */
    protocolVersion?: 1 | 2 | null | undefined
  }
}

/** Settings that an ACP agent gets as messages instead of arguments. */
export interface AcpSettings {
  /**
   * The version of the protocol.
   * @default 1
   */
  protocolVersion?: 1 | 2
  /** The model. The agent must offer it. */
  model?: string
  /**
   * How to answer when the agent asks for permission: see `permissions` of `planDelivery`. Nobody can be
   * asked, so the default is to refuse.
   * @default 'default'
   */
  permissions?: 'default' | 'read-only' | 'edit' | 'all'
}

/** A custom CLI. The prompt always goes to its stdin. */
export interface CliProfile {
  /** The program: a path, or a name to look up in `PATH`. */
  command: string
  /**
   * Its arguments.
   * @default []
   */
  args?: readonly string[] | null | undefined
  /**
   * The option for the system text: `--system`, or `--system=` if option and value are one argument, for
   * CLIs that take a value with a leading dash for an option.
   * @default undefined (none)
   */
  systemFlag?: string | null | undefined
  /**
   * The option for the path of a file with the system text, in the same two forms.
   * @default undefined (none)
   */
  systemFileFlag?: string | null | undefined
  /**
   * The arguments that resume a session; `{id}` is replaced with its id.
   * @default undefined (it cannot resume)
   */
  resumeArgs?: readonly string[] | null | undefined
  /**
   * The arguments that turn on partial text. `deliver` adds them if it has a listener.
   * @default []
   */
  streamArgs?: readonly string[] | null | undefined
  /**
   * The arguments that set the id of a new session, a UUID; `{id}` is replaced with it. `deliver`
   * chooses a new one each time, so the session is known however the turn ends.
   * @default [] (the CLI chooses it)
   */
  sessionIdArgs?: readonly string[] | null | undefined
  /**
   * The arguments for each value of `permissions`.
   * @default {} (only `'default'` is possible)
   */
  permissionArgs?: { [K in 'read-only' | 'edit' | 'all']?: readonly string[] | null | undefined } | null | undefined
  /**
   * The arguments that print its version.
   * @default ['--version']
   */
  versionArgs?: readonly string[] | null | undefined
  /**
   * The limits of its stdin.
   * @default []
   */
  limits?: readonly { unit: SizeUnit; max: number }[] | null | undefined
  /**
   * Environment variables it needs; `undefined` or null removes one.
   * @default {}
   */
  env?: { readonly [name: string]: string | null | undefined } | null | undefined
  /**
   * What it writes to stdout: the answer (`'text'`), or the output format of a known agent.
   * @default 'text'
   */
  output?: 'text' | AgentType | null | undefined
}

/** Options of `planDelivery`. */
export interface DeliveryOptions {
  /**
   * The CLI: `claude-code`, `openai-codex`, `google-gemini`, `opencode`, `qwen-code`, `github-copilot`,
   * or the short names `claude`, `codex`, `gemini`, `qwen`, `copilot`, in any letter case. Anything else
   * is a program of that name, which gets the prompt on stdin and no arguments.
   */
  agentType: AgentType
  /**
   * The platform the CLI will run on. Linux, macOS and Windows have different limits for arguments.
   * @default process.platform
   */
  platform?: NodeJS.Platform | null | undefined
  /**
   * Whether the CLI writes JSON events for `deliver` and `parseOutput` to read. Otherwise its stdout is
   * the answer, and there is no session id and no usage.
   * @default true
   */
  json?: boolean | null | undefined
  /**
   * The model, as the CLI names it.
   * @default undefined (the model that the CLI is configured for)
   */
  model?: string | null | undefined
  /**
   * The CLI's working directory. Gemini, Qwen and opencode resume a session only in the directory where
   * it began.
   * @default undefined (that of this process)
   */
  cwd?: string | null | undefined
  /**
   * The id of the CLI session to resume: the `sessionId` of an earlier result.
   * @default undefined (a new session)
   */
  resume?: string | null | undefined
  /**
   * How to pass the system text: as an argument, in a file, or (`'auto'`) as an argument if the platform
   * passes it unchanged, otherwise in a file.
   * @default 'auto'
   */
  systemVia?: 'auto' | 'flag' | 'file' | null | undefined
  /**
   * What to do with text that the CLI would act on, such as `@/etc/passwd` or a leading `/clear`.
   * `'report'` lists it in `warnings`; `'escape'` also disarms it, with the CLI's own switch if there is
   * one.
   * @default 'report'
   */
  guard?: 'report' | 'escape' | null | undefined
  /**
   * Whether the CLI may read the project's instruction files (`AGENTS.md`, `CLAUDE.md`, …) itself.
   * @default 'keep'
   */
  projectInstructions?: 'keep' | 'skip' | null | undefined
  /**
   * Whether Gemini may run in a directory that is not trusted (`--skip-trust`). It then also trusts the
   * project's own settings. The other CLIs do not ask.
   * @default false
   */
  trustWorkspace?: boolean | null | undefined
  /**
   * What the agent may do without asking: what the CLI is configured for, read only, also edit project
   * files, or anything. What it would ask for is denied. If the CLI cannot be restricted this way,
   * `ERR_UNDELIVERABLE` is thrown.
   * @default 'default'
   */
  permissions?: 'default' | 'read-only' | 'edit' | 'all' | null | undefined
  /**
   * The installed version of the CLI, as `cliVersion` returns it. Options that this version does not
   * know are left out. If the turn would be wrong without them, `ERR_UNDELIVERABLE` is thrown.
   * @default undefined (the version that was measured is assumed)
   */
  version?: string | null | undefined
  /**
   * Additional arguments, passed unchanged. Arguments that repeat what the plan already has, such as
   * `--json`, or `--output-format` with any value, are left out with a warning.
   * @default []
   */
  extraArgs?: readonly string[] | null | undefined
  /**
   * The profile of a custom CLI, instead of the one of `agentType`.
   * @default undefined
   */
  profile?: DeliveryProfile | null | undefined
}

/**
 * A warning about a plan:
 * - `command`, `file-mention`, `skill-mention`: the CLI would act on the text at `at`;
 * - `blank`: the prompt is only white space, and the CLI sends it;
 * - `byte-order-mark`, `trailing-space`: the CLI strips it from the prompt;
 * - `system-ignored`: the CLI keeps the system text of the session's first turn, so this one is not
 *   passed;
 * - `system-overrides`: the system text replaces one that the user has configured;
 * - `instructions-kept`: the CLI cannot be kept from reading instruction files;
 * - `resume-directory`: the session is only found in its own directory, and `cwd` is not set;
 * - `repeated-argument`: `extraArgs` that repeat what the plan has were left out;
 * - `shim`: a `.cmd` file would change or refuse the arguments;
 * - `unknown-agent`: the agent type is unknown, and looks like a misspelled one.
 */
export interface DeliveryWarning {
  code:
    | 'command'
    | 'file-mention'
    | 'skill-mention'
    | 'blank'
    | 'byte-order-mark'
    | 'trailing-space'
    | 'system-ignored'
    | 'system-overrides'
    | 'instructions-kept'
    | 'resume-directory'
    | 'repeated-argument'
    | 'shim'
    | 'unknown-agent'
  message: string
  /**
   * Where in the prompt, in UTF-16 units: an index into the prompt as a string. The first 100 places of
   * each kind are listed; one more warning without `at` counts the rest.
   */
  at?: number
}

/** How to run a CLI with a prompt. Pass it to `deliver`, or to your own `spawn`. */
export interface DeliveryPlan {
  command: string
  /**
   * The arguments. `{file:NAME}` is a placeholder for the path of that file: `writeDelivery` replaces
   * it.
   */
  args: string[]
  /**
   * What to write to stdin before closing it. If nothing had to be disarmed, this is the prompt's own
   * Buffer, so do not modify that Buffer until the delivery is done.
   */
  stdin: Buffer
  /** The files to write first. */
  files: { name: string; content: Buffer }[]
  /** Environment variables to set for the CLI, or to remove (`undefined`). */
  env: Record<string, string | undefined>
  /** The CLI's working directory as an absolute path; absent if none was set. */
  cwd?: string
  /** The session to resume; absent for a new one. */
  resume?: string
  /**
   * Arguments that `deliver` inserts before the argument `at` on each delivery: for partial text, if
   * there is a listener, and for the id of a new session, which replaces `{id}`.
   */
  additions?: { at: number; streamArgs?: string[]; sessionIdArgs?: string[] }
  warnings: DeliveryWarning[]
  /** The CLI's output format: the agent type to pass to `parseOutput`, or `'text'`. */
  output: string
  /** Settings of an ACP agent. The prompt is `stdin`. */
  acp?: AcpSettings
}

/** A plan whose files have been written. */
export interface WrittenDelivery {
  /** The arguments with the paths of the files. */
  args: string[]
  /** Removes the files. Can be called more than once. */
  cleanup(): Promise<void>
}

/** Starts a program. */
export type SpawnHook = (
  command: string,
  args: string[],
  options: { cwd: string | undefined; env: Record<string, string | undefined>; stdio: ['pipe', 'pipe', 'pipe'] },
) => ChildProcess | Promise<ChildProcess>

/** Writes and removes the files of a plan. */
export interface FileHooks {
  /** Returns the path that the program can open. */
  write(name: string, content: Buffer): string | Promise<string>
  remove(path: string): void | Promise<void>
}

/** Options of `cliVersion`. */
export interface CliVersionOptions {
  /**
   * The program, if it is not the default one of the agent type.
   * @default undefined
   */
  command?: string | null | undefined
  /**
   * Its arguments.
   * @default ['--version'], or what is known of the CLI
   */
  versionArgs?: readonly string[] | null | undefined
}

/** Options of `deliver`. */
export interface DeliverOptions {
  /**
   * Terminates the CLI and everything it has started, and rejects with the signal's reason.
   * @default undefined
   */
  signal?: AbortSignal | null | undefined
  /**
   * The timeout of the whole turn, in milliseconds. When it expires, the CLI is terminated, and
   * `deliver` rejects with `ERR_NO_ANSWER`, which says what the CLI was last seen doing.
   * @default undefined (no timeout)
   */
  timeoutMs?: number | null | undefined
  /**
   * The timeout for silence, in milliseconds. CLIs retry requests themselves, some for hours without any
   * output. A long-running tool is silent, too. `Infinity` turns it off.
   * @default 600000 (10 minutes)
   */
  idleTimeoutMs?: number | null | undefined
  /**
   * Called with each event while the CLI runs. If it throws, the CLI is terminated and `deliver` rejects
   * with that error.
   * @default undefined
   */
  onEvent?: ((event: DeliveryEvent) => void) | null | undefined
  /**
   * Called with what the agent says, as it arrives: the text of `text` events.
   * @default undefined
   */
  onText?: ((text: string) => void) | null | undefined
  /**
   * Whether to ask the CLI for partial text if there is a listener. Some CLIs always write it.
   * @default true
   */
  stream?: boolean | null | undefined
  /**
   * Starts the program elsewhere, for example in a container or on another machine. It gets the command,
   * arguments and options of Node's `spawn`, and returns a ChildProcess with three pipes. The program is
   * terminated with its own `kill`.
   * @default undefined (on this machine)
   */
  spawn?: SpawnHook | null | undefined
  /**
   * Writes and removes the files of the plan where that program can read them.
   * @default undefined (in a private temporary directory)
   */
  files?: FileHooks | null | undefined
  /**
   * Whether the CLI keeps running when this process exits or is interrupted, or when its worker ends.
   * The plan's files then stay. By default, the CLI and everything it has started are terminated, and
   * the files are removed. `signal` and `timeoutMs` always terminate it.
   * @default false
   */
  detached?: boolean | null | undefined
}

/**
 * Plans how to pass an assembled prompt to a CLI so that it arrives complete and unchanged: the command,
 * its arguments, stdin, files and environment. If the CLI would reject, cut or lose something,
 * `ERR_UNDELIVERABLE` is thrown. What it would act on or strip is listed in `warnings`.
 */
export declare function planDelivery(
  output: AssemblerOutput | AssemblerBufferOutput,
  options: DeliveryOptions,
): DeliveryPlan

/**
 * Writes the files of a plan, for your own `spawn`: readable only by their owner, in a new private
 * directory. If that fails, nothing is left behind.
 */
export declare function writeDelivery(plan: Pick<DeliveryPlan, 'args' | 'files'>): Promise<WrittenDelivery>

/**
 * Runs a plan: writes its files, starts the program without a shell, sends the prompt to its stdin,
 * reads its output, and always removes the files. When this process exits, or receives SIGINT, SIGTERM
 * or SIGHUP, the CLI is terminated with everything it has started. The signal is then raised again,
 * unless the program listens for it. Errors that the CLI reports are in the result. If the CLI ends
 * without an answer or an error, or takes too long, `deliver` rejects with `ERR_NO_ANSWER`. If it cannot
 * be started, `deliver` rejects with the system's own error (`ENOENT`).
 */
export declare function deliver(plan: DeliveryPlan, options?: DeliverOptions | null): Promise<DeliveryResult>

/**
 * Returns the version of an agent's CLI, for `version` of `planDelivery`. The program is asked once, and
 * the answer is cached. Undefined if it prints none. Rejects if it cannot be started.
 */
export declare function cliVersion(
  agentType: AgentType,
  options?: CliVersionOptions | null,
): Promise<string | undefined>
