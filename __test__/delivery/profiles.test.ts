/** What is known of each CLI, as the plans show it. */
import { type DeliveryOptions, type DeliveryPlan, planDelivery } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { findPlaces } from '../../dist/delivery/guards.js'
import { PROFILES, outputNamed, profileOf } from '../../dist/delivery/profiles/index.js'
import { MAX_LISTED_PLACES } from '../../dist/delivery/warnings.js'
import { refusalOf } from '../support/refusals.js'

const UUID = '01a1e545-01a4-7321-8aae-d8e4dd5ff4d8'
const COMMANDS = PROFILES.map(({ command }) => command)

type Options = Partial<DeliveryOptions> & { system?: string }

const plan = (agentType: string, { system, ...options }: Options = {}, prompt = 'hello'): DeliveryPlan =>
  planDelivery(system === undefined ? { prompt } : { prompt, systemFlag: system }, {
    agentType,
    platform: 'linux',
    ...options,
  })
const refusal = (agentType: string, options: Options = {}, prompt = 'hello'): any =>
  refusalOf(() => plan(agentType, options, prompt))
const codes = ({ warnings }: DeliveryPlan): string[] => warnings.map(({ code }) => code)

describe('a CLI', () => {
  it.each([
    ['claude-code', 'claude'],
    ['Claude', 'claude'],
    ['OPENAI-CODEX', 'codex'],
    [' gemini ', 'gemini'],
    ['google-gemini', 'gemini'],
    ['OpenCode', 'opencode'],
    ['qwen', 'qwen'],
    ['qwen-code', 'qwen'],
    ['Copilot', 'copilot'],
    ['github-copilot', 'copilot'],
    ['Pi', 'pi'],
    ['grok', 'grok'],
    ['Kimi', 'kimi'],
    ['kilo', 'kilo'],
    ['kilo-code', 'kilo'],
  ])('is known as %j', (name, command) => {
    expect(profileOf(name)?.command).toBe(command)
    expect(outputNamed(name)).toBe(profileOf(name)?.agentType)
  })

  it.each(['unknown', '', 'toString', '__proto__', 'opencode\u0131'])('is not known as %j', (name) => {
    expect([profileOf(name), outputNamed(name)]).toEqual([undefined, undefined])
  })

  it('has one file and a version', () => {
    expect(COMMANDS).toEqual(['claude', 'codex', 'gemini', 'opencode', 'qwen', 'copilot', 'pi', 'grok', 'kimi', 'kilo'])
    for (const { measuredOn } of PROFILES) expect(measuredOn).toMatch(/^\d+\.\d+\.\d+$/)
    expect(outputNamed(' TEXT ')).toBe('text')
  })
})

