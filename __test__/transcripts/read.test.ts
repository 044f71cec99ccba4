/** Sessions that the real programs have written (`recordings/`), with what the stand-ins were sent. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cp, mkdir, readFile, readdir, rename, stat, writeFile } from 'node:fs/promises'
import os, { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { ContextManager, type TranscriptAgent, isPromptmasonError, listTranscripts, readTranscript } from 'promptmason'
import { afterAll, afterEach, expect, it, vi } from 'vitest'
import { partText, shown } from '../support/shown-parts.js'

const RECORDINGS = join(__dirname, 'recordings')
const FOLDERS: Partial<Record<TranscriptAgent, string>> = {
  claude: '.claude',
  codex: '.codex',
  gemini: '.gemini',
  qwen: '.qwen',
  copilot: '.copilot',
}
const AGENTS = Object.keys(FOLDERS) as TranscriptAgent[]

/** Where the sessions were recorded, as this system calls it. */
const RECORDED = '/work/project-0'
const CWD = resolve(RECORDED)

const home = mkdtempSync(join(tmpdir(), 'transcripts-'))
afterAll(() => rmSync(home, { recursive: true }))
afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})
/** As if they had been recorded in a directory of Windows. */
const moveSessions = async (): Promise<void> => {
  const entries = await readdir(home, { withFileTypes: true, recursive: true })
  await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async (entry) => {
        const file = join(entry.parentPath, entry.name)
        const text = await readFile(file, 'utf8')
        const moved = text.replaceAll(`"cwd":"${RECORDED}"`, `"cwd":${JSON.stringify(CWD)}`)
        await writeFile(file, entry.name === '.project_root' ? CWD : moved)
      }),
  )
  const dashed = (path: string): string => path.replaceAll(/[^a-z\d]/gi, '-')
  await Promise.all(
    ['.claude', '.qwen'].map((folder) =>
      rename(join(home, folder, 'projects', dashed(RECORDED)), join(home, folder, 'projects', dashed(CWD))),
    ),
  )
}
const ready = (async () => {
  await Promise.all(
    AGENTS.map((agent) => cp(join(RECORDINGS, agent), join(home, FOLDERS[agent] ?? ''), { recursive: true })),
  )
  if (CWD !== RECORDED) await moveSessions()
})()

const read = async (agent: TranscriptAgent, more = {}) => {
  await ready
  return agent === 'opencode'
    ? readTranscript({ agent, file: join(RECORDINGS, 'opencode/export.json'), ...more })
    : readTranscript({ agent, home, cwd: CWD, ...more })
}

it.each([...AGENTS, 'opencode'] as TranscriptAgent[])('reads the conversation of %s', async (agent) => {
  const transcript = await read(agent)
  expect(transcript.agent).toBe(agent)
  expect(transcript.cwd).toBe(agent === 'opencode' ? RECORDED : CWD)
  expect(transcript.session).not.toBe('')
  expect(transcript.startedAt?.getFullYear()).toBe(2026)
  expect(transcript.skipped).toEqual([])
  expect(transcript.omitted).toEqual({ messages: 0, bytes: 0 })
  expect(new Set(transcript.messages.map(({ id }) => id)).size).toBe(transcript.messages.length)
  const { messages, summary, branches } = transcript
  expect({
    messages: shown(messages),
    summary: summary ?? null,
    branches: branches.map((branch) => ({ kind: branch.kind, messages: shown(branch.messages) })),
  }).toMatchSnapshot()
  // A manager accepts them unchanged.
  const manager = new ContextManager()
  for (const message of messages) manager.addMessage(message)
  expect(manager.getMessages()).toHaveLength(messages.length)
})

it.each(AGENTS)('lists the sessions of %s, and finds one by its id', async (agent) => {
  await ready
  const [first, ...others] = await listTranscripts({ agent, home, cwd: CWD })
  expect(others).toEqual([])
  expect(first?.modifiedAt).toBeInstanceOf(Date)
  const found = await readTranscript({ agent, home, cwd: '/elsewhere', session: first?.session ?? '' })
  expect(found.file).toBe(first?.file)
  expect(await listTranscripts({ agent, home, cwd: '/work/project' })).toEqual([])
  await expect(readTranscript({ agent, home, cwd: '/work/project' })).rejects.toMatchObject({
    code: 'ERR_NO_TRANSCRIPT',
  })
  await expect(readTranscript({ agent, home, session: '../../x' })).rejects.toMatchObject({
    code: 'ERR_NO_TRANSCRIPT',
  })
})

