/** Completion for zsh. */
import { argumentOf, type Completed, flagsOf, quoted } from './words.js'
import type { Command } from '../command.js'

/** A text inside of a specification, where colons and brackets have a meaning. */
const inSpec = (text: string) => text.replaceAll(/[[\]:\\]/g, (character) => `\\${character}`)

const action = ({ choices, completes }: Completed) => {
  if (choices !== undefined) return `(${choices.join(' ')})`
  return completes === undefined ? ' ' : completes === 'directory' ? '_files -/' : '_files'
}

const commandCase = (command: Command) => {
  const specs = flagsOf(command).map((option) => {
    const value = option.value === undefined ? '' : `:${inSpec(option.value)}:${action(option)}`
    return quoted(`${option.flag}[${inSpec(option.about)}]${value}`)
  })
  const argument = command.args[0]
  if (argument !== undefined) specs.push(quoted(`1:${inSpec(argument.name)}:${action(argumentOf(command))}`))
  return `      ${command.name})
        _arguments \\
${specs.map((spec) => `          ${spec}`).join(' \\\n')} ;;`
}

export const script = (commands: readonly Command[]) => `#compdef promptmason
# Completion of promptmason for zsh.
_promptmason() {
  local state line
  local -a commands
  commands=(
${commands.map(({ name, about }) => `    ${quoted(`${name}:${inSpec(about)}`)}`).join('\n')}
  )
  _arguments -C '--help[show the help]' '--version[print the version]' '1:command:->command' '*::argument:->argument'
  case $state in
    command) _describe command commands ;;
    argument)
      case $line[1] in
${commands.map(commandCase).join('\n')}
      esac ;;
  esac
}
if [[ \${funcstack[1]-} = _promptmason ]]; then _promptmason "$@"
elif (( $+functions[compdef] )); then compdef _promptmason promptmason; fi
`
