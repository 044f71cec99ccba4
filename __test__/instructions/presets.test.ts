/** Each preset on a tree that is made for it. */
import { join, sep } from 'node:path'
import { InstructionPrompt, type InstructionOptions, type InstructionPreset } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { useProject } from '../support/project.js'

const project = useProject()

/** Writes files with their own path as their text; those of the home directory begin with `~/`. */
const write = (...paths: string[]): void => {
  for (const path of paths) {
    if (path.startsWith('~/')) project.current.writeHome(path.slice(2), path)
    else project.current.write(path, path)
  }
}

const shown = (path: string): string =>
  (path.startsWith(project.current.home)
    ? `~${path.slice(project.current.home.length)}`
    : path.slice(project.current.root.length + 1)
  ).replaceAll(sep, '/')

/** What a preset reads from `repo/app/web`, in its order. */
const read = async (preset: InstructionPreset, more: InstructionOptions = {}): Promise<string[]> => {
  const options = { preset, directory: project.current.path('repo', 'app', 'web'), ...more }
  const used = (await InstructionPrompt.load(options)).filter(({ text }) => text !== undefined)
  const paths = used.map(({ source }) => shown(source))
  expect([...(await InstructionPrompt.systemPaths(options))].map(shown)).toEqual(paths)
  expect((await InstructionPrompt.system(options)).map((text) => text.split('\n').slice(1).join('\n'))).toEqual(
    used.map(({ text }) => text),
  )
  return paths
}

/** All files that any of the tools reads, in every directory of a repository and above it. */
const NAMES = [
  'AGENTS.md',
  'AGENTS.override.md',
  'CLAUDE.md',
  'CLAUDE.local.md',
  '.claude/CLAUDE.md',
  '.claude/AGENTS.md',
  '.claude/rules/a.md',
  '.claude/rules/deep/b.md',
  'GEMINI.md',
  'QWEN.md',
  'CONTEXT.md',
  'ETCODE.md',
  '.github/copilot-instructions.md',
  '.cursorrules',
  'README.md',
  '.claude/rules/c.txt',
]
const HOME = [
  '~/.claude/CLAUDE.md',
  '~/.claude/rules/u.md',
  '~/.codex/AGENTS.md',
  '~/.gemini/GEMINI.md',
  '~/.qwen/QWEN.md',
  '~/.config/opencode/AGENTS.md',
  '~/.copilot/copilot-instructions.md',
  '~/.config/etcode/AGENTS.md',
  '~/AGENTS.md',
  '~/CLAUDE.md',
]
const everything = (...without: string[]): void => {
  project.current.git('repo')
  const names = NAMES.filter((name) => !without.includes(name))
  write(
    ...HOME,
    ...['', 'repo/', 'repo/app/', 'repo/app/web/', 'repo/app/web/below/'].flatMap((folder) =>
      names.map((name) => folder + name),
    ),
  )
}
const each = (folders: string[], names: string[]): string[] =>
  folders.flatMap((folder) => names.map((name) => folder + name))

const DOWN = ['repo/', 'repo/app/', 'repo/app/web/']
const UP = DOWN.toReversed()

