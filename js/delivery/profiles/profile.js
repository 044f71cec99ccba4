'use strict'
/** The facts about a CLI. Data only; each CLI has its own file next to this one. */

/**
 * One CLI, as measured. Only the first five fields are required.
 * @typedef {object} Facts
 * @property {string} agentType The agent type, and the name of its output format.
 * @property {string} measuredOn The version that all of this was measured on.
 * @property {string} command The program.
 * @property {string} package The package on npm from which it was installed.
 * @property {import('../read-output.js').MakeFormat} format Reads what it writes.
 * @property {readonly string[]} [aliases] What else people call it.
 * @property {readonly string[]} [firstArgs] The first arguments.
 * @property {readonly string[]} [jsonArgs] Arguments for output that can be parsed.
 * @property {readonly string[]} [textArgs] Arguments for the answer as plain text.
 * @property {readonly string[]} [args] Arguments that are always needed.
 * @property {readonly string[]} [lastArgs] The last arguments, after the id of a session.
 * @property {string} [modelFlag] The option for the model.
 * @property {SystemOptions} [system] How the system text is passed.
 * @property {Resume} [resume] How a session is resumed; absent if it cannot be.
 * @property {Switch} [skipInstructions] What keeps it from reading instruction files of the project; absent if nothing does.
 * @property {Readonly<Record<string, string>>} [synonyms] Other names of options that plans have.
 * @property {readonly string[]} [settingOptions] Options that may be there several times, each with a value
 *   `key=value`.
 * @property {readonly string[]} [streamArgs] Arguments for partial text, if it is not written anyway.
 * @property {readonly string[]} [sessionIdArgs] Arguments for the id of a new session, a UUID, for which `{id}`
 *   stands; absent if the CLI chooses it.
 * @property {Permissions} [permissions] How its permissions are set.
 * @property {readonly string[]} [versionArgs] Arguments with which it prints its version.
 * @property {Readonly<Record<string, string>>} [since] Versions since which options exist, by the option;
 *   options that are not listed exist in every version still in use.
 * @property {readonly string[]} [sessionVariables] Variables that it sets for its tools. An agent started by such a tool must not inherit them.
 * @property {boolean} [countsSession] Whether it counts the tokens of the whole session.
 * @property {number} [lingersMs] How long it may take to exit after its last event before it is killed.
 * @property {(sessionId: string, env: Record<string, string | undefined>) => Promise<string | undefined>} [readStored]
 *   Reads the last message that it has stored of a session, if its events do not tell enough.
 * @property {readonly string[]} [trustArgs] Arguments that make it trust the workspace; absent if it does not ask.
 * @property {Readonly<Record<string, string | undefined>>} [env] Variables that must be set or, with undefined, removed.
 * @property {readonly Limit[]} [limits] The most that it takes on stdin.
 * @property {boolean} [refusesBlank] Whether it refuses a prompt of white space alone.
 * @property {boolean} [stripsByteOrderMark] Whether a byte order mark at the beginning is lost.
 * @property {boolean} [trimsEnd] Whether white space at the end is lost.
 * @property {boolean} [isAcp] Whether it speaks the Agent Client Protocol (`js/delivery/acp/`).
 * @property {1 | 2} [protocolVersion] The version of that protocol.
 * @property {readonly Guard[]} [guards] What it would act on in the text.
 */

/**
 * The options for a system text.
 * @typedef {object} SystemOptions
 * @property {SystemFlag | undefined} [flag] The option that takes the text.
 * @property {string | undefined} [fileFlag] The option that takes the path of a file with it; it may end with `=`, too.
 * @property {'applied' | 'ignored' | { appliedWith: readonly string[] }} [onResume] What happens to it in a resumed session: it is used, that of the first turn stays, or it is used only with these arguments.
 */

/**
 * An option that takes a system text. A string: the text is a separate argument or, after an option that
 * ends with `=`, part of it, because some CLIs mistake a text with a leading dash for an option.
 * Otherwise the argument is a key and a TOML string, which replaces the value that the user has
 * configured.
 * @typedef {string | { flag: string, tomlKey: string }} SystemFlag
 */

/**
 * How a session is resumed.
 * @typedef {object} Resume
 * @property {readonly string[]} [firstArgs] The first arguments, if they differ.
 * @property {readonly string[]} args Arguments in which `{id}` stands for the id.
 * @property {'any' | 'same' | { named: string }} directory From which directory: from any, from the one
 *   in which it began, or from any if this option names the one in which it began.
 * @property {boolean} [onlyUuid] Whether an id that is no UUID would silently begin a new session.
 */

