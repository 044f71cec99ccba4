/** A repository that somebody else wrote: `untrusted`, `allowHosts`, and that nothing outside is read. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  InstructionPrompt,
  SystemPrompt,
  type InstructionFetch,
  type InstructionOptions,
  type LoadedInstruction,
} from 'promptmason'
import { describe, expect, it } from 'vitest'
import { root as packageRoot } from '../support/documents.js'
import { useProject } from '../support/project.js'
import { isDeno } from '../support/runtime.js'
import { serve } from '../support/server.js'

const project = useProject()
const OUT = 'leads out of the repository'
const GIT = 'leads into .git'
const URL_REFUSED = 'is not fetched: an untrusted repository names it'

const load = (more: InstructionOptions = {}): Promise<LoadedInstruction[]> =>
  InstructionPrompt.load({ directory: project.current.path('repo'), untrusted: true, ...more })

/** A secret outside, and a repository with everything that may lead to it. */
const attack = (url: string): void => {
  const { current } = project
  current.writeHome('.ssh/id_rsa', 'SECRET')
  current.write('secret/key.md', 'SECRET')
  current.write('secret/config.json', '{ "instructions": ["SECRET"] }')
  current.write('repo/.git/config', 'SECRET')
  current.write('repo/sub/.git/config', 'SECRET')
  const key = current.path('secret', 'key.md')
  const bomb = `${'{a,a,a,a,a,a,a,a}'.repeat(10)}*b`
  const instructions = [
    key,
    '~/.ssh/id_rsa',
    '../secret/key.md',
    '../secret/*.md',
    `${current.path('secret')}/*`,
    '~/.ssh/*',
    '~/**/*',
    '/**/*.md',
    '**/../../**/*.md',
    'linked.md',
    'folder/key.md',
    'folder/*.md',
    'chain/key.md',
    'docs/up.md',
    '.git/config',
    '.git/*',
    'git.md',
    'sub/.git/config',
    'gitlink/config',
    `${url}/a`,
    `${url.replace('http', 'HTTP')}/b`,
    'file:///etc/passwd',
    '/etc/hostname',
    '/dev/zero',
    '/proc/self/environ',
    'device.md',
    'kernel.md',
    'loop.md',
    bomb,
    '!x',
    'good.md',
    '**/*.md',
    'rules/huge.mdc',
  ]
  const config = JSON.stringify({ instructions })
  for (const name of ['etcode.json', 'opencode.json', 'opencode.jsonc', '.opencode/opencode.json']) {
    current.write(`repo/${name}`, config)
  }
  const mentions = `@${key} @~/.ssh/id_rsa @../secret/key.md @linked.md @folder/key.md @.git/config @/proc/self/environ @/dev/zero @loop.md @good.md `
  for (const name of [
    'AGENTS.md',
    'CLAUDE.md',
    'GEMINI.md',
    'QWEN.md',
    '.claude/rules/a.md',
    '.cursor/rules/b.mdc',
    'good.md',
    'AGENTS.override.md',
  ]) {
    current.write(`repo/${name}`, `---\nalwaysApply: true\n---\n${mentions.repeat(3)}`)
  }
  current.write('repo/docs/x.md', 'x')
  for (const folder of ['.gemini', '.codex']) current.directory(`repo/${folder}`)
  for (const [path, target] of [
    ['linked.md', key],
    ['folder', '../secret'],
    ['chain', 'folder'],
    ['docs/up.md', '../../secret/key.md'],
    ['git.md', '.git/config'],
    ['gitlink', '.git'],
    ['device.md', '/dev/zero'],
    ['kernel.md', '/proc/self/environ'],
    ['loop.md', 'loop.md'],
    ['ETCODE.md', key],
    ['CLAUDE.local.md', '../secret/key.md'],
    ['.claude/CLAUDE.md', '../../secret/key.md'],
    ['.claude/rules/linked', '../../../secret'],
    ['.claude/rules/out.md', key],
    ['.github', '../secret'],
    ['.cursorrules', '/proc/kmsg'],
    ['.cursor/rules/out.mdc', key],
    ['CONTEXT.md', key],
    ['etcode.jsonc', '../secret/config.json'],
    ['.etcode.json', '../secret/config.json'],
    ['.opencode/opencode.jsonc', '../../secret/config.json'],
    ['.claude/settings.json', key],
    ['.gemini/settings.json', key],
    ['.qwen', '../secret'],
    ['.codex/config.toml', key],
  ] as const)
    current.link(join('repo', path), target)
  current.write('repo/rules/huge.mdc', `---\n${'a: b\n'.repeat(100_000)}globs: "*"\n---\nx`)
}

