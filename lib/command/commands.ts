/** The commands, in the order of the help, and the options that all of them have. */
import { completion } from './commands/completion.js'
import { explain } from './commands/explain.js'
import { handoff } from './commands/handoff.js'
import { instructions } from './commands/instructions.js'
import { play } from './commands/play.js'
import { transcript } from './commands/transcript.js'
import type { Command, Option } from './command.js'

export const COMMANDS: readonly Command[] = [explain, play, transcript, handoff, instructions, completion]

export const COMMON_OPTIONS: { [name: string]: Option } = {
  json: { about: 'print the result as JSON, and an error as JSON on stderr' },
  help: { about: 'show this help', short: 'h' },
  version: { about: 'print the version', short: 'v' },
}

export const optionsOf = (command: Command) => ({ ...command.options, ...COMMON_OPTIONS })
