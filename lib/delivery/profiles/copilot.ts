import { copilotFormat } from '../formats/copilot.js'
import type { Facts } from './profile.js'

/**
 * GitHub Copilot CLI. Measured on Linux on 2026-11-16 with `npm run test:clis -- --only=copilot`. No limit was met at
 * 12 MB, and nothing in the text that it acts on. It reads stdin only without `-p`.
 */
export const copilot: Facts = {
  agentType: 'github-copilot',
  aliases: ['copilot'],
  measuredOn: '1.0.102',
  command: 'copilot',
  package: '@github/copilot',
  format: copilotFormat,
  jsonArgs: ['--output-format', 'json'],
  textArgs: ['--silent'],
  modelFlag: '--model',
  resume: { args: ['--resume', '{id}'], directory: 'any' },
  sessionIdArgs: ['--session-id', '{id}'],
  permissions: {
    // It does not run at all without this.
    default: { args: ['--allow-all-tools'] },
    'read-only': { args: ['--allow-all-tools', '--deny-tool', 'shell', '--deny-tool', 'write'] },
    edit: { args: ['--allow-all-tools', '--deny-tool', 'shell'] },
    all: { args: ['--allow-all'] },
  },
  sessionVariables: [
    'COPILOT_AGENT_SESSION_ID',
    'COPILOT_CLI',
    'COPILOT_CLI_BINARY_VERSION',
    'COPILOT_CLI_RESOLVED_DIST_DIR',
    'COPILOT_LOADER_PID',
  ],
  skipInstructions: { args: ['--no-custom-instructions'] },
  refusesBlank: true,
  stripsByteOrderMark: true,
  trimsEnd: true,
}
