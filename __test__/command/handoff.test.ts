/** `promptmason transcript` and `promptmason handoff`. */
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { buildHandoff, readTranscript } from 'promptmason'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { commandThread } from '../support/command.js'
import { root } from '../support/documents.js'

const FILE = join(
  root,
  '__test__/transcripts/recordings/claude/projects/-work-project-0/927b3690-8cc1-462e-af2b-670f6d7624da.jsonl',
)
const SESSION = '927b3690-8cc1-462e-af2b-670f6d7624da'

/** A file of another kind. */
const PACKAGE = join(root, 'package.json')

// oxlint-disable-next-line no-control-regex -- these are looked for
const ACTS = /[\u0007\u001b\u009b\u202e]/
let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'promptmason-handoff-'))
  cpSync(join(root, '__test__/transcripts/recordings/claude'), join(folder, 'claude'), { recursive: true })
  mkdirSync(join(folder, 'bin'))
  writeFileSync(join(folder, 'empty.jsonl'), '')
  process.chdir(folder)
  thread = commandThread({
    ...process.env,
    DEBUG: '',
    HOME: folder,
    CLAUDE_CONFIG_DIR: join(folder, 'claude'),
    PATH: `${join(folder, 'bin')}${delimiter}${process.env['PATH']}`,
  })
})
afterAll(() => {
  process.chdir(root)
  rmSync(folder, { recursive: true })
})

let thread: ReturnType<typeof commandThread>
const run = (...args: string[]) => thread(args)
/** A program that stands in for Codex. */
const writeCodex = (script: string): void => {
  const file = join(folder, 'bin', 'codex')
  writeFileSync(file, `#!${process.execPath}\n${script}\n`)
  chmodSync(file, 0o755)
}

it('shows what was read, by file, session or directory', () => {
  const { status, stdout, stderr } = run('transcript', '--agent', 'claude', '--file', FILE)
  expect([status, stderr]).toEqual([0, ''])
  expect(stdout).toContain(`claude ${SESSION}\n  directory /work/project-0\n`)
  expect(stdout).toContain('sub-agent a70af5a9038c6acab: 2 messages, not part of it')
  expect(stdout).toContain('Summary of the first 9 messages\n  COMPACTED ANSWER\n')
  expect(stdout).toContain('  tool call: Bash\n    {\n      "command": "echo one; cat a.txt",\n')
  expect(stdout).not.toContain('\u001b')
  const rest = (text: string): string => text.slice(text.indexOf('  messages'))
  expect(rest(run('transcript', '--agent', 'claude', '--session', SESSION).stdout)).toBe(rest(stdout))
  // On Windows, this is a path on the current drive.
  if (process.platform === 'win32') return
  expect(rest(run('transcript', '--agent', 'claude', '--cwd', '/work/project-0').stdout)).toBe(rest(stdout))
})

it('prints it as JSON, and lists sessions', async () => {
  const printed = run('transcript', '--agent', 'claude', '--file', FILE, '--json')
  expect(JSON.parse(printed.stdout)).toEqual(
    JSON.parse(JSON.stringify(await readTranscript({ agent: 'claude', file: FILE }))),
  )
  if (process.platform === 'win32') return
  expect(run('transcript', '--agent', 'claude', '--list', '--cwd', '/work/project-0').stdout).toMatch(
    new RegExp(`^${SESSION}  20.*jsonl\n$`),
  )
  expect(run('transcript', '--agent', 'claude', '--list', '--cwd', '/elsewhere').stdout).toBe('No session was found.\n')
})

it('prints no control characters', () => {
  const file = join(folder, 'hostile.jsonl')
  const content = 'a\u001b]0;title\u0007\u009b31m\u202eb'
  writeFileSync(
    file,
    ['user.message', 'assistant.message', content]
      .map((type, id) => JSON.stringify({ type, id: content + id, data: { content, model: content } }))
      .join('\n'),
  )
  for (const args of [
    ['transcript', '--agent'],
    ['handoff', '--to', 'codex', '--from'],
  ]) {
    const { stdout, stderr } = run(...args, 'copilot', '--file', file, '--json')
    expect(stdout + stderr).not.toMatch(ACTS)
  }
  expect(run('transcript', '--agent', 'copilot', '--file', file).stdout).not.toMatch(ACTS)
})

it('prints the prompt to stdout and the account to stderr', async () => {
  const { status, stdout, stderr } = run('handoff', '--from', 'claude', '--to', 'codex', '--file', FILE)
  expect(status).toBe(0)
  const fenceKey = /begins with "=== (\w{12})"/.exec(stdout)?.[1]
  const transcript = await readTranscript({ agent: 'claude', file: FILE })
  expect(stdout).toBe(buildHandoff(transcript, { to: 'codex', fenceKey }).prompt)
  expect(stderr).toContain(`from claude ${SESSION} (${FILE})\nopenai-codex: `)
  expect(stderr).toContain(' of 50,000 tokens')
  expect(stderr).toMatch(/\n {2}P first task +\d+ {2}kept/)
  expect(stderr).toMatch(/\d bytes given = \d+ sent \+ \d+ left out\n$/)
  const options = ['--message', 'Stop.', '--max-tokens', '900', '--max-bytes', '9000', '--tokenizer', '2', '--json']
  const printed = run('handoff', '--from', 'claude', '--to', 'codex', '--session', SESSION, ...options)
  expect(printed.stderr).toBe('')
  const { from, prompt, report } = JSON.parse(printed.stdout)
  expect(from).toMatchObject({ agent: 'claude', session: SESSION, cwd: '/work/project-0' })
  expect(prompt).toMatch(/from user to codex\nStop\.\n/)
  expect(report).toMatchObject({ maxTokens: 900, maxBytes: 9000, tokenizer: 'estimate' })
})

