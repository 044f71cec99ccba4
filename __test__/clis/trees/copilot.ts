import type { Tree } from './tree.js'

export const copilot: readonly Tree[] = [
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
      'repo/AGENTS.md': true,
    },
    cwd: 'repo',
  },
  {
    name: 'rules of the user',
    files: { '~/.copilot/instructions/u.instructions.md': '---\napplyTo: "**"\n---\n#', 'repo/AGENTS.md': true },
    cwd: 'repo',
  },
  { name: '.claude/CLAUDE.md', files: { 'repo/.claude/CLAUDE.md': true }, cwd: 'repo' },
  {
    name: 'imports',
    files: {
      'repo/AGENTS.md': '# (@a.md), @docs/b.md. `@c.md`',
      'repo/a.md': '# @d.md',
      'repo/docs/b.md': true,
      'repo/c.md': true,
      'repo/d.md': true,
    },
    cwd: 'repo',
  },
  {
    name: 'an import out of the repository',
    files: { 'repo/AGENTS.md': '# @../x.md @~/u.md', 'x.md': true, '~/u.md': true },
    cwd: 'repo',
  },
  {
    name: "imports of the user's file",
    files: { '~/.copilot/copilot-instructions.md': '# @own.md @../u.md', '~/.copilot/own.md': true, '~/u.md': true },
    cwd: 'repo',
  },
  {
    name: 'imports of a rule',
    files: {
      'repo/.github/instructions/p.instructions.md': '---\napplyTo: "**"\n---\n# @a.md',
      'repo/.github/instructions/a.md': true,
    },
    cwd: 'repo',
  },
  {
    name: 'rules without applyTo',
    files: {
      'repo/.github/instructions/d.instructions.md': '---\ndescription: x\n---\n#',
      'repo/.github/instructions/n.instructions.md': '#',
    },
    cwd: 'repo',
  },
  {
    name: 'three levels, and rules of the user',
    files: {
      'repo/AGENTS.md': true,
      'repo/a/AGENTS.md': true,
      'repo/a/b/AGENTS.md': true,
      'repo/a/b/c/AGENTS.md': true,
      '~/.copilot/instructions/u.instructions.md': '---\napplyTo: "**"\n---\n#',
      'repo/.github/instructions/p.instructions.md': '---\napplyTo: "**"\n---\n#',
      'repo/a/.github/instructions/deep.instructions.md': '---\napplyTo: "**"\n---\n#',
    },
    cwd: 'repo/a/b/c',
  },
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
]