it.skipIf(process.platform !== 'win32').each(AGENTS)(
  'finds the sessions of %s by every name of a directory',
  async (agent) => {
    await ready
    const names = [CWD.toUpperCase(), CWD.toLowerCase(), CWD.replaceAll('\\', '/'), `${CWD}\\`, `\\\\?\\${CWD}`]
    const lists = await Promise.all(names.map((cwd) => listTranscripts({ agent, home, cwd })))
    expect(lists.map((list) => list.length)).toEqual(names.map(() => 1))
  },
)

it('finds nothing where there is no home directory', async () => {
  for (const name of ['CLAUDE_CONFIG_DIR', 'CODEX_HOME', 'COPILOT_HOME', 'GEMINI_CLI_HOME']) vi.stubEnv(name, undefined)
  vi.spyOn(os, 'homedir').mockImplementation(() => {
    throw new Error('the user has no entry')
  })
  const lists = await Promise.all(AGENTS.map((agent) => listTranscripts({ agent })))
  expect(lists).toEqual(AGENTS.map(() => []))
  const codes = AGENTS.map((agent) => readTranscript({ agent }).catch(({ code }) => code))
  expect(await Promise.all(codes)).toEqual(AGENTS.map(() => 'ERR_NO_TRANSCRIPT'))
})

it('writes nothing', async () => {
  await ready
  const all = async (folder: string): Promise<string[]> => {
    const entries = await readdir(folder, { withFileTypes: true, recursive: true })
    return Promise.all(
      entries.map(async (entry) => {
        const path = join(entry.parentPath, entry.name)
        const { mtimeMs, size } = await stat(path)
        return `${path} ${mtimeMs} ${size}`
      }),
    )
  }
  const before = await all(home)
  for (const agent of AGENTS) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other is enough
    await Promise.all([read(agent), listTranscripts({ agent, home, cwd: CWD })])
  }
  expect(await all(home)).toEqual(before)
})

it.each([...AGENTS, 'opencode'] as TranscriptAgent[])('keeps the first task and the newest of %s', async (agent) => {
  const whole = await read(agent)
  const some = await read(agent, { maxBytes: 9000 })
  const few = await read(agent, { maxBytes: 100 })
  expect(some.messages[0]).toEqual(whole.messages[0])
  expect(few.messages[0]?.content).toBe('FIRST TASK: look at a.txt')
  const size = (messages: typeof few.messages): number =>
    Buffer.byteLength(messages.flatMap(({ parts }) => parts.map(partText)).join(''))
  expect(size(few.messages)).toBeLessThan(400)
  expect(few.messages.length).toBeLessThan(whole.messages.length)
})

it('keeps one gap, and counts what is in it', async () => {
  const file = join(home, 'long.jsonl')
  const line = (at: number) =>
    JSON.stringify({
      type: at % 2 === 0 ? 'user.message' : 'assistant.message',
      id: `e${at}`,
      data: { content: `${at} ${'x'.repeat(998 - String(at).length)}` },
    })
  writeFileSync(file, `${Array.from({ length: 100 }, (_, at) => line(at)).join('\n')}\n`)
  const { messages, omitted } = await readTranscript({ agent: 'copilot', file, maxBytes: 10_000 })
  expect(messages.map(({ id }) => id)).toEqual(['e0', 'e91', 'e92', 'e93', 'e94', 'e95', 'e96', 'e97', 'e98', 'e99'])
  expect(omitted).toEqual({ messages: 90, bytes: 90 * 999 })
})

it('recognizes copies of messages in compactions of Gemini, and what was rewound before', async () => {
  const file = join(home, 'compacted.jsonl')
  const user = (id: string, ...texts: string[]) => ({ id, type: 'user', content: texts.map((text) => ({ text })) })
  const agent = (id: string, content: string) => ({ id, type: 'gemini', content })
  const answer = 'Got it. Thanks for the additional context!'
  const summary = (id: string, text: string) => user(id, `<state_snapshot>${text}</state_snapshot>`)
  const [one, two, three] = [user('1', 'one'), agent('2', 'two'), user('3', 'three')]
  const set = (...messages: object[]) => ({ $set: { messages } })
  const lines = [
    one,
    two,
    user('failed', 'failed'),
    set(one, two),
    three,
    user('4', 'four'),
    agent('5', 'five'),
    // What the user said twice in a row is one message of the copy.
    set(summary('s1', 'first'), agent('k1', answer), user('c1', 'three', 'four'), agent('c2', 'five')),
    user('6', 'six'),
    set(summary('s2', 'second'), agent('k2', answer), agent('d1', 'five'), user('d2', 'six')),
    set(summary('s2', 'second'), agent('k2', answer), agent('d1', 'five'), user('d2', 'six')),
    agent('7', 'seven'),
  ]
  writeFileSync(file, lines.map((line) => JSON.stringify(line)).join('\n'))
  const { messages, summary: kept, branches } = await readTranscript({ agent: 'gemini', file })
  expect(messages.map(({ id, content }) => `${id} ${content}`)).toEqual([
    '1 one',
    '2 two',
    '3 three',
    '4 four',
    '5 five',
    '6 six',
    '7 seven',
  ])
  expect(kept).toEqual({ text: 'second', covers: 4 })
  expect(branches.map(({ kind, messages: said }) => [kind, said.map(({ content }) => content)])).toEqual([
    ['abandoned', ['failed']],
  ])
})

