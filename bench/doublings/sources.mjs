/** Stored sessions, instruction files, and secrets. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { InstructionPrompt, listTranscripts, readTranscript } from '../../index.js'
import { redactText } from '../../binding.js'

const root = mkdtempSync(join(tmpdir(), 'promptmason-doublings-'))
process.on('exit', () => rmSync(root, { recursive: true, force: true }))

let count = 0
const folder = () => {
  const path = join(root, String(count++))
  mkdirSync(path)
  return path
}
const written = (directory, name, text) => {
  const file = join(directory, name)
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, text)
  return file
}

const all = (n, make) => Array.from({ length: n }, (_, at) => make(at))
const read = (agent, lines) => {
  const file = written(folder(), 'session.jsonl', lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  return () => readTranscript({ agent, file, maxBytes: 1024 * 1024 * 1024 })
}

const claude = (uuid, parentUuid, more = {}) => ({ type: 'user', uuid, parentUuid, message: { content: 'x' }, ...more })
const chain = (n) => all(n, (at) => claude(`u${at}`, at === 0 ? null : `u${at - 1}`))
const copilot = (at, more = {}) => ({ type: 'user.message', id: `e${at}`, data: { content: 'x' }, ...more })
const gemini = (id) => ({ id, type: 'user', content: [{ text: id }] })
const codex = (at) => [
  { type: 'turn_context', payload: {} },
  { type: 'response_item', payload: { type: 'message', role: 'user', content: [{ text: `${at}` }] } },
]
const compacted = (n) => {
  const compactMetadata = { preservedMessages: { uuids: all(n, (at) => `p${at}`) } }
  const boundary = { type: 'system', subtype: 'compact_boundary', uuid: 'b', logicalParentUuid: `u${n - 1}` }
  return [...chain(n), { ...boundary, compactMetadata }, claude('last', 'b')]
}

const loaded = (directory, more) => () => InstructionPrompt.load({ directory, untrusted: true, ...more })
const project = (preset, files) => {
  const directory = folder()
  mkdirSync(join(directory, '.git'))
  for (const [name, text] of files) written(directory, name, text)
  return loaded(directory, { preset, maxFileBytes: 64 * 1024 * 1024, maxTotalBytes: 1024 * 1024 * 1024 })
}
/** Directories in each other, with a file in each. */
const nested = (depth, untrusted) => {
  const top = folder()
  mkdirSync(join(top, '.git'))
  let directory = top
  for (let at = 0; at < depth; at++) {
    directory = join(directory, 'd')
    mkdirSync(directory)
    writeFileSync(join(directory, 'AGENTS.md'), `${at}`)
  }
  return loaded(directory, { untrusted })
}