/**
 * What a CLI may do without asking: read, edit files, or anything. With `default`, whatever it is
 * configured for. Nobody can answer its questions, so whatever it would ask for is denied.
 * @typedef {Readonly<Partial<Record<'default' | 'read-only' | 'edit' | 'all', Switch>>>} Permissions
 */

/**
 * Arguments and environment that switch something on or off.
 * @typedef {{ args?: readonly string[], env?: Readonly<Record<string, string>> }} Switch
 */

/**
 * The most that a CLI takes on stdin.
 * @typedef {object} Limit
 * @property {import('../measure.js').SizeUnit} unit What is counted.
 * @property {number} max How many there may be.
 * @property {string} beyond What happens to more, as the end of a sentence: `it would …`.
 */

/**
 * Something in a text that a CLI would act on.
 * @typedef {object} Guard
 * @property {Trigger} trigger Where it is.
 * @property {'command' | 'file-mention' | 'skill-mention'} code The `code` of the warning.
 * @property {string} effect What the CLI would do, as the end of a sentence: `it would …`.
 * @property {{ env: Readonly<Record<string, string>> } | { before: string } | { after: string }} disarm By
 *   an environment variable, which leaves the text as it is, or by a text before or after the sign.
 */

/**
 * A place in a text at which a CLI would act, found by `js/delivery/guards.js`:
 * - `leadingSlash`: a `/` that begins the prompt, with a word after it that has no other `/`;
 * - `atAfterSpace`: an `@` at the beginning or after white space, with something after it;
 * - `atPath`: any `@` with something directly after it that could be a path, and is not U+2060;
 * - `atAnywhere`: any `@` without a backslash before it, with something after it that could be a path;
 * - `dollarName`: a `$` with a name after it.
 * @typedef {'leadingSlash' | 'atAfterSpace' | 'atPath' | 'atAnywhere' | 'dollarName'} Trigger
 */

/** The output of a CLI whose stdout is the answer. */
const TEXT_OUTPUT = 'text'

/** The output of an agent that speaks the Agent Client Protocol. */
const ACP_OUTPUT = 'acp'

/** A CLI about which nothing is known: the prompt on stdin, no arguments. */
const NOTHING_KNOWN = {
  firstArgs: /** @type {readonly string[]} */ ([]),
  jsonArgs: /** @type {readonly string[]} */ ([]),
  textArgs: /** @type {readonly string[]} */ ([]),
  args: /** @type {readonly string[]} */ ([]),
  lastArgs: /** @type {readonly string[]} */ ([]),
  modelFlag: /** @type {string | undefined} */ (undefined),
  system: /** @type {SystemOptions} */ ({}),
  resume: /** @type {Resume | undefined} */ (undefined),
  skipInstructions: /** @type {Switch | undefined} */ (undefined),
  synonyms: /** @type {Readonly<Record<string, string>>} */ ({}),
  settingOptions: /** @type {readonly string[]} */ ([]),
  streamArgs: /** @type {readonly string[]} */ ([]),
  sessionIdArgs: /** @type {readonly string[]} */ ([]),
  permissions: /** @type {Permissions} */ ({}),
  versionArgs: /** @type {readonly string[]} */ (['--version']),
  since: /** @type {Readonly<Record<string, string>>} */ ({}),
  sessionVariables: /** @type {readonly string[]} */ ([]),
  countsSession: false,
  lingersMs: Infinity,
  readStored: /** @type {Facts['readStored']} */ (undefined),
  trustArgs: /** @type {readonly string[]} */ ([]),
  env: /** @type {Readonly<Record<string, string | undefined>>} */ ({}),
  limits: /** @type {readonly Limit[]} */ ([]),
  refusesBlank: false,
  stripsByteOrderMark: false,
  trimsEnd: false,
  guards: /** @type {readonly Guard[]} */ ([]),
  /** Whether it speaks the Agent Client Protocol. */
  isAcp: false,
  /** @type {1 | 2 | undefined} */
  protocolVersion: undefined,
  /** Whether all of its options are known. */
  isKnown: false,
  /** The version that was measured, if any was. */
  measuredOn: /** @type {string | undefined} */ (undefined),
  /** The package on npm that has it, if one is known. */
  package: /** @type {string | undefined} */ (undefined),
  /** The name of the format of its output. */
  output: TEXT_OUTPUT,
}

/** @typedef {typeof NOTHING_KNOWN & { command: string }} Profile A CLI, with every fact or its default. */

module.exports = { ACP_OUTPUT, NOTHING_KNOWN, TEXT_OUTPUT }
