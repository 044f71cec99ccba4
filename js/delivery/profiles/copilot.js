'use strict'
const { copilotFormat } = require('../formats/copilot.js')

/**
 * GitHub Copilot CLI. Measured on Linux on 2026-11-16 with `npm run test:clis -- --only=copilot`.
 * No limit was met at 12 MB, and nothing in the text that it acts on. It reads stdin only without
 * `-p`.
 * @type {import('./profile.js').Facts}
 */
module.exports = {
  agentType: 'github-copilot',
  aliases: ['copilot'],
  measuredOn: '1.0.102',
  command: 'copilot',
  format: copilotFormat,
  jsonArgs: ['--output-format', 'json'],
  textArgs: ['--silent'],
  args: ['--allow-all-tools'],
  modelFlag: '--model',
  resume: { args: ['--resume', '{id}'], directory: 'any' },
  skipInstructions: { args: ['--no-custom-instructions'] },
  refusesBlank: true,
  stripsByteOrderMark: true,
  trimsEnd: true,
}
