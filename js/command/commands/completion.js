'use strict'
/** `promptmason completion`: a script that completes commands, options and their values in a shell. */
const { UsageError } = require('../command.js')

/** How to load it in each shell. @type {{ [shell: string]: string }} */
const SHELLS = {
  bash: 'source <(promptmason completion bash)',
  zsh: 'source <(promptmason completion zsh)',
  fish: 'promptmason completion fish | source',
}
const NAMES = Object.keys(SHELLS)

/** @type {import('../command.js').Command} */
const completion = {
  name: 'completion',
  args: [{ name: NAMES.join('|'), choices: NAMES }],
  about: 'Print a script that completes commands, options and values in your shell',
  details: `Load it in the file that your shell reads when it starts: ${Object.values(SHELLS).join('; ')}.`,
  options: {},

  run({ args: [shell = ''] }) {
    if (!NAMES.includes(shell)) throw new UsageError(`completion needs a shell: ${NAMES.join(', ')}`)
    /** @type {{ script: (commands: readonly import('../command.js').Command[]) => string }} */
    const { script } = require(`../shells/${shell}.js`)
    const text = script(require('../commands.js').COMMANDS)
    return { value: { shell, script: text }, text: () => text }
  },
}

module.exports = { completion }