const PRESETS = [
  'etcode',
  'agents',
  'claude-code',
  'codex',
  'gemini-cli',
  'opencode',
  'copilot',
  'cursor',
  'qwen-code',
] as const

describe('untrusted', () => {
  it.each(PRESETS)('neither includes nor requests anything outside: %s', async (preset) => {
    const requests: unknown[] = []
    const url = await serve((request, response) => {
      requests.push(request.url)
      response.end('SECRET')
    })
    attack(url)
    for (const includes of [true, false, null]) {
      const options = { preset, includes, directory: project.current.path('repo'), untrusted: true }
      // oxlint-disable-next-line no-await-in-loop -- each on its own, so that a failure says which
      const [all, { parts, sources }, resolved] = await Promise.all([
        load(options),
        SystemPrompt.buildWithReport({ agent: {}, ...options }),
        InstructionPrompt.resolve('docs/x.ts', options),
      ])
      expect(sources).toEqual(all)
      expect(JSON.stringify(parts)).not.toContain('SECRET')
      expect(JSON.stringify(all)).not.toContain('SECRET')
      expect(resolved.filter(({ source }) => !source.startsWith(project.current.path('repo')))).toEqual([])
      expect(JSON.stringify(resolved)).not.toContain('SECRET')
      expect(all.some(({ status }) => status === 'loaded')).toBe(true)
    }
    expect(requests).toEqual([])
    // The same without it shows that there is something to find.
    const trusting = JSON.stringify(
      await InstructionPrompt.load({
        preset,
        includes: true,
        directory: project.current.path('repo'),
        timeoutMs: 1000,
      }),
    )
    // These do not leave the repository anyway.
    if (!['gemini-cli', 'qwen-code', 'copilot'].includes(preset)) expect(trusting).toContain('SECRET')
  })

  it.skipIf(process.platform === 'win32')('reports why each was refused', async () => {
    attack('http://127.0.0.1:9')
    const all = await load()
    const reasons = (start: string): (string | undefined)[] =>
      all.filter(({ source }) => source.startsWith(start)).map(({ reason }) => reason)
    const { current } = project
    expect(reasons(current.path('secret', 'key.md'))).toEqual([OUT, OUT])
    expect(reasons(join(current.home, '.ssh', 'id_rsa'))).toEqual([OUT])
    expect(reasons(current.path('repo', 'linked.md'))).toContain(OUT)
    expect(reasons(current.path('repo', 'ETCODE.md'))).toEqual([OUT, OUT])
    expect(reasons(current.path('repo', '.git', 'config'))).toEqual([GIT])
    expect(reasons(current.path('repo', 'git.md'))).toContain(GIT)
    expect(reasons('http')).toEqual([URL_REFUSED])
    expect(reasons('HTTP')).toEqual([URL_REFUSED])
    expect(reasons('/etc/hostname')).toEqual([OUT])
    expect(all.find(({ source }) => source === current.path('repo', 'good.md'))).toMatchObject({ status: 'loaded' })
  })

  it('refuses a configuration that links outside', async () => {
    const { current } = project
    mkdirSync(current.path('repo'))
    current.git('repo')
    const key = current.write('secret.json', '{ "instructions": ["SECRET"] }')
    const link = current.link('repo/etcode.json', key)
    expect(await load()).toEqual([
      { source: link, kind: 'file', origin: 'config', status: 'skipped', bytes: 0, reason: OUT },
    ])
    await expect(InstructionPrompt.load({ directory: current.path('repo') })).resolves.toHaveLength(1)
  })

  it('reads nothing above the repository, whatever the preset', async () => {
    const { current } = project
    current.git('repo')
    current.write('CLAUDE.md', 'above')
    current.write('repo/CLAUDE.md', 'own')
    expect((await load({ preset: 'claude-code' })).map(({ text }) => text)).toEqual(['own'])
    expect(await InstructionPrompt.system({ preset: 'claude-code', directory: current.path('repo') })).toHaveLength(2)
  })

  it("trusts what the caller passes, and the user's own files", async () => {
    const { current } = project
    current.git('repo')
    const outside = current.write('outside.md', 'outside')
    current.writeHome('.claude/CLAUDE.md', 'user @~/more.md')
    current.writeHome('more.md', 'more')
    current.write('repo/CLAUDE.md', 'own')
    const url = await serve((_, response) => response.end('web'))
    const all = await load({ preset: 'claude-code', config: { instructions: [outside, url, '../*.md'] } })
    expect(all.map(({ text }) => text)).toEqual(['user more', undefined, 'own', 'outside', 'web', undefined])
    expect((await load({ files: ['../outside.md'] })).map(({ text }) => text)).toEqual(['outside'])
  })

  it('finds nothing that links outside', async () => {
    const { current } = project
    current.git('repo')
    current.link('repo/AGENTS.md', current.write('secret.md', 'SECRET'))
    expect(await InstructionPrompt.find(current.path('repo'))).toBe(current.path('repo', 'AGENTS.md'))
    expect(await InstructionPrompt.find(current.path('repo'), { untrusted: true })).toBeUndefined()
    await expect(load({ untrusted: 'yes' as never })).rejects.toThrow('options.untrusted must be a boolean, got string')
  })

  it('works in a repository behind a link, and outside a repository', async () => {
    const { current } = project
    current.write('real/AGENTS.md', 'own')
    current.link('repo', 'real')
    current.link('real/ETCODE.md', current.path('repo', 'AGENTS.md'))
    expect((await load()).map(({ reason, text }) => text ?? reason)).toEqual([
      'own',
      `is the same file as ${current.path('repo', 'AGENTS.md')}`,
    ])
  })
})