describe('arguments', () => {
  it.each([
    ['claude', 'claude -p --output-format stream-json --verbose'],
    ['codex', 'codex exec --json --skip-git-repo-check -'],
    ['gemini', 'gemini -o stream-json'],
    ['opencode', 'opencode run --format json'],
    ['qwen', 'qwen -o stream-json'],
    ['copilot', 'copilot --output-format json --allow-all-tools'],
    ['pi', 'pi --mode json'],
    ['kilo', 'kilo run --format json'],
  ])('of a first turn of %s', (agentType, line) => {
    const { command, args, warnings, files, stdin, output } = plan(agentType)
    expect([command, ...args].join(' ')).toBe(line)
    expect({ warnings, files, stdin: stdin.toString() }).toEqual({ warnings: [], files: [], stdin: 'hello' })
    expect(output).toBe(profileOf(agentType)?.agentType)
  })

  it.each([
    [
      'claude',
      '-p --output-format stream-json --verbose --model m --append-system-prompt S --system-prompt-snapshot off --extra --resume ID',
    ],
    ['codex', 'exec resume --json --skip-git-repo-check --model m -c project_doc_max_bytes=0 --extra ID -'],
    ['qwen', '-o stream-json --model m --bare --append-system-prompt=S --extra --resume ID'],
  ])('of a resumed turn of %s with everything', (agentType, line) => {
    const { args, cwd } = plan(agentType, {
      system: 'S',
      model: 'm',
      resume: UUID,
      cwd: '/project',
      projectInstructions: 'skip',
      trustWorkspace: true,
      extraArgs: ['--extra'],
    })
    expect(args.join(' ').replace(UUID, 'ID')).toBe(line)
    expect(cwd).toBe('/project')
  })

  it('of a resumed turn include where it began', () => {
    const args = (agentType: string, cwd?: string): string =>
      plan(agentType, { resume: 'a', cwd, trustWorkspace: true }).args.join(' ')
    expect(args('gemini', '/p')).toBe('-o stream-json --skip-trust --resume a')
    expect(args('opencode', '/p')).toBe('run --format json --session a --dir /p')
    expect(args('opencode')).toBe('run --format json --session a')
    expect(args('copilot')).toBe('--output-format json --allow-all-tools --resume a')
    // No pattern of `replace`.
    expect(plan('claude', { resume: "$&$'" }).args.at(-1)).toBe("$&$'")
  })

  it.each([
    ['claude', '-p'],
    ['codex', 'exec --skip-git-repo-check -'],
    ['gemini', ''],
    ['copilot', '--silent --allow-all-tools'],
  ])('of %s for plain text', (agentType, line) => {
    const { args, output } = plan(agentType, { json: false })
    expect([args.join(' '), output]).toEqual([line, 'text'])
  })

  it('cannot be options where a name is expected', () => {
    for (const word of ['', '-x', '--dangerously-skip-permissions', 'a\nb', 'a\0', 'a\u0085']) {
      for (const option of ['resume', 'model'])
        expect(refusal('claude', { [option]: word })?.code).toBe('ERR_INVALID_ARG_TYPE')
    }
    // Codex would begin a new session.
    for (const resume of ['my session', '01a1e545', '01a1e545-01a4-7321-8aae-d8e4dd5ff4dg'])
      expect(refusal('codex', { resume })?.message).toContain('UUID')
    expect(refusal('claude', { extraArgs: ['a', 'a\0'] })?.message).toBe(
      'options.extraArgs[1] must be without NUL, got "a\\0"',
    )
    expect(refusal('claude', { cwd: '/a\0' })?.message).toBe('options.cwd must be without NUL, got "/a\\0"')
  })

  it('that an unknown CLI does not support are not lost', () => {
    const unknown = plan('mine', {}, '/x @y $z')
    expect(unknown).toMatchObject({ command: 'mine', args: [], warnings: [] })
    expect(refusal('mine', { resume: 'a' })?.message).toBe(
      'options.resume must be left out: it is not known how this CLI resumes a session (profile.resumeArgs says so), got "a"',
    )
    expect(refusal('mine', { model: 'm' })?.message).toBe(
      'options.model must be left out: it is not known how this CLI takes it (extraArgs can have it), got "m"',
    )
    expect(refusal('mine', { system: 'S' })?.code).toBe('ERR_UNDELIVERABLE')
    expect(codes(plan('mine', { projectInstructions: 'skip' }))).toEqual(['instructions-kept'])
  })
})

describe('a session', () => {
  it.each([
    ['claude', false],
    ['gemini', true],
    ['opencode', true],
    ['qwen', true],
    ['copilot', false],
  ])('of %s is resumed in its directory', (agentType, isWarned) => {
    expect(codes(plan(agentType, { resume: 'a' }))).toEqual(isWarned ? ['resume-directory'] : [])
    expect(codes(plan(agentType, { resume: 'a', cwd: '/p' }))).toEqual([])
  })
})

describe('a system text', () => {
  it.each<[NodeJS.Platform, number, string]>([
    ['linux', 131_071, 'flag'],
    ['linux', 131_072, 'file'],
    ['darwin', 900_000, 'flag'],
    ['darwin', 1_000_000, 'file'],
    // 8,191 without the room for paths and the other arguments.
    ['win32', 7_000, 'flag'],
    ['win32', 7_200, 'file'],
  ])('on %s of %i bytes is a %s', (platform, size, via) => {
    const system = 's'.repeat(size)
    const { args, files } = plan('claude', { system, platform })
    expect(args.at(-1)).toBe(via === 'flag' ? system : '{file:system-prompt.md}')
    expect(files.map(({ content }) => content.toString() === system)).toEqual(via === 'flag' ? [] : [true])
  })

  it('is a file if an argument would be changed', () => {
    expect(plan('claude', { system: 'a\0b' }).files).toHaveLength(1)
    for (const system of ['say "hi"', 'a\nb'])
      expect(plan('claude', { system, platform: 'win32' }).files).toHaveLength(1)
  })

  it('is placed where the caller wants it', () => {
    expect(plan('claude', { system: 'S', systemVia: 'file' }).files).toHaveLength(1)
    expect(codes(plan('claude', { system: 'a\nb', systemVia: 'flag', platform: 'win32' }))).toEqual(['shim'])
    expect(plan('claude', { system: '漢'.repeat(43_690), systemVia: 'flag' }).files).toEqual([])
    expect(refusal('claude', { system: '漢'.repeat(43_691), systemVia: 'flag' })?.message).toContain(
      '(131073 bytes, at most 131071)',
    )
    expect(refusal('claude', { system: 'a'.repeat(31_700), systemVia: 'flag', platform: 'win32' })?.message).toContain(
      'UTF-16 units, at most 31742',
    )
    expect(refusal('claude', { system: 'a\0', systemVia: 'flag' })?.message).toContain('NUL')
    // Nothing to pass.
    expect(plan('claude', { system: '', systemVia: 'file' }).files).toEqual([])
  })

  it.each(['gemini', 'opencode', 'copilot'])('of %s is part of the prompt', (agentType) => {
    expect(refusal(agentType, { system: 'S' })?.message).toBe(
      `cannot deliver to ${agentType}: it has no option for a system text; assemble with systemPlacement 'inline', so that the prompt has it`,
    )
  })

  it.each(['codex', 'qwen'])('of %s is never a file', (agentType) => {
    expect(refusal(agentType, { system: 'S', systemVia: 'file' })?.message).toContain(
      'it has no option for a file with a system text',
    )
    // Too long for an argument, and there is no file.
    expect(refusal(agentType, { system: 's'.repeat(131_072) })?.limit).toBe(131_071)
  })

  it('of codex is a TOML string, and the first stays', () => {
    const first = plan('codex', { system: 'a\n"b"\0' })
    expect(first.args).toContain(String.raw`developer_instructions="a\n\"b\"\u0000"`)
    expect(codes(first)).toEqual(['system-overrides'])
    const resumed = plan('codex', { system: 'S', resume: UUID })
    expect(codes(resumed)).toEqual(['system-ignored'])
    expect(resumed.args.join(' ')).not.toContain('developer_instructions')
  })
})

