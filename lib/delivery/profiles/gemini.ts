import { geminiFormat } from '../formats/gemini.js'
import { storedByGemini } from '../stored/gemini.js'
import { type Facts, fileMention, slashCommand } from './profile.js'

/** Gemini. Measured on Linux on 2026-11-16 with `npm run test:clis -- --only=gemini`. */
export const gemini: Facts = {
  agentType: 'google-gemini',
  aliases: ['gemini'],
  measuredOn: '0.61.0',
  command: 'gemini',
  package: '@google/gemini-cli',
  format: geminiFormat,
  jsonArgs: ['-o', 'stream-json'],
  modelFlag: '--model',
  synonyms: { '--output-format': '-o', '-m': '--model', '-r': '--resume' },
  resume: { args: ['--resume', '{id}'], directory: 'same' },
  sessionIdArgs: ['--session-id', '{id}'],
  permissions: {
    'read-only': { args: ['--approval-mode', 'plan'] },
    edit: { args: ['--approval-mode', 'auto_edit'] },
    all: { args: ['--approval-mode', 'yolo'] },
  },
  sessionVariables: ['GEMINI_CLI', 'GEMINI_CLI_NO_RELAUNCH', 'GEMINI_CLI_TRUST_WORKSPACE'],
  // It repeats a request in silence.
  readStored: storedByGemini,
  trustArgs: ['--skip-trust'],
  // With `DEBUG=1`, which also enables our output, it takes many times as long.
  env: { DEBUG: undefined },
  limits: [
    { unit: 'bytes', max: 8_388_608, beyond: 'cut the rest off and exit as if all were well' },
    // It counts four units as a token and sends nothing above its model's limit of 1,048,576 tokens. In
    // an empty project 4,193,000 units were sent and 4,193,900 were not: a few
    // hundred tokens are its own.
    { unit: 'utf16', max: 4_190_000, beyond: 'send nothing and exit as if all were well' },
  ],
  guards: [
    slashCommand("take it for a command: it may send a command's text instead, and run a shell"),
    fileMention('atAnywhere', 'search for such a file, attach it and rewrite the text around it', { before: '\\' }),
  ],
}
