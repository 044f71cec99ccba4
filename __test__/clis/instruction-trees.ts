/** Trees of instruction files, by preset: what is there, and from where the CLI is started. */
export interface Tree {
  name: string
  /**
   * Paths and texts. A `#` in a text stands for the mark of the file, and `true` for a text that is
   * only that. `~/` is the home directory of the CLI. Texts are Latin-1, so that they can hold any byte.
   */
  files: Record<string, string | true | { link: string }>
  /** Where the CLI is started. */
  cwd: string
  /** The repositories; `repo` unless it is said otherwise. */
  git?: string[]
  /** More variables of the environment. */
  env?: Record<string, string>
  /** What arrives, where the preset has something else on purpose. */
  tool?: { arrives: string[]; because: string }
}

const AGENTS_UP = { 'repo/AGENTS.md': true, 'repo/app/AGENTS.md': true, 'AGENTS.md': true } as const

export const TREES: Record<string, readonly Tree[]> = {
  opencode: [
    { name: 'one file', files: { 'repo/AGENTS.md': true }, cwd: 'repo' },
    { name: 'up to the root', files: AGENTS_UP, cwd: 'repo/app' },
    { name: 'user and project', files: { ...AGENTS_UP, '~/.config/opencode/AGENTS.md': true }, cwd: 'repo/app' },
    {
      name: 'user: only the first',
      files: { 'repo/AGENTS.md': true, '~/.config/opencode/AGENTS.md': true, '~/.claude/CLAUDE.md': true },
      cwd: 'repo',
    },
    { name: 'user: the fallback', files: { 'repo/AGENTS.md': true, '~/.claude/CLAUDE.md': true }, cwd: 'repo' },
    {
      name: 'CLAUDE.md if there is no AGENTS.md',
      files: { 'repo/CLAUDE.md': true, 'repo/app/CLAUDE.md': true, 'repo/app/CONTEXT.md': true },
      cwd: 'repo/app',
    },
    {
      name: 'one AGENTS.md anywhere hides CLAUDE.md',
      files: { 'repo/AGENTS.md': true, 'repo/app/CLAUDE.md': true },
      cwd: 'repo/app',
    },
    { name: 'CONTEXT.md', files: { 'repo/CONTEXT.md': true }, cwd: 'repo' },
    { name: 'outside a repository', files: { 'AGENTS.md': true, 'plain/AGENTS.md': true }, cwd: 'plain', git: [] },
    {
      name: 'configured, relative: every directory up',
      files: {
        'repo/opencode.json': '{"instructions":["docs/*.md"]}',
        'repo/docs/b.md': true,
        'repo/docs/a.md': true,
        'repo/app/docs/c.md': true,
      },
      cwd: 'repo/app',
    },
    {
      name: 'opencode.jsonc with comments',
      files: {
        'repo/opencode.jsonc': '{ // x\n "instructions": ["a.md", /* y */ "b.md",], }',
        'repo/b.md': true,
        'repo/a.md': true,
      },
      cwd: 'repo',
    },
    {
      name: 'configurations of several directories',
      files: {
        'repo/opencode.json': '{"instructions":["a.md"]}',
        'repo/app/opencode.json': '{"instructions":["b.md"]}',
        'repo/a.md': true,
        'repo/b.md': true,
      },
      cwd: 'repo/app',
    },
    {
      name: 'both configuration files',
      files: {
        'repo/opencode.json': '{"instructions":["a.md"]}',
        'repo/opencode.jsonc': '{"instructions":["b.md"]}',
        'repo/a.md': true,
        'repo/b.md': true,
      },
      cwd: 'repo',
    },
    {
      name: 'configuration in .opencode',
      files: { 'repo/.opencode/opencode.json': '{"instructions":["a.md"]}', 'repo/a.md': true },
      cwd: 'repo',
    },
    {
      name: "the user's opencode.jsonc",
      files: {
        '~/.config/opencode/opencode.jsonc': '{"instructions":["~/u.md", "a.md"]}',
        '~/u.md': true,
        'repo/a.md': true,
        'repo/opencode.json': '{"instructions":["b.md"]}',
        'repo/b.md': true,
      },
      cwd: 'repo',
    },
    { name: 'not UTF-8', files: { 'repo/AGENTS.md': 'caf\u00e9 #' }, cwd: 'repo' },
    {
      name: 'a link and its target',
      files: { 'repo/AGENTS.md': true, 'repo/app/AGENTS.md': { link: '../AGENTS.md' } },
      cwd: 'repo/app',
    },
    {
      name: 'OPENCODE_DISABLE_PROJECT_CONFIG',
      files: {
        'repo/AGENTS.md': true,
        '~/.config/opencode/AGENTS.md': true,
        'repo/opencode.json': '{"instructions":["a.md"]}',
        'repo/a.md': true,
      },
      cwd: 'repo',
      env: { OPENCODE_DISABLE_PROJECT_CONFIG: '1' },
    },
    {
      name: 'OPENCODE_DISABLE_CLAUDE_CODE_PROMPT',
      files: { 'repo/CLAUDE.md': true, '~/.claude/CLAUDE.md': true, 'repo/CONTEXT.md': true },
      cwd: 'repo',
      env: { OPENCODE_DISABLE_CLAUDE_CODE_PROMPT: '1' },
    },
  ],
  codex: [
    { name: 'one file', files: { 'repo/AGENTS.md': true }, cwd: 'repo' },
    { name: 'from the root down', files: AGENTS_UP, cwd: 'repo/app' },
    { name: 'the override', files: { ...AGENTS_UP, 'repo/AGENTS.override.md': true }, cwd: 'repo/app' },
    {
      name: 'an empty override still counts',
      files: { 'repo/AGENTS.md': true, 'repo/AGENTS.override.md': '' },
      cwd: 'repo',
    },
    {
      name: 'a directory as override does not count',
      files: { 'repo/AGENTS.md': true, 'repo/AGENTS.override.md/x': '' },
      cwd: 'repo',
    },
    { name: 'user and project', files: { ...AGENTS_UP, '~/.codex/AGENTS.md': true }, cwd: 'repo/app' },
    {
      name: "the user's override",
      files: { '~/.codex/AGENTS.md': true, '~/.codex/AGENTS.override.md': true },
      cwd: 'repo',
    },
    {
      name: "the user's empty override",
      files: { '~/.codex/AGENTS.md': true, '~/.codex/AGENTS.override.md': ' \n' },
      cwd: 'repo',
    },
    { name: 'outside a repository', files: { 'AGENTS.md': true, 'plain/AGENTS.md': true }, cwd: 'plain', git: [] },
    { name: 'not UTF-8', files: { 'repo/AGENTS.md': 'caf\u00e9 #' }, cwd: 'repo' },
    { name: 'CLAUDE.md is not read', files: { 'repo/CLAUDE.md': true }, cwd: 'repo' },
    {
      name: 'project_doc_fallback_filenames',
      files: {
        '~/.codex/config.toml': '+project_doc_fallback_filenames = ["CLAUDE.md", "x.md"] # both',
        'repo/CLAUDE.md': true,
        'repo/x.md': true,
        'repo/app/x.md': true,
        'repo/app/AGENTS.md': true,
        'repo/app/web/x.md': true,
      },
      cwd: 'repo/app/web',
    },
    {
      name: 'project_root_markers',
      files: {
        '~/.codex/config.toml': '+project_root_markers = [".hg"]',
        'top/.hg/x': '',
        'top/AGENTS.md': true,
        'top/repo/AGENTS.md': true,
        'top/repo/app/AGENTS.md': true,
      },
      cwd: 'top/repo/app',
      git: ['top/repo'],
    },
    {
      name: 'no project_root_markers',
      files: {
        '~/.codex/config.toml': '+project_root_markers = []',
        'repo/AGENTS.md': true,
        'repo/app/AGENTS.md': true,
      },
      cwd: 'repo/app',
    },
    {
      name: 'project_doc_max_bytes',
      files: {
        '~/.codex/config.toml': '+project_doc_max_bytes = 40',
        'repo/AGENTS.md': true,
        'repo/app/AGENTS.md': `${'y'.repeat(30)} #`,
      },
      cwd: 'repo/app',
    },
    {
      name: 'a link and its target',
      files: { 'repo/AGENTS.md': true, 'repo/app/AGENTS.md': { link: '../AGENTS.md' } },
      cwd: 'repo/app',
    },
  ],
  'gemini-cli': [
    { name: 'one file', files: { 'repo/GEMINI.md': true }, cwd: 'repo' },
    {
      name: 'from the root down',
      files: { 'GEMINI.md': true, 'repo/GEMINI.md': true, 'repo/app/GEMINI.md': true },
      cwd: 'repo/app',
    },
    {
      name: 'sorted by path',
      files: { 'repo/GEMINI.md': true, 'repo/App/GEMINI.md': true, 'repo/App/web/GEMINI.md': true },
      cwd: 'repo/App/web',
    },
    { name: 'user and project', files: { 'repo/GEMINI.md': true, '~/.gemini/GEMINI.md': true }, cwd: 'repo' },
    { name: 'outside a repository', files: { 'GEMINI.md': true, 'plain/GEMINI.md': true }, cwd: 'plain', git: [] },
    { name: 'not UTF-8', files: { 'repo/GEMINI.md': 'caf\u00e9 #' }, cwd: 'repo' },
    { name: 'AGENTS.md is not read', files: { 'repo/AGENTS.md': true }, cwd: 'repo' },
    {
      name: 'an import',
      files: { 'repo/GEMINI.md': '# @docs/a.md end', 'repo/docs/a.md': '# @b.md', 'repo/docs/b.md': true },
      cwd: 'repo',
    },
    {
      name: 'an import with punctuation is none',
      files: { 'repo/GEMINI.md': '# see @a.md, and @b.md.', 'repo/a.md': true, 'repo/b.md': true },
      cwd: 'repo',
    },
    {
      name: 'an import of a name with a digit or underscore is none',
      files: { 'repo/GEMINI.md': '# @1.md @_.md @./1.md', 'repo/1.md': true, 'repo/_.md': true },
      cwd: 'repo',
    },
    {
      name: 'an import with an escaped space is none',
      files: { 'repo/GEMINI.md': '# @a\\ b.md', 'repo/a b.md': true },
      cwd: 'repo',
    },
    {
      name: 'imports in code',
      files: {
        'repo/GEMINI.md': '# `@a.md`\n```\n@b.md\n```\n~~~\n@c.md\n~~~\n',
        'repo/a.md': true,
        'repo/b.md': true,
        'repo/c.md': true,
      },
      cwd: 'repo',
    },
    { name: 'an import out of the repository', files: { 'repo/GEMINI.md': '# @../x.md', 'x.md': true }, cwd: 'repo' },
    {
      name: "an import from the user's directory",
      files: { '~/.gemini/GEMINI.md': '# @a.md @../x.md', '~/.gemini/a.md': true, '~/x.md': true },
      cwd: 'repo',
    },
    { name: 'an import twice', files: { 'repo/GEMINI.md': '# @a.md @a.md', 'repo/a.md': true }, cwd: 'repo' },
    {
      name: 'context.fileName',
      files: {
        '~/.gemini/settings.json': '+{"context":{"fileName":["AGENTS.md","GEMINI.md"]}}',
        'repo/AGENTS.md': true,
        'repo/GEMINI.md': true,
        'repo/app/AGENTS.md': true,
      },
      cwd: 'repo/app',
    },
    {
      name: 'context.fileName in the project',
      files: {
        'repo/.gemini/settings.json': '{"context":{"fileName":"AGENTS.md"}}',
        'repo/AGENTS.md': true,
        'repo/GEMINI.md': true,
      },
      cwd: 'repo',
    },
  ],
  'qwen-code': [
    { name: 'one file', files: { 'repo/QWEN.md': true }, cwd: 'repo' },
    { name: 'from the root down', files: { 'repo/QWEN.md': true, 'repo/app/QWEN.md': true }, cwd: 'repo/app' },
    {
      name: 'above the repository',
      files: { 'top/QWEN.md': true, 'QWEN.md': true, 'top/repo/QWEN.md': true },
      cwd: 'top/repo',
      git: ['top/repo'],
    },
    {
      name: 'both names',
      files: { 'repo/QWEN.md': true, 'repo/AGENTS.md': true, 'repo/app/QWEN.md': true, 'repo/app/AGENTS.md': true },
      cwd: 'repo/app',
    },
    {
      name: 'user and project',
      files: { 'repo/QWEN.md': true, '~/.qwen/QWEN.md': true, '~/.qwen/AGENTS.md': true, 'repo/AGENTS.md': true },
      cwd: 'repo',
    },
    {
      name: 'outside a repository',
      files: { 'QWEN.md': true, 'plain/QWEN.md': true, 'plain/sub/QWEN.md': true },
      cwd: 'plain/sub',
      git: [],
    },
    { name: 'not UTF-8', files: { 'repo/QWEN.md': 'caf\u00e9 #' }, cwd: 'repo' },
    { name: 'GEMINI.md is not read', files: { 'repo/GEMINI.md': true }, cwd: 'repo' },
    {
      name: 'QWEN.local.md',
      files: {
        'repo/QWEN.md': true,
        'repo/QWEN.local.md': true,
        'repo/app/QWEN.local.md': true,
        'repo/.qwen/QWEN.local.md': true,
      },
      cwd: 'repo/app',
    },
    {
      name: 'rules',
      files: {
        'repo/QWEN.md': true,
        'repo/.qwen/rules/b.md': true,
        'repo/.qwen/rules/a/a.md': true,
        'repo/.qwen/rules/ts.md': '---\npaths: ["**/*.ts"]\n---\n#',
        '~/.qwen/rules/u.md': true,
      },
      cwd: 'repo',
    },
    {
      name: 'an import',
      files: { 'repo/QWEN.md': '# @docs/a.md end', 'repo/docs/a.md': '# @b.md', 'repo/docs/b.md': true },
      cwd: 'repo',
    },
    {
      name: 'an import with punctuation',
      files: { 'repo/QWEN.md': '# see @a.md, and @b.md.', 'repo/a.md': true, 'repo/b.md': true },
      cwd: 'repo',
    },
    {
      name: 'imports in code',
      files: {
        'repo/QWEN.md': '# `@a.md`\n```\n@b.md\n```\n~~~\n@c.md\n~~~\n',
        'repo/a.md': true,
        'repo/b.md': true,
        'repo/c.md': true,
      },
      cwd: 'repo',
    },
    { name: 'an import out of the repository', files: { 'repo/QWEN.md': '# @../x.md', 'x.md': true }, cwd: 'repo' },
    {
      name: 'context.fileName',
      files: {
        '~/.qwen/settings.json': '+{"context":{"fileName":["CONTEXT.md"]}}',
        'repo/CONTEXT.md': true,
        'repo/QWEN.md': true,
        'repo/AGENTS.md': true,
      },
      cwd: 'repo',
    },
  ],
  'claude-code': [
    { name: 'one file', files: { 'repo/CLAUDE.md': true }, cwd: 'repo' },
    {
      name: 'from the root of the file system down',
      files: { 'CLAUDE.md': true, 'repo/CLAUDE.md': true, 'repo/app/CLAUDE.md': true },
      cwd: 'repo/app',
    },
    { name: 'user and project', files: { 'repo/CLAUDE.md': true, '~/.claude/CLAUDE.md': true }, cwd: 'repo' },
    {
      name: 'everything in one directory',
      files: {
        'repo/CLAUDE.md': true,
        'repo/.claude/CLAUDE.md': true,
        'repo/CLAUDE.local.md': true,
        'repo/.claude/rules/a.md': true,
      },
      cwd: 'repo',
    },
    {
      name: 'local files in each directory',
      files: {
        'repo/CLAUDE.md': true,
        'repo/CLAUDE.local.md': true,
        'repo/app/CLAUDE.md': true,
        'repo/app/CLAUDE.local.md': true,
      },
      cwd: 'repo/app',
    },
    {
      name: 'rules',
      files: {
        'repo/.claude/rules/b.md': true,
        'repo/.claude/rules/a/a.md': true,
        'repo/.claude/rules/ts.md': '---\npaths: "**/*.ts"\n---\n#',
        '~/.claude/rules/u.md': true,
      },
      cwd: 'repo',
    },
    {
      name: 'AGENTS.md if there is no CLAUDE.md',
      files: { 'repo/AGENTS.md': true, 'repo/app/AGENTS.md': true },
      cwd: 'repo/app',
    },
    {
      name: 'AGENTS.md beside CLAUDE.md',
      files: { 'repo/AGENTS.md': true, 'repo/app/CLAUDE.md': true },
      cwd: 'repo/app',
    },
    {
      name: 'imports',
      files: {
        'repo/CLAUDE.md': '# @docs/a.md and @~/u.md end',
        'repo/docs/a.md': '# @b.md',
        'repo/docs/b.md': true,
        '~/u.md': true,
      },
      cwd: 'repo',
    },
    {
      name: 'imports in code',
      files: {
        'repo/CLAUDE.md': '# `@a.md`\n```\n@b.md\n```\n~~~\n@c.md\n~~~\n',
        'repo/a.md': true,
        'repo/b.md': true,
        'repo/c.md': true,
      },
      cwd: 'repo',
    },
    {
      name: 'an import with punctuation',
      files: { 'repo/CLAUDE.md': '# see @a.md, and @b.md.', 'repo/a.md': true, 'repo/b.md': true },
      cwd: 'repo',
    },
    { name: 'an import out of the repository', files: { 'repo/CLAUDE.md': '# @../x.md', 'x.md': true }, cwd: 'repo' },
    { name: 'not UTF-8', files: { 'repo/CLAUDE.md': 'caf\u00e9 #' }, cwd: 'repo' },
    { name: 'outside a repository', files: { 'CLAUDE.md': true, 'plain/CLAUDE.md': true }, cwd: 'plain', git: [] },
    {
      name: 'claudeMdExcludes of the user',
      files: {
        '~/.claude/settings.json': '{"claudeMdExcludes":["**/app/CLAUDE.md"]}',
        'repo/CLAUDE.md': true,
        'repo/app/CLAUDE.md': true,
      },
      cwd: 'repo/app',
    },
    {
      name: 'claudeMdExcludes of the project',
      files: {
        'repo/.claude/settings.json': '{"claudeMdExcludes":["**/repo/CLAUDE.md"]}',
        'repo/CLAUDE.md': true,
        'repo/.claude/CLAUDE.md': true,
      },
      cwd: 'repo',
    },
    { name: 'an HTML comment', files: { 'repo/CLAUDE.md': '# <!-- [[pm:hidden]] --> end' }, cwd: 'repo' },
  ],
  copilot: [
    { name: 'one file', files: { 'repo/AGENTS.md': true }, cwd: 'repo' },
    { name: 'its own file', files: { 'repo/.github/copilot-instructions.md': true }, cwd: 'repo' },
    {
      name: 'everything in one directory',
      files: {
        'repo/.github/copilot-instructions.md': true,
        'repo/AGENTS.md': true,
        'repo/CLAUDE.md': true,
        'repo/GEMINI.md': true,
      },
      cwd: 'repo',
    },
    {
      name: 'in a directory below the root',
      files: { 'repo/AGENTS.md': true, 'repo/app/AGENTS.md': true, 'repo/app/CLAUDE.md': true },
      cwd: 'repo/app',
    },
    {
      name: 'two levels below the root',
      files: { 'AGENTS.md': true, 'repo/AGENTS.md': true, 'repo/app/AGENTS.md': true, 'repo/app/web/AGENTS.md': true },
      cwd: 'repo/app/web',
    },
    {
      name: 'its own file in a directory below',
      files: { 'repo/.github/copilot-instructions.md': true, 'repo/app/.github/copilot-instructions.md': true },
      cwd: 'repo/app',
    },
    {
      name: 'user and project',
      files: {
        '~/.copilot/copilot-instructions.md': true,
        'repo/.github/copilot-instructions.md': true,
        'repo/AGENTS.md': true,
      },
      cwd: 'repo',
    },
    {
      name: 'rules for everything',
      files: {
        'repo/.github/instructions/all.instructions.md': '---\napplyTo: "**"\n---\n#',
        'repo/.github/instructions/a/b.instructions.md': '---\napplyTo: "**"\n---\n#',
      },
      cwd: 'repo',
    },
    {
      name: 'rules for certain paths',
      files: {
        'repo/.github/instructions/ts.instructions.md': '---\napplyTo: "**/*.ts"\n---\n#',
        'repo/.github/instructions/none.instructions.md': '#',
      },
      cwd: 'repo',
    },
    {
      name: 'rules of the user',
      files: { '~/.copilot/instructions/u.instructions.md': '---\napplyTo: "**"\n---\n#', 'repo/AGENTS.md': true },
      cwd: 'repo',
    },
    { name: '.claude/CLAUDE.md', files: { 'repo/.claude/CLAUDE.md': true }, cwd: 'repo' },
    { name: 'an import is text', files: { 'repo/AGENTS.md': '# @a.md', 'repo/a.md': true }, cwd: 'repo' },
    { name: 'outside a repository', files: { 'AGENTS.md': true, 'plain/AGENTS.md': true }, cwd: 'plain', git: [] },
    { name: 'not UTF-8', files: { 'repo/AGENTS.md': 'caf\u00e9 #' }, cwd: 'repo' },
    {
      name: 'a link and its target',
      files: { 'repo/AGENTS.md': true, 'repo/CLAUDE.md': { link: 'AGENTS.md' } },
      cwd: 'repo',
    },
    {
      name: 'the same text twice',
      files: { 'repo/AGENTS.md': '[[pm:same]]', 'repo/CLAUDE.md': '[[pm:same]]' },
      cwd: 'repo',
    },
  ],
}
