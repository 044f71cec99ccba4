/** Front matter, rules for certain paths, and includes. */
import { join, sep } from 'node:path'
import { InstructionPrompt, SystemPrompt, type InstructionOptions, type LoadedInstruction } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { useProject } from '../support/project.js'
import { serve } from '../support/server.js'

const project = useProject()

const load = (options: InstructionOptions): Promise<LoadedInstruction[]> =>
  InstructionPrompt.load({ directory: project.current.root, ...options })
const system = (options: InstructionOptions): Promise<string[]> =>
  InstructionPrompt.system({ directory: project.current.root, ...options })
const resolve = async (file: string, options: InstructionOptions): Promise<string[]> =>
  (await InstructionPrompt.resolvePaths(file, { directory: project.current.root, ...options })).map((path) =>
    path.slice(project.current.root.length + 1).replaceAll(sep, '/'),
  )

describe('front matter', () => {
  it('is parsed and not sent: Cursor', async () => {
    const { current } = project
    const always = current.write(
      '.cursor/rules/a.mdc',
      '---\ndescription: Base\nglobs:\nalwaysApply: true\n---\n\nalways',
    )
    const typed = current.write(
      '.cursor/rules/b.mdc',
      '---\nglobs: *.ts,src/**/*.tsx\nalwaysApply: false\n---\nfor types',
    )
    const asked = current.write('.cursor/rules/c.mdc', '---\ndescription: How to deploy\n---\non request')
    const options = { preset: 'cursor' } as const
    expect(await system(options)).toEqual([`Instructions from: ${always}\n\nalways`])
    expect(await load(options)).toEqual([
      {
        source: always,
        kind: 'file',
        origin: 'project',
        status: 'loaded',
        text: '\nalways',
        bytes: 58,
        description: 'Base',
      },
      {
        source: typed,
        kind: 'file',
        origin: 'project',
        status: 'skipped',
        bytes: 61,
        reason: 'applies to *.ts, src/**/*.tsx',
        appliesTo: ['*.ts', 'src/**/*.tsx'],
      },
      {
        source: asked,
        kind: 'file',
        origin: 'project',
        status: 'skipped',
        bytes: 45,
        reason: 'names no paths: it is used on request',
        description: 'How to deploy',
      },
    ])
    expect(await resolve('lib/x.ts', options)).toEqual(['.cursor/rules/b.mdc'])
    expect(await resolve('src/deep/x.tsx', options)).toEqual(['.cursor/rules/b.mdc'])
    expect(await resolve('lib/x.tsx', options)).toEqual([])
    expect(await resolve('x.ts', { ...options, loaded: [typed] } as InstructionOptions)).toEqual([])
  })

  it('is parsed and not sent: Copilot', async () => {
    const { current } = project
    current.write('.github/instructions/all.instructions.md', '---\napplyTo: "**"\n---\nall')
    current.write('.github/instructions/web/ts.instructions.md', '---\napplyTo: "**/*.ts,**/*.tsx"\n---\nts')
    current.writeHome('.copilot/instructions/mine.instructions.md', '---\napplyTo: "src/**"\n---\nmine')
    const options = { preset: 'copilot' } as const
    expect(await system(options)).toEqual([expect.stringMatching(/all\.instructions\.md\nall$/)])
    expect(await resolve('a/b.tsx', options)).toEqual(['.github/instructions/web/ts.instructions.md'])
    expect(await InstructionPrompt.resolvePaths('src/b.css', { directory: current.root, ...options })).toEqual([
      join(current.home, '.copilot', 'instructions', 'mine.instructions.md'),
    ])
  })

  it('is parsed and not sent: Claude Code', async () => {
    const { current } = project
    current.write('.claude/rules/api.md', '---\npaths:\n  - "src/api/**/*.ts"\n  - lib/*.{js,ts}\n---\napi')
    current.write('.claude/rules/general.md', '---\nglobs: "*.ts"\n---\ngeneral')
    current.write('web/.claude/rules/nested.md', 'nested')
    current.write('web/.claude/rules/css.md', '---\npaths: "**/*.css"\n---\ncss')
    const options = { preset: 'claude-code' } as const
    expect(await system(options)).toEqual([expect.stringMatching(/general\.md\ngeneral$/)])
    expect(await resolve('src/api/v1/x.ts', options)).toEqual(['.claude/rules/api.md'])
    expect(await resolve('lib/x.js', options)).toEqual(['.claude/rules/api.md'])
    expect(await resolve('web/x.css', options)).toEqual(['web/.claude/rules/css.md', 'web/.claude/rules/nested.md'])
  })

  it('is parsed in files that a configuration names', async () => {
    const { current } = project
    current.write('rules/a.mdc', '---\nalwaysApply: true\n---\na')
    current.write('rules/b.mdc', '---\nglobs: "*.ts"\n---\nb')
    current.write('rules/c.md', '---\nglobs: "*.ts"\n---\nc')
    const options = { config: { instructions: ['rules/*'] } }
    expect((await system(options)).map((text) => text.split('\n').slice(1).join('\n'))).toEqual([
      'a',
      '---\nglobs: "*.ts"\n---\nc',
    ])
    expect(await resolve('src/x.ts', options)).toEqual(['rules/b.mdc'])
  })

  it('that is huge or cut off does not make a rule without paths', async () => {
    const { current } = project
    current.write('.cursor/rules/huge.mdc', `---\ndescription: ${'x'.repeat(300_000)}\nglobs: *.ts\n---\ntext`)
    current.write('.cursor/rules/open.mdc', `---\n${'globs: *.ts\n'.repeat(50_000)}`)
    current.write('.cursor/rules/only.mdc', '---\nalwaysApply: true\n---\n \n')
    const [huge, only, open] = await load({ preset: 'cursor' })
    expect(huge).toMatchObject({
      status: 'failed',
      reason: expect.stringMatching(/^has a front matter of more than \d+ bytes$/),
    })
    expect(only).toMatchObject({ status: 'empty' })
    expect(open).toMatchObject({ status: 'skipped', reason: 'names no paths: it is used on request' })
  })
})