it('reads hostile and broken transcripts', async () => {
  const file = join(home, 'hostile.jsonl')
  const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`
  const ring = (uuid: string, parentUuid: string) =>
    JSON.stringify({ type: 'user', uuid, parentUuid, message: { content: uuid } })
  const lines = [
    'no JSON at all',
    Buffer.from([0, 255, 254, 10, 10, 0]).toString('latin1'),
    '{}',
    '[]',
    'null',
    '42',
    '"text"',
    deep,
    `{"type":"assistant","uuid":"deep","message":{"content":[{"type":"tool_use","id":"d","name":"n","input":${deep}}]}}`,
    ring('a', 'b'),
    ring('b', 'a'),
    ring('c', 'c'),
    '{"type":"user","uuid":1,"parentUuid":{},"message":"text"}',
    '{"type":"user","uuid":"w","message":{"content":{"a":1}}}',
    '{"type":"response_item","payload":{"type":"message","role":"user","content":[{"text":"\\ud83d cut"}]}}',
    '{"type":"response_item","payload":{"type":"function_call","call_id":"x","name":"n","arguments":"{no"}}',
    '{"type":"user.message","id":"u","data":{"content":["a"]}}',
    '{"id":"g","type":"user","content":[{"text":5},{"text":"ok"},{"functionResponse":{"id":"none","response":1}}]}',
    '{"$set":{"messages":[1,{"id":"g"},{"id":"h","type":"gemini","content":"x"}]}}',
    '{"$rewindTo":"nothing"}',
    '{"type":"__proto__","__proto__":{"type":"user"}}',
    '{"type":"user","uuid":"half","message":{"content":"hal',
  ]
  writeFileSync(file, lines.join('\n'))
  for (const agent of [...AGENTS, 'opencode'] as TranscriptAgent[]) {
    for (const maxBytes of [1, 100, undefined]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other is enough
      const { messages, skipped } = await readTranscript({ agent, file, maxBytes })
      expect(skipped.length).toBeGreaterThan(0)
      // It can be written as JSON, whatever it contains.
      expect(() => JSON.stringify(messages)).not.toThrow()
    }
    for (let end = 0; end < 2000; end += 97) {
      writeFileSync(join(home, 'cut.jsonl'), readFileSync(file).subarray(0, end))
      // oxlint-disable-next-line no-await-in-loop -- one after the other is enough
      await readTranscript({ agent, file: join(home, 'cut.jsonl') })
    }
  }
  const codex = await readTranscript({ agent: 'codex', file })
  expect(codex.messages[0]?.content).toBe('\ufffd cut')
  expect(codex.skipped).toContainEqual({ kind: 'incomplete', count: 1, firstLine: 24 })
})

it('reports what is wrong with its options and files', async () => {
  await ready
  await expect(readTranscript({ agent: 'nobody' })).rejects.toMatchObject({ code: 'ERR_INVALID_ARG_TYPE' })
  await expect(readTranscript({ agent: 'claude', maxBytes: 0 })).rejects.toMatchObject({ code: 'ERR_OUT_OF_RANGE' })
  const missing = readTranscript({ agent: 'claude-code', file: join(home, 'missing') })
  await expect(missing).rejects.toSatisfy((error) => isPromptmasonError(error, 'ERR_UNREADABLE_FILE'))
  await mkdir(join(home, 'folder'), { recursive: true })
  const folder = readTranscript({ agent: 'codex', file: join(home, 'folder') })
  await expect(folder).rejects.toMatchObject({ code: 'ERR_UNREADABLE_FILE' })
})
