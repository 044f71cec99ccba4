/** Completion for bash, including the old version on macOS. */
import { argumentOf, type Completed, flagsOf, quoted } from './words.js'
import type { Command } from '../command.js'

/** What fills the list. */
const candidates = ({ choices, completes }: Completed) => {
  if (choices !== undefined) return `_promptmason_words ${quoted(choices.join(' '))}`
  if (completes === undefined) return ':'
  return `_promptmason_paths ${completes === 'directory' ? '-d' : '-f'}`
}

const commandCase = (command: Command) => {
  const flags = flagsOf(command)
  const values = flags.filter(({ value }) => value !== undefined)
  return `    ${command.name})
      case "$previous" in
${values.map((option) => `        ${option.flag}) ${candidates(option)}; return ;;`).join('\n')}
      esac
      if [[ $current == -* ]]; then _promptmason_words ${quoted(flags.map(({ flag }) => flag).join(' '))}
      else ${candidates(argumentOf(command))}; fi ;;`
}

export const script = (commands: readonly Command[]) => `# Completion of promptmason for bash.
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
${commands.map(commandCase).join('\n')}
    *) _promptmason_words ${quoted([...commands.map(({ name }) => name), '--help', '--version'].join(' '))} ;;
  esac
}
complete -F _promptmason promptmason
`
