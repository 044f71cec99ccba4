import { acp, type Facts, fileMention } from './profile.js'

/**
 * Grok, by the Agent Client Protocol: its command line reads a prompt from an argument or a file,
 * never from stdin. Measured on Linux on 2026-11-18 with `npm run test:clis -- --only=grok`.
 */
export const grok: Facts = {
  ...acp,
  agentType: 'grok',
  measuredOn: '1.0.41',
  command: 'grok',
  package: '@xai-official/grok',
  firstArgs: ['agent', 'stdio'],
  // It does not ask before running commands that it considers harmless, even though they write.
  permissions: { all: {} },
  // 100,000 bytes with the tags that it puts around it.
  limits: [{ unit: 'bytes', max: 99_973, beyond: 'leave out the middle' }],
  guards: [
    // It acts only after white space, but also with a backslash or U+2060 between.
    fileMention('atPath', 'attach the file, if there is one', { after: '\u2060' }),
  ],
}