describe('places where a CLI would act', () => {
  const prompt = '/x 漢😀 @a\n😀@b'
  const LISTED = [
    ['command', 0],
    ['file-mention', 7],
    ['file-mention', 12],
  ]
  const places = ({ warnings }: DeliveryPlan): unknown[] => warnings.map(({ code, at }) => [code, at])

  it('are listed in UTF-16 units', () => {
    const { warnings, stdin } = plan('gemini', { guard: 'report' }, prompt)
    expect(places(plan('gemini', { guard: 'report' }, prompt))).toEqual(LISTED)
    expect(stdin.toString()).toBe(prompt)
    expect(warnings[1]?.message).toContain('at "@a" gemini would')
  })

  it('are disarmed in the text', () => {
    const planned = plan('gemini', { guard: 'escape' }, prompt)
    expect(places(planned)).toEqual(LISTED)
    expect(planned.stdin.toString()).toBe(' /x 漢😀 \\@a\n😀\\@b')
    expect(planned.warnings[1]?.message).toMatch(/a backslash was put before it$/)
    const codex = plan('codex', { guard: 'escape' }, 'echo $HOME $my-skill')
    expect(places(codex)).toEqual([['skill-mention', 11]])
    expect(codex.stdin.toString()).toBe('echo $HOME $\u2060my-skill')
    expect(codex.warnings[0]?.message).toMatch(/; U\+2060 was put after the sign$/)
    const links = plan('codex', { guard: 'escape' }, '[$a](skill://a) [@b](plugin://b) [@c](https://c)')
    expect(places(links)).toEqual([
      ['skill-mention', 1],
      ['plugin-mention', 17],
    ])
    expect(links.stdin.toString()).toBe('[$\u2060a](skill://a) [@\u2060b](plugin://b) [@c](https://c)')
    for (const agentType of ['opencode', 'copilot', 'codex'])
      expect(plan(agentType, { guard: 'escape' }, prompt).stdin.toString()).toBe(prompt)
  })

  it('are disarmed by a switch where there is one', () => {
    const planned = plan('claude', { guard: 'escape' }, prompt)
    expect(places(planned)).toEqual(LISTED.slice(0, 2))
    expect(planned.stdin.toString()).toBe(` ${prompt}`)
    expect(planned.env).toEqual({ CLAUDE_CODE_DISABLE_FILE_MENTIONS: '1' })
    expect(plan('claude', { guard: 'report' }, prompt).env).toEqual({})
  })

  it('do not exist any more', () => {
    const pieces = ['@', '@a', '\\', '/', '/x', '$a', '$', ' ', '\n', '.', '漢', 'a', '"', '\u2060']
    let state = 5
    const next = (below: number): number =>
      ((state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) >>> 16) % below
    for (let round = 0; round < 2000; round++) {
      const text = Array.from({ length: 1 + next(12) }, () => pieces[next(pieces.length)] ?? '').join('')
      if (text.trim() === '') continue
      for (const { command, guards } of PROFILES) {
        const { stdin } = plan(command, { guard: 'escape' }, text)
        const left = guards.filter(({ trigger, disarm }) => !('env' in disarm) && findPlaces(trigger, stdin).length > 0)
        expect({ text, stdin: stdin.toString(), left }).toMatchObject({ left: [] })
      }
    }
  })

  it('are counted if there are many', () => {
    const many = '@a '.repeat(MAX_LISTED_PLACES + 23)
    const { warnings, stdin } = plan('gemini', { guard: 'escape' }, many)
    expect(warnings).toHaveLength(MAX_LISTED_PLACES + 1)
    expect(warnings.at(-1)).toEqual({
      code: 'file-mention',
      message: '23 more of these are not listed; a backslash was put before it',
    })
    expect(stdin.toString()).toBe('\\@a '.repeat(MAX_LISTED_PLACES + 23))
    expect(plan('gemini', {}, '@a '.repeat(MAX_LISTED_PLACES)).warnings).toHaveLength(MAX_LISTED_PLACES)
  })

  it.each([
    ["@it's fine", '"@it\'s"'],
    ['@it\'s"x y', String.raw`"@it\'s\"x"`],
    ['@a\vb', '"@a"'],
    ['@e\u0301\u200b\u2060\u00ad', String.raw`"@e\u{301}\u{200b}\u{2060}\u{ad}"`],
    ['@\0\t', String.raw`"@\0"`],
    ['@漢字😀\u3000x', '"@漢字😀"'],
    [`@${'a'.repeat(50)}`, `"@${'a'.repeat(39)}"`],
    [`@${'漢'.repeat(50)}`, `"@${'漢'.repeat(39)}"`],
    [`@${'😀'.repeat(50)}`, `"@${'😀'.repeat(39)}"`],
  ])('are shown: %j', (text, shown) => {
    expect(plan('gemini', {}, text).warnings[0]?.message).toContain(`at ${shown} gemini would`)
  })
})

