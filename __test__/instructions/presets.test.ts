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

  it('codex: the override, otherwise AGENTS.md', async () => {
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
    expect(all[3]?.reason).toBe('the files before it have reached the size limit for all files')
  })

  it('gemini-cli and qwen-code', async () => {
    everything()
    expect(await read('gemini-cli')).toEqual(['~/.gemini/GEMINI.md', ...each(DOWN, ['GEMINI.md'])])
    // Each name by itself, and the directory above the repository as well.
    expect(await read('qwen-code')).toEqual([
      '~/.qwen/QWEN.md',
      'QWEN.md',
      ...each(DOWN, ['QWEN.md']),
      'AGENTS.md',
      ...each(DOWN, ['AGENTS.md']),
    ])
    write('repo/.qwen/QWEN.local.md', 'repo/.qwen/rules/b.md', 'repo/.qwen/rules/a/c.md', '~/.qwen/rules/u.md')
    expect((await read('qwen-code')).slice(-4)).toEqual([
      'repo/.qwen/QWEN.local.md',
      '~/.qwen/rules/u.md',
      'repo/.qwen/rules/a/c.md',
      'repo/.qwen/rules/b.md',
    ])
    expect(await read('qwen-code', { untrusted: true })).not.toContain('QWEN.md')
  })

  it('gemini-cli: sorted by path, unless an order is given', async () => {
    project.current.git('repo')
    write('repo/GEMINI.md', 'repo/App/GEMINI.md', 'repo/App/web/GEMINI.md')
    const directory = project.current.path('repo', 'App', 'web')
    const sorted = ['repo/App/GEMINI.md', 'repo/App/web/GEMINI.md', 'repo/GEMINI.md']
    expect(await read('gemini-cli', { directory })).toEqual(sorted)
    expect(await read('gemini-cli', { directory, order: 'root-first' })).toEqual([sorted[2], sorted[0], sorted[1]])
  })

  it("gemini-cli: imports of the user's file stay in its directory", async () => {
    const { current } = project
    current.git('repo')
    current.writeHome('.gemini/GEMINI.md', '@a.md @../x.md @~/x.md')
    current.writeHome('.gemini/a.md', 'A')
    current.writeHome('x.md', 'X')
    const [own] = await InstructionPrompt.load({ preset: 'gemini-cli', directory: current.path('repo') })
    expect(own?.text).toBe('A @../x.md @~/x.md')
  })

  it("opencode: alternative names, the user's file, and its configuration", async () => {
    everything()
    project.current.write('repo/opencode.json', JSON.stringify({ instructions: ['README.md'] }))
    expect(await read('opencode')).toEqual([
      '~/.config/opencode/AGENTS.md',
      ...each(UP, ['AGENTS.md']),
      ...each(UP, ['README.md']),
    ])
  })

  it('opencode: CLAUDE.md, and then CONTEXT.md', async () => {
    everything('AGENTS.md')
    expect((await read('opencode')).slice(1)).toEqual(each(UP, ['CLAUDE.md']))
    write('repo/AGENTS.md')
    expect((await read('opencode')).slice(1)).toEqual(['repo/AGENTS.md'])
  })

  it("opencode: the user's file for Claude Code if there is no other", async () => {
    project.current.git('repo')
    write('repo/CONTEXT.md', '~/.claude/CLAUDE.md')
    expect(await read('opencode')).toEqual(['~/.claude/CLAUDE.md', 'repo/CONTEXT.md'])
    write('~/.config/opencode/AGENTS.md')
    expect(await read('opencode')).toEqual(['~/.config/opencode/AGENTS.md', 'repo/CONTEXT.md'])
    // Its directory is replaced, and not joined.
    process.env.OPENCODE_CONFIG_DIR = project.current.directory('elsewhere')
    try {
      expect(await read('opencode')).toEqual(['~/.claude/CLAUDE.md', 'repo/CONTEXT.md'])
      write('elsewhere/AGENTS.md')
      expect(await read('opencode')).toEqual(['elsewhere/AGENTS.md', 'repo/CONTEXT.md'])
    } finally {
      delete process.env.OPENCODE_CONFIG_DIR
    }
  })

  it('opencode: outside a repository, up to the root of the file system', async () => {
    write('plain/AGENTS.md', 'AGENTS.md')
    const directory = project.current.directory('plain')
    expect(await read('opencode', { directory })).toEqual(['plain/AGENTS.md', 'AGENTS.md'])
    expect(await read('opencode', { directory, untrusted: true })).toEqual(['plain/AGENTS.md'])
  })

  it('opencode: all its configurations, and URLs at the end', async () => {
    const { current } = project
    current.git('repo')
    const config = (...instructions: string[]): string =>
      `{ // as its own\n "instructions": ${JSON.stringify(instructions)}, }`
    current.writeHome('.config/opencode/config.json', config('lost.md'))
    current.writeHome('.config/opencode/opencode.jsonc', config('~/user.md', 'https://example.test/x'))
    current.write('repo/opencode.json', config('1.md'))
    current.write('repo/opencode.jsonc', config('2.md'))
    current.write('repo/app/opencode.json', config('3.md'))
    current.write('repo/.opencode/opencode.json', config('5.md'))
    current.write('repo/app/.opencode/opencode.json', config('4.md'))
    write('~/user.md', 'repo/lost.md', ...[1, 2, 3, 4, 5].map((number) => `repo/${number}.md`))
    const loaded = await InstructionPrompt.load({
      preset: 'opencode',
      directory: current.directory('repo/app/web'),
      fetch: () => Promise.resolve(new Response('web')),
    })
    expect(loaded.map(({ text }) => text)).toEqual(['~/user.md', ...[1, 2, 3, 4, 5].map((n) => `repo/${n}.md`), 'web'])
  })

  it("etcode: the project's configurations, then the user's", async () => {
    const { current } = project
    const config = (name: string): string => `/* comment */ { "instructions": ["${name}",], }`
    current.git('repo')
    current.write('repo/etcode.jsonc', config('jsonc.md'))
    current.write('repo/.etcode.json', config('dot.md'))
    current.writeHome('.config/etcode/etcode.json', config('user.md'))
    write('repo/jsonc.md', 'repo/dot.md', 'repo/user.md')
    expect(await read('etcode', { directory: current.path('repo') })).toEqual([
      'repo/jsonc.md',
      'repo/dot.md',
      'repo/user.md',
    ])
    expect(await read('agents', { directory: current.path('repo'), appName: 'etcode' })).toHaveLength(3)
    expect(await read('etcode', { directory: current.path('repo'), config: {} })).toEqual([])
  })

  it("the user's configuration does not follow a link of an untrusted repository", async () => {
    const { current } = project
    current.git('repo')
    current.writeHome('.config/etcode/etcode.json', '{ "instructions": ["rules.md", "*.txt", "~/own.md"] }')
    const secret = current.write('secret.md', 'SECRET')
    current.link('repo/rules.md', secret)
    current.link('repo/rules.txt', secret)
    write('~/own.md')
    const options = { directory: current.path('repo'), untrusted: true }
    expect((await InstructionPrompt.load(options)).map(({ text, reason }) => text ?? reason)).toEqual([
      'leads out of the repository',
      'leads out of the repository',
      '~/own.md',
    ])
  })

  it('codex: the settings that decide what is read', async () => {
    const { current } = project
    const codex = async (settings: string): Promise<string[]> => {
      current.writeHome('.codex/config.toml', settings)
      return read('codex')
    }
    current.git('repo')
    write('top.marker', 'AGENTS.md', 'repo/AGENTS.md', 'repo/app/AGENTS.md', 'repo/app/TEAM.md', 'repo/app/web/TEAM.md')
    expect(await codex('project_doc_fallback_filenames = ["TEAM.md"]')).toEqual([
      'repo/AGENTS.md',
      'repo/app/AGENTS.md',
      'repo/app/web/TEAM.md',
    ])
    expect(await codex("project_root_markers = ['top.marker']")).toEqual([
      'AGENTS.md',
      'repo/AGENTS.md',
      'repo/app/AGENTS.md',
    ])
    expect(await codex('project_root_markers = []')).toEqual([])
    current.writeHome('.codex/AGENTS.md', ' \n user \n')
    const all = await InstructionPrompt.load({ preset: 'codex', directory: current.path('repo') })
    expect(all.map(({ text }) => text)).toEqual(['user', 'repo/AGENTS.md'])
    current.writeHome('.codex/config.toml', 'project_root_markers = ["top.marker"]')
    const untrusted = { preset: 'codex', directory: current.path('repo'), untrusted: true } as const
    expect((await InstructionPrompt.load(untrusted)).map(({ text }) => text)).toEqual(['user', 'repo/AGENTS.md'])
  })

  it('codex: the first existing name is used', async () => {
    project.current.git('repo')
    write('repo/X.md', 'repo/Y.md', 'repo/app/Y.md')
    expect(await read('codex', { files: ['X.md', 'Y.md'] })).toEqual(['repo/X.md', 'repo/app/Y.md'])
  })

  it('claude-code: what claudeMdExcludes excludes', async () => {
    const { current } = project
    current.git('repo')
    write('repo/CLAUDE.md', 'repo/app/CLAUDE.md', 'repo/app/web/CLAUDE.md', '~/.claude/CLAUDE.md')
    const settings = current.writeHome('.claude/settings.json', '{ "claudeMdExcludes": ["**/app/CLAUDE.md"] }')
    current.write(
      'repo/app/web/.claude/settings.local.json',
      JSON.stringify({ claudeMdExcludes: [current.path('repo/CLAUDE.md')] }),
    )
    expect(await read('claude-code')).toEqual(['~/.claude/CLAUDE.md', 'repo/app/web/CLAUDE.md'])
    const all = await InstructionPrompt.load({ preset: 'claude-code', directory: current.path('repo/app/web') })
    expect(all.map(({ reason }) => reason)).toContain(`is excluded by **/app/CLAUDE.md in ${settings}`)
  })

  it('names in settings, and links that are not followed', async () => {
    const { current } = project
    current.git('repo')
    write('repo/GEMINI.md', 'repo/TEAM.md', 'repo/QWEN.md')
    const file = current.writeHome(
      '.gemini/settings.json',
      '{ "context": { "fileName": "TEAM.md", "importFormat": "flat" } }',
    )
    current.writeHome('.qwen/settings.json', '{ "contextFileName": ["TEAM.md"] }')
    // Gemini CLI reads these names as well, and Qwen Code only these.
    expect(await read('gemini-cli')).toEqual(['repo/GEMINI.md', 'repo/TEAM.md'])
    expect(await read('qwen-code')).toEqual(['repo/TEAM.md'])
    process.env.OPENCODE_CONFIG = '/elsewhere.json'
    try {
      const directory = current.path('repo')
      const config = { kind: 'file', origin: 'config', status: 'skipped', bytes: 0 }
      expect((await InstructionPrompt.load({ preset: 'gemini-cli', directory }))[0]).toEqual({
        ...config,
        source: file,
        reason: 'has context.importFormat, which is not followed',
      })
      expect((await InstructionPrompt.load({ preset: 'opencode', directory }))[0]).toEqual({
        ...config,
        source: 'OPENCODE_CONFIG',
        reason: 'is set in the environment, and not followed',
      })
    } finally {
      delete process.env.OPENCODE_CONFIG
    }
  })

  it('copilot: its own files and those of other agents', async () => {
    everything()
    const inEach = ['.github/copilot-instructions.md', 'AGENTS.md', 'CLAUDE.md', 'GEMINI.md']
    // The root, and then from the working directory up.
    const [root = '', ...below] = DOWN
    expect(await read('copilot')).toEqual([
      '~/.copilot/copilot-instructions.md',
      ...each([root, ...below.toReversed()], inEach),
    ])
    expect(await read('copilot', { order: 'root-first' })).toEqual([
      '~/.copilot/copilot-instructions.md',
      ...each(DOWN, inEach),
    ])
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

  it('do not accept other names', async () => {
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

  it('recognizes what the CLI includes, by any name', async () => {
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

  it('ignores a broken configuration of that CLI', async () => {
    const { current } = project
    current.git('repo')
    write('repo/AGENTS.md')
    current.write('repo/opencode.json', '{')
    expect(await skipped({ preset: 'agents', alreadyReadBy: 'opencode' })).toEqual({
      'repo/AGENTS.md': 'is read by opencode itself',
    })
  })
})
