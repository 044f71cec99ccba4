import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { InstructionPrompt, findUp, findUpAll } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { useProject } from '../support/project.js'

const project = useProject()

const paths = async (options: Parameters<typeof InstructionPrompt.systemPaths>[0] = {}): Promise<string[]> => [
  ...(await InstructionPrompt.systemPaths({ directory: project.current.root, ...options })),
]

const matching = (pattern: string): Promise<string[]> => paths({ config: { instructions: [pattern] } })

describe('InstructionPrompt.systemPaths', () => {
  it('is a Set in the documented order', async () => {
    const { current } = project
    current.git()
    const expected = [
      current.write('packages/a/AGENTS.md'),
      current.write('packages/ETCODE.md'),
      current.write('AGENTS.md'),
      current.write('ETCODE.md'),
      current.writeHome('.config/etcode/AGENTS.md'),
      current.write('packages/a/.etcode/rules.md'),
      current.write('docs/absolute.md'),
      current.writeHome('global-rules.md'),
    ]
    current.writeHome('.config/etcode/ETCODE.md')
    current.write('packages/b/AGENTS.md')
    const config = { instructions: ['.etcode/rules.md', current.path('docs/absolute.md'), '~/global-rules.md'] }
    const found = await InstructionPrompt.systemPaths({ directory: current.path('packages/a'), config })
    expect(found).toBeInstanceOf(Set)
    expect([...found]).toEqual(expected)
  })

  it('starts at the root if requested', async () => {
    const { current } = project
    current.git()
    const nested = current.write('a/AGENTS.md')
    const root = [current.write('AGENTS.md'), current.write('ETCODE.md')]
    expect(await paths({ directory: current.path('a'), order: 'root-first' })).toEqual([...root, nested])
    expect(await paths({ directory: current.path('a'), order: 'nearest-first' })).toEqual([nested, ...root])
  })

  it('looks only in the directory outside a repository', async () => {
    const { current } = project
    current.write('AGENTS.md')
    const own = current.write('a/AGENTS.md')
    expect(await paths({ directory: current.path('a') })).toEqual([own])
  })

  it('ends at the root of a worktree or submodule, whose .git is a file', async () => {
    const { current } = project
    current.git()
    current.write('AGENTS.md')
    current.write('sub/.git', 'gitdir: ../.git/modules/sub\n')
    const own = current.write('sub/AGENTS.md')
    current.directory('sub/src')
    expect(await paths({ directory: current.path('sub/src') })).toEqual([own])
  })

  it('resolves relative directories from the working directory, which is the default', async () => {
    const { current } = project
    const file = current.write('a/AGENTS.md')
    const before = process.cwd()
    try {
      process.chdir(current.root)
      expect(await paths({ directory: './b/../a' })).toEqual([file])
      process.chdir('a')
      expect([...(await InstructionPrompt.systemPaths())]).toEqual([file])
      expect(await paths({ directory: null })).toEqual([file])
    } finally {
      process.chdir(before)
    }
  })

  // Windows does not remove the working directory of a process.
  it.skipIf(process.platform === 'win32')('rejects if the working directory is gone', async () => {
    const { current } = project
    const before = process.cwd()
    try {
      process.chdir(current.directory('gone'))
      rmSync(current.path('gone'), { recursive: true })
      await expect(InstructionPrompt.systemPaths()).rejects.toMatchObject({ code: 'ENOENT' })
    } finally {
      process.chdir(before)
    }
  })

  it('prefers $XDG_CONFIG_HOME unless it is relative or empty', async () => {
    const { current } = project
    const home = current.writeHome('.config/etcode/AGENTS.md')
    const xdg = current.write('xdg/etcode/AGENTS.md')
    process.env.XDG_CONFIG_HOME = current.path('xdg')
    expect(await paths()).toEqual([xdg])
    process.env.XDG_CONFIG_HOME = ''
    expect(await paths()).toEqual([home])
    process.env.XDG_CONFIG_HOME = 'xdg'
    expect(await paths()).toEqual([home])
  })

  it('follows files and appName', async () => {
    const { current } = project
    const own = [current.write('AGENTS.md'), current.write('TOOL.md')]
    const global = current.writeHome('.config/tool/AGENTS.md')
    const named = current.write('named.md')
    current.write('tool.json', JSON.stringify({ instructions: ['named.md'] }))
    current.write('etcode.json', 'not looked at')
    current.write('ETCODE.md')
    expect(await paths({ appName: 'tool' })).toEqual([...own, global, named])
    const hidden = current.write('.github/instructions.md')
    expect(await paths({ files: ['.github/instructions.md'], config: {} })).toEqual([hidden])
  })

  it('lists a file once, whatever names it has', async () => {
    const { current } = project
    const file = current.write('AGENTS.md', 'text')
    current.link('ETCODE.md', 'AGENTS.md')
    current.link('linked', '.')
    const { linkSync } = await import('node:fs')
    linkSync(file, current.path('hard.md'))
    const instructions = ['./AGENTS.md', 'linked/AGENTS.md', 'hard.md', '*.md', file, 'linked/../AGENTS.md']
    expect(await paths({ config: { instructions } })).toEqual([file])
  })

  it('follows a symlinked AGENTS.md', async () => {
    const { current } = project
    current.write('docs/guide.md', 'guide')
    const link = current.link('AGENTS.md', join('docs', 'guide.md'))
    expect(await paths()).toEqual([link])
  })

  it('leaves out what is not a file', async () => {
    const { current } = project
    current.directory('AGENTS.md')
    current.link('ETCODE.md', 'nowhere')
    current.link('loop.md', 'loop.md')
    expect(await paths({ config: { instructions: ['missing.md', 'loop.md', '.', '/dev/null'] } })).toEqual([])
  })

  it('expands patterns', async () => {
    const { current } = project
    const rules = [current.write('.etcode/a.md'), current.write('.etcode/b.md')]
    const nested = [current.write('packages/one/RULES.md'), current.write('packages/two/deep/RULES.md')]
    current.write('node_modules/x/RULES.md')
    const home = current.writeHome('rules/h.md')
    expect(await matching('.etcode/*.md')).toEqual(rules)
    expect(await matching('.etcode/{b,a}.md')).toEqual(rules)
    expect(await matching('**/RULES.md')).toEqual(nested)
    expect(await matching('~/rules/*.md')).toEqual([home])
    expect(await matching(current.path('.etcode', '[a]*.md'))).toEqual([rules[0]])
    expect(await matching('.etcode/*.txt')).toEqual([])
  })

  it('uses a path literally if such a file exists', async () => {
    const { current } = project
    const literal = current.write('app/[id]/rules.md')
    current.write('app/i/rules.md')
    expect(await paths({ config: { instructions: ['app/[id]/rules.md'] } })).toEqual([literal])
  })
})

