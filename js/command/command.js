'use strict'
/**
 * What a command of `promptmason` is. Help, completion, the check of options and `--json` all come from
 * these: a new command is a file in `commands/` and a line in `commands.js`.
 *
 * @typedef {{ write(text: string | Uint8Array): unknown, isTTY?: boolean, columns?: number }} Output
 *
 * @typedef {object} Surroundings What a command can use of its process.
 * @property {Output} stdout
 * @property {Output} stderr
 * @property {{ [name: string]: string | undefined }} env
 * @property {(file: string) => AsyncIterable<Uint8Array>} open Reads a file, or stdin for `-`.
 * @property {(file: string) => number | undefined} sizeOf How large a file is, if that is known.
 * @property {() => Promise<unknown>} interrupted Settles when the user ends the command.
 *
 * @typedef {object} Option
 * @property {string} about
 * @property {string} [value] The name of its value in the help. A switch has none.
 * @property {string} [short] A one-letter alias.
 * @property {readonly string[]} [choices] What a shell offers for the value.
 * @property {'file' | 'directory'} [completes] Which paths a shell offers for the value.
 * @property {readonly string[]} [fields] The fields that it sets, as errors name them.
 *
 * @typedef {object} Argument
 * @property {string} name As the help names it: `[FILE|-]` if it can be missing.
 * @property {readonly string[]} [choices]
 * @property {'file' | 'directory'} [completes]
 *
 * @typedef {object} Call
 * @property {{ [option: string]: any }} values The options that were given.
 * @property {string[]} args No more than the command takes.
 * @property {Surroundings} surroundings
 * @property {import('./progress.js').Progress} progress
 *
 * @typedef {object} Result
 * @property {unknown} value What `--json` prints.
 * @property {() => string} text What is printed without it.
 * @property {Promise<unknown>} [until] The command keeps running until this settles.
 *
 * @typedef {object} Command
 * @property {string} name
 * @property {readonly Argument[]} args
 * @property {string} about One sentence, with a capital and without a full stop.
 * @property {string} [details] More details, for the help of this command.
 * @property {{ [name: string]: Option }} options
 * @property {(call: Call) => Result | Promise<Result>} run
 */

/** A usage error. */
class UsageError extends Error {
  code = 'ERR_USAGE'
}

module.exports = { UsageError }
