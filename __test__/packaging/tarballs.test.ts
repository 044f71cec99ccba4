/** What a user gets: both tarballs, installed into an empty project without Rust. */
import { readFileSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { unneededIn } from '../../scripts/package/unneeded.mjs'
import { documentText, examplesOf, root } from '../support/documents.js'
import { InstalledProject, isPackaged, type Packed, PLATFORM } from '../support/installed.js'
import { packages } from '../support/packages.js'
import { standInPath } from '../support/stand-ins.js'

const PLATFORMS = [
  'darwin-arm64',
  'darwin-x64',
  'linux-arm64-gnu',
  'linux-arm64-musl',
  'linux-x64-gnu',
  'linux-x64-musl',
  'win32-arm64-msvc',
  'win32-x64-msvc',
]

const STRICT = `
import { ContextManager, buildPrompt, isPromptmasonError, type AssemblerOutput, type ContextSnapshot, type IContextProvider } from 'promptmason'

interface MyMessage {
  id: string & { readonly __brand: 'id' }
  timestamp: Date
  speaker: { roleId: string; roleName: string; roleTitle: string; type: 'ai' | 'human' }
  content: string
  routing?: { resolvedAddressees: { identifier: string }[] }
  mood: 'calm' | 'angry'
}

const heard: MyMessage[] = []
const manager = new ContextManager<MyMessage>({ onMessageAdded: (message) => void heard.push(message), logger: undefined })
const provider: IContextProvider<MyMessage> = manager
const ada = { roleId: 'a1', roleName: 'Ada', roleTitle: 'Lead', type: 'human' } as const
const one: MyMessage = manager.addMessage({ timestamp: new Date(0), speaker: ada, content: 'one', mood: 'calm' })
const added: [number, MyMessage['id'], MyMessage['mood']] = [heard.length, one.id, one.mood]
const bob = { roleId: 'b2', roleName: 'Bob', roleTitle: 'Tester', type: 'ai' } as const
provider.addMessage({ timestamp: new Date(), speaker: bob, content: 'two', mood: 'angry', routing: { resolvedAddressees: [{ identifier: 'max' }] } })

const snapshot: ContextSnapshot<MyMessage> = manager.exportSnapshot()
const restored = new ContextManager<MyMessage>()
restored.importSnapshot(JSON.parse(JSON.stringify(snapshot)))
restored.importSnapshot({
  ...snapshot, messages: snapshot.messages.map((message) => ({ ...message, timestamp: message.timestamp.toISOString() })),
})
const messages = restored.getMessages().map(({ mood, timestamp, speaker }) => [mood, timestamp instanceof Date, speaker.roleId])
const optional: string | undefined = undefined
restored.addMessage({ timestamp: new Date(), speaker: ada, content: 'three', mood: 'calm' })
const output: AssemblerOutput = restored.assembleForAgent('max', 'codex', { systemInstruction: optional, recipient: undefined })

let required = ''
const contextMessages: readonly { from: string; content: string }[] = [{ from: 'a', content: 'b' }]
try {
  buildPrompt({ agentType: 'codex', contextMessages, message: 'long', maxBytes: 1, teamTask: optional, options: undefined })
} catch (error) {
  if (isPromptmasonError(error, 'ERR_BUDGET_EXCEEDED')) required = typeof (error.requiredBytes + (error.sections.message ?? 0))
}
const flag: string | undefined = output.systemFlag
console.log(JSON.stringify({ added, restored: messages, required, latest: restored.getLatestMessage()?.id, prompt: output.prompt, flag }))
`

const manifestOf = (folder: string) => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))

