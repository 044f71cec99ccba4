import { acp, type Facts, slashCommand } from './profile.js'

/**
 * Kimi Code, by the Agent Client Protocol: its command line takes a prompt only as an argument.
 * Measured on Linux on 2026-11-18 with `npm run test:clis -- --only=kimi`.
 */
export const kimi: Facts = {
  ...acp,
  agentType: 'kimi-code',
  aliases: ['kimi'],
  measuredOn: '2.1.0',
  command: 'kimi',
  package: '@moonshot-ai/kimi-code',
  firstArgs: ['acp'],
  resume: { args: [], directory: 'any' },
  guards: [slashCommand("take it for a command: it may send nothing, or send a command's text instead")],
}
