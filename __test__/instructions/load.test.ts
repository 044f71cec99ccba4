import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, truncateSync } from 'node:fs'
import { InstructionPrompt, type LoadedInstruction } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { useProject } from '../support/project.js'

const project = useProject()

const isWindows = process.platform === 'win32'
/** Whether there is a program that makes named pipes. */
const hasPipes = spawnSync('mkfifo', ['--help']).error === undefined
const configured = { kind: 'file', origin: 'config' }

const load = (instructions: string[] = [], more = {}): Promise<LoadedInstruction[]> =>
  InstructionPrompt.load({ directory: project.current.root, config: { instructions }, ...more })
const system = (instructions: string[] = [], more = {}): Promise<string[]> =>
  InstructionPrompt.system({ directory: project.current.root, config: { instructions }, ...more })

/** What this process has read from files so far; 0 where the system does not say. */
const bytesRead = (): number => {
  const io = existsSync('/proc/self/io') ? readFileSync('/proc/self/io', 'utf8') : ''
  return Number(/^rchar: (\d+)$/m.exec(io)?.[1] ?? 0)
}

describe('InstructionPrompt.system', () => {
  it('has the documented form, with unchanged text', async () => {
    const { current } = project
    const agents = current.write('AGENTS.md', '# 项目规范\n\n- 使用 TypeScript strict mode\r\n')
    const own = current.write('ETCODE.md', '  indented')
    expect(await system()).toEqual([
      `Instructions from: ${agents}\n# 项目规范\n\n- 使用 TypeScript strict mode\r\n`,
      `Instructions from: ${own}\n  indented`,
    ])
  })

  it('leaves out empty and unreadable files', async () => {
    const { current } = project
    current.write('AGENTS.md', ' \n\uFEFF')
    current.directory('ETCODE.md')
    current.write('binary.md', Uint8Array.of(0xff, 0xfe, 0x00))
    expect(await system(['binary.md', 'missing.md', 'ftp://127.0.0.1/x'])).toEqual([])
  })

  it.skipIf(isWindows)('does not let a path add lines', async () => {
    project.current.write('a\nInstructions from: root.md', 'text')
    const [message] = await system(['a*.md'])
    expect(message?.split('\n')).toHaveLength(2)
  })
})

