/** Completion for fish. */
import { argumentOf, type Completed, flagsOf, quoted } from './words.js'
import type { Command } from '../command.js'

const values = ({ choices, completes }: Completed) => {
  if (choices !== undefined) return ` -f -a ${quoted(choices.join(' '))}`
  return completes === undefined ? ' -f' : completes === 'directory' ? " -f -a '(__fish_complete_directories)'" : ' -F'
}

const commandLines = (command: Command) => {
  const here = `complete -c promptmason -n ${quoted(`__fish_seen_subcommand_from ${command.name}`)}`
  return [
    `${here}${values(argumentOf(command))}`,
    ...flagsOf(command).map((option) => {
      const short = option.short === undefined ? '' : ` -s ${option.short}`
      const value = option.value === undefined ? '' : ` -r${values(option)}`
      return `${here} -l ${option.name}${short}${value} -d ${quoted(option.about)}`
    }),
  ]
}

export const script = (commands: readonly Command[]) => {
  const start = "complete -c promptmason -n '__fish_use_subcommand'"
  return `# Completion of promptmason for fish.
complete -c promptmason -e
complete -c promptmason -f
${commands.map(({ name, about }) => `${start} -a ${name} -d ${quoted(about)}`).join('\n')}
${start} -l help -s h -d 'show the help'
${start} -l version -s v -d 'print the version'
${commands.flatMap(commandLines).join('\n')}
`
}
