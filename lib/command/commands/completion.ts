/** `promptmason completion`: a script that completes commands, options and their values in a shell. */
import { type Command, UsageError } from '../command.js'

/** How to load it in each shell. */
const SHELLS: { [shell: string]: string } = {
  bash: 'source <(promptmason completion bash)',
  zsh: 'source <(promptmason completion zsh)',
  fish: 'promptmason completion fish | source',
}
const NAMES = Object.keys(SHELLS)

export const completion: Command = {
  name: 'completion',
  args: [{ name: NAMES.join('|'), choices: NAMES }],
  about: 'Print a script that completes commands, options and values in your shell',
  details: `Load it in the file that your shell reads when it starts: ${Object.values(SHELLS).join('; ')}.`,
  options: {},

  run({ args: [shell = ''] }) {
    if (!NAMES.includes(shell)) throw new UsageError(`completion needs a shell: ${NAMES.join(', ')}`)
    const { script }: { script: (commands: readonly Command[]) => string } = require(`../shells/${shell}.js`)
    const text = script((require('../commands.js') as typeof import('../commands.js')).COMMANDS)
    return { value: { shell, script: text }, text: () => text }
  },
}