describe('InstructionPrompt.load', () => {
  it('reports what happened to each source, and why', async () => {
    const { current } = project
    const agents = current.write('AGENTS.md', 'agents')
    const own = current.link('ETCODE.md', 'AGENTS.md')
    const global = current.writeHome('.config/etcode/AGENTS.md', '\uFEFFüser')
    const empty = current.write('empty.md', '\n')
    const latin = current.write('latin.md', Uint8Array.of(0x61, 0xe9, 0x62))
    const wide = current.write('wide.md', Uint8Array.of(0xff, 0xfe, 0x61, 0x00))
    const folder = current.directory('folder')
    const dangling = current.link('dangling.md', 'nowhere')
    const entries = [empty, 'latin.md', 'wide.md', 'folder', 'dangling.md', 'gone.md', '*.nothing', '', 'ftp://h/x']
    expect(await load(entries)).toEqual([
      { source: agents, kind: 'file', origin: 'project', status: 'loaded', text: 'agents', bytes: 6 },
      {
        source: own,
        kind: 'file',
        origin: 'project',
        status: 'skipped',
        bytes: 0,
        reason: `is the same file as ${agents}`,
      },
      { source: global, kind: 'file', origin: 'global', status: 'loaded', text: 'üser', bytes: 8 },
      { ...configured, source: empty, status: 'empty', bytes: 1, reason: 'has no text' },
      {
        ...configured,
        source: latin,
        status: 'loaded',
        text: 'a\uFFFDb',
        bytes: 3,
        reason: '1 byte that is not UTF-8 was replaced',
      },
      { ...configured, source: wide, status: 'failed', bytes: 4, reason: 'is UTF-16: save it as UTF-8' },
      { ...configured, source: folder, status: 'skipped', bytes: 0, reason: 'is a directory' },
      { ...configured, source: dangling, status: 'failed', bytes: 0, reason: 'is a link to nothing' },
      { ...configured, source: current.path('gone.md'), status: 'failed', bytes: 0, reason: 'there is no such file' },
      { ...configured, source: '*.nothing', status: 'skipped', bytes: 0, reason: 'no file matches the pattern' },
      { ...configured, source: '', status: 'skipped', bytes: 0, reason: 'is an empty entry' },
      {
        source: 'ftp://h/x',
        kind: 'url',
        origin: 'config',
        status: 'skipped',
        bytes: 0,
        reason: 'only http and https URLs are read',
      },
    ])
  })

  it('shortens a huge file to its cap, with head, tail and the number of missing bytes', async () => {
    const { current } = project
    current.write('AGENTS.md', `FIRST 中${'文'.repeat(200_000)}LAST`)
    const [found] = await load()
    expect(found).toMatchObject({ status: 'truncated', bytes: 600_013 })
    expect(Buffer.byteLength(found?.text ?? '')).toBeLessThanOrEqual(262_144)
    expect(found?.text).toMatch(/^FIRST 中文[^\uFFFD]*\n\[… \d+ bytes omitted …\]\n文[^\uFFFD]*LAST$/)
    expect(found?.reason).toBe(`has 600013 bytes and was shortened to ${Buffer.byteLength(found?.text ?? '')}`)
    const [small] = await load([], { maxFileBytes: 100 })
    expect(Buffer.byteLength(small?.text ?? '')).toBeLessThanOrEqual(100)
  })

  it.skipIf(isWindows)('does not read a sparse file of gigabytes', async () => {
    const { current } = project
    const file = current.write('AGENTS.md', 'head')
    truncateSync(file, 8 * 1024 ** 3)
    const before = bytesRead()
    const [found] = await load([], { maxFileBytes: 1000 })
    expect(bytesRead() - before).toBeLessThan(1024 ** 3)
    expect(found).toMatchObject({ status: 'truncated', bytes: 8 * 1024 ** 3 })
  })

  it.skipIf(isWindows || !hasPipes)('never opens a pipe, which would wait for a writer', async () => {
    const { current } = project
    execFileSync('mkfifo', [current.path('AGENTS.md')])
    expect(await load(['/dev/zero'])).toMatchObject([
      { status: 'skipped', reason: 'is not a regular file' },
      { status: 'skipped', reason: 'is not a regular file' },
    ])
  })

  it.skipIf(isWindows || process.getuid?.() === 0)('reports that permission was denied', async () => {
    const { current } = project
    chmodSync(current.write('AGENTS.md', 'secret'), 0)
    expect(await load()).toMatchObject([{ status: 'failed', reason: 'permission denied' }])
  })

  it('serves many calls at once', async () => {
    const { current } = project
    current.write('AGENTS.md', 'text')
    const all = await Promise.all(Array.from({ length: 200 }, () => system()))
    expect(new Set(all.map((messages) => JSON.stringify(messages))).size).toBe(1)
    expect(all[0]).toHaveLength(1)
  })
})

describe('InstructionPrompt.find', () => {
  it('finds the first instruction file of a directory', async () => {
    const { current } = project
    expect(await InstructionPrompt.find(current.root)).toBeUndefined()
    const own = current.write('ETCODE.md')
    expect(await InstructionPrompt.find(current.root)).toBe(own)
    const agents = current.write('AGENTS.md')
    expect(await InstructionPrompt.find(current.root)).toBe(agents)
    const other = current.write('OTHER.md')
    expect(await InstructionPrompt.find(current.root, { files: ['OTHER.md'] })).toBe(other)
    expect(await InstructionPrompt.find(current.path('nowhere'))).toBeUndefined()
    await expect(InstructionPrompt.find(undefined as never)).rejects.toThrow('directory must be a string')
  })
})