/** @type {import('../doublings.mjs').Row[]} */
export const sources = [
  { name: 'session: lines', of: (n) => read('claude', chain(n)) },
  {
    name: 'session: uuids that are all the same',
    of: (n) =>
      read(
        'claude',
        all(n, () => claude('a', 'a')),
      ),
  },
  {
    name: 'session: lines that each begin a branch',
    of: (n) =>
      read(
        'claude',
        all(n, (at) => claude(`u${at}`, at === 0 ? null : 'u0')),
      ),
  },
  {
    name: 'session: sub-agents',
    of: (n) =>
      read(
        'claude',
        all(n, (at) => claude(`u${at}`, null, { isSidechain: true, agentId: `a${at}` })),
      ),
  },
  { name: 'session: messages that a compaction keeps', of: (n) => read('claude', compacted(n)) },
  {
    name: 'session: lines of unknown kinds',
    of: (n) =>
      read(
        'claude',
        all(n, (at) => ({ type: `k${at}`, uuid: `u${at}` })),
      ),
  },
  {
    name: 'session of qwen: lines',
    of: (n) =>
      read(
        'qwen',
        all(n, (at) => ({
          type: 'user',
          uuid: `u${at}`,
          parentUuid: `u${at - 1}`,
          message: { parts: [{ text: 'x' }] },
        })),
      ),
  },
  {
    name: 'session of copilot: events taken back',
    of: (n) =>
      read(
        'copilot',
        all(n, (at) => [
          copilot(2 * at),
          copilot(2 * at + 1),
          { type: 'session.snapshot_rewind', data: { eventIds: [`e${2 * at}`] } },
        ]).flat(),
      ),
  },
  {
    name: 'session of copilot: sub-agents',
    of: (n) =>
      read(
        'copilot',
        all(n, (at) => copilot(at, { agentId: `a${at}` })),
      ),
  },
  {
    name: 'session of gemini: messages',
    of: (n) =>
      read(
        'gemini',
        all(n, (at) => gemini(`g${at}`)),
      ),
  },
  {
    name: 'session of gemini: steps back',
    of: (n) =>
      read('gemini', [
        ...all(n, (at) => gemini(`g${at}`)),
        ...all(n, (at) => [gemini(`h${at}`), { $rewindTo: `h${at}` }]).flat(),
      ]),
  },
  {
    name: 'session of gemini: steps back to nothing',
    of: (n) =>
      read('gemini', [
        ...all(n, (at) => gemini(`g${at}`)),
        ...all(n, (at) => [gemini(`h${at}`), { $rewindTo: 'nothing' }]).flat(),
      ]),
  },
  {
    name: 'session of codex: turns taken back',
    of: (n) =>
      read(
        'codex',
        all(n, (at) => [
          ...codex(2 * at),
          ...codex(2 * at + 1),
          { type: 'event_msg', payload: { type: 'thread_rolled_back', num_turns: 1 } },
        ]).flat(),
      ),
  },
  {
    name: 'session: calls in one line',
    of: (n) =>
      read('claude', [
        {
          ...claude('a', null),
          type: 'assistant',
          message: { id: 'm', content: all(n, (at) => ({ type: 'tool_use', id: `c${at}`, name: 'Read', input: {} })) },
        },
      ]),
  },
  {
    name: 'sessions of a directory',
    from: 50,
    most: 4000,
    of: (n) => {
      const home = folder()
      for (let at = 0; at < n; at++)
        written(home, `.claude/projects/-w/s${at}.jsonl`, `${JSON.stringify({ sessionId: `s${at}`, cwd: '/w' })}\n`)
      return () => listTranscripts({ agent: 'claude', home, cwd: '/w' })
    },
  },
  {
    name: 'secrets',
    of: (n) => {
      const text = `ghp_${'aB3dE5fG7hJ9'.repeat(3)} `.repeat(n)
      return () => redactText(text)
    },
  },
  {
    name: 'secrets: beginnings',
    of: (n) => {
      const text = 'eyJ. ghp_ sk- -----BEGIN PRIVATE KEY----- :A Q~ '.repeat(n)
      return () => redactText(text)
    },
  },
  {
    name: 'instructions: bytes of the paths of nested directories',
    from: 1000,
    most: 400_000,
    of: (n) => nested(Math.sqrt(n), false),
  },
  {
    name: 'instructions: the same, untrusted',
    from: 1000,
    most: 400_000,
    of: (n) => nested(Math.sqrt(n), true),
  },
  {
    name: 'instructions: depth of a mention',
    from: 100,
    most: 16_000,
    of: (n) => project('claude-code', [['CLAUDE.md', `@${'a/'.repeat(n)}b`]]),
  },
  {
    name: 'instructions: mentions of files',
    from: 50,
    most: 4000,
    of: (n) =>
      project('claude-code', [
        ['CLAUDE.md', all(n, (at) => `@f/${at}.md\n`).join('')],
        ...all(n, (at) => [`f/${at}.md`, `${at}`]),
      ]),
  },
  {
    name: 'instructions: rules',
    from: 50,
    most: 4000,
    of: (n) =>
      project(
        'cursor',
        all(n, (at) => [`.cursor/rules/${at}.mdc`, '---\nalwaysApply: true\n---\nx']),
      ),
  },
  {
    name: 'instructions: names in settings',
    from: 100,
    most: 16_000,
    of: (n) =>
      project('gemini-cli', [
        ['.gemini/settings.json', JSON.stringify({ context: { fileName: all(n, (at) => `f${at}.md`) } })],
      ]),
  },
  {
    name: 'instructions: entries of a configuration',
    from: 100,
    most: 8000,
    of: (n) => project('opencode', [['opencode.json', JSON.stringify({ instructions: all(n, (at) => `f${at}.md`) })]]),
  },
  {
    name: 'instructions: patterns of a configuration',
    from: 50,
    most: 4000,
    of: (n) =>
      project('opencode', [
        ['a.md', 'x'],
        ['opencode.json', JSON.stringify({ instructions: all(n, (at) => `*${at}.md`) })],
      ]),
  },
  {
    name: 'instructions: comments in a configuration',
    of: (n) => project('opencode', [['opencode.json', `{${'/* x */ // y\n'.repeat(n)}"instructions": []}`]]),
    most: 64_000,
  },
  {
    name: 'instructions: levels of a configuration',
    of: (n) => project('opencode', [['opencode.json', `{"a":${'['.repeat(n)}${']'.repeat(n)}}`]]),
    most: 200_000,
  },
  {
    name: 'instructions: lines of TOML',
    of: (n) => project('codex', [['.codex/config.toml', `${'x = ["a", 1, """b"""]\n'.repeat(n)}[t]\n`]]),
    most: 32_000,
  },
]
