/** Running a CLI with a prompt. */
import type { ChildProcess } from 'node:child_process'
import type { AgentType } from './agents.js'
import type { DeliveryEvent } from './delivery-events.js'
import type { DeliveryResult } from './delivery-results.js'
import type { AssemblerBufferOutput, AssemblerOutput } from './forms.js'

/** What a size counts: UTF-8 bytes, Unicode code points, or UTF-16 units (the `length` of a string). */
export type SizeUnit = 'bytes' | 'codePoints' | 'utf16'

/** A custom agent, for `planDelivery`: a CLI, or an agent that speaks the Agent Client Protocol. */
export type DeliveryProfile = CliProfile | AcpProfile

/**
 * An agent that speaks the Agent Client Protocol (version 1), such as `{ acp: { command: 'gemini',
 * args: ['--acp'] } }`. Install `@agentclientprotocol/sdk` and `zod`: `deliver` loads them when
 * they are needed.
 */
export interface AcpProfile {
  acp: {
    /** The program: a name that is looked up in `PATH`, or a path. */
    command: string
    /**
     * Its arguments.
     * @default []
     */
    args?: readonly string[] | null | undefined
    /**
     * Variables that it needs; `undefined` or null removes one.
     * @default {}
     */
    env?: { readonly [name: string]: string | null | undefined } | null | undefined
  }
}

/** What an agent that speaks the Agent Client Protocol is told by messages, and not by arguments. */
export interface AcpSettings {
  /** The model, which the agent must offer. */
  model?: string
  /**
   * What it is told when it asks for permission: `permissions` of `planDelivery`. Nobody is there
   * to be asked, so that by default it is refused.
   * @default 'default'
   */
  permissions?: 'default' | 'read-only' | 'edit' | 'all'
}

/** A custom CLI. The prompt always goes to its stdin. */
export interface CliProfile {
  /** The program: a name that is looked up in `PATH`, or a path. */
  command: string
  /**
   * Its arguments.
   * @default []
   */
  args?: readonly string[] | null | undefined
  /**
   * The option whose value is the system text: `--system`, or `--system=` if both are one argument,
   * for CLIs that mistake a value with a leading dash for an option.
   * @default undefined (none)
   */
  systemFlag?: string | null | undefined
  /**
   * The option whose value is the path of a file with the system text, in the same two forms.
   * @default undefined (none)
   */
  systemFileFlag?: string | null | undefined
  /**
   * The arguments that resume a session; `{id}` in them stands for its id.
   * @default undefined (it cannot resume)
   */
  resumeArgs?: readonly string[] | null | undefined
  /**
   * The arguments for partial text. `deliver` adds them if it has a listener.
   * @default []
   */
  streamArgs?: readonly string[] | null | undefined
  /**
   * The arguments for the id of a new session, a UUID; `{id}` in them stands for it. `deliver` chooses
   * one each time, so that the session is known however the turn ends.
   * @default [] (the CLI chooses it)
   */
  sessionIdArgs?: readonly string[] | null | undefined
  /**
   * The arguments for each value of `permissions`.
   * @default {} (only `'default'` is possible)
   */
  permissionArgs?: { [K in 'read-only' | 'edit' | 'all']?: readonly string[] | null | undefined } | null | undefined
  /**
   * The arguments with which it prints its version.
   * @default ['--version']
   */
  versionArgs?: readonly string[] | null | undefined
  /**
   * The most that it takes on stdin.
   * @default []
   */
  limits?: readonly { unit: SizeUnit; max: number }[] | null | undefined
  /**
   * Variables that it needs; `undefined` or null removes one.
   * @default {}
   */
  env?: { readonly [name: string]: string | null | undefined } | null | undefined
  /**
   * What it writes to stdout: the answer (`'text'`), or what a known agent's CLI writes.
   * @default 'text'
   */
  output?: 'text' | AgentType | null | undefined
}

