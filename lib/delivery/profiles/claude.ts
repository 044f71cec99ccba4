import { claudeFormat } from '../formats/claude.js'
import { type Facts, fileMention, slashCommand } from './profile.js'

/** Claude Code. Measured on Linux on 2026-11-16 with `npm run test:clis -- --only=claude`. */
export const claude: Facts = {
  agentType: 'claude-code',
  aliases: ['claude'],
  measuredOn: '2.1.325',
  command: 'claude',
  package: '@anthropic-ai/claude-code',
  format: claudeFormat({ countsCachedApart: true }),
  firstArgs: ['-p'],
  jsonArgs: ['--output-format', 'stream-json', '--verbose'],
  modelFlag: '--model',
  synonyms: { '--print': '-p', '-r': '--resume' },
  system: {
    flag: '--append-system-prompt',
    fileFlag: '--append-system-prompt-file',
    // The first system text of a session is recorded and sent again whatever is passed.
    onResume: { appliedWith: ['--system-prompt-snapshot', 'off'] },
  },
  resume: { args: ['--resume', '{id}'], directory: 'any' },
  // Older versions always send the system text of the turn, as this one does with `off`.
  since: { '--system-prompt-snapshot': '2.1.257' },
  streamArgs: ['--include-partial-messages'],
  sessionIdArgs: ['--session-id', '{id}'],
  permissions: {
    'read-only': { args: ['--permission-mode', 'plan'] },
    edit: { args: ['--permission-mode', 'acceptEdits'] },
    // Refused as root, unless IS_SANDBOX=1 is set.
    all: { args: ['--dangerously-skip-permissions'] },
  },
  sessionVariables: [
    'CLAUDECODE',
    'CLAUDE_CODE_CHILD_SESSION',
    'CLAUDE_CODE_ENTRYPOINT',
    'CLAUDE_CODE_EXECPATH',
    'CLAUDE_CODE_MESSAGING_SOCKET',
    'CLAUDE_CODE_MESSAGING_TOKEN',
    'CLAUDE_CODE_SESSION_ATTENDED',
    'CLAUDE_CODE_SESSION_ID',
    'CLAUDE_EFFORT',
    'CLAUDE_PID',
    'AI_AGENT',
  ],
  skipInstructions: { env: { CLAUDE_CODE_DISABLE_CLAUDE_MDS: '1' } },
  limits: [{ unit: 'bytes', max: 10_485_760, beyond: 'exit with an error' }],
  refusesBlank: true,
  guards: [
    slashCommand("take it for a command: it may send nothing, or send a command's text instead"),
    fileMention('atAfterSpace', 'attach the file or the listing of the directory, if there is one', {
      env: { CLAUDE_CODE_DISABLE_FILE_MENTIONS: '1' },
    }),
  ],
}
