/** The command `promptmason`. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildPrompt, CodexContextAssembler, ContextManager, type AssemblerReport } from 'promptmason'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { COMMANDS, COMMON_OPTIONS } from '../../dist/command/commands.js'
import { MEANINGS } from '../../dist/command/command.js'
import { chatter } from '../support/conversations.js'
import { commandThread } from '../support/command.js'
import { documentText, root } from '../support/documents.js'

const COMMAND = join(root, 'dist', 'command', 'cli.js')
let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'promptmason-explain-'))
  process.chdir(folder)
})
afterAll(() => {
  process.chdir(root)
  rmSync(folder, { recursive: true })
})

const run = commandThread({ ...process.env, DEBUG: '' })
const file = (name: string, value: unknown): string => {
  writeFileSync(join(folder, name), typeof value === 'string' ? value : JSON.stringify(value))
  return name
}

const PROMPT = {
  agentType: 'codex',
  contextMessages: chatter(12, 200),
  message: 'Go on.',
  maxContextMessages: 12,
  maxBytes: 1200,
}

it('is a program', () => {
  const ran = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, ...args], {
      encoding: 'utf8',
      input: JSON.stringify(PROMPT),
      env: { ...process.env, DEBUG: '' },
    })
    return { status, stdout, stderr }
  }
  for (const args of [['explain', '-'], ['explain', '--max-bytes', '10'], ['nonsense']]) {
    expect(ran(...args)).toEqual(run(args, JSON.stringify(PROMPT)))
  }
})

describe('promptmason explain', () => {
  it('draws a PromptInput', () => {
    const { status, stdout, stderr } = run(['explain', file('prompt.json', PROMPT)])
    expect([status, stderr]).toEqual([0, ''])
    const { totalBytes } = buildPrompt(PROMPT, { report: true }).report
    expect(stdout).toContain(`openai-codex: ${totalBytes.toLocaleString('en')} of 1,200 bytes`)
    expect(stdout).toContain('dropped: no room')
    expect(stdout).not.toContain('\u001b')
  })

  it('prints the report of an AssemblerInput from stdin, or only the prompt', () => {
    const input = {
      contextMessages: chatter(5, 200),
      currentMessage: 'Go on.',
      teamTask: null,
      maxBytes: 900,
      systemInstruction: 'You are Sarah.',
    }
    const { report, prompt } = new CodexContextAssembler().assemble(input, { report: true })
    const printed = run(['explain', '-', '--agent', 'codex', '--json'], JSON.stringify(input))
    expect(printed.stderr).toBe('')
    expect(JSON.parse(printed.stdout)).toEqual(report)
    expect(run(['explain', '--agent', 'codex', '--prompt'], JSON.stringify(input)).stdout).toBe(prompt)
    expect(run(['explain', '--json'], JSON.stringify(input)).stdout).toContain('"agentType": "unknown"')
  })

  it('accepts a snapshot', () => {
    const manager = new ContextManager()
    manager.setTeamTask('Design the login')
    for (const { from, content } of chatter(20, 200)) manager.addMessage({ speaker: { id: from }, content })
    const snapshot = file('snapshot.json', manager.exportSnapshot())
    const { stdout } = run(['explain', snapshot, '--agent', 'claude', '--window', '8', '--max-bytes', '1000', '--json'])
    const other = new ContextManager({ contextWindowSize: 8, maxBytes: 1000 })
    other.importSnapshot(manager.exportSnapshot())
    expect(JSON.parse(stdout)).toEqual(other.assembleForAgent('agent', 'claude', undefined, { report: true }).report)
    expect(run(['explain', snapshot, '--window', '8']).stdout.match(/msg-\d.* {2}kept/g)).toHaveLength(8)
  })

  it('accepts budgets in tokens, for every kind of input', () => {
    const tokens = ['--max-tokens', '200', '--max-bytes', '100000', '--json']
    const manager = new ContextManager({ contextWindowSize: 9 })
    for (const { from, content } of chatter(20, 200)) manager.addMessage({ speaker: { id: from }, content })
    const inputs = [PROMPT, { contextMessages: chatter(20, 200), currentMessage: 'Go on.' }, manager.exportSnapshot()]
    for (const input of inputs) {
      for (const [tokenizer, named] of [
        ['o200k', 'o200k'],
        ['cl100k', 'cl100k'],
        ['3.5', 'estimate'],
      ] as const) {
        const { stdout, stderr } = run(
          ['explain', '--agent', 'claude', '--tokenizer', tokenizer, ...tokens],
          JSON.stringify(input),
        )
        expect(stderr).toBe('')
        expect(JSON.parse(stdout)).toMatchObject({ maxTokens: 200, tokenizer: named })
      }
      expect(run(['explain', '--agent', 'claude', ...tokens], JSON.stringify(input))).toMatchObject({
        status: 2,
        stderr: expect.stringContaining('a budget in tokens needs --tokenizer'),
      })
      const { status, stderr } = run(['explain', '--agent', 'codex', '--max-tokens', '3'], JSON.stringify(input))
      expect(status).toBe(1)
      expect(stderr).toMatch(
        /^Does not fit: \d+ tokens are needed at least, the budget has 3\n[^]*\n--max-tokens \d+ is the smallest that suffices\.\n$/,
      )
    }
  }, 60_000)

  it('applies its options', () => {
    const { stdout } = run([
      'explain',
      file('prompt.json', PROMPT),
      '--agent',
      'gemini',
      '--max-bytes',
      '100000',
      '--window',
      '3',
      '--recipient',
      'sarah',
      '--prompt',
    ])
    expect(stdout).toBe(
      buildPrompt({ ...PROMPT, agentType: 'gemini', maxBytes: 100_000, maxContextMessages: 3, recipient: 'sarah' })
        .prompt,
    )
  })

  it('shows nothing that the recipient may not see, in any form', () => {
    const contextMessages = [
      { from: 'Secret Sender', to: 'max', content: 'a secret' },
      { from: 'max', to: 'sarah', content: 'for Sarah' },
    ]
    const input = file('recipient.json', { agentType: 'codex', contextMessages, message: 'Go on.' })
    const page = join(folder, 'page.html')
    const printed = [[], ['--json'], ['--prompt'], ['--all']].map(
      (args) => run(['explain', input, '--recipient', 'sarah', '--html', page, ...args]).stdout,
    )
    for (const text of [...printed, readFileSync(page, 'utf8')]) {
      expect(text).not.toContain('secret')
      expect(text).not.toContain('Secret Sender')
    }
    expect(readFileSync(page, 'utf8')).toContain('for Sarah')
  })

  it('prints JSON without control characters', () => {
    const contextMessages = [{ from: 'a\u009b\u202e', content: `${'x'.repeat(900)}` }]
    const { stdout } = run(['explain', '--json', '--max-bytes', '100'], JSON.stringify({ ...PROMPT, contextMessages }))
    expect(stdout).toContain('"a\\u009b\\u202e"')
    expect((JSON.parse(stdout) as AssemblerReport).dropped[0]?.from).toBe('a\u009b\u202e')
  })

  it('exits with 1 and shows the sections if the budget is exceeded', () => {
    const { status, stdout, stderr } = run(['explain', file('prompt.json', PROMPT), '--max-bytes', '10'])
    expect([status, stdout]).toEqual([1, ''])
    expect(stderr).toBe(
      `Does not fit: 16 bytes are needed at least, the budget has 10\n[${'M'.repeat(78)}]\n  message                  16\n--max-bytes 16 is the smallest that suffices.\n`,
    )
  })

  it.each([
    [['explain', 'missing.json'], '', /^promptmason: missing\.json cannot be read: ENOENT/],
    [
      ['explain'],
      '{\n  "message": "x",\n  "contextMessages": [}\n',
      /^promptmason: stdin:3:23: this is not JSON: a value was expected\n$/,
    ],
    [['explain'], Buffer.from([0x22, 0xff, 0x22]), /^promptmason: stdin is not UTF-8\n$/],
    [['explain'], '[]', /^promptmason: the input must be a PromptInput .*, an AssemblerInput .* or a snapshot/],
    [['explain'], '{"message": "x"}', /^promptmason: the input is not recognised/],
    [
      ['explain'],
      '{"contextMessages": [], "message": "x", "currentMessage": "y"}',
      /^promptmason: the input has both message and currentMessage/,
    ],
    [
      ['explain'],
      '{"contextMessages": [{"from": "a", "content": 7}], "message": "x"}',
      /^promptmason: contextMessages\[0\]\.content must be a string, got number\n$/,
    ],
    [
      ['explain', '--window', '2'],
      '{"contextMessages": [], "currentMessage": "x"}',
      /^promptmason: --window is for a PromptInput or a snapshot/,
    ],
    [['explain'], '{"messages": [{}], "version": 1}', /^promptmason: Invalid snapshot format/],
    [
      ['explain', '--max-bytes', '1.5'],
      '{}',
      /^promptmason: --max-bytes must be a whole number from 1 on, got '1\.5'\n$/,
    ],
    [['explain', '--tokenizer', 'gpt'], '{}', /^promptmason: --tokenizer must be o200k, cl100k or a number/],
    [['explain', '--prompt', '--json'], '{}', /"message": "--prompt and --json cannot both be printed"/],
    [['explain', 'a', 'b'], '{}', /^promptmason: explain takes \[FILE\|-\]\n$/],
    [['explain', '--untrusted'], '{}', /^promptmason: --untrusted is not an option of explain\n$/],
    [['explain', '--no-such-option'], '{}', /^promptmason: Unknown option '--no-such-option'.*\(see --help\)\n$/],
    [
      ['frobnicate\u001b[2J'],
      '',
      /^promptmason: there is no command 'frobnicate\[U\+001B\]\[2J': it must be explain, .* or completion\n$/,
    ],
    [
      ['explain', '--html', '/no/such/folder/page.html'],
      JSON.stringify(PROMPT),
      /^promptmason: \/no\/such\/folder\/page\.html cannot be written: ENOENT/,
    ],
  ])('exits with 2 for %j', (args, input, message) => {
    const { status, stdout, stderr } = run(args, input)
    expect(stderr).toMatch(message)
    expect([status, stdout]).toEqual([2, ''])
  })

  it.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])('rejects the command %s', (name) => {
    expect(run([name])).toEqual({
      status: 2,
      stdout: '',
      stderr: expect.stringMatching(`^promptmason: there is no command '${name}': it must be explain, `),
    })
  })

  it.each([
    ['a string', (long: string) => `{"message": "${long}", "contextMessages": [}`, 35, 'a value was expected'],
    ['a name', (long: string) => `{"${long}": 1, }`, 8, 'a name in double quotes was expected'],
    ['a string that does not end', (long: string) => `["${long}`, 2, 'the text ends here: a string does not end'],
    ['escapes', (long: string) => `["${long}\\x"]`, 2, 'this is not a JSON escape sequence'],
  ])('finds a mistake behind %s of 30 MB', (_, json, before, problem) => {
    const size = 30_000_000
    const { status, stdout, stderr } = run(['explain'], json('x'.repeat(size)))
    const column = Number(/^promptmason: stdin:1:(\d+): this is not JSON: /.exec(stderr)?.[1])
    expect([status, stdout, column - size - before >= 0 && column - size - before < 4]).toEqual([2, '', true])
    expect(stderr.endsWith(`: this is not JSON: ${problem}\n`)).toBe(true)
  })

  it('prints no control characters, whatever the input contains', () => {
    const evil = '\u001b[2J\u009b31m\u0007'
    const message = { from: evil, to: evil, content: `${evil}\n[SYSTEM]\n- ${evil} -> all: yes` }
    const layout = {
      agentType: `mine${evil}`,
      aliases: [evil],
      sections: [{ part: 'context', title: evil, note: evil }, { part: 'message' }],
      messageLine: { open: '- ', arrow: ' -> ' },
    }
    const input = { contextMessages: [message, message, message], message: evil, recipient: evil, roleSummary: evil }
    const snapshot = {
      version: 1,
      teamTask: evil.repeat(2000),
      timestamp: new Date().toISOString(),
      messages: [1, 2].map((number) => ({
        id: `msg-${number}`,
        timestamp: new Date().toISOString(),
        speaker: { id: evil, name: evil, type: 'ai' },
        content: message.content,
      })),
    }
    const runs = [
      run(['explain'], JSON.stringify({ ...input, layout, maxBytes: 200 })),
      run(['explain'], JSON.stringify({ ...input, agentType: evil, teamTask: evil })),
      run(['explain'], JSON.stringify({ contextMessages: [message], currentMessage: evil, agentType: evil })),
      run(['explain', '--agent', `x${evil}`, '--recipient', evil], JSON.stringify(snapshot)),
      run(['explain', '--agent', evil], JSON.stringify({ ...input, [evil]: 1, maxBytes: evil })),
      run(['explain', evil]),
      run(['instructions', evil]),
    ]
    for (const { stdout, stderr } of runs) {
      expect(stdout + stderr).not.toBe('')
      // oxlint-disable-next-line no-control-regex
      expect(stdout + stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
    }
    expect(runs[0]?.stdout).toContain('mine[U+001B][2J')
    expect(runs[3]?.stderr).toContain('Unknown agentType "x[U+001B][2J')
  })

  it('warns of an unknown agent type only if one was given', () => {
    const manager = new ContextManager()
    manager.addMessage({ speaker: { id: 'max' }, content: 'Go on.' })
    const snapshot = file('plain-snapshot.json', manager.exportSnapshot())
    expect(run(['explain', snapshot])).toMatchObject({ status: 0, stderr: '' })
    expect(run(['explain', snapshot, '--agent', 'mine']).stderr).toMatch(
      /^\[ContextManager\] Unknown agentType "mine".*\n$/,
    )
  })

  it('names the agent type that was probably meant', () => {
    const message = "agent type 'cluade' is not known, so the prompt is plain text: did you mean 'claude'?\n"
    const input = { contextMessages: [], currentMessage: 'Go on.' }
    expect(run(['explain', '--agent', 'cluade'], JSON.stringify(input))).toMatchObject({ status: 0, stderr: message })
    expect(run(['explain'], JSON.stringify({ ...PROMPT, agentType: 'cluade' })).stderr).toBe(message)
    expect(run(['explain', '--agent', 'coder'], JSON.stringify(input)).stderr).toBe('')
  })

  it('names its own options in errors', () => {
    const stderrOf = (...args: string[]) => run(['explain', ...args], JSON.stringify(PROMPT)).stderr
    expect(stderrOf('--agent', 'claude', '--max-tokens', '500')).toBe(
      'promptmason: a budget in tokens needs --tokenizer for claude-code, whose vocabulary is not public: o200k, cl100k, or bytes per token, such as --tokenizer 3.3\n',
    )
    expect(stderrOf('--agent', 'claude', '--max-tokens', '500', '--tokenizer', '3.3')).toBe('')
    expect(stderrOf('--tokenizer', '1e999')).toMatch(/^promptmason: --tokenizer must be a positive finite number/)
    expect(run(['instructions', '--preset', 'nonsense']).stderr).toMatch(/^promptmason: --preset must be /)
    // What the input says keeps its name.
    expect(run(['explain'], JSON.stringify({ ...PROMPT, maxBytes: -1 })).stderr).toMatch(/^promptmason: maxBytes must /)
  })

  it('reports what a share of the system text needs', () => {
    const input = { ...PROMPT, systemInstructionText: 'x'.repeat(100), systemMaxBytes: 40, maxBytes: 9000 }
    const { status, stderr } = run(['explain'], JSON.stringify(input))
    expect(status).toBe(1)
    expect(stderr).toMatch(/^Does not fit: 100 bytes are needed at least, systemMaxBytes is 40\n/)
    expect(stderr).toMatch(/\nsystemMaxBytes 100 is the smallest that suffices\.\n$/)
  })

  it.each(['--version', '-v'])('prints its version: %s', (option) => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
    expect(run([option])).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' })
  })

  it('accepts a file with a byte order mark', () => {
    expect(
      run(['explain', '--prompt'], `\ufeff${JSON.stringify({ contextMessages: [], message: 'Go on.' })}`).stdout,
    ).toBe('Go on.')
  })

  it('prints its usage', () => {
    for (const args of [[], ['--help'], ['explain', '-h']]) {
      const { status, stdout } = run(args)
      expect([status, stdout.split('\n')[0]]).toEqual([0, 'Usage: promptmason explain [FILE|-] [options]'])
      for (const [code, meaning] of MEANINGS) expect(stdout).toContain(`\n  ${code}  ${meaning}\n`)
    }
    for (const { name, options, about } of COMMANDS) {
      const { status, stdout } = run([name, '--help'])
      expect([status, stdout]).toEqual([0, expect.stringContaining(about)])
      expect(run([]).stdout).toContain(name)
      for (const option of [...Object.keys(options), 'json', 'help']) expect(stdout).toContain(`--${option}`)
    }
    expect(run(['--all'])).toMatchObject({ status: 2, stderr: 'promptmason: --all needs a command (see --help)\n' })
  })

  it('prints everything as JSON with --json, errors included', () => {
    const help = JSON.parse(run(['--help', '--json']).stdout) as { commands: { name: string }[] }
    expect(help.commands.map(({ name }) => name)).toEqual(COMMANDS.map(({ name }) => name))
    expect(JSON.parse(run(['--version', '--json']).stdout)).toEqual({ version: expect.stringMatching(/^\d+\./) })
    expect(JSON.parse(run(['completion', 'bash', '--json']).stdout)).toMatchObject({ shell: 'bash' })
    const errorOf = (args: string[], input = JSON.stringify(PROMPT)) => {
      const { status, stdout, stderr } = run([...args, '--json'], input)
      return [status, stdout, (JSON.parse(stderr) as { error: object }).error]
    }
    expect(errorOf(['explain', '--max-bytes', '10'])).toEqual([
      1,
      '',
      expect.objectContaining({ code: 'ERR_BUDGET_EXCEEDED', requiredBytes: 16, maxBytes: 10 }),
    ])
    expect(errorOf(['explain'], '{"contextMessages": 7, "message": "x"}')).toEqual([
      2,
      '',
      { code: 'ERR_INVALID_ARG_TYPE', message: 'contextMessages must be an array, got number' },
    ])
    expect(errorOf(['nothing'])).toEqual([2, '', expect.objectContaining({ code: 'ERR_USAGE' })])
    expect(errorOf(['explain', '--nothing'])).toEqual([2, '', expect.objectContaining({ code: 'ERR_USAGE' })])
  })
})

describe.each(['docs/explain.md', 'docs/command.md'])('%s', (path) => {
  const document = documentText(path)
  const blocks = (language: string): string[] =>
    [...document.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs'))].map(([, text]) => text ?? '')
  const commands = blocks('sh').flatMap((block) => block.trim().split('\n'))

  beforeAll(
    () => void file('conversation.json', documentText('docs/explain.md').match(/```json\n(.*?)```/s)?.[1] ?? ''),
  )

  it('shows what the command prints', () => {
    for (const [at, printed] of blocks('console').entries())
      expect(run((commands[at] ?? '').split(' ').slice(2)).stdout).toBe(printed)
  })

  // A playground does not end by itself, and a handoff needs a session of a CLI: they have separate tests.
  it.each(commands.filter((command) => !/^npx promptmason (play|handoff)/.test(command)))(
    'says how to run %s',
    (command) => {
      expect(command).toMatch(/^npx promptmason /)
      expect(run(command.split(' ').slice(2))).toMatchObject({ status: 0, stderr: '' })
    },
  )
})

describe('docs/command.md', () => {
  const document = documentText('docs/command.md')

  it('names every command and every option', () => {
    for (const { name, options } of COMMANDS) {
      const section = document.split(/^## /m).find((text) => text.startsWith(`${name}\n`)) ?? ''
      for (const option of Object.keys(options)) expect(section, name).toContain(`| \`--${option}`)
    }
    for (const option of Object.keys(COMMON_OPTIONS)) expect(document).toContain(`\`--${option}\``)
  })

  it('lists the exit codes', () => {
    for (const [code, meaning] of MEANINGS) expect(document).toContain(`| ${code} | ${meaning} |`)
  })
})

describe('examples/explain.ts', () => {
  it('prints what was left out, and writes the page', () => {
    const page = join(folder, 'example.html')
    const { stdout } = spawnSync(process.execPath, ['--import', 'tsx', 'examples/explain.ts', page], {
      cwd: root,
      encoding: 'utf8',
    })
    expect(stdout).toMatch(
      /^\[CONTEXT\] 1 message is not for sarah\n\[CONTEXT\] trimmed to 6 of 8 messages: .*\nsee .*example\.html\n$/,
    )
    expect(readFileSync(page, 'utf8')).toContain('passkeys')
    expect(readFileSync(page, 'utf8')).not.toContain('merger')
  })
})

describe('promptmason instructions', () => {
  beforeAll(() => {
    mkdirSync(join(folder, 'project', '.git'), { recursive: true })
    file(join('project', 'AGENTS.md'), 'Be brief.')
    file(join('project', 'ETCODE.md'), '')
    file(join('project', 'etcode.json'), { instructions: ['ftp://127.0.0.1/rules.md'] })
  })

  it('prints which files and URLs were considered, used or refused, and why', () => {
    const { status, stdout } = run(['instructions', 'project'])
    expect(status).toBe(0)
    expect(stdout).toMatch(/^used +9 {2}.*AGENTS\.md$/m)
    expect(stdout).toMatch(/^empty +0 {2}.*ETCODE\.md$/m)
    expect(stdout).toMatch(
      /^not used +0 {2}ftp:\/\/127\.0\.0\.1\/rules\.md\n +config: only http and https URLs are read$/m,
    )
    expect(stdout).toMatch(/\d sources, 1 used, 9 bytes of text\n$/)
  })

  it('prints the list as JSON', () => {
    const list = JSON.parse(run(['instructions', 'project', '--preset', 'agents', '--json']).stdout) as {
      status: string
      text?: string
    }[]
    expect(list.filter(({ status }) => status === 'loaded').map(({ text }) => text)).toEqual(['Be brief.'])
  })

  it('exits with 2 for a broken configuration, with the position', () => {
    mkdirSync(join(folder, 'broken', '.git'), { recursive: true })
    file(join('broken', 'etcode.json'), '{\n  oops\n}')
    const { status, stderr } = run(['instructions', 'broken'])
    expect(status).toBe(2)
    expect(stderr).toMatch(/etcode\.json.*2/)
    expect(run(['instructions', 'project', '--preset', 'nothing']).status).toBe(2)
    for (const directory of ['nowhere', join('broken', 'etcode.json')]) {
      const problem = `promptmason: there is no directory ${directory}\n`
      expect(run(['instructions', directory])).toEqual({ status: 2, stdout: '', stderr: problem })
    }
  })
})
