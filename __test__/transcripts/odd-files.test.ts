/** Files that are not transcripts: nothing hangs, every error has a code, nothing is written. */
import { execFileSync, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { type TranscriptAgent, buildHandoff, isPromptmasonError, listTranscripts, readTranscript } from 'promptmason'
import { afterAll, describe, expect, it } from 'vitest'
import { root } from '../support/documents.js'
import { runs } from '../support/runs.js'

const folder = mkdtempSync(join(tmpdir(), 'odd-transcripts-'))
afterAll(() => rmSync(folder, { recursive: true }))
const AGENTS: TranscriptAgent[] = ['claude', 'codex', 'gemini', 'opencode', 'qwen', 'copilot']
const isPosix = process.platform !== 'win32'

const RECORDINGS = join(__dirname, 'recordings')
const RECORDED: Record<TranscriptAgent, string> = {
  claude: 'claude/projects/-work-project-0/927b3690-8cc1-462e-af2b-670f6d7624da.jsonl',
  codex: 'codex/sessions/2026/11/18/rollout-2026-11-18T07-11-22-01a1ed7e-f2af-74f3-97fe-5c53e4957075.jsonl',
  copilot: 'copilot/session-state/985b36f9-f607-43ed-bb47-5bcc403ea283/events.jsonl',
  gemini: 'gemini/tmp/project-0/chats/session-2026-11-18T07-12-3aeb6212.jsonl',
  opencode: 'opencode/export.json',
  qwen: 'qwen/projects/-work-project-0/chats/783c1a93-6655-4c87-a379-df84d4def66b.jsonl',
}

/** Reads a file, and builds a handoff from it. Every error has a code. */
const readAnything = async (agent: TranscriptAgent, file: string): Promise<string> => {
  try {
    const transcript = await readTranscript({ agent, file })
    const { report } = buildHandoff(transcript, { to: 'codex', redact: true }, { report: true })
    expect(report.account.sentBytes + report.account.leftOutBytes).toBe(report.account.givenBytes)
    return 'read'
  } catch (error) {
    expect(isPromptmasonError(error)).toBe(true)
    expect(isPromptmasonError(error, 'ERR_INTERNAL')).toBe(false)
    return (error as { code: string }).code
  }
}

describe.skipIf(!isPosix)('in the place of a file', () => {
  it.each(AGENTS)('there may be a pipe, a device, a directory or a link, of %s', async (agent) => {
    const at = (name: string): string => join(folder, `${agent}-${name}`)
    execFileSync('mkfifo', [at('pipe')])
    symlinkSync(at('pipe'), at('link-to-pipe'))
    symlinkSync(at('link'), at('link'))
    mkdirSync(at('directory'))
    symlinkSync(join(RECORDINGS, RECORDED[agent]), at('link-to-file'))
    const read = (name: string) => readAnything(agent, name)
    for (const name of ['pipe', 'link-to-pipe', 'link', 'directory', 'missing']) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other is enough
      expect([name, await read(at(name))]).toEqual([name, 'ERR_UNREADABLE_FILE'])
    }
    expect(await read('/dev/zero')).toBe('ERR_UNREADABLE_FILE')
    expect(await read(at('link-to-file'))).toBe('read')
  })

  it('there may be a pipe among the sessions', async () => {
    const home = join(folder, 'home')
    const sessions = join(home, '.codex/sessions/2026/11/18')
    mkdirSync(sessions, { recursive: true })
    execFileSync('mkfifo', [join(sessions, 'rollout-2026-11-18T07-11-22-01a1ed7e-f2af-74f3-97fe-5c53e4957075.jsonl')])
    const chats = join(home, '.gemini/tmp/x/chats')
    mkdirSync(chats, { recursive: true })
    execFileSync('mkfifo', [join(home, '.gemini/tmp/x/.project_root')])
    writeFileSync(join(chats, 'session-1.jsonl'), '{}\n')
    const lists = await Promise.all(
      (['codex', 'gemini'] as const).map((agent) => listTranscripts({ agent, home, cwd: folder })),
    )
    expect(lists).toEqual([[], []])
  })
})

