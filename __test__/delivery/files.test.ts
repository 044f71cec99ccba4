/** `writeDelivery`: files that nobody else can read, on disks that are full, read-only or shared. */
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type DeliveryPlan, planDelivery, writeDelivery } from 'promptmason'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { root } from '../support/documents.js'
import { newDirectory } from '../support/processes.js'

vi.setConfig({ testTimeout: 60_000 })

const system = '漢'.repeat(100_000)
const plan = (): DeliveryPlan =>
  planDelivery({ prompt: 'x', systemFlag: system }, { agentType: 'claude', platform: 'linux' })

let temporary: string
const isWindows = process.platform === 'win32'
const VARIABLE = isWindows ? 'TEMP' : 'TMPDIR'
const original = process.env[VARIABLE]
beforeEach(() => {
  temporary = newDirectory()
  process.env[VARIABLE] = temporary
})
afterEach(() => {
  if (original === undefined) delete process.env[VARIABLE]
  else process.env[VARIABLE] = original
})

const access = (path: string): string => (lstatSync(path).mode & 0o7777).toString(8)

describe('files of a plan', () => {
  it('are readable only by their owner, and removed', async () => {
    // What everybody may do by default makes no difference.
    const mask = process.umask(0)
    try {
      const { args, cleanup } = await writeDelivery(plan())
      const file = args.at(-1) ?? ''
      expect(dirname(dirname(file))).toBe(temporary)
      // On Windows, the rights are those of the user's own directory.
      if (!isWindows) expect([access(file), access(dirname(file))]).toEqual(['600', '700'])
      expect(readFileSync(file, 'utf8')).toBe(system)
      await cleanup()
      await cleanup()
      expect(readdirSync(temporary)).toEqual([])
    } finally {
      process.umask(mask)
    }
  })

  it('are exactly those of the plan', async () => {
    const { args, files } = planDelivery(
      { prompt: 'x', systemFlag: 'S' },
      { agentType: 'claude', platform: 'linux', extraArgs: ['{file:system-prompt.md}'] },
    )
    const written = await writeDelivery({ args, files })
    expect(written.args).toEqual(args)
    expect(readdirSync(temporary)).toEqual([])
    await written.cleanup()
  })

  it('can follow an option', async () => {
    const files = [{ name: 'a.md', content: Buffer.from('x') }]
    const { args, cleanup } = await writeDelivery({
      args: ['--file={file:a.md}', '{file:b.md}', 'a {file:a.md}', '--a=--b={file:a.md}'],
      files,
    })
    expect(args[0]).toMatch(/^--file=.*a\.md$/)
    expect(args.slice(1)).toEqual(['{file:b.md}', 'a {file:a.md}', '--a=--b={file:a.md}'])
    await cleanup()
  })

  it.each(['--file', '--file=', '--a.b=', '/a=', '--a:b=', 'a=', '漢='])(
    'can follow an option of any form: %s',
    async (systemFileFlag) => {
      const profile = { command: 'mine', systemFileFlag }
      const options = { agentType: 'mine', profile, systemVia: 'file' as const }
      const { args, cleanup } = await writeDelivery(planDelivery({ prompt: 'x', systemFlag: 'S' }, options))
      const prefix = systemFileFlag.endsWith('=') ? systemFileFlag : ''
      expect(args.at(-1)?.startsWith(`${prefix}${temporary}`)).toBe(true)
      await cleanup()
    },
  )

  it('cannot follow an option that already has a value', () => {
    const profile = { command: 'mine', systemFileFlag: '--a=b=' }
    expect(() => planDelivery({ prompt: 'x', systemFlag: 'S' }, { agentType: 'mine', profile })).toThrow(
      'options.profile.systemFileFlag must be an option',
    )
  })

  it('have a new directory each time', async () => {
    const made = await Promise.all(Array.from({ length: 20 }, () => writeDelivery(plan())))
    expect(new Set(made.map(({ args }) => args.at(-1))).size).toBe(20)
    await Promise.all(made.map(({ cleanup }) => cleanup()))
    expect(readdirSync(temporary)).toEqual([])
  })

  it.each(['../x', 'a/b', 'a\\b', '.', '..', '', 'a\0', '/etc/passwd'])('cannot be called %j', async (name) => {
    await expect(writeDelivery({ args: [], files: [{ name, content: Buffer.from('x') }] })).rejects.toThrow(
      'plan.files[0].name',
    )
    expect(readdirSync(temporary)).toEqual([])
  })

  it('are written once', async () => {
    const file = { name: 'a', content: Buffer.from('x') }
    await expect(writeDelivery({ args: [], files: [file, file] })).rejects.toMatchObject({ code: 'EEXIST' })
    expect(readdirSync(temporary)).toEqual([])
  })

  it('are not written where there is no directory', async () => {
    process.env[VARIABLE] = join(temporary, 'missing')
    await expect(writeDelivery(plan())).rejects.toMatchObject({ code: 'ENOENT' })
  })
})