describe('the configuration file', () => {
  it('is read from the project, or from a given path', async () => {
    const { current } = project
    current.git()
    const [near, far] = [current.write('a/near.md'), current.write('far.md')]
    current.write('etcode.json', '\uFEFF{ "provider": [{}], "instructions": ["near.md", "far.md"] }')
    expect(await paths({ directory: current.path('a') })).toEqual([near, far])
    expect(await paths({ directory: current.path('a'), config: {} })).toEqual([])
    expect(await paths({ directory: current.path('a'), config: { instructions: null } })).toEqual([])
  })

  it.each([
    ['{ // comment\n  "instructions": [\n    "a.md" /* no comma */ "b.md",\n  ]\n}\n', 3, 27],
    ['{\n  "instructions": "a.md"\n}', 2, 24],
    ['{ "instructions": ["a", 1] }', 1, 25],
    ['', 1, 0],
    ['{} x', 1, 4],
  ])('is rejected with file, line and column: %j', async (text, line, column) => {
    const { current } = project
    const file = current.write('etcode.json', text)
    const attempts = [InstructionPrompt.systemPaths, InstructionPrompt.system, InstructionPrompt.load].map((attempt) =>
      attempt({ directory: current.root }).catch((reason: unknown) => reason),
    )
    for (const error of await Promise.all(attempts)) {
      expect(error).toBeInstanceOf(Error)
      expect(error).toMatchObject({ code: 'ERR_INVALID_CONFIG', file, line, column })
      expect((error as Error).message).toContain(`${file}:${line}:${column}: `)
    }
  })

  it('is an error if it cannot be read', async () => {
    const { current } = project
    const file = current.link('etcode.json', 'nowhere')
    await expect(paths()).rejects.toMatchObject({ code: 'ERR_INVALID_CONFIG', file })
    await expect(paths()).rejects.not.toHaveProperty('line')
  })

  it('is ignored if it is a directory', async () => {
    mkdirSync(project.current.path('etcode.json'))
    expect(await paths()).toEqual([])
  })
})