describe('includes', () => {
  it('are replaced by the file, and listed with from', async () => {
    const { current } = project
    const main = current.write(
      'CLAUDE.md',
      'See @docs/a.md , @~/notes.md and `@docs/a.md`.\nMail max@example.com about @types/node or @Component.',
    )
    const inner = current.write('docs/a.md', 'A with @b.md')
    const innermost = current.write('docs/b.md', 'B')
    const notes = current.writeHome('notes.md', 'notes')
    const text = 'See A with B , notes and `@docs/a.md`.\nMail max@example.com about @types/node or @Component.'
    const options = { preset: 'claude-code' } as const
    expect(await system(options)).toEqual([`Instructions from: ${main}\n${text}`])
    const include = { kind: 'file', origin: 'include', status: 'loaded' }
    expect(await load(options)).toEqual([
      { source: main, kind: 'file', origin: 'project', status: 'loaded', bytes: 100, text },
      { ...include, source: inner, from: main, bytes: 12 },
      { ...include, source: innermost, from: inner, bytes: 1 },
      { ...include, source: notes, from: main, bytes: 5 },
    ])
    expect([...(await InstructionPrompt.systemPaths({ directory: current.root, ...options }))]).toEqual([
      main,
      inner,
      innermost,
      notes,
    ])
  })

  it('follow the default of the tool, unless set', async () => {
    const { current } = project
    for (const name of ['CLAUDE.md', 'GEMINI.md', 'AGENTS.md']) current.write(name, '@a.md')
    current.write('a.md', 'included')
    const last = async (options: InstructionOptions) => (await system(options)).at(-1)?.split('\n')[1]
    expect(await last({ preset: 'claude-code' })).toBe('included')
    expect(await last({ preset: 'gemini-cli' })).toBe('included')
    expect(await last({ preset: 'gemini-cli', includes: false })).toBe('@a.md')
    expect(await last({ preset: 'codex' })).toBe('@a.md')
    expect(await last({})).toBe('@a.md')
    expect(await last({ includes: true })).toBe('included')
    await expect(load({ includes: 1 as never })).rejects.toThrow('options.includes must be a boolean, got number')
  })

  it('do not leave the repository with gemini-cli, but do with claude-code', async () => {
    const { current } = project
    current.writeHome('secret.md', 'mine')
    for (const name of ['CLAUDE.md', 'GEMINI.md']) current.write(name, '@~/secret.md')
    expect(await system({ preset: 'claude-code' })).toEqual([expect.stringMatching(/\nmine$/)])
    expect(await system({ preset: 'gemini-cli' })).toEqual([expect.stringMatching(/\n@~\/secret\.md$/)])
  })

  it('end: cycles, depth, files that are used by themselves', async () => {
    const { current } = project
    current.write('CLAUDE.md', '@a.md @.claude/rules/r.md')
    current.write('.claude/rules/r.md', 'rule')
    current.write('a.md', '@b.md')
    current.write('b.md', '@a.md @CLAUDE.md end')
    const all = await load({ preset: 'claude-code' })
    expect(all[0]?.text).toBe('@a.md @CLAUDE.md end @.claude/rules/r.md')
    const reasons = all
      .filter(({ status, origin }) => origin === 'include' && status === 'skipped')
      .map(({ reason }) => reason)
    expect(reasons).toEqual([
      'is a file that includes this one: a cycle',
      'is a file that includes this one: a cycle',
      `is the same file as ${current.path('.claude/rules/r.md')}`,
    ])
  })

  it('of a rule that is not in every prompt are listed as wanted', async () => {
    const { current } = project
    current.write('CLAUDE.md', '@.claude/rules/r.md')
    current.write('.claude/rules/r.md', '---\npaths: "*.ts"\n---\nrule')
    expect((await load({ preset: 'claude-code' }))[0]?.text).toContain('rule')
  })

  it('in large numbers take little time and memory', async () => {
    const { current } = project
    const bomb = (next: string) => `@${next} `.repeat(40_000)
    current.write('CLAUDE.md', bomb('1.md'))
    for (let level = 1; level < 6; level++) current.write(`${level}.md`, bomb(`${level + 1}.md`))
    const all = await load({ preset: 'claude-code' })
    expect(all.length).toBeLessThan(10)
    expect(Buffer.byteLength(all[0]?.text ?? '')).toBeLessThan(3_000_000)
    expect(all.at(-1)?.reason).toContain('10000 files were examined')
  })

  it('have at most 16 MiB together', async () => {
    const { current } = project
    for (let index = 0; index < 100; index++) current.write(`part${index}.md`, `${index} `.repeat(60_000))
    current.write('CLAUDE.md', Array.from({ length: 100 }, (_, index) => `@part${index}.md`).join('\n'))
    const all = await load({ preset: 'claude-code' })
    expect(Buffer.byteLength(all[0]?.text ?? '')).toBeLessThan(17 * 1024 * 1024)
    expect(all.at(-1)).toMatchObject({ status: 'skipped', reason: 'the size limit for all files is reached' })
  })
})