it('accepts any bytes', async () => {
  const file = join(folder, 'bytes')
  const recorded = Object.fromEntries(
    AGENTS.map((agent) => [agent, readFileSync(join(RECORDINGS, RECORDED[agent]))]),
  ) as Record<TranscriptAgent, Buffer>
  const damage = fc.record({
    agent: fc.constantFrom(...AGENTS),
    written: fc.constantFrom(...AGENTS),
    places: fc.array(fc.tuple(fc.double({ min: 0, max: 0.999, noNaN: true }), fc.nat(255)), { maxLength: 20 }),
    cut: fc.double({ min: 0, max: 1, noNaN: true }),
    pieces: fc.array(
      fc.constantFrom('\0', '\ud83d', '[[', '{"a":', '"', '\n', ']]}', '\\u0000', '\\ud800', '1e999', '\u2028', ','),
      { maxLength: 8 },
    ),
  })
  await fc.assert(
    fc.asyncProperty(damage, async ({ agent, written, places, cut, pieces }) => {
      const bytes = Buffer.from(recorded[written])
      for (const [place, byte] of places) bytes[Math.floor(place * bytes.length)] = byte
      const at = Math.floor(cut * bytes.length)
      const middle = Buffer.from(pieces.join(''))
      writeFileSync(file, Buffer.concat([bytes.subarray(0, at), middle, bytes.subarray(at)]))
      const { mtimeMs } = statSync(file)
      expect(await readAnything(agent, file)).toBe('read')
      expect(statSync(file).mtimeMs).toBe(mtimeMs)
    }),
    runs(80),
  )
})

it('accepts values of any type in any place', async () => {
  const file = join(folder, 'types')
  const values = fc.constantFrom(
    null,
    true,
    -1,
    1e300,
    '',
    'x',
    [],
    {},
    [null],
    { type: 'user' },
    { text: 5 },
    '\ud83d',
  )
  const lines = Object.fromEntries(
    AGENTS.map((agent) => [agent, readFileSync(join(RECORDINGS, RECORDED[agent]), 'utf8').split('\n')]),
  ) as Record<TranscriptAgent, string[]>
  /** The same JSON with another value at one place. */
  const changed = (json: unknown, at: number, value: unknown): unknown => {
    let count = 0
    return JSON.parse(JSON.stringify(json), (_, one: unknown) => (count++ === at ? value : one))
  }
  const change = fc.record({ agent: fc.constantFrom(...AGENTS), line: fc.nat(), at: fc.nat(60), value: values })
  await fc.assert(
    fc.asyncProperty(change, async ({ agent, line, at, value }) => {
      const all = lines[agent]
      const isWhole = agent === 'opencode'
      const nth = line % all.length
      const text = isWhole
        ? JSON.stringify(changed(JSON.parse(all.join('\n')), at * 13, value))
        : all
            .map((one, index) =>
              index === nth && one !== '' ? JSON.stringify(changed(JSON.parse(one), at, value)) : one,
            )
            .join('\n')
      writeFileSync(file, text ?? '')
      expect(await readAnything(agent, file)).toBe('read')
    }),
    runs(80),
  )
})