describe('the presets', () => {
  it('etcode', async () => {
    everything()
    expect(await read('etcode')).toEqual([...each(UP, ['AGENTS.md', 'ETCODE.md']), '~/.config/etcode/AGENTS.md'])
    expect(await InstructionPrompt.load({ directory: project.current.path('repo') })).toEqual(
      await InstructionPrompt.load({ directory: project.current.path('repo'), preset: 'etcode' }),
    )
  })

  it('agents', async () => {
    everything()
    expect(await read('agents')).toEqual(each(DOWN, ['AGENTS.md']))
  })

  it('claude-code: everything up to the root of the file system, the user first', async () => {
    everything()
    const inEach = [
      'CLAUDE.md',
      '.claude/CLAUDE.md',
      '.claude/rules/a.md',
      '.claude/rules/deep/b.md',
      'CLAUDE.local.md',
    ]
    expect(await read('claude-code')).toEqual([
      '~/.claude/CLAUDE.md',
      '~/.claude/rules/u.md',
      ...each(['', ...DOWN], inEach),
    ])
  })

  it('claude-code: AGENTS.md where there is no CLAUDE.md', async () => {
    everything('CLAUDE.md', 'CLAUDE.local.md', '.claude/CLAUDE.md')
    const inEach = ['AGENTS.md', '.claude/AGENTS.md', '.claude/rules/a.md', '.claude/rules/deep/b.md']
    expect((await read('claude-code')).slice(2)).toEqual(each(['', ...DOWN], inEach))
    write('repo/CLAUDE.local.md')
    expect(await read('claude-code')).toContain('repo/CLAUDE.local.md')
    expect(await read('claude-code')).not.toContain('repo/AGENTS.md')
  })

  it('claude-code: a directory of configuration elsewhere', async () => {
    everything()
    write('elsewhere/CLAUDE.md')
    process.env.CLAUDE_CONFIG_DIR = project.current.path('elsewhere')
    try {
      expect((await read('claude-code'))[0]).toBe('elsewhere/CLAUDE.md')
    } finally {
      delete process.env.CLAUDE_CONFIG_DIR
    }
  })

  it('codex: the override or else AGENTS.md', async () => {
    everything()
    expect(await read('codex')).toEqual(['~/.codex/AGENTS.md', ...each(DOWN, ['AGENTS.override.md'])])
    write('~/.codex/AGENTS.override.md')
    expect((await read('codex'))[0]).toBe('~/.codex/AGENTS.override.md')
    project.current.writeHome('.codex/AGENTS.override.md', ' \n')
    const all = await InstructionPrompt.load({ preset: 'codex', directory: project.current.path('repo') })
    expect(all.map(({ status }) => status)).toEqual(['empty', 'loaded', 'loaded'])
  })

  it('codex: 32 KiB of the project together', async () => {
    const { current } = project
    current.git('repo')
    current.write('repo/AGENTS.md', 'x '.repeat(10_000))
    current.write('repo/app/AGENTS.md', 'y '.repeat(10_000))
    current.write('repo/app/web/AGENTS.md', 'z')
    current.writeHome('.codex/AGENTS.md', 'u '.repeat(30_000))
    const all = await InstructionPrompt.load({ preset: 'codex', directory: current.path('repo/app/web') })
    expect(all.map(({ status }) => status)).toEqual(['loaded', 'loaded', 'truncated', 'skipped'])
    const bytes = all.slice(1).reduce((sum, { text = '' }) => sum + Buffer.byteLength(text), 0)
    expect(bytes).toBeLessThanOrEqual(32 * 1024)
    expect(bytes).toBeGreaterThan(32 * 1024 - 100)
    expect(all[3]?.reason).toBe('there is no room: the files before it are as large as all may be')
  })

  it('gemini-cli and qwen-code', async () => {
    everything()
    expect(await read('gemini-cli')).toEqual(['~/.gemini/GEMINI.md', ...each(DOWN, ['GEMINI.md'])])
    expect(await read('qwen-code')).toEqual(['~/.qwen/QWEN.md', ...each(DOWN, ['QWEN.md', 'AGENTS.md'])])
  })

  it("opencode: one name instead of another, the user's own, and its configuration", async () => {
    everything()
    project.current.write('repo/opencode.json', JSON.stringify({ instructions: ['README.md'] }))
    expect(await read('opencode')).toEqual([
      ...each(UP, ['AGENTS.md']),
      '~/.config/opencode/AGENTS.md',
      'repo/app/web/README.md',
    ])
  })

  it('opencode: CLAUDE.md, and then CONTEXT.md', async () => {
    everything('AGENTS.md')
    expect((await read('opencode')).slice(0, 3)).toEqual(each(UP, ['CLAUDE.md']))
    write('repo/AGENTS.md')
    expect((await read('opencode')).slice(0, 1)).toEqual(['repo/AGENTS.md'])
  })

  it("opencode: the user's file for Claude Code if there is no other", async () => {
    project.current.git('repo')
    write('repo/CONTEXT.md', '~/.claude/CLAUDE.md')
    expect(await read('opencode')).toEqual(['repo/CONTEXT.md', '~/.claude/CLAUDE.md'])
    write('~/.config/opencode/AGENTS.md')
    expect(await read('opencode')).toEqual(['repo/CONTEXT.md', '~/.config/opencode/AGENTS.md'])
  })

  it('copilot: its own files and those of other agents', async () => {
    everything()
    const inEach = ['.github/copilot-instructions.md', 'AGENTS.md', 'CLAUDE.md', 'GEMINI.md']
    expect(await read('copilot')).toEqual(['~/.copilot/copilot-instructions.md', ...each(DOWN, inEach)])
  })

  it('cursor', async () => {
    everything()
    project.current.write('repo/.cursor/rules/always.mdc', '---\nalwaysApply: true\n---\nrepo/.cursor/rules/always.mdc')
    project.current.write('repo/.cursor/rules/plain.md', 'has no front matter, and is no rule')
    expect(await read('cursor')).toEqual([
      'repo/AGENTS.md',
      'repo/.cursorrules',
      'repo/.cursor/rules/always.mdc',
      ...each(DOWN.slice(1), ['AGENTS.md', '.cursorrules']),
    ])
  })

  it('can be changed: files, appName, order', async () => {
    everything()
    write('repo/X.md', 'repo/app/X.md', '~/.config/tool/X.md', 'repo/named.md')
    project.current.write('repo/tool.json', JSON.stringify({ instructions: ['named.md'] }))
    expect(await read('codex', { files: ['X.md'] })).toEqual(['~/.codex/AGENTS.md', 'repo/X.md', 'repo/app/X.md'])
    expect(await read('codex', { files: ['X.md'], order: 'nearest-first' })).toEqual([
      '~/.codex/AGENTS.md',
      'repo/app/X.md',
      'repo/X.md',
    ])
    expect(await read('codex', { files: ['X.md'], appName: 'tool' })).toEqual([
      '~/.config/tool/X.md',
      'repo/X.md',
      'repo/app/X.md',
      'repo/named.md',
    ])
    expect(await read('claude-code', { files: ['X.md'] })).toContain('repo/.claude/rules/a.md')
    expect(await read('agents', { config: { instructions: ['../../named.md'] } })).toEqual([
      ...each(DOWN, ['AGENTS.md']),
      'repo/named.md',
    ])
  })

  it('find and resolve follow them', async () => {
    everything()
    const folder = project.current.path('repo', 'app', 'web', 'below')
    const found = async (preset: InstructionPreset) => shown((await InstructionPrompt.find(folder, { preset })) ?? '')
    expect(await found('claude-code')).toBe('repo/app/web/below/CLAUDE.md')
    expect(await found('codex')).toBe('repo/app/web/below/AGENTS.override.md')
    expect(await found('gemini-cli')).toBe('repo/app/web/below/GEMINI.md')
    const resolved = async (preset: InstructionPreset) =>
      (
        await InstructionPrompt.resolvePaths(join(folder, 'a.ts'), {
          preset,
          directory: project.current.path('repo', 'app', 'web'),
        })
      ).map(shown)
    expect(await resolved('codex')).toEqual(['repo/app/web/below/AGENTS.override.md'])
    expect(await resolved('opencode')).toEqual(['repo/app/web/below/AGENTS.md'])
    expect(await resolved('claude-code')).toEqual(
      ['CLAUDE.md', '.claude/CLAUDE.md', '.claude/rules/a.md', '.claude/rules/deep/b.md', 'CLAUDE.local.md'].map(
        (name) => `repo/app/web/below/${name}`,
      ),
    )
  })

  it('are nothing else', async () => {
    await expect(InstructionPrompt.load({ preset: 'clippy' as never })).rejects.toMatchObject({
      code: 'ERR_INVALID_ARG_TYPE',
      message:
        "options.preset must be one of 'etcode', 'agents', 'claude-code', 'codex', 'gemini-cli', 'opencode', 'copilot', 'cursor', 'qwen-code', got 'clippy'",
    })
  })
})

