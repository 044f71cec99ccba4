/** Files, patterns and configurations that are meant to hang, mislead or exhaust the reader. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { InstructionPrompt, type LoadedInstruction } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { useProject } from '../support/project.js'

const project = useProject()
const isWindows = process.platform === 'win32'

const load = (instructions: string[], more = {}): Promise<LoadedInstruction[]> =>
  InstructionPrompt.load({ directory: project.current.root, config: { instructions }, ...more })

/** The sources that are used, without the directory. */
const used = async (...instructions: string[]): Promise<string[]> =>
  (await load(instructions))
    .filter(({ text }) => text !== undefined)
    .map(({ source }) => source.slice(project.current.root.length + 1).replaceAll('\\', '/'))

describe('a pattern', () => {
  it.each([
    `${'{a,a,a,a,a,a,a,a}'.repeat(10)}*b`,
    `${'*a'.repeat(300)}b`,
    `${'{*,*}'.repeat(150)}b`,
    `${'{a,{a,*}}'.repeat(90)}b`,
    `**/${'{a,**/a}'.repeat(90)}b`,
  ])('of alternatives does not run forever: %s', async (pattern) => {
    project.current.write('a'.repeat(200), 'text')
    expect(await load([pattern])).toMatchObject([
      { source: pattern, status: 'skipped', reason: 'no file matches the pattern' },
    ])
  })

  it('with a leading ! is rejected, and loads nothing', async () => {
    const { current } = project
    for (const name of ['good.md', 'draft1.md', '.env', '!odd.md']) current.write(name, name)
    const [first, , , failed] = await load(['*.md', '!draft*.md'])
    expect(first).toMatchObject({ source: current.path('!odd.md'), status: 'loaded' })
    expect(failed).toEqual({
      source: '!draft*.md',
      kind: 'file',
      origin: 'config',
      status: 'failed',
      bytes: 0,
      reason: 'a leading ! does not exclude files: list the files that are wanted',
    })
    expect(await load(['!odd.md'])).toMatchObject([{ status: 'failed' }])
    expect(await used('./!odd.md')).toEqual(['!odd.md'])
  })

  it('never enters .git', async () => {
    const { current } = project
    current.write('.git/config.md', 'a token')
    current.write('sub/.git/config.md', 'a token')
    current.write('.github/rules.md', 'text')
    current.link('linked', '.git')
    expect(await used('{.github,.git}/*.md')).toEqual(['.github/rules.md'])
    expect(await used('**/*.md')).toEqual(['.github/rules.md'])
    expect(await load(['.git/*.md', 'linked/*.md'])).toMatchObject([
      { status: 'failed', reason: '.git is not searched' },
      { status: 'skipped', reason: 'no file matches the pattern' },
    ])
  })

  it.each([
    ['{a,b', '{'],
    ['[ab', '['],
  ])('that is not closed is rejected: %s', async (pattern, bracket) => {
    expect(await load([pattern])).toMatchObject([
      { status: 'failed', reason: `the pattern has a ${bracket} that is not closed` },
    ])
  })

  it('reads at most 10,000 files, and reports it', { timeout: 60_000 }, async () => {
    const { current } = project
    for (let folder = 0; folder < 11; folder++) {
      mkdirSync(current.path(`d${String(folder).padStart(2, '0')}`))
      for (let file = 0; file < 1000; file++)
        writeFileSync(current.path(`d${String(folder).padStart(2, '0')}`, `${file}.txt`), '')
    }
    current.write('a.md', 'text')
    current.write('z.md', 'text')
    const reason = '10000 files were examined, which is the limit: make the pattern narrower'
    const all = await load(['**/*.md', 'z.md', 'a.md'])
    expect(all).toMatchObject([
      { source: current.path('a.md'), status: 'loaded' },
      { source: '**/*.md', status: 'failed', reason },
      {
        source: 'z.md',
        status: 'failed',
        reason:
          'was not examined: 10000 files were examined, which is the limit; 1 more entries were not examined either',
      },
    ])
  })
})