describe('wrong options', () => {
  it.each([
    [{ directory: 1 }, 'options.directory must be a string, got number'],
    [{ files: [1] }, 'options.files[0] must be a string, got number'],
    [{ files: [''] }, "options.files[0] must be a relative path, got ''"],
    [{ files: ['/etc/passwd'] }, "options.files[0] must be a relative path, got '/etc/passwd'"],
    [{ appName: '../x' }, "options.appName must be a name without path separators, got '../x'"],
    [{ order: 'random' }, "options.order must be 'nearest-first' or 'root-first', got 'random'"],
    [{ config: 'x' }, 'options.config must be an object, got string'],
    [
      { config: { instructions: {} } },
      'options.config.instructions must be a string or an array of strings, got object',
    ],
    [{ config: { instructions: ['a', null] } }, 'options.config.instructions[1] must be a string, got null'],
    ['x', 'options must be an object, got string'],
  ])('%j', async (options, message) => {
    await expect(InstructionPrompt.systemPaths(options as never)).rejects.toBeInstanceOf(TypeError)
    await expect(InstructionPrompt.load(options as never)).rejects.toMatchObject({
      code: 'ERR_INVALID_ARG_TYPE',
      message,
    })
  })

  it.each(['', '.', '..', '.hidden', 'a/b', 'a\\b', 'a\0b'])('%j as the name of an application', async (appName) => {
    const message = `options.appName must be a name without path separators, got '${appName}'`
    await expect(InstructionPrompt.systemPaths({ appName })).rejects.toMatchObject({
      code: 'ERR_INVALID_ARG_TYPE',
      message,
    })
  })

  it('do not include names and relative paths', async () => {
    const { root: directory } = project.current
    const apps = ['etcode', 'my tool', 'a.b', '工具'].map((appName) => ({ directory, appName }))
    const files = { directory, files: ['AGENTS.md', 'docs/AGENTS.md', '../AGENTS.md'] }
    await Promise.all([...apps, files].map((options) => InstructionPrompt.systemPaths(options)))
  })

  it.each(['timeoutMs', 'maxUrlBytes', 'maxFileBytes'])('%s out of range', async (name) => {
    const expected = { code: 'ERR_OUT_OF_RANGE', name: 'RangeError' }
    const attempts = [0, -1, 1.5, NaN, Infinity].map((value) =>
      expect(InstructionPrompt.system({ [name]: value })).rejects.toMatchObject(expected),
    )
    await Promise.all(attempts)
  })

  it('rejects with the error of a getter', async () => {
    const own = new Error('mine')
    const options = {
      get config(): never {
        throw own
      },
    }
    await expect(InstructionPrompt.system(options)).rejects.toBe(own)
  })
})

describe('findUp and findUpAll', () => {
  it('finds the nearest, file or directory', async () => {
    const { current } = project
    current.git()
    const far = current.write('x')
    const near = current.write('a/x')
    current.directory('a/b')
    expect(await findUp('x', current.path('a/b'))).toBe(near)
    expect(await findUp('x', current.root)).toBe(far)
    expect(await findUp('.git', current.path('a/b'))).toBe(current.path('.git'))
    expect(await findUp('no such name', current.root)).toBeUndefined()
  })

  it('finds all, up to the root that is given', async () => {
    const { current } = project
    const all = [current.write('a/b/y'), current.write('a/x'), current.write('a/y'), current.write('x')]
    expect(await findUpAll(['x', 'y'], current.path('a/b'), current.root)).toEqual(all)
    expect(await findUpAll(['x', 'y'], current.path('a/b'), current.path('a'))).toEqual(all.slice(0, 3))
    // Above the project, there may be others of that name.
    expect((await findUpAll('x', current.path('a/b'))).slice(0, 2)).toEqual([all[1], all[3]])
    expect(await findUpAll([], current.path('a/b'))).toEqual([])
  })

  it('rejects invalid names', async () => {
    await expect(findUp(1 as never)).rejects.toThrow('name must be a string, got number')
    await expect(findUpAll([1] as never)).rejects.toThrow('names[0] must be a string, got number')
    // Holes, and as many as there can be.
    await expect(findUpAll(Object.assign(['x'], { length: 2 ** 32 - 1 }))).rejects.toThrow(
      'names[1] must be a string, got undefined',
    )
    await expect(findUpAll(new Uint8Array(3) as never)).rejects.toThrow('names must be an array or a Set of strings')
    await expect(findUpAll(1 as never)).rejects.toThrow('names must be an array or a Set of strings')
    await expect(findUp('x', 1 as never)).rejects.toThrow('from must be a string, got number')
  })
})