/** How a prompt is to be delivered. */
export interface DeliveryOptions {
  /**
   * Which CLI: `claude-code`, `openai-codex`, `google-gemini`, `opencode`, `qwen-code`,
   * `github-copilot`, or `claude`, `codex`, `gemini`, `qwen`, `copilot` for short, in any letter
   * case. Anything else is a program of that name, which gets the prompt on stdin and no arguments.
   */
  agentType: AgentType
  /**
   * Where the CLI will run: arguments have other limits on Linux, macOS and Windows.
   * @default process.platform
   */
  platform?: NodeJS.Platform | null | undefined
  /**
   * Whether the CLI writes events as JSON, which `deliver` and `parseOutput` read. Without them its
   * stdout is the answer, and there is no session id and no usage.
   * @default true
   */
  json?: boolean | null | undefined
  /**
   * The model, by the CLI's own name for it.
   * @default undefined (the model that the CLI is configured for)
   */
  model?: string | null | undefined
  /**
   * The CLI's working directory. Gemini, Qwen and opencode resume a session only in the directory
   * where it began.
   * @default undefined (that of this process)
   */
  cwd?: string | null | undefined
  /**
   * The id of the CLI session to resume: the `sessionId` of an earlier result.
   * @default undefined (a new session)
   */
  resume?: string | null | undefined
  /**
   * How the system text is passed: as an argument, in a file, or (`'auto'`) as an argument where
   * the platform takes it unchanged, else in a file.
   * @default 'auto'
   */
  systemVia?: 'auto' | 'flag' | 'file' | null | undefined
  /**
   * What becomes of text that the CLI would act on, such as `@/etc/passwd` or a leading `/clear`:
   * it is listed in `warnings`, or also disarmed, by a switch of the CLI where it has one.
   * @default 'report'
   */
  guard?: 'report' | 'escape' | null | undefined
  /**
   * Whether the CLI reads instruction files of the project by itself (`AGENTS.md`, `CLAUDE.md`, …).
   * @default 'keep'
   */
  projectInstructions?: 'keep' | 'skip' | null | undefined
  /**
   * Whether Gemini runs in a directory that it was never told to trust (`--skip-trust`). It then
   * trusts the project's own settings, too. The other CLIs do not ask.
   * @default false
   */
  trustWorkspace?: boolean | null | undefined
  /**
   * What the agent may do without asking: what the CLI is configured for, only read, also edit files
   * of the project, or anything. What it would ask for is denied. A CLI that cannot be limited so is
   * `ERR_UNDELIVERABLE`.
   * @default 'default'
   */
  permissions?: 'default' | 'read-only' | 'edit' | 'all' | null | undefined
  /**
   * The installed version of the CLI, as `cliVersion` returns it. Options that it does not know are
   * left out or, where the turn would be wrong without them, `ERR_UNDELIVERABLE`.
   * @default undefined (the version that was measured is assumed)
   */
  version?: string | null | undefined
  /**
   * More arguments, for the CLI as they are. Those that repeat what the plan has are left out, with
   * a warning: `--json`, or `--output-format` whatever its value is.
   * @default []
   */
  extraArgs?: readonly string[] | null | undefined
  /**
   * A custom CLI, instead of the one of `agentType`.
   * @default undefined
   */
  profile?: DeliveryProfile | null | undefined
}

/**
 * Something to know before a plan is run:
 * - `command`, `file-mention`, `skill-mention`: at `at` the CLI would act on the text;
 * - `blank`: the prompt is white space alone, and the CLI sends it;
 * - `byte-order-mark`, `trailing-space`: the CLI strips it from the prompt;
 * - `system-ignored`: the CLI keeps the system text of the session's first turn, so this one is not passed;
 * - `system-overrides`: the system text replaces one that the user has configured;
 * - `instructions-kept`: the CLI cannot be kept from reading instruction files;
 * - `resume-directory`: the session is only found in its own directory, and `cwd` was not given;
 * - `repeated-argument`: `extraArgs` that repeat what the plan has were left out;
 * - `shim`: started through a `.cmd` file, the arguments would be changed or refused;
 * - `unknown-agent`: the agent type is not known, and looks like one that is.
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
   * Where in the prompt, in UTF-16 units: an index into the prompt as a string. Of each kind, the
   * first 100 places are listed; one more warning without `at` counts the rest.
   */
  at?: number
}

/** How to run a CLI with a prompt. Pass it to `deliver`, or to your own `spawn`. */
export interface DeliveryPlan {
  command: string
  /** The arguments. `{file:NAME}` stands for the path of the file of that name: `writeDelivery` replaces it. */
  args: string[]
  /**
   * What to write to stdin before closing it. It is the prompt's own Buffer if nothing had to be
   * disarmed, so do not modify that Buffer until the delivery is done.
   */
  stdin: Buffer
  /** What must be written to files first. */
  files: { name: string; content: Buffer }[]
  /** Variables that must be set in the CLI's environment, or removed (`undefined`). */
  env: Record<string, string | undefined>
  /** The CLI's working directory, as an absolute path; absent if none was given. */
  cwd?: string
  /** The session that is resumed; absent if a new one begins. */
  resume?: string
  /**
   * Arguments that `deliver` inserts before the argument `at`, anew each time: for partial text, if
   * there is a listener, and for the id of a new session, for which `{id}` stands.
   */
  additions?: { at: number; streamArgs?: string[]; sessionIdArgs?: string[] }
  warnings: DeliveryWarning[]
  /** What the CLI will write: the agent type to call `parseOutput` with, or `'text'`. */
  output: string
  /** If it is an agent of the Agent Client Protocol: what it is told. The prompt is `stdin`. */
  acp?: AcpSettings
}

