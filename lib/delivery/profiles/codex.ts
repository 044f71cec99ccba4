import { codexFormat } from '../formats/codex.js'
import type { Facts } from './profile.js'

/** Codex. Measured on Linux on 2026-11-16 with `npm run test:clis -- --only=codex`. */
export const codex: Facts = {
  agentType: 'openai-codex',
  aliases: ['codex'],
  measuredOn: '0.166.0',
  command: 'codex',
  package: '@openai/codex',
  format: codexFormat,
  firstArgs: ['exec'],
  jsonArgs: ['--json'],
  args: ['--skip-git-repo-check'],
  lastArgs: ['-'],
  modelFlag: '--model',
  synonyms: { '-m': '--model', '--config': '-c' },
  settingOptions: ['-c'],
  system: { flag: { flag: '-c', tomlKey: 'developer_instructions' }, onResume: 'ignored' },
  resume: {
    firstArgs: ['exec', 'resume'],
    args: ['{id}'],
    directory: 'any',
    // Anything else is taken for a name, and if there is no such session, a new one begins.
    onlyUuid: true,
  },
  // As settings, because `exec resume` has no option for it.
  permissions: {
    'read-only': { args: ['-c', 'sandbox_mode="read-only"'] },
    edit: { args: ['-c', 'sandbox_mode="workspace-write"'] },
    all: { args: ['--dangerously-bypass-approvals-and-sandbox'] },
  },
  sessionVariables: [
    'CODEX_APPLY_PATCH_PRESERVE_LINE_ENDINGS',
    'CODEX_CI',
    'CODEX_MANAGED_BY_NPM',
    'CODEX_MANAGED_PACKAGE_ROOT',
    'CODEX_SESSION_ID',
    'CODEX_THREAD_ID',
    'CODEX_TOOL_CALL_ID',
    'CODEX_VERSION',
  ],
  countsSession: true,
  // Without a network, it takes five seconds to give up looking for plugins.
  lingersMs: 1000,
  skipInstructions: { args: ['-c', 'project_doc_max_bytes=0'] },
  limits: [{ unit: 'codePoints', max: 1_048_576, beyond: 'exit with an error' }],
  refusesBlank: true,
  stripsByteOrderMark: true,
  guards: [
    {
      trigger: 'dollarName',
      code: 'skill-mention',
      effect: 'add the text of the skill, if one of this name is installed',
      disarm: { after: '\u2060' },
    },
    {
      trigger: 'atPlugin',
      code: 'plugin-mention',
      effect: 'add what the plugin offers, if it is installed',
      disarm: { after: '\u2060' },
    },
  ],
}