describe('a line that is not understood hides nothing', () => {
  type Line = Record<string, unknown>
  const idOf = { claude: 'uuid', qwen: 'uuid', gemini: 'id', copilot: 'id', codex: 'id' } as const
  const agents = Object.keys(idOf) as (keyof typeof idOf)[]
  const file = join(folder, 'unknown')
  const read = async (agent: TranscriptAgent, lines: readonly unknown[]) => {
    writeFileSync(file, lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'))
    const { messages, branches, summary } = await readTranscript({ agent, file })
    return { messages, branches, summary }
  }
  const recorded = (agent: TranscriptAgent): Line[] =>
    readFileSync(join(RECORDINGS, RECORDED[agent]), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))

  it.each(agents)('wherever it stands, of %s', async (agent) => {
    const lines = recorded(agent)
    const expected = await read(agent, lines)
    for (let at = 1; at <= lines.length; at++) {
      for (const more of [{}, { parentUuid: null }, { parentUuid: 'unheard-of' }]) {
        const unknown = { type: 'unheard', [idOf[agent]]: 'unheard', subtype: 'chat_compression', ...more }
        // oxlint-disable-next-line no-await-in-loop -- they share a file
        expect([at, await read(agent, lines.toSpliced(at, 0, unknown))]).toEqual([at, expected])
      }
    }
  })

  it.each(['claude', 'qwen'] as const)('if it is a link of the chain, of %s', async (agent) => {
    const lines = recorded(agent)
    const expected = await read(agent, lines)
    for (let at = 1; at < lines.length; at++) {
      const line = lines[at]
      if (typeof line?.['parentUuid'] !== 'string' || line['logicalParentUuid'] !== undefined) continue
      const linked: unknown[] = lines.with(at, { ...line, parentUuid: 'unheard' })
      const unknown = { type: 'unheard', uuid: 'unheard', parentUuid: line['parentUuid'] }
      // As it stands, without its parent, and damaged.
      for (const before of [unknown, { ...unknown, parentUuid: null }, '{"type":"unhea']) {
        // oxlint-disable-next-line no-await-in-loop -- they share a file
        expect([at, await read(agent, linked.toSpliced(at, 0, before))]).toEqual([at, expected])
      }
    }
  })

  it('if Gemini goes back to it', async () => {
    const said = (id: string) => ({ id, type: 'user', content: [{ text: id }] })
    const lines = [said('a'), said('b'), { id: 'x', type: 'unheard' }, said('c'), { $rewindTo: 'x' }, said('d')]
    const { messages, branches } = await read('gemini', lines)
    expect(messages.map(({ id }) => id)).toEqual(['a', 'b', 'd'])
    expect(branches.map(({ id }) => id)).toEqual(['c'])
  })
})

describe('the time grows with the lines', () => {
  const file = join(folder, 'many')
  const user = (uuid: string, parentUuid: string | null = null) => ({
    type: 'user',
    uuid,
    parentUuid,
    message: { role: 'user', content: 'x' },
  })
  const rewind = (at: number) => ({ type: 'session.snapshot_rewind', data: { eventIds: [`e${2 * at}`] } })
  const event = (at: number) => ({ type: 'user.message', id: `e${at}`, data: { content: 'x' } })
  it.each<[string, TranscriptAgent, (at: number) => unknown[]]>([
    ['with one uuid', 'claude', () => [user('a', 'a')]],
    ['of sub-agents', 'claude', (at) => [{ ...user(`u${at}`), isSidechain: true, agentId: `a${at}` }]],
    ['that a compaction keeps', 'claude', (at) => [user(`u${at}`, `u${at - 1}`)]],
    ['that are taken back one by one', 'copilot', (at) => [event(2 * at), event(2 * at + 1), rewind(at)]],
    ['of sub-agents of Copilot', 'copilot', (at) => [{ ...event(at), agentId: `a${at}` }]],
  ])('%s', { retry: 3 }, async (_, agent, linesOf) => {
    const timeOf = async (count: number) => {
      const lines = Array.from({ length: count }, (_each, at) => linesOf(at)).flat()
      const uuids = Array.from({ length: count }, (_each, at) => `p${at}`)
      const boundary = { type: 'system', subtype: 'compact_boundary', uuid: 'b', logicalParentUuid: `u${count - 1}` }
      lines.push({ ...boundary, compactMetadata: { preservedMessages: { uuids } } }, user('last', 'b'))
      writeFileSync(file, lines.map((line) => JSON.stringify(line)).join('\n'))
      const start = performance.now()
      await readTranscript({ agent, file, maxBytes: 10_000_000 })
      return performance.now() - start
    }
    // Four times as many take four times as long; with a quadratic step, up to sixteen times.
    expect(await timeOf(32_000)).toBeLessThan(8 * (await timeOf(8000)))
  })
})

