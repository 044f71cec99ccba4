/** `planDelivery` as callers see it. The rules of each CLI are tested in `__test__/delivery/`. */
import { resolve } from 'node:path'
import fc from 'fast-check'
import {
  type DeliveryOptions,
  type DeliveryProfile,
  ClaudeContextAssembler,
  buildPrompt,
  isPromptmasonError,
  deliver,
  planDelivery,
} from 'promptmason'
import { describe, expect, it } from 'vitest'

const plan = (prompt: string | Buffer, options: Partial<DeliveryOptions> = {}, systemFlag?: string) =>
  planDelivery({ prompt, systemFlag } as { prompt: string; systemFlag?: string }, {
    agentType: 'claude',
    platform: 'linux',
    ...options,
  })

const thrown = (work: () => unknown): any => {
  try {
    work()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}

describe('a plan', () => {
  it('describes how to run a CLI with an assembled prompt', () => {
    const output = new ClaudeContextAssembler().assemble({
      contextMessages: [],
      currentMessage: 'Go on.',
      teamTask: null,
      systemInstruction: 'Be brief.',
      maxBytes: 1000,
    })
    expect(planDelivery(output, { agentType: 'claude-code', platform: 'linux', guard: 'report' })).toEqual({
      command: 'claude',
      args: ['-p', '--output-format', 'stream-json', '--verbose', '--append-system-prompt', 'Be brief.'],
      stdin: Buffer.from('[MESSAGE]\nGo on.'),
      files: [],
      env: {},
      additions: { at: 6, streamArgs: ['--include-partial-messages'], sessionIdArgs: ['--session-id', '{id}'] },
      warnings: [],
      output: 'claude-code',
    })
  })

  it('has a file for a system text that is too long for an argument', () => {
    const { args, files } = plan('x', {}, '漢'.repeat(100_000))
    expect(args.slice(-2)).toEqual(['--append-system-prompt-file', '{file:system-prompt.md}'])
    expect(files.map(({ name }) => name)).toEqual(['system-prompt.md'])
    expect(files[0]?.content.toString()).toBe('漢'.repeat(100_000))
  })

  it('accepts the prompt as bytes, and does not copy them', () => {
    const { prompt, systemFlag } = buildPrompt(
      { agentType: 'codex', contextMessages: [], message: '漢' },
      { as: 'buffer' },
    )
    expect(planDelivery({ prompt, systemFlag }, { agentType: 'codex' }).stdin).toBe(prompt)
    const view = new Uint8Array(Buffer.from('xabcx').buffer.slice(0)).fill(0x61)
    expect(plan(view as Buffer).stdin.equals(view)).toBe(true)
    const shared = new Uint8Array(new SharedArrayBuffer(3)).fill(0x61)
    const { stdin } = plan(shared as Buffer)
    expect(stdin.toString()).toBe('aaa')
    expect(stdin.buffer).not.toBe(shared.buffer)
  })

  it('does not change the given prompt where it writes another', () => {
    const prompt = Buffer.from('see @a')
    const { stdin, warnings } = plan(prompt, { agentType: 'gemini' })
    expect(prompt.toString()).toBe('see @a')
    expect(stdin.toString()).toBe('see \\@a')
    expect(warnings.map(({ code, at }) => [code, at])).toEqual([['file-mention', 4]])
  })

  it('removes variables that would change the behaviour of the CLI', () => {
    const { env } = plan('x', { agentType: 'gemini' })
    expect(Object.hasOwn(env, 'DEBUG') && env['DEBUG'] === undefined).toBe(true)
  })

  it('has an absolute directory', () => {
    expect(plan('x', { cwd: '/project' }).cwd).toBe('/project')
    expect(plan('x', { cwd: 'here' }).cwd).toBe(resolve('here'))
    expect(plan('x', { cwd: 'C:\\here', platform: 'win32' }).cwd).toBe('C:\\here')
    expect(Object.hasOwn(plan('x'), 'cwd')).toBe(false)
    expect(plan('x', { agentType: 'opencode', resume: 'ses_1', cwd: 'here' }).args.slice(-2)).toEqual([
      '--dir',
      resolve('here'),
    ])
  })

  it('writes lone surrogates as U+FFFD', () => {
    expect(plan('a\ud800', {}, 'b\udc00')).toMatchObject({
      stdin: Buffer.from('a\ufffd'),
      args: expect.arrayContaining(['b\ufffd']),
    })
  })

  it('treats null and undefined as missing', () => {
    const nothing = [
      'platform',
      'json',
      'model',
      'cwd',
      'resume',
      'systemVia',
      'guard',
      'projectInstructions',
      'trustWorkspace',
      'extraArgs',
      'profile',
    ]
    const expected = planDelivery({ prompt: 'x' }, { agentType: 'claude' })
    for (const value of [null, undefined]) {
      const options = { agentType: 'claude', ...Object.fromEntries(nothing.map((name) => [name, value])) }
      expect(planDelivery({ prompt: 'x', systemFlag: undefined }, options)).toEqual(expected)
    }
  })
})

describe('places where a CLI would act', () => {
  it('are found where the prompt has the sign', () => {
    const piece = fc.constantFrom('@a', '@', '/x', '$sk', '$HOME', ' ', '\n', '漢', '😀', 'a', '\\', '\u3000', '.', '"')
    fc.assert(
      fc.property(
        fc.array(piece, { minLength: 1, maxLength: 20 }),
        fc.constantFrom('claude', 'codex', 'gemini', 'qwen'),
        (pieces, agentType) => {
          const prompt = `${pieces.join('')}.`
          for (const { code, at } of plan(prompt, { agentType }).warnings) {
            expect(prompt[at ?? -1]).toBe(
              { command: '/', 'file-mention': '@', 'skill-mention': '$', 'plugin-mention': '@' }[code as string],
            )
          }
        },
      ),
    )
  })

  it('are described', () => {
    const { warnings } = plan('/clear\n@/etc/passwd\u001b[31m', { guard: 'escape' })
    expect(warnings.map(({ message }) => message)).toEqual([
      'at "/clear" claude would take it for a command: it may send nothing, or send a command\'s text instead; a space was put before it',
      'at "@/etc/passwd\\u{1b}[31m" claude would attach the file or the listing of the directory, if there is one; CLAUDE_CODE_DISABLE_FILE_MENTIONS=1 prevents that, and the text stays as it is',
    ])
  })

  it('are found in linear time', () => {
    for (const text of ['@', '@a ', '$a', '/', '\u3000@', '.@', '/'.padEnd(9, '\u3000')]) {
      for (const agentType of ['claude', 'codex', 'gemini', 'qwen']) {
        const prompt = `a${text.repeat(1_000_000 / text.length)}`
        expect(() => plan(prompt, { agentType, guard: 'report' })).not.toThrow()
      }
    }
  })
})

describe('a caller-supplied CLI', () => {
  const profile: DeliveryProfile = {
    command: '/opt/mine',
    args: ['run'],
    systemFlag: '--system',
    resumeArgs: ['--continue', 'id={id}', '{id}{id}'],
    limits: [{ unit: 'utf16', max: 4 }],
    env: { KEY: 'value', GONE: undefined, OUT: null },
    output: 'Claude',
  }

  it('is described by data', () => {
    expect(
      planDelivery({ prompt: '漢字' }, { agentType: 'mine', profile, resume: '7', extraArgs: ['-x'] }),
    ).toMatchObject({
      command: '/opt/mine',
      args: ['run', '-x', '--continue', 'id=7', '77'],
      env: { KEY: 'value', GONE: undefined, OUT: undefined },
      output: 'claude-code',
    })
    expect(planDelivery({ prompt: 'x', systemFlag: 'S' }, { agentType: 'mine', profile }).args).toEqual([
      'run',
      '--system',
      'S',
    ])
    expect(planDelivery({ prompt: 'x' }, { agentType: 'mine', profile: { command: 'a' } })).toMatchObject({
      command: 'a',
      args: [],
      output: 'text',
    })
  })

  it('may take the system text and the option in one argument', () => {
    const joined = { command: 'a', systemFlag: '--system=', systemFileFlag: '--file=' }
    const args = (systemVia: 'flag' | 'file') =>
      planDelivery({ prompt: 'x', systemFlag: '--help' }, { agentType: 'mine', profile: joined, systemVia }).args
    expect(args('flag')).toEqual(['--system=--help'])
    expect(args('file')).toEqual(['--file={file:system-prompt.md}'])
    expect(plan('x', { agentType: 'qwen' }, '- Be brief.').args.at(-1)).toBe('--append-system-prompt=- Be brief.')
  })

  it('has limits', () => {
    expect(planDelivery({ prompt: '😀😀' }, { agentType: 'mine', profile }).stdin.length).toBe(8)
    expect(thrown(() => planDelivery({ prompt: '😀😀a' }, { agentType: 'mine', profile }))).toMatchObject({
      name: 'RangeError',
      code: 'ERR_UNDELIVERABLE',
      cli: '/opt/mine',
      size: 5,
      limit: 4,
      unit: 'utf16',
    })
  })

  it('may be unknown', () => {
    expect(planDelivery({ prompt: '@a' }, { agentType: 'my-agent' })).toEqual({
      command: 'my-agent',
      args: [],
      stdin: Buffer.from('@a'),
      files: [],
      env: {},
      warnings: [],
      output: 'text',
    })
  })

  it('has only its own properties', () => {
    const env = JSON.parse('{ "__proto__": "a", "constructor": "b" }')
    const planned = planDelivery({ prompt: 'x' }, { agentType: 'mine', profile: { command: 'a', env } })
    expect(Object.entries(planned.env)).toEqual([
      ['__proto__', 'a'],
      ['constructor', 'b'],
    ])
  })
})

describe('errors', () => {
  it('report what cannot be delivered, and its size', () => {
    const error = thrown(() => plan('a'.repeat(1_048_577), { agentType: 'codex' }))
    expect(isPromptmasonError(error, 'ERR_UNDELIVERABLE')).toBe(true)
    expect(error).toBeInstanceOf(RangeError)
    expect(error).toMatchObject({ cli: 'codex', size: 1_048_577, limit: 1_048_576, unit: 'codePoints' })
    expect(error.message).toBe(
      'cannot deliver to codex: the prompt is too long, and it would exit with an error; lower maxBytes (1048577 code points, at most 1048576)',
    )
    const inline = thrown(() => plan('x', { agentType: 'gemini' }, 'S'))
    expect(inline.message).toContain("assemble with systemPlacement 'inline'")
    expect(Object.keys(inline)).toEqual(['code', 'cli'])
  })

  it.each<[string, () => unknown]>([
    ['output must be an object with a prompt', () => planDelivery(null as never, { agentType: 'claude' })],
    [
      'output.prompt must be a string, a Buffer or a Uint8Array, got undefined',
      () => planDelivery({} as never, { agentType: 'claude' }),
    ],
    ['output.prompt must be a string, a Buffer or a Uint8Array, got object', () => plan(new Uint16Array(2) as never)],
    ['output.prompt must be UTF-8', () => plan(Buffer.from([0x61, 0xff]))],
    [
      'output.systemFlag must be a string, got number',
      () => planDelivery({ prompt: 'x', systemFlag: 1 as never }, { agentType: 'claude' }),
    ],
    ['options must be an object, got undefined', () => planDelivery({ prompt: 'x' }, undefined as never)],
    ['options.agentType must be a string, got undefined', () => planDelivery({ prompt: 'x' }, {} as never)],
    ["options.agentType must be the name of a program, got ''", () => plan('x', { agentType: '' })],
    ['options.platform must be a string, got number', () => plan('x', { platform: 1 as never })],
    ['options.json must be a boolean, got string', () => plan('x', { json: 'no' as never })],
    ["options.systemVia must be 'auto', 'flag' or 'file', got 'pipe'", () => plan('x', { systemVia: 'pipe' as never })],
    ["options.guard must be 'report' or 'escape', got 'off'", () => plan('x', { guard: 'off' as never })],
    [
      "options.projectInstructions must be 'keep' or 'skip', got ''",
      () => plan('x', { projectInstructions: '' as never }),
    ],
    ['options.extraArgs[1] must be a string, got number', () => plan('x', { extraArgs: ['a', 1 as never] })],
    [
      'options.resume must be a name that does not begin with a dash, got "--help"',
      () => plan('x', { resume: '--help' }),
    ],
    ['options.profile.command must be a string, got undefined', () => plan('x', { profile: {} as never })],
    [
      "options.profile.limits[0].unit must be 'bytes', 'codePoints' or 'utf16', got 'tokens'",
      () => plan('x', { profile: { command: 'a', limits: [{ unit: 'tokens' as never, max: 1 }] } }),
    ],
    [
      'options.profile.env.A must be a string, got number',
      () => plan('x', { profile: { command: 'a', env: { A: 1 as never } } }),
    ],
    [
      "options.profile.output must be 'text' or a known agent type, got 'x'",
      () => plan('x', { profile: { command: 'a', output: 'x' } }),
    ],
  ])('%s', (message, work) => {
    const error = thrown(work)
    expect(error.message).toBe(message)
    expect(error).toBeInstanceOf(TypeError)
    expect(isPromptmasonError(error, 'ERR_INVALID_ARG_TYPE')).toBe(true)
  })

  it('of a getter are rethrown', () => {
    const own = new Error('mine')
    const hostile = (name: string) =>
      Object.defineProperty({ agentType: 'claude' }, name, {
        get() {
          throw own
        },
      }) as DeliveryOptions
    for (const name of ['agentType', 'platform', 'cwd', 'profile', 'extraArgs']) {
      expect(thrown(() => planDelivery({ prompt: 'x' }, hostile(name)))).toBe(own)
    }
    expect(
      thrown(() =>
        planDelivery(
          {
            get prompt(): string {
              throw own
            },
          },
          { agentType: 'claude' },
        ),
      ),
    ).toBe(own)
  })

  it('of a limit that is not a number describe its range', () => {
    const error = thrown(() => plan('x', { profile: { command: 'a', limits: [{ unit: 'bytes', max: 0 }] } }))
    expect(error).toMatchObject({
      code: 'ERR_OUT_OF_RANGE',
      message: 'options.profile.limits[0].max must be a positive safe integer, got 0',
    })
  })

  it('are thrown for detached memory', () => {
    const prompt = new Uint8Array(5)
    structuredClone(prompt, { transfer: [prompt.buffer] })
    expect(
      isPromptmasonError(
        thrown(() => planDelivery({ prompt: prompt as Buffer }, { agentType: 'claude' })),
        'ERR_INVALID_ARG_TYPE',
      ),
    ).toBe(true)
  })

  it('are thrown for code that detaches the memory', () => {
    const prompt = Uint8Array.from(Buffer.from('hello'))
    const options = {
      agentType: 'claude',
      platform: 'linux' as const,
      get json() {
        structuredClone(prompt, { transfer: [prompt.buffer] })
        return true
      },
    }
    expect(thrown(() => planDelivery({ prompt: prompt as Buffer }, options))).toMatchObject({
      code: 'ERR_UNDELIVERABLE',
    })
  })
})

describe('extraArgs', () => {
  const planned = (
    agentType: string,
    extraArgs: string[],
    options: Partial<DeliveryOptions> = {},
  ): [string, string] => {
    const { args, warnings } = planDelivery({ prompt: 'x' }, { agentType, extraArgs, ...options })
    const repeated = warnings.filter(({ code }) => code === 'repeated-argument')
    return [args.join(' '), repeated.map(({ message }) => message.split(': ')[1]).join()]
  }

  it.each<[string, string[], string, string]>([
    ['codex', ['--json'], 'exec --json --skip-git-repo-check -', '"--json"'],
    ['codex', ['exec', '--json', '-'], 'exec --json --skip-git-repo-check -', '"exec" "--json" "-"'],
    ['codex', ['--profile', 'exec'], 'exec --json --skip-git-repo-check --profile exec -', ''],
    ['codex', ['-c', 'a=1', '-c', 'b=2'], 'exec --json --skip-git-repo-check -c a=1 -c b=2 -', ''],
    ['claude', ['-p', '--verbose'], '-p --output-format stream-json --verbose', '"-p" "--verbose"'],
    ['claude', ['--print'], '-p --output-format stream-json --verbose', '"--print"'],
    [
      'claude',
      ['--output-format', 'text', '--add-dir', '/x'],
      '-p --output-format stream-json --verbose --add-dir /x',
      '"--output-format" "text"',
    ],
    ['claude', ['--output-format=json'], '-p --output-format stream-json --verbose', '"--output-format=json"'],
    ['gemini', ['--output-format', 'json', '-y'], '-o stream-json -y', '"--output-format" "json"'],
    ['opencode', ['run', '--format', 'json'], 'run --format json', '"run" "--format" "json"'],
    ['copilot', ['--allow-all-tools', '--x'], '--output-format json --allow-all-tools --x', '"--allow-all-tools"'],
  ])('of %s that repeat what the plan has are left out: %j', (agentType, extraArgs, args, dropped) => {
    expect(planned(agentType, extraArgs)).toEqual([args, dropped])
  })

  it('do not replace what promptmason has set', () => {
    expect(planned('claude', ['--model', 'b', '-r', 'other'], { model: 'a', resume: 's' })).toEqual([
      '-p --output-format stream-json --verbose --model a --resume s',
      '"--model" "b" "-r" "other"',
    ])
    expect(planned('claude', ['--model', 'b'])).toEqual(['-p --output-format stream-json --verbose --model b', ''])
    const skipping = { projectInstructions: 'skip' } as const
    expect(planned('codex', ['--config', 'project_doc_max_bytes=9', '-c', 'x=1'], skipping)).toEqual([
      'exec --json --skip-git-repo-check -c project_doc_max_bytes=0 -c x=1 -',
      '"--config" "project_doc_max_bytes=9"',
    ])
  })

  it('of a custom CLI are left out if they are the same', () => {
    const profile = { command: 'mine', args: ['--batch', '--include', 'a'] }
    expect(planned('mine', ['--include', 'b', '--batch', '--include', 'a', 'word'], { profile })).toEqual([
      '--batch --include a --include b word',
      '"--batch" "--include" "a"',
    ])
  })
})

describe('permissions', () => {
  const granted = (
    agentType: string,
    permissions: 'default' | 'read-only' | 'edit' | 'all',
    resume?: string,
  ): string => {
    const { args, env } = planDelivery({ prompt: 'x' }, { agentType, permissions, resume })
    return [...args, env['OPENCODE_PERMISSION'] ?? ''].join(' ').trim()
  }

  it.each([
    ['claude', '--permission-mode plan', '--permission-mode acceptEdits', '--dangerously-skip-permissions'],
    [
      'codex',
      '-c sandbox_mode="read-only"',
      '-c sandbox_mode="workspace-write"',
      '--dangerously-bypass-approvals-and-sandbox',
    ],
    ['gemini', '--approval-mode plan', '--approval-mode auto_edit', '--approval-mode yolo'],
    ['qwen', '--approval-mode plan', '--approval-mode auto-edit', '--approval-mode yolo'],
    ['opencode', '{"edit":"deny","bash":"deny"}', '{"edit":"allow","bash":"deny"}', '--auto'],
    ['copilot', '--deny-tool shell --deny-tool write', '--allow-all-tools --deny-tool shell', '--allow-all'],
  ])('of %s are CLI-specific options', (agentType, readOnly, edit, all) => {
    expect(granted(agentType, 'read-only')).toContain(readOnly)
    expect(granted(agentType, 'edit')).toContain(edit)
    expect(granted(agentType, 'all')).toContain(all)
    for (const each of [readOnly, edit, all]) expect(` ${granted(agentType, 'default')} `).not.toContain(` ${each} `)
    const id = '01a1e545-01a4-7321-8aae-d8e4dd5ff4d8'
    expect(granted(agentType, 'edit', id)).toContain(edit)
  })

  it('add nothing by default, except for Copilot, which would not run', () => {
    expect(granted('claude', 'default')).toBe('-p --output-format stream-json --verbose')
    expect(granted('copilot', 'default')).toBe('--output-format json --allow-all-tools')
    expect(granted('copilot', 'all')).toBe('--output-format json --allow-all')
  })

  it('of a custom CLI are arguments of its profile, or rejected', () => {
    const options = {
      agentType: 'mine',
      profile: { command: 'mine', permissionArgs: { 'read-only': ['--safe'] } },
    }
    expect(planDelivery({ prompt: 'x' }, { ...options, permissions: 'read-only' }).args).toEqual(['--safe'])
    const error = thrown(() => planDelivery({ prompt: 'x' }, { ...options, permissions: 'edit' }))
    expect(error).toMatchObject({ code: 'ERR_UNDELIVERABLE', cli: 'mine' })
    expect(error.message).toContain("'edit'")
    expect(thrown(() => planDelivery({ prompt: 'x' }, { agentType: 'unknown', permissions: 'all' }))).toMatchObject({
      code: 'ERR_UNDELIVERABLE',
    })
  })

  it.each(['read-only', 'edit'] as const)(
    '%s is rejected for Grok, which does not ask about everything',
    (permissions) => {
      const limited = (agentType: string) => planDelivery({ prompt: 'x' }, { agentType, permissions })
      expect(thrown(() => limited('grok')).code).toBe('ERR_UNDELIVERABLE')
      // It asks.
      expect(limited('kimi').acp).toEqual({ permissions })
    },
  )

  it('replace what extraArgs say', () => {
    const extraArgs = ['--permission-mode', 'plan']
    const { args, warnings } = planDelivery({ prompt: 'x' }, { agentType: 'claude', permissions: 'edit', extraArgs })
    expect(args.join(' ')).toBe('-p --output-format stream-json --verbose --permission-mode acceptEdits')
    expect(warnings.map(({ code }) => code)).toEqual(['repeated-argument'])
  })
})

describe('a blank prompt', () => {
  it('is rejected or causes a warning', () => {
    for (const agentType of ['gemini', 'qwen']) {
      expect(planDelivery({ prompt: ' \n' }, { agentType }).warnings).toEqual([
        { code: 'blank', message: expect.stringContaining(agentType), at: 0 },
      ])
    }
    expect(thrown(() => planDelivery({ prompt: ' \n' }, { agentType: 'claude' })).code).toBe('ERR_UNDELIVERABLE')
  })
})

describe('a version', () => {
  const args = (version?: string): string =>
    planDelivery({ prompt: 'x', systemFlag: 'S' }, { agentType: 'claude', resume: 'a', version }).args.join(' ')

  it('gets only the options that it supports', () => {
    expect(args()).toContain('--system-prompt-snapshot off')
    expect(args('2.1.257')).toContain('--system-prompt-snapshot off')
    expect(args('2.10.0')).toContain('--system-prompt-snapshot off')
    for (const older of ['2.1.252', '2.1.99', '2.0', '1.0.128 (Claude Code)']) {
      expect(args(older)).toBe('-p --output-format stream-json --verbose --append-system-prompt S --resume a')
    }
    expect(thrown(() => args('latest'))).toMatchObject({ code: 'ERR_INVALID_ARG_TYPE' })
  })
})

describe('an option of another function', () => {
  const messageOf = (options: object): string =>
    thrown(() => planDelivery({ prompt: 'x' }, { agentType: 'claude', ...options } as DeliveryOptions)).message

  it('is rejected, because it would have no effect', async () => {
    const onText = (): void => {}
    const signal = new AbortController().signal
    for (const options of [{ timeoutMs: 7 }, { idleTimeoutMs: 7 }, { onText }, { signal }, { detached: true }]) {
      expect(messageOf(options)).toBe(`options.${Object.keys(options)[0]} is not read here: it belongs to deliver`)
    }
    const made = planDelivery({ prompt: 'x' }, { agentType: 'claude' })
    for (const [options, owner] of [
      [{ model: 'm' }, 'planDelivery'],
      [{ permissions: 'edit' }, 'planDelivery'],
      [{ env: {} }, 'the plan'],
    ] as const) {
      const message = `options.${Object.keys(options)[0]} is not read here: it belongs to ${owner}`
      // oxlint-disable-next-line no-await-in-loop -- it rejects at once
      await expect(deliver(made, options as object)).rejects.toMatchObject({ code: 'ERR_INVALID_ARG_TYPE', message })
    }
  })
})