describe('a tree', () => {
  it.skipIf(isWindows)('of the maximum depth is walked to its end', async () => {
    const { current } = project
    const levels = Math.floor((3900 - current.root.length) / 2)
    const deepest = `${'d/'.repeat(levels)}a.md`
    current.write(deepest, 'text')
    expect(await used('**/*.md')).toEqual([deepest])
    // Node 20 removes trees by recursion, and runs out of stack in one as deep as this.
    execFileSync('rm', ['-rf', current.path('d')])
  })

  it('with names that lead a pattern to ever new states ends, and reports it', { timeout: 60_000 }, async () => {
    const { current } = project
    let state = 1
    const letter = (): string => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
      return state > 1_073_741_824 ? 'a' : 'b'
    }
    for (let file = 0; file < 1000; file++)
      writeFileSync(current.path(Array.from({ length: 250 }, letter).join('')), '')
    const pattern = `*a${'{?,[ab]}'.repeat(110)}!`
    const all = await load(Array.from({ length: 9 }, () => pattern))
    expect(all[0]).toMatchObject({ status: 'skipped', reason: 'no file matches the pattern' })
    expect(all.at(-1)).toMatchObject({
      status: 'failed',
      reason: 'the patterns take too much work: make the pattern narrower',
    })
  })
})

describe('a configuration file', () => {
  it.each(['[["a.md"]]', '\n\n  [["a.md"]]', '[]'])(
    'that is an array is rejected, not read by position: %j',
    async (text) => {
      const { current } = project
      current.write('a.md', 'text')
      const file = current.write('etcode.json', text)
      const line = text.split('\n').length
      await expect(InstructionPrompt.load({ directory: current.root })).rejects.toMatchObject({
        code: 'ERR_INVALID_CONFIG',
        file,
        line,
        column: text.length - text.trimStart().length - (line - 1) + 1,
        message: expect.stringContaining('expected an object'),
      })
    },
  )

  it.each([
    'null',
    '"a.md"',
    '1',
    '{"instructions":{"0":"a.md"}}',
    '{"instructions":[["a.md"]]}',
    '{"instructions":["a"],"instructions":["b"]}',
  ])('of another shape is rejected: %s', async (text) => {
    project.current.write('etcode.json', text)
    await expect(InstructionPrompt.load({ directory: project.current.root })).rejects.toMatchObject({
      code: 'ERR_INVALID_CONFIG',
    })
  })

  it('that is rejected does not reveal a password in it', async () => {
    project.current.write('etcode.json', '{ "instructions": "https://user:secret@h/?token=secret" }')
    const error = await InstructionPrompt.load({ directory: project.current.root }).catch(
      (reason: Error) => reason.message,
    )
    expect(error).toContain('invalid type: string, expected a sequence')
    expect(error).not.toContain('secret')
  })

  it('with very many entries takes little time and memory', async () => {
    project.current.write('etcode.json', JSON.stringify({ instructions: Array.from({ length: 200_000 }, () => '') }))
    const all = await InstructionPrompt.load({ directory: project.current.root })
    expect(all).toHaveLength(10_001)
    expect(all.at(-1)?.reason).toContain('189999 more entries')
  })
})

describe('a file', () => {
  it.skipIf(process.platform !== 'linux')('of the kernel is not read, since that may never end', async () => {
    const { current } = project
    current.link('AGENTS.md', '/proc/kmsg')
    current.link('ETCODE.md', '/proc/self/environ')
    const inSys = ['/sys/kernel/uevent_seqnum'].filter((path) => existsSync(path))
    const all = await load(['/proc/self/status', ...inSys])
    expect(all).toHaveLength(3 + inSys.length)
    for (const one of all) expect(one).toMatchObject({ status: 'skipped', reason: 'is a file of the kernel' })
  })

  it('of 300,000 spaces is empty', async () => {
    project.current.write('AGENTS.md', ' '.repeat(300_000))
    expect(await load([])).toMatchObject([{ status: 'empty', bytes: 300_000, reason: 'has no text' }])
    project.current.write('AGENTS.md', `${' '.repeat(300_000)}text${'\n'.repeat(300_000)}`)
    expect(await load([])).toMatchObject([{ status: 'truncated' }])
  })

  it('of flag emoji is cut between flags', async () => {
    for (const before of ['', 'x']) project.current.write(`${before || 'none'}.md`, before + '🇨🇳'.repeat(50_000))
    for (const { text = '' } of await load(['none.md', 'x.md'])) {
      const [head, , tail] = text.split('\n')
      expect(head).toMatch(/^x?(🇨🇳)+$/u)
      expect(tail).toMatch(/^(🇨🇳)+$/u)
    }
  })

  it.skipIf(isWindows)('that cannot be cut is left out, and reported', async () => {
    project.current.write('AGENTS.md', `e${'\u0301'.repeat(200_000)}`)
    expect(await load([])).toMatchObject([
      { status: 'failed', reason: 'cannot be shortened to 262144 bytes: there is no place for a cut' },
    ])
  })
})