it('reads a file that grows during the call', async () => {
  const file = join(folder, 'growing.jsonl')
  const line = (at: number): string =>
    `${JSON.stringify({ type: 'user.message', id: `e${at}`, data: { content: `${at} ${'x'.repeat(2000)}` } })}\n`
  writeFileSync(file, Array.from({ length: 3000 }, (_, at) => line(at)).join(''))
  const reading = readTranscript({ agent: 'copilot', file })
  for (let at = 3000; at < 3300; at++) {
    appendFileSync(file, line(at))
    // oxlint-disable-next-line no-await-in-loop -- the reader has its turn
    await new Promise((resolve) => setImmediate(resolve))
  }
  const { messages, skipped } = await reading
  expect(messages.length).toBeGreaterThanOrEqual(3000)
  expect(skipped.filter(({ kind }) => kind !== 'incomplete')).toEqual([])
})

it('accounts for every message of a long session', () => {
  const messages = (count: number) =>
    Array.from({ length: count }, (_, at) => ({
      speaker: { id: at % 2 === 0 ? 'user' : 'claude', type: at % 2 === 0 ? 'human' : 'ai' },
      content: `message ${at}`,
    }))
  const { report } = buildHandoff({ agent: 'claude', messages: messages(100_000) }, { to: 'codex' }, { report: true })
  expect(report.account.sentBytes + report.account.leftOutBytes).toBe(report.account.givenBytes)
  expect(report.leftOut.reduce((sum, { count }) => sum + count, 0)).toBeGreaterThan(90_000)
})

const [GIGANTIC, LINE] = [500 * 1024 * 1024, 50 * 1024 * 1024]
const MIB = 1024 * 1024

/** Lines of 50 MB, and small ones between. */
const writeGigantic = (file: string, line: (text: string, at: number) => string): void => {
  const handle = openSync(file, 'w')
  const long = 'x'.repeat(LINE)
  writeSync(handle, line('FIRST TASK', 0))
  for (let at = 1; statSync(file).size < GIGANTIC; at++) {
    writeSync(handle, line(at % 2 === 0 ? `small ${at}` : long, at))
  }
  writeSync(handle, line('LAST', 1000))
  closeSync(handle)
}

// It writes half a gigabyte for each.
describe.skipIf(process.env['GIGANTIC'] === undefined)('500 MB with lines of 50 MB', () => {
  const message = (type: 'user' | 'assistant', text: string) => ({ type, message: { role: type, content: text } })
  it.each<[TranscriptAgent, (text: string, at: number) => string]>([
    [
      'claude',
      (text, at) =>
        `${JSON.stringify({ uuid: `u${at}`, parentUuid: at === 0 ? null : undefined, ...message('user', text) })}\n`,
    ],
    [
      'codex',
      (text) =>
        `${JSON.stringify({ type: 'response_item', payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] } })}\n`,
    ],
    ['gemini', (text, at) => `${JSON.stringify({ id: `g${at}`, type: 'user', content: [{ text }] })}\n`],
    [
      'qwen',
      (text, at) =>
        `${JSON.stringify({ uuid: `u${at}`, type: 'user', message: { role: 'user', parts: [{ text }] } })}\n`,
    ],
    ['copilot', (text, at) => `${JSON.stringify({ type: 'user.message', id: `e${at}`, data: { content: text } })}\n`],
  ])(
    'of %s take the memory of what is kept',
    (agent, line) => {
      const file = join(folder, `gigantic-${agent}`)
      writeGigantic(file, line)
      const script = `
        const { readTranscript } = require(${JSON.stringify(root)})
        const before = process.resourceUsage().maxRSS
        readTranscript({ agent: ${JSON.stringify(agent)}, file: ${JSON.stringify(file)}, maxBytes: ${MIB} }).then(({ messages, omitted }) =>
          console.log(JSON.stringify({ kib: process.resourceUsage().maxRSS - before, omitted, last: messages.at(-1)?.content, first: messages[0]?.content.length })))`
      const started = performance.now()
      const { stdout, stderr } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' })
      expect(stderr).toBe('')
      const { kib, omitted, last } = JSON.parse(stdout)
      console.log(
        `${agent}: ${Math.round(kib / 1024)} MiB more, ${Math.round(performance.now() - started)} ms, ${JSON.stringify(omitted)}`,
      )
      rmSync(file)
      expect(last).toBe('LAST')
      expect(kib).toBeLessThan(32 * 1024)
    },
    600_000,
  )
})