describe('white space that a CLI strips', () => {
  it.each([
    ['claude', []],
    ['codex', ['byte-order-mark']],
    ['gemini', []],
    ['opencode', ['byte-order-mark']],
    ['copilot', ['byte-order-mark', 'trailing-space']],
  ])('is reported for %s', (agentType, expected) => {
    expect(codes(plan(agentType, {}, '\ufeffa漢 \n\u3000'))).toEqual(expected)
  })

  it('is reported with its position', () => {
    expect(plan('copilot', {}, 'a漢 \n\u3000').warnings).toEqual([
      { code: 'trailing-space', message: 'copilot strips white space at the end', at: 2 },
    ])
    expect(plan('copilot', {}, ' a').warnings).toEqual([])
  })
})

describe('project instructions', () => {
  it('are skipped by an argument or the environment', () => {
    const skipped = (agentType: string): DeliveryPlan => plan(agentType, { projectInstructions: 'skip' })
    expect(skipped('claude').env).toMatchObject({ CLAUDE_CODE_DISABLE_CLAUDE_MDS: '1' })
    expect(skipped('opencode').env).toEqual({ OPENCODE_DISABLE_PROJECT_CONFIG: '1' })
    expect(skipped('copilot').args).toContain('--no-custom-instructions')
    expect(codes(skipped('gemini'))).toEqual(['instructions-kept'])
    expect(skipped('gemini').env).toEqual({ DEBUG: undefined })
  })
})

describe('mistakes', () => {
  it.each<[string, Record<string, unknown>]>([
    ['options.agentTyp is not read here: did you mean options.agentType?', { agentTyp: 'claude' }],
    ['options.extraArg is not read here: did you mean options.extraArgs?', { agentType: 'claude', extraArg: [] }],
    ['options.profile.comand is not read here: did you mean options.profile.command?', { profile: { comand: 'x' } }],
  ])('%s', (message, options) => {
    expect(refusalOf(() => planDelivery({ prompt: 'x' }, options as never))).toMatchObject({
      name: 'TypeError',
      code: 'ERR_INVALID_ARG_TYPE',
      message,
    })
  })

  it('read each field once', () => {
    const reads: string[] = []
    const counting = <T extends object>(target: T, path: string): T =>
      new Proxy(target, {
        get: (object, key, receiver) => {
          reads.push(`${path}.${String(key)}`)
          return Reflect.get(object, key, receiver)
        },
      })
    const profile = counting({ command: 'a', args: ['x'], limits: [], env: { A: 'b' }, output: 'text' }, 'profile')
    planDelivery(
      counting({ prompt: 'x' }, 'output'),
      counting({ agentType: 'a', cwd: '/p', platform: 'linux' as const, profile }, 'options'),
    )
    expect(reads.toSorted()).toEqual([...new Set(reads)].toSorted())
  })
})