/** Replaces files and directories with links and back, as fast as it can. */
const swapper = `
const { renameSync, symlinkSync, unlinkSync, existsSync } = require('node:fs')
const [, ...pairs] = process.argv
console.log('ready')
for (let round = 0; ; round++) {
  for (let index = 0; index < pairs.length; index += 2) {
    const [path, target] = pairs.slice(index, index + 2)
    renameSync(path, path + '.aside')
    symlinkSync(target, path)
    unlinkSync(path)
    renameSync(path + '.aside', path)
  }
}`

describe('untrusted, while another program swaps files for links', () => {
  it.skipIf(process.platform === 'win32')('reads and lists nothing outside', { timeout: 60_000 }, async () => {
    const { current } = project
    current.git('repo')
    const key = current.write('secret/key.md', 'SECRET')
    current.write('secret/only-outside.md', 'SECRET')
    current.write('repo/AGENTS.md', '@docs/key.md own')
    current.write('repo/docs/key.md', 'own')
    current.write('repo/etcode.json', '{ "instructions": ["docs/*.md"] }')
    const pairs = [current.path('repo', 'AGENTS.md'), key, current.path('repo', 'docs'), current.path('secret')]
    const other = spawn(process.execPath, ['-e', swapper, ...pairs], { stdio: ['ignore', 'pipe', 'inherit'] })
    try {
      await once(other.stdout, 'data')
      const seen = new Set<string>()
      for (let round = 0; round < 300; round++) {
        // oxlint-disable-next-line no-await-in-loop -- each meets another moment of the swapping
        const all = await load({ includes: true })
        const text = JSON.stringify(all)
        expect(text).not.toContain('SECRET')
        expect(text).not.toContain('only-outside')
        for (const { status, reason } of all) seen.add(`${status}: ${reason}`)
      }
      // The swaps must have happened at different moments, or the test shows nothing.
      expect(seen.size).toBeGreaterThan(1)
    } finally {
      other.kill('SIGKILL')
      await once(other, 'exit')
    }
  })
})

/** Under an emulator, strace would see what the emulator opens. */
const isEmulated = process.env['PROMPTMASON_NODE'] !== undefined
const hasStrace =
  process.platform === 'linux' && !isEmulated && spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0

