/** The facts about a CLI. Data only; each CLI has its own file next to this one. */
import { acpFormat } from '../formats/acp.js'
import type { Format } from '../formats/format.js'
import type { SizeUnit } from '../measure.js'

/** A CLI, with every fact or its default. */
export interface Profile {
  /** The agent type, and the name of its output format. */
  agentType?: string
  /** The version that all of this was measured on. */
  measuredOn?: string
  /** The program. */
  command: string
  /** The package on npm from which it was installed. */
  package?: string
  /** Reads what it writes. */
  format?: Format
  /** What else people call it. */
  aliases?: readonly string[]
  /** Whether all of its options are known. */
  isKnown: boolean
  /** The name of the format of its output. */
  output: string
  /** The first arguments. */
  firstArgs: readonly string[]
  /** Arguments for output that can be parsed. */
  jsonArgs: readonly string[]
  /** Arguments for the answer as plain text. */
  textArgs: readonly string[]
  /** Arguments that are always needed. */
  args: readonly string[]
  /** The last arguments, after the id of a session. */
  lastArgs: readonly string[]
  /** The option for the model. */
  modelFlag?: string
  /** How the system text is passed. */
  system: SystemOptions
  /** How a session is resumed; absent if it cannot be. */
  resume?: Resume | undefined
  /** What keeps it from reading instruction files of the project; absent if nothing does. */
  skipInstructions?: Switch
  /** Other names of options that plans have. */
  synonyms: Readonly<Record<string, string>>
  /** Options that may be there several times, each with a value `key=value`. */
  settingOptions: readonly string[]
  /** Arguments for partial text, if it is not written anyway. */
  streamArgs: readonly string[]
  /** Arguments for the id of a new session, a UUID, for which `{id}` stands; none if the CLI chooses it. */
  sessionIdArgs: readonly string[]
  /** How its permissions are set. */
  permissions: Permissions
  /** Arguments with which it prints its version. */
  versionArgs: readonly string[]
  /** Versions since which options exist, by the option. Those not listed exist in every version still in use. */
  since: Readonly<Record<string, string>>
  /** Variables that it sets for its tools. An agent started by such a tool must not inherit them. */
  sessionVariables: readonly string[]
  /** Whether it counts the tokens of the whole session. */
  countsSession: boolean
  /** How long it may take to exit after its last event before it is killed. */
  lingersMs: number
  /** Reads the last message that it has stored of a session, if its events do not tell enough. */
  readStored?: (sessionId: string, env: Record<string, string | undefined>) => Promise<string | undefined>
  /** Arguments that make it trust the workspace; none if it does not ask. */
  trustArgs: readonly string[]
  /** Variables that must be set or, with undefined, removed. */
  env: Readonly<Record<string, string | undefined>>
  /** The most that it takes on stdin. */
  limits: readonly Limit[]
  /** Whether it refuses a prompt of white space alone. */
  refusesBlank: boolean
  /** Whether a byte order mark at the beginning is lost. */
  stripsByteOrderMark: boolean
  /** Whether white space at the end is lost. */
  trimsEnd: boolean
  /** Whether it speaks the Agent Client Protocol (`lib/delivery/acp/`). */
  isAcp: boolean
  /** The version of that protocol. */
  protocolVersion?: 1 | 2
  /** What it would act on in the text. */
  guards: readonly Guard[]
}

/** One CLI, as measured. Everything but this has a default. */
export type Facts = Partial<Profile> &
  Required<Pick<Profile, 'agentType' | 'measuredOn' | 'command' | 'package' | 'format'>>

export interface SystemOptions {
  /** The option that takes the text. */
  flag?: SystemFlag | undefined
  /** The option that takes the path of a file with it; it may end with `=`, too. */
  fileFlag?: string | undefined
  /** What happens to it in a resumed session: it is used, that of the first turn stays, or it is used only with these arguments. */
  onResume?: 'applied' | 'ignored' | { appliedWith: readonly string[] }
}

/** An option that takes a system text. A string: the text is a separate argument or, after an option that
 * ends with `=`, part of it, because some CLIs mistake a text with a leading dash for an option.
 * Otherwise the argument is a key and a TOML string, which replaces the value that the user has
 * configured. */
