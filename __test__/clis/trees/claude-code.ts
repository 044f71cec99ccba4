import type { Tree } from './tree.js'

export const claudeCode: readonly Tree[] = [
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
    tool: {
      arrives: ['repo/CLAUDE.md', 'repo/docs/a.md', 'repo/docs/b.md'],
      because: 'Claude Code asks the user before it imports from outside the working directory',
    },
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
  {
    name: 'an import out of the repository',
    files: { 'repo/CLAUDE.md': '# @../x.md', 'x.md': true },
    cwd: 'repo',
    tool: {
      arrives: ['repo/CLAUDE.md'],
      because: 'Claude Code asks the user before it imports from outside the working directory',
    },
  },
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
  { name: 'an HTML comment in a line', files: { 'repo/CLAUDE.md': '# <!-- [[pm:hidden]] --> end' }, cwd: 'repo' },
  {
    name: 'an HTML comment on a line of its own',
    files: { 'repo/CLAUDE.md': '#\n<!-- [[pm:hidden]] -->\nend' },
    cwd: 'repo',
    tool: { arrives: ['repo/CLAUDE.md'], because: 'no text is removed here unseen' },
  },
]