describe('SystemPrompt.buildWithReport', () => {
  it('returns the parts and their sources from one pass', async () => {
    const { current } = project
    current.write('AGENTS.md', 'text')
    let requests = 0
    const url = await serve((_, response) => response.end(`${++requests}`))
    const input = {
      agent: { prompt: 'You are Max' },
      directory: current.root,
      config: { instructions: [url, 'gone.md'] },
    }
    const { parts, sources, ...rest } = await SystemPrompt.buildWithReport(input)
    expect(rest).toEqual({})
    expect(requests).toBe(1)
    expect(sources.map(({ status }) => status)).toEqual(['loaded', 'loaded', 'failed'])
    expect(parts.slice(2)).toEqual(
      sources.filter(({ text }) => text).map(({ source, text }) => `Instructions from: ${source}\n${text}`),
    )
    expect(parts.slice(0, 2)).toEqual((await SystemPrompt.build({ ...input, config: {} })).slice(0, 2))
  })

  it('applies transform last', async () => {
    project.current.write('AGENTS.md', 'text')
    const input = { agent: {}, directory: project.current.root, transform: () => ['mine'] }
    expect(await SystemPrompt.buildWithReport(input)).toMatchObject({ parts: ['mine'], sources: [{ text: 'text' }] })
    const own = new Error('mine')
    await expect(
      SystemPrompt.buildWithReport({
        ...input,
        transform: () => {
          throw own
        },
      }),
    ).rejects.toBe(own)
    await expect(SystemPrompt.buildWithReport({} as never)).rejects.toThrow('agent must be an object, got undefined')
  })
})
