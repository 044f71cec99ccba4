import type { Tree } from './tree.js'

export const qwenCode: readonly Tree[] = [
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
  {
    name: 'context.fileName in the project',
    files: {
      'repo/.qwen/settings.json': '{"context":{"fileName":"TEAM.md"}}',
      'repo/TEAM.md': true,
      'repo/QWEN.md': true,
    },
    cwd: 'repo',
  },
]
