'use strict'
/** The commands, in the order of the help, and the options that all of them have. */
const { completion } = require('./commands/completion.js')
const { explain } = require('./commands/explain.js')
const { handoff } = require('./commands/handoff.js')
const { instructions } = require('./commands/instructions.js')
const { play } = require('./commands/play.js')
const { transcript } = require('./commands/transcript.js')

/** @type {readonly import('./command.js').Command[]} */
const COMMANDS = [explain, play, transcript, handoff, instructions, completion]

/** @type {{ [name: string]: import('./command.js').Option }} */
const COMMON_OPTIONS = {
  json: { about: 'print the result as JSON, and an error as JSON on stderr' },
  help: { about: 'show this help', short: 'h' },
  version: { about: 'print the version', short: 'v' },
}

/** All options of a command. @param {import('./command.js').Command} command */
const optionsOf = (command) => ({ ...command.options, ...COMMON_OPTIONS })

module.exports = { COMMANDS, COMMON_OPTIONS, optionsOf }
