/** The scripts that complete commands, options and their values, one for each shell. */
import { optionsOf } from './commands.js'
import type { Command, Option } from './command.js'

type Completed = Pick<Option, 'choices' | 'completes'>

/** A text in single quotes, as all three shells read it. Quotes are not escaped: the table has none. */
const quoted = (text: string) => `'${text.replaceAll("'", '’')}'`

const flagsOf = (command: Command) =>
  Object.entries(optionsOf(command)).map(([name, option]) => Object.assign({ name, flag: `--${name}` }, option))

const argumentOf = ({ args }: Command): Completed => args[0] ?? {}

const bashCandidates = ({ choices, completes }: Completed) => {
  if (choices !== undefined) return `_promptmason_words ${quoted(choices.join(' '))}`
  if (completes === undefined) return ':'
  return `_promptmason_paths ${completes === 'directory' ? '-d' : '-f'}`
}

const bashCase = (command: Command) => {
  const flags = flagsOf(command)
  const values = flags.filter(({ value }) => value !== undefined)
  return `    ${command.name})
      case "$previous" in
${values.map((option) => `        ${option.flag}) ${bashCandidates(option)}; return ;;`).join('\n')}
      esac
      if [[ $current == -* ]]; then _promptmason_words ${quoted(flags.map(({ flag }) => flag).join(' '))}
      else ${bashCandidates(argumentOf(command))}; fi ;;`
}

/** Also for the old version on macOS. */
export const bash = (commands: readonly Command[]) => `# Completion of promptmason for bash.
_promptmason_words() {
  COMPREPLY=($(compgen -W "$1" -- "$current"))
}
_promptmason_paths() {
  local path
  compopt -o filenames 2>/dev/null
  COMPREPLY=()
  while IFS= read -r path; do COMPREPLY+=("$path"); done < <(compgen "$1" -- "$current")
}
_promptmason() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} command='' word
  COMPREPLY=()
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in
      ${commands.map(({ name }) => name).join('|')}) command=$word; break ;;
    esac
  done
  case "$command" in
${commands.map(bashCase).join('\n')}
    *) _promptmason_words ${quoted([...commands.map(({ name }) => name), '--help', '--version'].join(' '))} ;;
  esac
}
complete -F _promptmason promptmason
`

const fishValues = ({ choices, completes }: Completed) => {
  if (choices !== undefined) return ` -f -a ${quoted(choices.join(' '))}`
  return completes === undefined ? ' -f' : completes === 'directory' ? " -f -a '(__fish_complete_directories)'" : ' -F'
}

const fishLines = (command: Command) => {
  const here = `complete -c promptmason -n ${quoted(`__fish_seen_subcommand_from ${command.name}`)}`
  return [
    `${here}${fishValues(argumentOf(command))}`,
    ...flagsOf(command).map((option) => {
      const short = option.short === undefined ? '' : ` -s ${option.short}`
      const value = option.value === undefined ? '' : ` -r${fishValues(option)}`
      return `${here} -l ${option.name}${short}${value} -d ${quoted(option.about)}`
    }),
  ]
}

export const fish = (commands: readonly Command[]) => {
  const start = "complete -c promptmason -n '__fish_use_subcommand'"
  return `# Completion of promptmason for fish.
complete -c promptmason -e
complete -c promptmason -f
${commands.map(({ name, about }) => `${start} -a ${name} -d ${quoted(about)}`).join('\n')}
${start} -l help -s h -d 'show the help'
${start} -l version -s v -d 'print the version'
${commands.flatMap(fishLines).join('\n')}
`
}

/** A text inside of a specification of zsh, where colons and brackets have a meaning. */
const inSpec = (text: string) => text.replaceAll(/[[\]:\\]/g, (character) => `\\${character}`)

const zshAction = ({ choices, completes }: Completed) => {
  if (choices !== undefined) return `(${choices.join(' ')})`
  return completes === undefined ? ' ' : completes === 'directory' ? '_files -/' : '_files'
}

const zshCase = (command: Command) => {
  const specs = flagsOf(command).map((option) => {
    const value = option.value === undefined ? '' : `:${inSpec(option.value)}:${zshAction(option)}`
    return quoted(`${option.flag}[${inSpec(option.about)}]${value}`)
  })
  const argument = command.args[0]
  if (argument !== undefined) specs.push(quoted(`1:${inSpec(argument.name)}:${zshAction(argumentOf(command))}`))
  return `      ${command.name})
        _arguments \\
${specs.map((spec) => `          ${spec}`).join(' \\\n')} ;;`
}

export const zsh = (commands: readonly Command[]) => `#compdef promptmason
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
${commands.map(zshCase).join('\n')}
      esac ;;
  esac
}
if [[ \${funcstack[1]-} = _promptmason ]]; then _promptmason "$@"
elif (( $+functions[compdef] )); then compdef _promptmason promptmason; fi
`
