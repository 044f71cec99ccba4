'use strict'
/** What `--help` prints, from the table of commands. */
const { COMMANDS, COMMON_OPTIONS, optionsOf } = require('./commands.js')
const { MEANINGS } = require('./exit-codes.js')
const { wrap } = require('../explain/terminal.js')

/** @typedef {import('./command.js').Command} Command */
/** @typedef {import('./command.js').Option} Option */

const COLUMNS = 100

/** Names with what they mean, in two columns. @param {readonly (readonly [string, string])[]} rows */
const twoColumns = (rows) => {
  const width = Math.max(...rows.map(([name]) => name.length)) + 4
  return rows.flatMap(([name, about]) =>
    wrap(about, COLUMNS - width).map(
      (line, at) => `${at === 0 ? `  ${name}`.padEnd(width) : ' '.repeat(width)}${line}`,
    ),
  )
}

/** @param {[string, Option]} entry @returns {[string, string]} */
const optionRow = ([name, { value, short, about, choices }]) => [
  `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`,
  choices === undefined ? about : `${about} (${choices.join(', ')})`,
]

/** @param {Command} command */
const usage = ({ name, args }) => ['promptmason', name, ...args.map((arg) => arg.name), '[options]'].join(' ')

const exitCodes = () => ['Exit codes:', ...twoColumns(MEANINGS.map(([code, meaning]) => [String(code), meaning]))]

/** @param {Command} command */
const commandHelp = (command) =>
  [
    `Usage: ${usage(command)}`,
    '',
    ...wrap(`${command.about}.${command.details === undefined ? '' : ` ${command.details}`}`, COLUMNS),
    '',
    ...twoColumns(Object.entries(optionsOf(command)).map(optionRow)),
    '',
    ...exitCodes(),
  ].join('\n')

const overallHelp = () =>
  [
    ...COMMANDS.map((command, at) => `${at === 0 ? 'Usage: ' : '       '}${usage(command)}`),
    '',
    ...twoColumns(COMMANDS.map(({ name, about }) => [name, about])),
    '',
    'Options of every command (promptmason COMMAND --help lists the others):',
    ...twoColumns(Object.entries(COMMON_OPTIONS).map(optionRow)),
    '',
    ...exitCodes(),
  ].join('\n')

/** The same as data. @param {readonly Command[]} commands */
const helpData = (commands) => ({
  commands: commands.map(({ run: _, ...command }) => ({ ...command, options: optionsOf({ ...command, run: _ }) })),
  exitCodes: Object.fromEntries(MEANINGS),
})

/** @param {Command | undefined} command @returns {import('./command.js').Result} */
const help = (command) => ({
  value: helpData(command === undefined ? COMMANDS : [command]),
  text: () => `${command === undefined ? overallHelp() : commandHelp(command)}\n`,
})

module.exports = { help }
