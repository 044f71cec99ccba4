import type { Tree } from './tree.js'

const AGENTS_UP = { 'repo/AGENTS.md': true, 'repo/app/AGENTS.md': true, 'AGENTS.md': true } as const

export const opencode: readonly Tree[] = [
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
    tool: { arrives: ['~/.config/opencode/AGENTS.md'], because: 'the variable is listed as not followed' },
  },
  {
    name: 'OPENCODE_DISABLE_CLAUDE_CODE_PROMPT',
    files: { 'repo/CLAUDE.md': true, '~/.claude/CLAUDE.md': true, 'repo/CONTEXT.md': true },
    cwd: 'repo',
    env: { OPENCODE_DISABLE_CLAUDE_CODE_PROMPT: '1' },
    tool: { arrives: ['repo/CONTEXT.md'], because: 'the variable is listed as not followed' },
  },
]