export type SystemFlag = string | { flag: string; tomlKey: string }

export interface Resume {
  /** The first arguments, if they differ. */
  firstArgs?: readonly string[]
  /** Arguments in which `{id}` stands for the id. */
  args: readonly string[]
  /** From which directory: any, the one in which it began, or any if this option names the one in which it began. */
  directory: 'any' | 'same' | { named: string }
  /** Whether an id that is no UUID would silently begin a new session. */
  onlyUuid?: boolean
}

/** What a CLI may do without asking: read, edit files, or anything. With `default`, whatever it is
 * configured for. Nobody can answer its questions, so whatever it would ask for is denied. */
export type Permissions = Readonly<Partial<Record<'default' | 'read-only' | 'edit' | 'all', Switch>>>

/** Arguments and environment that switch something on or off. */
export type Switch = { args?: readonly string[]; env?: Readonly<Record<string, string>> }

export interface Limit {
  /** What is counted. */
  unit: SizeUnit
  /** How many there may be. */
  max: number
  /** What happens to more, as the end of a sentence: `it would …`. */
  beyond: string
}

export interface Guard {
  /** Where it is. */
  trigger: Trigger
  /** The `code` of the warning. */
  code: 'command' | 'file-mention' | 'skill-mention' | 'plugin-mention'
  /** What the CLI would do, as the end of a sentence: `it would …`. */
  effect: string
  /** By an environment variable, which leaves the text as it is, or by a text before or after the sign. */
  disarm: { env: Readonly<Record<string, string>> } | { before: string } | { after: string }
}

/** A command at the beginning, which a space before it disarms. */
export const slashCommand = (effect: string): Guard => ({
  trigger: 'leadingSlash',
  code: 'command',
  effect,
  disarm: { before: ' ' },
})

export const fileMention = (trigger: Trigger, effect: string, disarm: Guard['disarm']): Guard => ({
  trigger,
  code: 'file-mention',
  effect,
  disarm,
})

/** A place in a text at which a CLI would act, found by `lib/delivery/guards.ts`:
 * - `leadingSlash`: a `/` that begins the prompt, with a word after it that has no other `/`;
 * - `atAfterSpace`: an `@` at the beginning or after white space, with something after it;
 * - `atPath`: any `@` with something directly after it that could be a path, and is not U+2060;
 * - `atAnywhere`: any `@` without a backslash before it, with something after it that could be a path;
 * - `atPlugin`: an `@` with a name after it in a Markdown link to `plugin://…`;
 * - `dollarName`: a `$` with a name after it, also as a Markdown link. */
export type Trigger = 'leadingSlash' | 'atAfterSpace' | 'atPath' | 'atAnywhere' | 'atPlugin' | 'dollarName'

/** The output of a CLI whose stdout is the answer. */
export const TEXT_OUTPUT = 'text'

/** The output of an agent that speaks the Agent Client Protocol. */
export const ACP_OUTPUT = 'acp'

/** A CLI about which nothing is known: the prompt on stdin, no arguments. */
export const NOTHING_KNOWN: Omit<Profile, 'command'> = {
  isKnown: false,
  output: TEXT_OUTPUT,
  firstArgs: [],
  jsonArgs: [],
  textArgs: [],
  args: [],
  lastArgs: [],
  system: {},
  synonyms: {},
  settingOptions: [],
  streamArgs: [],
  sessionIdArgs: [],
  permissions: {},
  versionArgs: ['--version'],
  since: {},
  sessionVariables: [],
  countsSession: false,
  lingersMs: Infinity,
  trustArgs: [],
  env: {},
  limits: [],
  refusesBlank: false,
  stripsByteOrderMark: false,
  trimsEnd: false,
  isAcp: false,
  guards: [],
}

/**
 * What is true of every agent that speaks the Agent Client Protocol: a prompt of any size is one message,
 * another message resumes a session, and there is no place for a system text.
 */
export const acp: Partial<Profile> & Pick<Facts, 'format'> = {
  isAcp: true,
  format: acpFormat,
  resume: { args: [], directory: 'same' },
  // Set by answering its permission requests.
  permissions: { 'read-only': {}, edit: {}, all: {} },
}
