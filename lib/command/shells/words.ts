/** Helpers shared by the scripts for all shells. */
import { optionsOf } from '../commands.js'
import type { Command, Option } from '../command.js'

export type Completed = Pick<Option, 'choices' | 'completes'>

/** A text in single quotes, as all three shells read it. Quotes are not escaped: the table has none. */
export const quoted = (text: string) => `'${text.replaceAll("'", '’')}'`

/** Each option of a command, as it is typed. */
export const flagsOf = (command: Command) =>
  Object.entries(optionsOf(command)).map(([name, option]) => Object.assign({ name, flag: `--${name}` }, option))

/** What the argument of a command completes to. */
export const argumentOf = ({ args }: Command): Completed => args[0] ?? {}
