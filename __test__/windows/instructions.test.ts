/** Instruction files and the names that Windows has for them. `npm run test:windows` runs this under Wine. */
import { existsSync, linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { InstructionPrompt, type InstructionOptions, type LoadedInstruction } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { makeLink } from '../support/links.js'
import { useProject } from '../support/project.js'

const project = useProject()

const load = (more: InstructionOptions = {}): Promise<LoadedInstruction[]> =>
  InstructionPrompt.load({ directory: project.current.root, ...more })

const texts = (loaded: LoadedInstruction[]): (string | undefined)[] =>
  loaded.flatMap((each) => (each.status === 'loaded' ? [each.text] : []))

describe.skipIf(process.platform !== 'win32')('instruction files on Windows', () => {
  it('are found from a directory with slashes, with a small drive letter, and by a verbatim path', async () => {
    const { current } = project
    const file = current.write('AGENTS.md', 'be kind')
    const { root } = current
    for (const directory of [
      root,
      root.replaceAll('\\', '/'),
      root.charAt(0).toLowerCase() + root.slice(1),
      `${root}\\`,
      `\\\\?\\${root}`,
    ]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const loaded = await load({ directory })
      expect(texts(loaded), directory).toEqual(['be kind'])
      expect(loaded[0]?.source.toLowerCase().replace('\\\\?\\', ''), directory).toBe(file.toLowerCase())
    }
  })

  it('keep their CRLF, byte for byte', async () => {
    project.current.write('AGENTS.md', 'one\r\ntwo\r\n')
    expect(texts(await load())).toEqual(['one\r\ntwo\r\n'])
  })

  it('are named by backslashes and slashes, and read once, whatever the letter case', async () => {
    const { current } = project
    current.write('docs/Rules.md', 'rules')
    const instructions = [
      'docs\\Rules.md',
      'docs/rules.MD',
      `${current.root}\\DOCS\\Rules.md`,
      '.\\docs\\..\\docs\\Rules.md',
    ]
    expect(texts(await load({ config: { instructions } }))).toEqual(['rules'])
    current.write('etcode.json', JSON.stringify({ instructions }))
    expect(texts(await load({ untrusted: true }))).toEqual(['rules'])
  })

  it('are found by patterns with slashes', async () => {
    const { current } = project
    current.write('docs/a.md', 'a')
    current.write('docs/deep/b.md', 'b')
    expect(texts(await load({ config: { instructions: ['docs/**/*.md'] } }))).toEqual(['a', 'b'])
  })

  it('are read once if they are hard links', async () => {
    const { current } = project
    const file = current.write('AGENTS.md', 'be kind')
    linkSync(file, current.path('hard.md'))
    current.write('other.md', 'be kind')
    const instructions = ['hard.md', 'other.md']
    current.write('etcode.json', JSON.stringify({ instructions }))
    expect(texts(await load())).toEqual(['be kind', 'be kind'])
    expect(texts(await load({ untrusted: true }))).toEqual(['be kind', 'be kind'])
  })

  it('are read once by other names that the system has for them', async () => {
    const { current } = project
    current.write('AGENTS.md', 'be kind')
    const instructions = ['AGENTS.md.', 'AGENTS.md ', 'agents.MD...', 'AGENTS.md::$DATA', 'AGENTS.md:no such stream']
    for (const untrusted of [false, true]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect(texts(await load({ config: { instructions }, untrusted }))).toEqual(['be kind'])
    }
  })

  const far = (): string => {
    const names = Array.from({ length: 12 }, (_, index) => `a directory with a long name ${index}`)
    const directory = project.current.path(...names)
    mkdirSync(directory, { recursive: true })
    writeFileSync(join(directory, 'AGENTS.md'), 'far down')
    expect(directory.length).toBeGreaterThan(260)
    return directory
  }

  it('have paths of more than 260 units', async () => {
    expect(texts(await load({ directory: far() }))).toContain('far down')
  })

  it('have paths of more than 260 units in a repository that is not trusted', async () => {
    expect(texts(await load({ directory: far(), untrusted: true }))).toContain('far down')
  })

  it('are not devices', async () => {
    const instructions = ['NUL', 'CON', 'CONIN$', 'nul.md', 'aux.md', 'COM1', 'lpt1.md', '\\\\.\\NUL', 'docs\\CON']
    project.current.directory('docs')
    project.current.write('CLAUDE.md', '@NUL @CON @./aux.md')
    for (const untrusted of [false, true]) {
      // oxlint-disable-next-line no-await-in-loop
      const loaded = await load({ config: { instructions }, untrusted })
      expect(texts(loaded)).toEqual([])
      // oxlint-disable-next-line no-await-in-loop
      expect(texts(await load({ preset: 'claude-code', untrusted }))).toEqual(['@NUL @CON @./aux.md'])
    }
  })

  // Administrators have shares of all drives, on their own machine, too.
  it.skipIf(!existsSync('\\\\localhost\\C$\\'))('are found on other machines, by UNC paths', async () => {
    const { current } = project
    current.git()
    current.write('AGENTS.md', 'be kind')
    current.write('docs/rules.md', 'rules')
    current.write('etcode.json', JSON.stringify({ instructions: ['docs\\*.md'] }))
    current.writeHome('key.md', 'classified')
    const share = `\\\\localhost\\${current.root.replace(':', '$')}`
    for (const directory of [share, share.replaceAll('\\', '/'), share.replace('\\\\', '\\\\?\\UNC\\')]) {
      for (const untrusted of [false, true]) {
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        expect(texts(await load({ directory, untrusted })), directory).toEqual(['be kind', 'rules'])
      }
    }
    const file = `\\\\localhost\\${join(current.home, 'key.md').replace(':', '$')}`
    expect(texts(await load({ config: { instructions: [file] } }))).toContain('classified')
  })

  it.each(['/etc/passwd', '\\Windows\\win.ini', 'C:rules.md', 'C:\\rules.md', '\\\\server\\share\\rules.md'])(
    'given by a caller are below a directory: not %s',
    async (file) => {
      await expect(load({ files: [file] })).rejects.toThrow('must be a relative path')
    },
  )
})

describe.skipIf(process.platform !== 'win32')('the places of the user, on Windows', () => {
  const PLACES = [
    ['etcode', '.config/etcode/AGENTS.md'],
    ['claude-code', '.claude/CLAUDE.md'],
    ['codex', '.codex/AGENTS.md'],
    ['gemini-cli', '.gemini/GEMINI.md'],
    ['qwen-code', '.qwen/QWEN.md'],
    ['copilot', '.copilot/copilot-instructions.md'],
    ['opencode', '.config/opencode/AGENTS.md'],
  ] as const

  it.each(PLACES)('of %s are below %%USERPROFILE%%, and nowhere in %%APPDATA%%', async (preset, file) => {
    const { current } = project
    const data = current.directory('AppData')
    current.git()
    current.write(join('AppData', file), 'of the application data')
    current.writeHome(file, 'of the user')
    const before = { APPDATA: process.env['APPDATA'], LOCALAPPDATA: process.env['LOCALAPPDATA'] }
    Object.assign(process.env, { APPDATA: data, LOCALAPPDATA: data })
    try {
      expect(texts(await load({ preset }))).toEqual(['of the user'])
      expect(texts(await load({ preset, untrusted: true }))).toEqual(['of the user'])
    } finally {
      Object.assign(process.env, before)
    }
  })

  it('of an administrator are below C:\\Program Files', async () => {
    const file = 'C:\\Program Files\\ClaudeCode\\CLAUDE.md'
    // Never on a machine that already has one.
    if (existsSync(dirname(file))) return
    mkdirSync(dirname(file))
    try {
      writeFileSync(file, 'of the administrator')
      expect(texts(await load({ preset: 'claude-code' }))).toEqual(['of the administrator'])
    } finally {
      rmSync(dirname(file), { recursive: true })
    }
  })

  it('may be named by variables, with slashes or backslashes', async () => {
    const { current } = project
    current.write('elsewhere/AGENTS.md', 'elsewhere')
    for (const place of [current.path('elsewhere'), current.path('elsewhere').replaceAll('\\', '/')]) {
      process.env['CODEX_HOME'] = place
      try {
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        expect(texts(await load({ preset: 'codex' }))).toEqual(['elsewhere'])
      } finally {
        delete process.env['CODEX_HOME']
      }
    }
  })
})

describe.skipIf(process.platform !== 'win32')('a repository that is not trusted, on Windows', () => {
  const names = (): string[] => {
    const { current } = project
    const secret = current.path('secret', 'key.md')
    return [
      secret,
      `\\\\?\\${secret}`,
      `\\\\.\\${secret}`,
      `\\\\localhost\\${secret.replace(':', '$')}`,
      `\\\\?\\UNC\\localhost\\${secret.replace(':', '$')}`,
      secret.slice(2),
      secret.toUpperCase(),
      `${secret}::$DATA`,
      '..\\secret\\key.md',
      '../secret/key.md',
      'docs\\..\\..\\secret\\key.md',
      '~\\key.md',
      '~/key.md',
      '.git\\config',
      '.GIT\\config',
      '.git.\\config',
      '.git \\config',
      '.git::$INDEX_ALLOCATION\\config',
      '.git\\config::$DATA',
      'GIT~1\\config',
      `file:///${secret.replaceAll('\\', '/')}`,
    ]
  }

  it('reads nothing outside and nothing of .git, by any name', async () => {
    const { current } = project
    current.writeHome('key.md', 'classified')
    current.write('secret/key.md', 'classified')
    current.write('repo/.git/config', 'classified')
    current.directory('repo/docs')
    const instructions = names()
    current.write('repo/etcode.json', JSON.stringify({ instructions }))
    current.write('repo/AGENTS.md', 'be kind')
    current.write('repo/GEMINI.md', 'be kind')
    current.write('repo/CLAUDE.md', `be kind\n${instructions.map((name) => `@${name}`).join('\n')}`)
    const directory = current.path('repo')
    for (const preset of ['etcode', 'claude-code', 'gemini-cli', 'opencode'] as const) {
      // oxlint-disable-next-line no-await-in-loop
      const loaded = await load({ directory, preset, untrusted: true })
      expect(texts(loaded).join('\n'), preset).toContain('be kind')
      expect(JSON.stringify(loaded), preset).not.toContain('classified')
    }
  })

  it('cannot be left by junctions and links', async () => {
    const { current } = project
    current.write('secret/key.md', 'classified')
    current.directory('repo')
    makeLink(current.path('secret'), current.path('repo', 'junction'), 'junction')
    makeLink(current.path('secret', 'key.md'), current.path('repo', 'link.md'))
    const instructions = ['junction\\key.md', 'junction/*.md', 'link.md', '*.md']
    current.write('repo/etcode.json', JSON.stringify({ instructions }))
    const directory = current.path('repo')
    expect(JSON.stringify(await load({ directory }))).toContain('classified')
    expect(JSON.stringify(await load({ directory, untrusted: true }))).not.toContain('classified')
  })

  it('may have junctions that stay inside', async () => {
    const { current } = project
    current.write('repo/docs/rules.md', 'rules')
    makeLink(current.path('repo', 'docs'), current.path('repo', 'junction'), 'junction')
    current.write('repo/etcode.json', JSON.stringify({ instructions: ['junction\\rules.md', 'docs\\rules.md'] }))
    for (const untrusted of [false, true]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect(texts(await load({ directory: current.path('repo'), untrusted }))).toEqual(['rules'])
    }
  })
})