it.skipIf(process.platform === 'win32')('starts the agent', () => {
  writeCodex(`
    let prompt = ''
    process.stdin.on('data', (data) => (prompt += data)).on('end', () => {
      require('node:fs').writeFileSync(${JSON.stringify(join(folder, 'received'))}, process.cwd() + '\\n' + prompt)
      for (const event of [
        { type: 'thread.started', thread_id: '01a1ed7e-f2af-74f3-97fe-5c53e4957075' },
        { type: 'turn.started' },
        { type: 'item.completed', item: { id: 'i', type: 'agent_message', text: 'I go on.' } },
        { type: 'turn.completed', usage: { input_tokens: 1, cached_input_tokens: 0, output_tokens: 1 } },
      ]) console.log(JSON.stringify(event))
    })`)
  const args = ['handoff', '--from', 'claude', '--to', 'codex', '--file', FILE, '--cwd', folder, '--run']
  const { status, stdout, stderr } = run(...args)
  expect([status, stdout]).toEqual([0, 'I go on.\n'])
  expect(stderr).toContain('bytes given')
  const received = readFileSync(join(folder, 'received'), 'utf8')
  expect(received.startsWith(`${folder}\n`)).toBe(true)
  expect(received).toContain('FIRST TASK: look at a.txt')
  expect(JSON.parse(run(...args, '--json').stdout)).toMatchObject({ result: { text: 'I go on.' } })
  writeCodex('process.exit(7)')
  expect(run(...args)).toMatchObject({ status: 4, stdout: '' })
  expect(JSON.parse(run(...args, '--json').stderr)).toMatchObject({ error: { code: 'ERR_NO_ANSWER' } })
})

it('says that the agent is not installed', () => {
  const args = ['handoff', '--from', 'claude', '--to', 'kimi', '--file', FILE, '--cwd', folder, '--run']
  const { status, stderr } = run(...args)
  expect(status).toBe(4)
  expect(stderr).toMatch(/\npromptmason: .*the program 'kimi' was not found: install it/)
  expect(JSON.parse(run(...args, '--json').stderr)).toMatchObject({ error: { code: 'ENOENT', delivered: 'no' } })
})

it.each([
  [['transcript'], 'transcript needs --agent: claude'],
  [['transcript', '--agent', 'nobody'], "--agent must be 'claude'"],
  [['transcript', '--agent', 'claude', '--file', 'missing'], 'missing'],
  [['transcript', '--agent', 'claude', '--list', '--session', 'x'], '--list lists the sessions of a directory'],
  [['transcript', '--agent', 'claude', '--session', 'x', '--file', 'y'], '--file and --session cannot both be read'],
  [['transcript', '--agent', 'claude', '--session', 'x'], 'has kept no session with the id "x"'],
  [['handoff', '--to', 'codex'], 'handoff needs --from: claude'],
  [['handoff', '--from', 'claude'], 'handoff needs --to: claude'],
  [['handoff', '--from', 'grok', '--to', 'codex'], '--from must be '],
  [['handoff', '--from', 'claude', '--to', 'codex', '--max-tokens', '0'], '--max-tokens must be a whole number'],
  [['handoff', '--from', 'claude', '--to', 'codex', '--file', FILE, '--run'], 'no directory /work/project-0: pass'],
  [['handoff', '--from', 'claude', '--to', 'codex', '--file', FILE, '--run', '--cwd', '/nope'], 'no directory /nope'],
  [['handoff', '--from', 'claude', '--to', 'codex', '--file', FILE, '--run', '--cwd', FILE], 'no directory /'],
  [['handoff', '--from', 'claude', '--to', 'codex', '--file', PACKAGE], 'package.json is not a session of claude: '],
  [
    ['handoff', '--from', 'opencode', '--to', 'codex', '--file', 'nothing.db'],
    'nothing.db cannot be read: there is no',
  ],
  [['transcript', '--agent', 'claude', '--file', PACKAGE], 'not understood, the first in line 1 (not JSON)'],
  [['transcript', '--agent', 'codex', '--file', FILE], 'is not a session of codex: '],
  [['transcript', '--agent', 'gemini', '--file', 'empty.jsonl'], 'empty.jsonl has no message of a session of gemini'],
])('rejects %j', (args, problem) => {
  const { status, stdout, stderr } = run(...args)
  expect([status, stdout]).toEqual([2, ''])
  expect(stderr).toContain(problem)
})

it('exits with 1 if there is no room', () => {
  const { status, stderr } = run('handoff', '--from', 'claude', '--to', 'codex', '--file', FILE, '--max-tokens', '20')
  expect(status).toBe(1)
  expect(stderr).toMatch(/^Does not fit: \d+ tokens are needed at least, the budget has 20\n/)
})
