'use strict'
/** Completion for bash, including the old version on macOS. */
const { argumentOf, flagsOf, quoted } = require('./words.js')

/** @typedef {import('../command.js').Command} Command */

/** What fills the list. @param {import('./words.js').Completed} completed */
const candidates = ({ choices, completes }) => {
  if (choices !== undefined) return `_promptmason_words ${quoted(choices.join(' '))}`
  if (completes === undefined) return ':'
  return `_promptmason_paths ${completes === 'directory' ? '-d' : '-f'}`
}

/** @param {Command} command */
const commandCase = (command) => {
  const flags = flagsOf(command)
  const values = flags.filter(({ value }) => value !== undefined)
  return `    ${command.name})
      case "$previous" in
${values.map((option) => `        ${option.flag}) ${candidates(option)}; return ;;`).join('\n')}
      esac
      if [[ $current == -* ]]; then _promptmason_words ${quoted(flags.map(({ flag }) => flag).join(' '))}
      else ${candidates(argumentOf(command))}; fi ;;`
}

/** @param {readonly Command[]} commands */
const script = (commands) => `# Completion of promptmason for bash.
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

module.exports = { script }
