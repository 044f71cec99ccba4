/** What `--help` prints, from the table of commands. */
import { COMMANDS, COMMON_OPTIONS, optionsOf } from './commands.js'
import { type Command, MEANINGS, type Option, type Result } from './command.js'
import { wrap } from '../explain/terminal.js'

const COLUMNS = 100

const twoColumns = (rows: readonly (readonly [string, string])[]) => {
  const width = Math.max(...rows.map(([name]) => name.length)) + 4
  return rows.flatMap(([name, about]) =>
    wrap(about, COLUMNS - width).map(
      (line, at) => `${at === 0 ? `  ${name}`.padEnd(width) : ' '.repeat(width)}${line}`,
    ),
  )
}

const optionRow = ([name, { value, short, about, choices }]: [string, Option]): [string, string] => [
  `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`,
  choices === undefined ? about : `${about} (${choices.join(', ')})`,
]

const usage = ({ name, args }: Command) => ['promptmason', name, ...args.map((arg) => arg.name), '[options]'].join(' ')

const exitCodes = () => ['Exit codes:', ...twoColumns(MEANINGS.map(([code, meaning]) => [String(code), meaning]))]

const commandHelp = (command: Command) =>
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

/** The same as data. */
const helpData = (commands: readonly Command[]) => ({
  commands: commands.map((command) => ({ ...command, run: undefined, options: optionsOf(command) })),
  exitCodes: Object.fromEntries(MEANINGS),
})

export const help = (command: Command | undefined): Result => ({
  value: helpData(command === undefined ? COMMANDS : [command]),
  text: () => `${command === undefined ? overallHelp() : commandHelp(command)}\n`,
})