/** A plan whose files are written. */
export interface WrittenDelivery {
  /** The arguments, with the paths of the files. */
  args: string[]
  /** Removes the files. It may be called more than once. */
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
  /** Returns the path by which the program finds it. */
  write(name: string, content: Buffer): string | Promise<string>
  remove(path: string): void | Promise<void>
}

/** How a program is asked for its version. */
export interface CliVersionOptions {
  /**
   * The program, if it is not the one of the agent type.
   * @default undefined
   */
  command?: string | null | undefined
  /**
   * Its arguments.
   * @default ['--version'], or what is known of the CLI
   */
  versionArgs?: readonly string[] | null | undefined
}

/** How a plan is run. */
export interface DeliverOptions {
  /**
   * Terminates the CLI and all that it has started, and rejects with the signal's reason.
   * @default undefined
   */
  signal?: AbortSignal | null | undefined
  /**
   * Timeout in milliseconds for the whole turn. After it, the CLI is terminated, and `ERR_NO_ANSWER`
   * is thrown, which says what the CLI was last seen doing.
   * @default undefined (no timeout)
   */
  timeoutMs?: number | null | undefined
  /**
   * The same for a time in which the CLI writes nothing. CLIs try again by themselves, some for
   * hours, and without a word. A tool that runs for long is silent, too. `Infinity`: no timeout.
   * @default 600000 (10 minutes)
   */
  idleTimeoutMs?: number | null | undefined
  /**
   * Called with each event while the CLI runs. If it throws, the CLI is terminated, and `deliver`
   * rejects with that error.
   * @default undefined
   */
  onEvent?: ((event: DeliveryEvent) => void) | null | undefined
  /**
   * Called with what the agent says, as it comes: the texts of `text` events.
   * @default undefined
   */
  onText?: ((text: string) => void) | null | undefined
  /**
   * Whether the CLI is asked for partial text if there is a listener. Some write it in any case.
   * @default true
   */
  stream?: boolean | null | undefined
  /**
   * Starts the program elsewhere: in a container, or on another machine. It gets the command, the
   * arguments and the options that Node's `spawn` would get, and returns a ChildProcess with three
   * pipes. It is terminated by its own `kill`.
   * @default undefined (on this machine)
   */
  spawn?: SpawnHook | null | undefined
  /**
   * Writes the files of the plan where that program can read them, and removes them.
   * @default undefined (in a private temporary directory)
   */
  files?: FileHooks | null | undefined
  /**
   * Whether the CLI lives on when this process exits or is interrupted, or when its worker ends.
   * Files of the plan are then left behind. By default, the CLI and all that it has started are
   * terminated, and files are removed. `signal` and `timeoutMs` terminate it in any case.
   * @default false
   */
  detached?: boolean | null | undefined
}

/**
 * How to give an assembled prompt to a CLI so that it arrives whole and unchanged: the command, its
 * arguments, stdin, files and environment. What the CLI would refuse, cut or lose is
 * `ERR_UNDELIVERABLE`; what it would act on or strip is in `warnings`.
 */
export declare function planDelivery(
  output: AssemblerOutput | AssemblerBufferOutput,
  options: DeliveryOptions,
): DeliveryPlan

/**
 * Writes the files of a plan, for those who start the program themselves: readable by their owner
 * alone, in a new directory of that kind. If that fails, nothing is left behind.
 */
export declare function writeDelivery(plan: Pick<DeliveryPlan, 'args' | 'files'>): Promise<WrittenDelivery>

/**
 * Runs a plan: writes its files, starts the program without a shell, sends the prompt to its stdin,
 * reads what it writes, and removes the files whatever happens. When this process exits, or receives
 * SIGINT, SIGTERM or SIGHUP, the CLI is terminated with all that it has started. After that, the
 * signal is raised again, unless the program listens to it itself. An error that the CLI reports is in
 * the result. A CLI that ends without an answer and without an error, or takes too long, rejects
 * with `ERR_NO_ANSWER`; one that cannot be started rejects with the system's own error (`ENOENT`).
 */
export declare function deliver(plan: DeliveryPlan, options?: DeliverOptions | null): Promise<DeliveryResult>

/**
 * The version of an agent's CLI, for `version` of `planDelivery`: the program is asked once, and the
 * answer is remembered. Undefined if it prints none. Rejects if it cannot be started.
 */
export declare function cliVersion(
  agentType: AgentType,
  options?: CliVersionOptions | null,
): Promise<string | undefined>
