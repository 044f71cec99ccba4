import type { Tree } from './tree.js'

export const geminiCli: readonly Tree[] = [
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
  {
    name: 'context.fileName, one name',
    files: {
      '~/.gemini/settings.json': '+{"context":{"fileName":"TEAM.md"}}',
      'repo/TEAM.md': true,
      'repo/GEMINI.md': true,
      '~/.gemini/TEAM.md': true,
      '~/.gemini/GEMINI.md': true,
    },
    cwd: 'repo',
  },
  {
    name: 'context.memoryBoundaryMarkers',
    files: {
      '~/.gemini/settings.json': '+{"context":{"memoryBoundaryMarkers":[".hg"]}}',
      'top/.hg/x': '',
      'top/GEMINI.md': true,
      'top/repo/GEMINI.md': true,
    },
    cwd: 'top/repo',
    git: ['top/repo'],
  },
]
