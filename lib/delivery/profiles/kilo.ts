import { opencodeFormat } from '../formats/opencode.js'
import type { Facts } from './profile.js'

/**
 * Kilo Code, which writes events as opencode does. Measured on Linux on 2026-11-18 with `npm run test:clis --
 * --only=kilo`. No limit was met at 12 MB, and nothing in the text that it acts on.
 */
export const kilo: Facts = {
  agentType: 'kilo-code',
  aliases: ['kilo'],
  measuredOn: '7.7.7',
  command: 'kilo',
  package: '@kilocode/cli',
  format: opencodeFormat,
  firstArgs: ['run'],
  jsonArgs: ['--format', 'json'],
  modelFlag: '--model',
  resume: { args: ['--session', '{id}'], directory: 'any' },
  skipInstructions: { env: { KILO_DISABLE_PROJECT_CONFIG: '1' } },
  refusesBlank: true,
  stripsByteOrderMark: true,
}
