import { opencodeFormat } from '../formats/opencode.js'
import type { Facts } from './profile.js'

/**
 * opencode. Measured on Linux on 2026-11-16 with `npm run test:clis -- --only=opencode`. No limit
 * was met at 12 MB, and nothing in the text that it acts on.
 */
export const opencode: Facts = {
  agentType: 'opencode',
  measuredOn: '1.18.33',
  command: 'opencode',
  package: 'opencode-ai',
  format: opencodeFormat,
  firstArgs: ['run'],
  jsonArgs: ['--format', 'json'],
  modelFlag: '--model',
  synonyms: { '-m': '--model', '-s': '--session' },
  // From another directory it hangs.
  resume: { args: ['--session', '{id}'], directory: { named: '--dir' } },
  permissions: {
    'read-only': { env: { OPENCODE_PERMISSION: '{"edit":"deny","bash":"deny"}' } },
    edit: { env: { OPENCODE_PERMISSION: '{"edit":"allow","bash":"deny"}' } },
    all: { args: ['--auto'] },
  },
  sessionVariables: ['OPENCODE', 'OPENCODE_PID', 'AGENT'],
  streamArgs: ['--thinking'],
  skipInstructions: { env: { OPENCODE_DISABLE_PROJECT_CONFIG: '1' } },
  refusesBlank: true,
  stripsByteOrderMark: true,
}
