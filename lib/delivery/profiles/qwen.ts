import { claudeFormat } from '../formats/claude.js'
import { type Facts, fileMention, slashCommand } from './profile.js'

/**
 * Qwen Code, which writes events as Claude Code does. Measured on Linux on 2026-11-16 with
 * `npm run test:clis -- --only=qwen`. It appends two line breaks to every prompt.
 */
export const qwen: Facts = {
  agentType: 'qwen-code',
  aliases: ['qwen'],
  measuredOn: '0.24.4',
  command: 'qwen',
  package: '@qwen-code/qwen-code',
  format: claudeFormat({ countsCachedApart: false }),
  jsonArgs: ['-o', 'stream-json'],
  modelFlag: '--model',
  synonyms: { '--output-format': '-o', '-m': '--model', '-r': '--resume' },
  // A text that begins with a dash would be taken for an option. When a session is resumed, only the text
  // of the current turn is used, if any.
  system: { flag: '--append-system-prompt=', onResume: 'applied' },
  resume: { args: ['--resume', '{id}'], directory: 'same' },
  streamArgs: ['--include-partial-messages'],
  sessionIdArgs: ['--session-id', '{id}'],
  permissions: {
    'read-only': { args: ['--approval-mode', 'plan'] },
    edit: { args: ['--approval-mode', 'auto-edit'] },
    all: { args: ['--approval-mode', 'yolo'] },
  },
  sessionVariables: [
    'QWEN_CODE',
    'QWEN_CODE_AGENT_ID',
    'QWEN_CODE_CLI',
    'QWEN_CODE_LAUNCHER_PID',
    'QWEN_CODE_MANAGED_NPM_PIN',
    'QWEN_CODE_MANAGED_NPM_ROOT',
    'QWEN_CODE_MODEL',
    'QWEN_CODE_MODEL_IDENTITY',
    'QWEN_CODE_NO_RELAUNCH',
    'QWEN_CODE_PRIVATE_RELAUNCH_ENV_PROVENANCE',
    'QWEN_CODE_PROJECT_DIR',
    'QWEN_CODE_PROMPT_ID',
    'QWEN_CODE_SESSION_ID',
    'QWEN_CODE_STARTUP_VERSION',
  ],
  countsSession: true,
  skipInstructions: { args: ['--bare'] },
  // With `DEBUG=1`, which also enables our output, it writes a log of each turn.
  env: { DEBUG: undefined },
  limits: [{ unit: 'bytes', max: 8_388_608, beyond: 'cut the rest off' }],
  guards: [
    slashCommand("take it for a command: it may send nothing, or a command's text, and run a shell"),
    fileMention('atAnywhere', 'attach the file, if there is one, and rewrite the text around it', { before: '\\' }),
  ],
}