/** Runs a program in separate namespaces, where it may mount. Its file is not below the mount point. */
const inNamespace = (mount: string, program: string): { status: number | null; stdout: string; stderr: string } => {
  const file = join(root, 'target', `in-namespace-${process.pid}.cjs`)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, program)
  const outcome = spawnSync(
    'unshare',
    ['--user', '--map-root-user', '--mount', 'sh', '-c', `${mount} && exec "$0" "$@"`, process.execPath, file],
    {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, TMPDIR: temporary },
    },
  )
  rmSync(file)
  return outcome
}

const canMount = ((): boolean => {
  try {
    execFileSync('unshare', ['--user', '--map-root-user', '--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'], {
      stdio: 'ignore',
    })
    return true
  } catch {
    return false
  }
})()

const PROGRAM = `
  const { deliver, planDelivery, writeDelivery } = require('promptmason')
  const { readdirSync } = require('node:fs')
  const plan = planDelivery({ prompt: 'x', systemFlag: 'a'.repeat(200_000) }, { agentType: 'claude', platform: 'linux' })
  const codeOf = (work) => work.then(() => 'none', (error) => error.code)
  Promise.all([codeOf(writeDelivery(plan)), codeOf(deliver({ ...plan, command: process.execPath }))])
    .then((codes) => console.log(JSON.stringify({ codes, left: readdirSync(process.env.TMPDIR) })))
`

describe.skipIf(!canMount)('a disk', () => {
  it('may be full', () => {
    const { stdout, stderr } = inNamespace('mount -t tmpfs -o size=64k tmpfs "$TMPDIR"', PROGRAM)
    expect({ ...JSON.parse(stdout || '{}'), stderr }).toEqual({ codes: ['ENOSPC', 'ENOSPC'], left: [], stderr: '' })
  })

  it('may be too small for what a program writes', () => {
    const program = `
      const { deliver, planDelivery } = require('promptmason')
      const profile = { command: process.execPath, args: [${JSON.stringify(join(import.meta.dirname, '..', 'support', 'fake-cli.cjs'))}, 'hasty', '1'], output: 'claude' }
      deliver(planDelivery({ prompt: 'x' }, { agentType: 'mine', profile }))
        .then(({ text, error }) => console.log(text === undefined ? error.code : 'an answer'), (error) => console.log(error.code + ' ' + error.message))
    `
    const { stdout, stderr } = inNamespace('mount -t tmpfs -o size=64k tmpfs "$TMPDIR"', program)
    expect({ stdout, stderr }).toEqual({
      stdout: expect.stringMatching(/^ERR_NO_ANSWER .*: \/.* has no room for its output\n$/),
      stderr: '',
    })
  })

  it('may be read-only', () => {
    const { stdout, stderr } = inNamespace('mount -t tmpfs -o ro tmpfs "$TMPDIR"', PROGRAM)
    expect({ ...JSON.parse(stdout || '{}'), stderr }).toEqual({ codes: ['EROFS', 'EROFS'], left: [], stderr: '' })
  })
})

describe.skipIf(isWindows || process.getuid?.() === 0)('a directory', () => {
  it('may not be writable', async () => {
    const closed = join(temporary, 'closed')
    mkdirSync(closed)
    writeFileSync(join(closed, 'a'), '')
    chmodSync(closed, 0o500)
    process.env['TMPDIR'] = closed
    await expect(writeDelivery(plan())).rejects.toMatchObject({ code: 'EACCES' })
    expect(existsSync(join(closed, 'a'))).toBe(true)
    chmodSync(closed, 0o700)
  })
})
