import type { Tree } from './tree.js'

const AGENTS_UP = { 'repo/AGENTS.md': true, 'repo/app/AGENTS.md': true, 'AGENTS.md': true } as const

export const codex: readonly Tree[] = [
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
]
