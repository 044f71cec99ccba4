'use strict'
const { claudeFormat } = require('../formats/claude.js')

/**
 * Qwen Code, which writes events as Claude Code does. Measured on Linux on 2026-11-16 with
 * `npm run test:clis -- --only=qwen`.
 * @type {import('./profile.js').Facts}
 */
module.exports = {
  agentType: 'qwen-code',
  aliases: ['qwen'],
  measuredOn: '0.24.4',
  command: 'qwen',
  format: claudeFormat({ countsCachedApart: false }),
  jsonArgs: ['-o', 'stream-json'],
  modelFlag: '--model',
  synonyms: { '--output-format': '-o', '-m': '--model', '-r': '--resume' },
  // A text that begins with a dash would be taken for an option. When a session is resumed, the
  // text of the turn is used, and without one none.
  system: { flag: '--append-system-prompt=', onResume: 'applied' },
  resume: { args: ['--resume', '{id}'], directory: 'same' },
  skipInstructions: { args: ['--bare'] },
  // With `DEBUG=1`, which is also a switch of ours, it writes a log of each turn.
  env: { DEBUG: undefined },
  limits: [{ unit: 'bytes', max: 8_388_608, beyond: 'cut the rest off' }],
  guards: [
    {
      trigger: 'leadingSlash',
      code: 'command',
      effect: "take it for a command: it may send nothing, or a command's text, and run a shell",
      disarm: { before: ' ' },
    },
    {
      trigger: 'atAnywhere',
      code: 'file-mention',
      effect: 'attach the file, if there is one, and rewrite the text around it',
      disarm: { before: '\\' },
    },
  ],
}