// Deno itself looks at the working directory all the time.
describe.skipIf(!hasStrace || isDeno)('what the system sees', { timeout: 60_000 }, () => {
  it("is nothing outside the repository except the user's places", () => {
    attack('http://127.0.0.1:9')
    const { current } = project
    const repo = current.path('repo')
    const program = `
      const { InstructionPrompt } = require('promptmason')
      const { statSync } = require('node:fs')
      const run = async (options) => InstructionPrompt.load({ directory: ${JSON.stringify(repo)}, untrusted: true, ...options })
      ;(async () => {
        await run({})
        statSync('/marker-begin', { throwIfNoEntry: false })
        for (const preset of ${JSON.stringify(PRESETS)}) await run({ preset, includes: true })
        statSync('/marker-end', { throwIfNoEntry: false })
      })()`
    const log = current.path('strace.log')
    const { status } = spawnSync(
      'strace',
      ['-f', '-qq', '-y', '-s', '4096', '-e', 'trace=%file', '-o', log, process.execPath, '-e', program],
      { cwd: packageRoot, env: process.env },
    )
    expect(status).toBe(0)
    const lines = readFileSync(log, 'utf8').split('\n')
    const between = lines.slice(
      lines.findIndex((line) => line.includes('"/marker-begin"')) + 1,
      lines.findIndex((line) => line.includes('"/marker-end"')),
    )
    // Some calls are relative to a directory that is open.
    const paths = between.flatMap((line) =>
      [...line.matchAll(/(?:<([^<>]*)>, )?"([^"]*)"/g)]
        .slice(0, 1)
        .map(([, open = '', path = '']) => (path.startsWith('/') ? path : join(open, path))),
    )
    expect(paths.length).toBeGreaterThan(500)
    const places = [
      '.claude',
      '.codex',
      '.gemini',
      '.qwen',
      '.copilot',
      '.config/opencode',
      '.config/etcode',
      '.opencode',
    ].map((place) => join(current.home, place))
    const isExpected = (path: string): boolean =>
      path === repo ||
      path.startsWith(`${repo}/`) ||
      repo.startsWith(path) ||
      places.some((place) => path.startsWith(place)) ||
      // The administrator's file, the path of what is open, and where the kernel's files are.
      path.startsWith('/etc/claude-code') ||
      /^\/proc\/self\/fd\/\d+$/.test(path) ||
      ['/proc', '/sys', current.home].includes(path)
    expect(paths.filter((path) => !isExpected(path))).toEqual([])
    expect(paths.filter((path) => path.startsWith(`${repo}/.git/`))).toEqual([])
  })
})

describe('allowHosts', () => {
  const fetch: InstructionFetch = (url) =>
    Promise.resolve(
      url.includes('/moved')
        ? new Response(null, { status: 302, headers: { location: 'https://other.test/x' } })
        : new Response('text'),
    )
  const allowed = async (url: string, allowHosts: string[]): Promise<LoadedInstruction | undefined> =>
    (
      await InstructionPrompt.load({
        directory: project.current.root,
        config: { instructions: [url] },
        allowHosts,
        fetch,
      })
    )[0]

  it.each([
    ['https://example.com/', ['example.com']],
    ['https://EXAMPLE.com./', ['example.com']],
    ['https://example.com/', ['other.test', 'Example.COM']],
    ['https://a.b.example.com/', ['*.example.com']],
    ['http://127.0.0.1:8080/', ['127.0.0.1']],
    ['http://[::1]/', ['::1']],
    ['http://[0:0::1]/', ['[::1]']],
    ['https://xn--fsq.test/', ['例.test']],
    ['https://example.com/moved', ['example.com', 'other.test']],
  ])('%s is in %j', async (url, allowHosts) => {
    expect(await allowed(url, allowHosts)).toMatchObject({ status: 'loaded', text: 'text' })
  })

  it.each([
    ['https://example.com/', []],
    ['https://example.com/', ['*.example.com']],
    ['https://badexample.com/', ['*.example.com', 'example.com']],
    ['https://example.com.evil.test/', ['example.com', '*.example.com']],
    ['https://evil.test/example.com', ['example.com']],
    ['https://example.com@evil.test/', ['example.com']],
    ['https://evil.test\\@example.com/', ['example.com']],
    ['https://evil.test#@example.com/', ['example.com']],
  ])('%s is not in %j', async (url, allowHosts) => {
    expect(await allowed(url, allowHosts)).toMatchObject({
      status: 'skipped',
      reason: expect.stringMatching(/^is on \S+, which is not in allowHosts$/),
    })
  })

  it('applies to redirects', async () => {
    expect(await allowed('https://example.com/moved', ['example.com'])).toMatchObject({
      status: 'skipped',
      reason: 'redirects to other.test, which is not in allowHosts',
    })
  })

  it.each(['example.com', '*.example.com', 'localhost', '127.0.0.1', '::1', '[::1]', '例.com'])(
    'accepts %j as a host',
    async (host) => {
      await expect(allowed('https://h/', [host])).resolves.toMatchObject({ status: 'skipped' })
    },
  )

  it.each([
    '',
    '*',
    '*.',
    '*.*.com',
    'a.*',
    'http://h',
    'h:80',
    'h/x',
    'h?',
    '.h',
    'a b',
    'a\tb',
    'a\x85',
    '%41',
    'a.*.com',
    'u@h',
  ])('rejects %j as a host', async (host) => {
    await expect(allowed('https://h/', [host])).rejects.toMatchObject({
      code: 'ERR_INVALID_ARG_TYPE',
      message: `options.allowHosts[0] must be a host such as 'example.com' or '*.example.com', without a port, got '${host}'`,
    })
  })
})
