'use strict'
const acp = require('./acp.js')

/**
 * Grok, by the Agent Client Protocol: its command line reads a prompt from an argument or a file,
 * never from stdin. Measured on Linux on 2026-11-18 with `npm run test:clis -- --only=grok`.
 * @type {import('./profile.js').Facts}
 */
module.exports = {
  ...acp,
  agentType: 'grok',
  measuredOn: '1.0.41',
  command: 'grok',
  firstArgs: ['agent', 'stdio'],
  limits: [{ unit: 'bytes', max: 100_000, beyond: 'leave out the middle' }],
  guards: [
    {
      trigger: 'atAfterSpace',
      code: 'file-mention',
      effect: 'attach the file, if there is one',
      disarm: { before: '\u2060' },
    },
  ],
}