describe('alreadyReadBy', () => {
  const skipped = async (options: InstructionOptions): Promise<Record<string, string | undefined>> => {
    const all = await InstructionPrompt.load({ directory: project.current.path('repo'), ...options })
    return Object.fromEntries(
      all.filter(({ status }) => status === 'skipped').map(({ source, reason }) => [shown(source), reason]),
    )
  }

  it('leaves out what the CLI reads by itself, and says so', async () => {
    everything()
    expect(await skipped({ alreadyReadBy: 'openai-codex', config: { instructions: ['README.md'] } })).toEqual({})
    project.current.write('repo/AGENTS.override.md', '')
    const options = { files: ['AGENTS.md', 'AGENTS.override.md'], config: { instructions: ['README.md'] } }
    expect(await skipped({ ...options, alreadyReadBy: 'openai-codex' })).toEqual({
      'repo/AGENTS.override.md': 'is read by codex itself',
    })
    expect(await skipped({ ...options, alreadyReadBy: 'opencode' })).toEqual({
      'repo/AGENTS.md': 'is read by opencode itself',
    })
    expect(await skipped({ ...options, alreadyReadBy: 'my-own-cli' })).toEqual({})
    expect(
      await InstructionPrompt.system({
        directory: project.current.path('repo'),
        alreadyReadBy: 'opencode',
        config: {},
      }),
    ).toHaveLength(2)
  })

  it('leaves out everything if it is the same tool', async () => {
    everything()
    for (const [preset, agent] of [
      ['claude-code', 'claude-code'],
      ['codex', 'codex'],
      ['gemini-cli', 'google-gemini'],
      ['opencode', 'opencode'],
      ['copilot', 'github-copilot'],
    ] as const) {
      expect(
        // oxlint-disable-next-line no-await-in-loop -- one after another is easier to read
        await InstructionPrompt.system({ preset, alreadyReadBy: agent, directory: project.current.path('repo') }),
      ).toEqual([])
    }
  })

  it('knows what the CLI includes, by whatever name', async () => {
    const { current } = project
    current.git('repo')
    current.write('repo/CLAUDE.md', 'See @docs/AGENTS.md')
    current.write('repo/docs/AGENTS.md', 'text')
    current.link('repo/AGENTS.md', 'docs/AGENTS.md')
    expect(await skipped({ preset: 'agents', alreadyReadBy: 'claude-code' })).toEqual({
      'repo/AGENTS.md': 'is read by claude-code itself',
    })
    expect(await skipped({ preset: 'agents', alreadyReadBy: 'google-gemini' })).toEqual({})
  })

  it('leaves out what would be included', async () => {
    const { current } = project
    current.git('repo')
    current.write('repo/AGENTS.md', 'See @CLAUDE.md and @more.md')
    current.write('repo/CLAUDE.md', 'text')
    current.write('repo/more.md', 'more')
    const options = { preset: 'agents', includes: true, alreadyReadBy: 'claude-code' } as const
    expect(await skipped(options)).toEqual({ 'repo/CLAUDE.md': 'is read by claude-code itself' })
    expect((await InstructionPrompt.system({ directory: current.path('repo'), ...options }))[0]).toMatch(
      /\nSee @CLAUDE.md and more$/,
    )
  })

  it('does not mind a broken configuration of that CLI', async () => {
    const { current } = project
    current.git('repo')
    write('repo/AGENTS.md')
    current.write('repo/opencode.json', '{')
    expect(await skipped({ preset: 'agents', alreadyReadBy: 'opencode' })).toEqual({
      'repo/AGENTS.md': 'is read by opencode itself',
    })
  })
})