describe('InstructionPrompt.resolvePaths', () => {
  it('finds files between a file and the project', async () => {
    const { current } = project
    const root = current.write('AGENTS.md')
    const [outer, own, inner] = [
      current.write('a/AGENTS.md'),
      current.write('a/ETCODE.md'),
      current.write('a/b/AGENTS.md'),
    ]
    const file = current.write('a/b/file.ts')
    const resolve = (path: string, more = {}): Promise<string[]> =>
      InstructionPrompt.resolvePaths(path, { directory: current.root, ...more })
    expect(await resolve(file)).toEqual([inner, outer, own])
    expect(await resolve('a/b/file.ts')).toEqual([inner, outer, own])
    expect(await resolve(file, { order: 'root-first' })).toEqual([outer, own, inner])
    expect(await resolve(file, { loaded: [outer] })).toEqual([inner, own])
    expect(await resolve(file, { loaded: new Set([inner, outer, own]) })).toEqual([])
    expect(await resolve(inner)).toEqual([outer, own])
    expect(await resolve(root)).toEqual([])
    expect(await resolve(current.path('..', 'elsewhere', 'file.ts'))).toEqual([])
  })

  it('recognizes files that are loaded by another name', async () => {
    const { current } = project
    current.write('a/AGENTS.md')
    current.link('alias', 'a')
    const loaded = [current.path('alias', 'AGENTS.md')]
    const options = { directory: current.root, loaded }
    expect(await InstructionPrompt.resolvePaths('a/file.ts', options)).toEqual([])
  })

  it('includes empty files, but not unreadable ones', async () => {
    const { current } = project
    const empty = current.write('a/b/AGENTS.md', '')
    current.directory('a/AGENTS.md')
    expect(await InstructionPrompt.resolvePaths('a/b/x.ts', { directory: current.root })).toEqual([empty])
  })

  it('rejects wrong arguments', async () => {
    await expect(InstructionPrompt.resolvePaths(1 as never)).rejects.toThrow('filePath must be a string, got number')
    await expect(InstructionPrompt.resolvePaths('a', { loaded: 'a' as never })).rejects.toThrow(
      'options.loaded must be an array or a Set of strings, got string',
    )
    await expect(InstructionPrompt.resolvePaths('a', { loaded: [1] as never })).rejects.toThrow(
      'options.loaded[0] must be a string, got number',
    )
  })
})

describe('InstructionPrompt.resolve', () => {
  it('returns what load returns', async () => {
    const { current } = project
    current.write('AGENTS.md', 'root')
    const inner = current.write('a/b/AGENTS.md', Uint8Array.of(0x61, 0xff))
    const blank = current.write('a/b/ETCODE.md', ' ')
    const folder = current.directory('a/AGENTS.md')
    const file = { kind: 'file', origin: 'project' }
    const replaced = '1 byte that is not UTF-8 was replaced'
    expect(await InstructionPrompt.resolve('a/b/x.ts', { directory: current.root })).toEqual([
      { ...file, source: inner, status: 'loaded', text: 'a\uFFFD', bytes: 2, reason: replaced },
      { ...file, source: blank, status: 'empty', bytes: 1, reason: 'has no text' },
      { ...file, source: folder, status: 'skipped', bytes: 0, reason: 'is a directory' },
    ])
  })

  it('returns rules without front matter, and includes that are not loaded yet', async () => {
    const { current } = project
    const rule = current.write('.claude/rules/ts.md', '---\npaths: "**/*.ts"\n---\nNo any.')
    const css = current.write('.claude/rules/css.md', '---\npaths: "**/*.css"\n---\nNo !important.')
    const more = current.write('web/more.md', 'more')
    const known = current.write('web/known.md', 'known')
    const web = current.write('web/CLAUDE.md', '@more.md @known.md')
    const options = { directory: current.root, preset: 'claude-code', loaded: [known] } as const
    expect(await InstructionPrompt.resolve('web/main.ts', options)).toMatchObject([
      { source: web, text: 'more @known.md', status: 'loaded' },
      { source: more, origin: 'include', from: web, status: 'loaded' },
      { source: known, origin: 'include', status: 'skipped', reason: 'is loaded already' },
      { source: rule, text: 'No any.', appliesTo: ['**/*.ts'], status: 'loaded' },
    ])
    expect(await InstructionPrompt.resolvePaths('web/main.ts', options)).toEqual([web, more, rule])
    expect(await InstructionPrompt.resolvePaths('web/main.css', { ...options, loaded: [web] })).toEqual([css])
  })

  it('ignores a broken configuration, which load reports', async () => {
    const { current } = project
    current.write('etcode.json', '{')
    const near = current.write('a/AGENTS.md', 'near')
    const found = await InstructionPrompt.resolve('a/x.ts', { directory: current.root })
    expect(found.map(({ source }) => source)).toEqual([near])
  })
})
