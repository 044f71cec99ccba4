/** `promptmason completion`: a script that completes commands, options and their values in a shell. */
import { type Command, UsageError } from '../command.js'

const LOADED = [
  'source <(promptmason completion bash)',
  'source <(promptmason completion zsh)',
  'promptmason completion fish | source',
]
const NAMES = ['bash', 'zsh', 'fish'] as const

export const completion: Command = {
  name: 'completion',
  args: [{ name: NAMES.join('|'), choices: NAMES }],
  about: 'Print a script that completes commands, options and values in your shell',
  details: `Load it in the file that your shell reads when it starts: ${LOADED.join('; ')}.`,
  options: {},

  run({ args: [name] }) {
    const shell = NAMES.find((each) => each === name)
    if (shell === undefined) throw new UsageError(`completion needs a shell: ${NAMES.join(', ')}`)
    const shells = require('../shells.js') as typeof import('../shells.js')
    const { COMMANDS } = require('../commands.js') as typeof import('../commands.js')
    const script = shells[shell](COMMANDS)
    return { value: { shell, script }, text: () => script }
  },
}
