'use strict'
/** Helpers shared by the scripts for all shells. */
const { optionsOf } = require('../commands.js')

/** @typedef {import('../command.js').Command} Command */
/** @typedef {Pick<import('../command.js').Option, 'choices' | 'completes'>} Completed */

/** A text in single quotes, as all three shells read it. Quotes are not escaped: the table has none. @param {string} text */
const quoted = (text) => `'${text.replaceAll("'", '’')}'`

/** Each option of a command, as it is typed. @param {Command} command */
const flagsOf = (command) =>
  Object.entries(optionsOf(command)).map(([name, option]) => Object.assign({ name, flag: `--${name}` }, option))

/** What the argument of a command completes to. @param {Command} command @returns {Completed} */
const argumentOf = ({ args }) => args[0] ?? {}

module.exports = { argumentOf, flagsOf, quoted }