describe('the platform packages', () => {
  it('match the targets', () => {
    const folders = readdirSync(join(root, 'npm'), { withFileTypes: true }).filter((entry) => entry.isDirectory())
    expect(folders.map(({ name }) => name).toSorted()).toEqual(PLATFORMS)
    expect(manifestOf('.').napi.targets).toHaveLength(PLATFORMS.length)
  })

  it.each(PLATFORMS)('%s declares its platform', (platform) => {
    const [os, cpu, abi] = platform.split('-')
    const { version, license, engines } = manifestOf('.')
    const libc = { gnu: ['glibc'], musl: ['musl'] }[abi ?? '']
    expect(manifestOf(join('npm', platform))).toEqual({
      name: `promptmason-${platform}`,
      description: `The ${platform} binary of promptmason.`,
      main: `promptmason.${platform}.node`,
      files: [`promptmason.${platform}.node`, 'NOTICE', 'THIRD-PARTY-LICENSES'],
      os: [os],
      cpu: [cpu],
      ...(libc && { libc }),
      version,
      license,
      engines,
    })
  })
})

describe.skipIf(!isPackaged)('installed from the tarballs', { timeout: 120_000 }, () => {
  let user: InstalledProject
  let main: Packed
  let platform: Packed
  beforeAll(() => {
    ;({ main, platform } = packages())
    user = InstalledProject.complete({ main, platform })
  }, 120_000)
  afterAll(() => user.remove())

  const tsc = (options: Record<string, unknown>, file: string): string => {
    const compilerOptions = {
      target: 'es2022',
      lib: ['es2023'],
      types: ['node'],
      strict: true,
      isolatedModules: true,
      ...options,
    }
    user.write('tsconfig.json', JSON.stringify({ compilerOptions, files: [file] }))
    return user.succeed('node', [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', '.'])
  }

  it('contains exactly the files that users need', () => {
    const filesIn = (folder: string): string[] =>
      readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => relative(root, join(parentPath, name)).replaceAll('\\', '/'))
        .toSorted()
    const unneeded = unneededIn(root)
    expect(main.paths).toEqual([
      'LICENSE',
      'NOTICE',
      'README.md',
      'README.zh-CN.md',
      'THIRD-PARTY-LICENSES',
      'binding.d.ts',
      'binding.js',
      ...filesIn('dist').filter((path) => /\.(js|d\.ts|css)$/.test(path) && !unneeded.includes(path)),
      // The declarations have what the reference says.
      ...filesIn('docs').filter((path) => path.endsWith('.md') && path !== 'docs/reference.md'),
      'index.d.ts',
      'index.js',
      'llms.txt',
      'package.json',
    ])
    expect(unneeded).toContain('dist/command/cli.d.ts')
    expect(main.size).toBeLessThan(480_000)
    expect(platform.paths).toEqual([
      'LICENSE',
      'NOTICE',
      'README.md',
      'THIRD-PARTY-LICENSES',
      'package.json',
      `promptmason.${PLATFORM}.node`,
    ])
  })

  it('states the origin of its vocabularies in every package with a binary', () => {
    const notice = documentText('NOTICE')
    for (const folder of PLATFORMS) expect(documentText(join('npm', folder, 'NOTICE'))).toBe(notice)
    for (const [, checksum] of documentText('scripts/tokens/vocabularies.py').matchAll(/"([0-9a-f]{64})"/g))
      expect(notice).toContain(checksum)
  })

  it('has the size that the READMEs state', () => {
    for (const readme of ['README.md', 'README.zh-CN.md']) {
      const [, kilobytes, megabytes] = /(\d+) KB[^\n]*?([\d.]+) MB/.exec(documentText(readme)) ?? []
      for (const [stated, packed] of [
        [Number(kilobytes) * 1e3, main],
        [Number(megabytes) * 1e6, platform],
      ] as const) {
        expect(packed.size, readme).toBeGreaterThan(stated * 0.8)
        expect(packed.size, readme).toBeLessThan(stated * 1.2)
      }
    }
  })

  it('is installed without Rust and without other packages', () => {
    expect(user.run('sh', ['-c', 'cargo --version']).status).toBe(127)
    expect(user.run('sh', ['-c', 'rustc --version']).status).toBe(127)
    const lock = JSON.parse(readFileSync(join(user.project, 'node_modules', '.package-lock.json'), 'utf8'))
    expect(Object.keys(lock.packages)).toEqual(['node_modules/promptmason', `node_modules/promptmason-${PLATFORM}`])
  })

  it('runs the examples of the README, compiled by TypeScript', () => {
    const path = standInPath(user.folder, '')
    for (const [index, { code }] of examplesOf('README.md').entries()) {
      user.write(`example-${index}.mts`, code)
      tsc({ module: 'nodenext', moduleResolution: 'nodenext' }, `example-${index}.mts`)
      const withClis = user.run('node', [`example-${index}.mjs`], user.project, { PATH: `${path}${user.path}` })
      expect([withClis.status, withClis.stderr]).toEqual([0, ''])
      expect(withClis.stdout).toContain('The counter starts at one.')
      const without = user.run('node', [`example-${index}.mjs`])
      expect(without.status).toBe(index === 0 ? 1 : 0)
      expect(without.stdout + without.stderr).toMatch(
        /the program 'claude' was not found: install it with `npm install/,
      )
    }
    expect(examplesOf('README.md')).toHaveLength(2)
  })

  const used = `assemble({ contextMessages: [{ from: 'a', content: 'b' }], currentMessage: 'c', teamTask: null, maxBytes: 99 })`
  const printed = '{"prompt":"[CONTEXT]\\n- a -> all: b\\n\\n[MESSAGE]\\nc"}\n'

  it('is imported', () => {
    user.write(
      'esm.mjs',
      `import { CodexContextAssembler } from 'promptmason'
      console.log(JSON.stringify(new CodexContextAssembler().${used}))`,
    )
    expect(user.succeed('node', ['esm.mjs'])).toBe(printed)
  })

  it('is required', () => {
    user.write(
      'commonjs.cjs',
      `const { CodexContextAssembler } = require('promptmason')
      console.log(JSON.stringify(new CodexContextAssembler().${used}))`,
    )
    expect(user.succeed('node', ['commonjs.cjs'])).toBe(printed)
  })

  it('exports the same either way', () => {
    user.write(
      'names.mjs',
      `import { createRequire } from 'node:module'
      import * as imported from 'promptmason'
      const required = createRequire(import.meta.url)('promptmason')
      const missing = Object.keys(required).filter((name) => imported[name] !== required[name])
      console.log(Object.keys(required).length > 10, missing.join())`,
    )
    expect(user.succeed('node', ['names.mjs'])).toBe('true \n')
  })

  it.each([
    { module: 'nodenext', moduleResolution: 'nodenext', extension: 'mts' },
    { module: 'nodenext', moduleResolution: 'nodenext', extension: 'cts' },
    { module: 'node16', moduleResolution: 'node16', extension: 'mts' },
    { module: 'node16', moduleResolution: 'node16', extension: 'cts' },
    { module: 'esnext', moduleResolution: 'bundler', extension: 'ts' },
  ])('type checks with $moduleResolution from $extension', ({ module, moduleResolution, extension }) => {
    const file = `types.${extension}`
    user.write(
      file,
      `import { ContextManager, SystemPrompt, buildPrompt, type AssemblerOutput, type IContextProvider } from 'promptmason'
      export const provider: IContextProvider = new ContextManager({ contextWindowSize: 3 })
      export const output: AssemblerOutput = buildPrompt({ agentType: 'codex', contextMessages: [], message: 'hi' })
      export const parts: Promise<string[]> = SystemPrompt.build({ agent: {} })
      // @ts-expect-error -- a message is a string
      buildPrompt({ agentType: 'codex', contextMessages: [], message: 1 })
      // @ts-expect-error -- and the prompt is not a number
      export const wrong: number = output.prompt`,
    )
    tsc({ module, moduleResolution, noEmit: true }, file)
  })

  it('accepts a custom message type in the strictest project, without casts', () => {
    user.write('strict.mts', STRICT)
    tsc(
      {
        module: 'nodenext',
        moduleResolution: 'nodenext',
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        verbatimModuleSyntax: true,
        noImplicitOverride: true,
        noPropertyAccessFromIndexSignature: true,
      },
      'strict.mts',
    )
    expect(JSON.parse(user.succeed('node', ['strict.mjs']))).toEqual({
      added: [1, 'msg-1', 'calm'],
      restored: [
        ['calm', true, 'a1'],
        ['angry', true, 'b2'],
      ],
      required: 'number',
      latest: 'msg-3',
      prompt: '[CONTEXT]\n- Ada -> all: one\n- Bob -> max: two\n\n[MESSAGE]\nthree',
    })
  })

  it('has the command, and the page that it writes', () => {
    user.write(
      'conversation.json',
      JSON.stringify({ agentType: 'codex', contextMessages: [{ from: 'a', content: 'b' }], message: 'c' }),
    )
    const command = join('node_modules', '.bin', 'promptmason')
    expect(user.succeed(command, ['explain', 'conversation.json', '--html', 'page.html'])).toContain(
      'openai-codex: 36 of 786,432 bytes',
    )
    expect(readFileSync(join(user.project, 'page.html'), 'utf8')).toContain('Content-Security-Policy')
  })

  it('passes publint', () => {
    const publint = join(root, 'node_modules', 'publint', 'src', 'cli.js')
    expect(user.succeed('node', [publint, 'run', main.file, '--strict'])).toContain('All good!')
    expect(user.succeed('node', [publint, 'run', platform.file, '--strict', '--level', 'warning'])).toContain(
      'All good!',
    )
  })

  it('passes are-the-types-wrong', () => {
    const attw = join(root, 'node_modules', '@arethetypeswrong', 'cli', 'dist', 'index.js')
    expect(user.succeed('node', [attw, main.file, '--no-definitely-typed'])).toContain('No problems found')
  })
})

describe.skipIf(!isPackaged)('installed without a binary', { timeout: 60_000 }, () => {
  let user: InstalledProject
  beforeAll(() => {
    user = new InstalledProject()
    user.install(packages().main)
  }, 60_000)
  afterAll(() => user.remove())

  const failure = (pretend = ''): string => {
    user.write(
      'use.cjs',
      `${pretend}
      try { require('promptmason') } catch (error) { console.log(error.message) }`,
    )
    return user.succeed('node', ['use.cjs'])
  }

  it('reports the platform, the package, and what to do', () => {
    expect(failure()).toMatch(
      /^promptmason cannot load its binary for linux-x64-gnu\. .*promptmason-linux-x64-gnu@\d.*--omit=optional.*node_modules/,
    )
  })

  it('reports the same as a command', () => {
    const { status, stdout, stderr } = user.run('node', ['node_modules/.bin/promptmason', '--help'])
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(/^promptmason cannot load its binary for linux-x64-gnu\. .*--omit=optional.*\.\n$/)
  })

  it('throws an error with everything that was tried', () => {
    user.write('use.mjs', `import { buildPrompt } from 'promptmason'\nbuildPrompt()`)
    const { status, stderr } = user.run('node', ['use.mjs'])
    expect(status).toBe(1)
    expect(stderr).toMatch(/error: promptmason cannot load its binary for linux-x64-gnu\./i)
    expect(stderr).toContain("Cannot find module 'promptmason-linux-x64-gnu'")
  })

  it.each([
    ['darwin', 'arm64', 'cannot load its binary for darwin-arm64.'],
    ['win32', 'x64', 'cannot load its binary for win32-x64-msvc.'],
    ['freebsd', 'x64', 'has no binary for freebsd-x64. There are binaries for linux-x64-gnu, '],
    ['linux', 's390x', 'has no binary for linux-s390x-gnu. '],
  ])('on %s %s', (platform, arch, expected) => {
    const pretend = `Object.defineProperties(process, { platform: { value: '${platform}' }, arch: { value: '${arch}' } })`
    expect(failure(pretend)).toContain(`promptmason ${expected}`)
  })
})
