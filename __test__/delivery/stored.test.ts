/** Answers that only the stored session distinguishes from earlier text. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os, { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DeliveryEvent, deliver, planDelivery } from 'promptmason'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'

const ID = '88af2482-bfdb-4530-b858-9fe8f3f9598d'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

/** Pieces of an answer, each with the time of its event in milliseconds. */
type Pieces = readonly [at: number, text: string][]

const eventsOf = (pieces: Pieces): object[] => [
  { type: 'init', timestamp: new Date(0).toISOString(), session_id: ID, model: 'm' },
  ...pieces.map(([at, content]) => ({
    type: 'message',
    timestamp: new Date(at).toISOString(),
    role: 'assistant',
    content,
    delta: true,
  })),
  { type: 'result', status: 'success', stats: {} },
]

/** A turn of Gemini with these pieces, after which its session has this message. */
const turn = async (pieces: Pieces, stored?: string, id = ID) => {
  const home = mkdtempSync(join(tmpdir(), 'promptmason-stored-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const chats = join(home, '.gemini', 'tmp', 'project', 'chats')
  mkdirSync(chats, { recursive: true })
  const records = [
    { sessionId: id, kind: 'main' },
    { type: 'user', content: [{ text: 'hello' }] },
    { type: 'gemini', content: stored },
    { $set: { lastUpdated: 'now' } },
  ]
  if (stored !== undefined) {
    const lines = records.map((record) => `${JSON.stringify(record)}\n`).join('')
    writeFileSync(join(chats, `session-2026-11-18T07-02-${ID.slice(0, 8)}.jsonl`), lines)
  }
  const output = join(home, 'output')
  writeFileSync(
    output,
    eventsOf(pieces)
      .map((event) => `${JSON.stringify(event)}\n`)
      .join(''),
  )
  const script = `fs.createReadStream(${JSON.stringify(output)}).pipe(process.stdout)`
  const plan = planDelivery({ prompt: 'hello' }, { agentType: 'gemini' })
  const { additions: _additions, ...rest } = plan
  const events: DeliveryEvent[] = []
  const result = await deliver(
    { ...rest, command: process.execPath, args: ['-e', script], env: { GEMINI_CLI_HOME: home } },
    { onEvent: (event) => events.push(event) },
  )
  return { text: result.text, notices: events.filter(({ type }) => type === 'notice').length }
}

describe('Gemini repeats a request that was cut off, without an event', () => {
  const REPEATED: Pieces = [
    [0, 'PARTIAL '],
    [10, 'TEXT'],
    [1100, 'WHOLE '],
    [1110, 'TEXT'],
  ]

  it('returns the stored answer', async () => {
    expect(await turn(REPEATED, 'WHOLE TEXT')).toEqual({ text: 'WHOLE TEXT', notices: 1 })
  })

  it('returns the answer as written, although some characters are missing in the stored one', async () => {
    const pieces: Pieces = [...REPEATED.slice(0, 2), [2000, ' WHOLE <!-- x -->\u200BTEXT\n']]
    expect(await turn(pieces, 'WHOLE TEXT')).toEqual({ text: ' WHOLE <!-- x -->\u200BTEXT\n', notices: 1 })
  })

  it('takes a time that grows with the answer, not with its square', { timeout: 60_000 }, async () => {
    const comments = '<!-- '.repeat(150_000)
    const start = performance.now()
    expect(
      await turn(
        [
          [0, 'A'],
          [1000, comments],
        ],
        comments,
      ),
    ).toEqual({ text: comments, notices: 1 })
    // With a search for the end from each beginning, it takes a minute.
    expect(performance.now() - start).toBeLessThan(20_000)
  })

  it('uses the last of several tries', async () => {
    expect(
      await turn(
        [
          [0, 'A'],
          [1000, 'AB'],
          [3000, 'ABC'],
        ],
        'ABC',
      ),
    ).toEqual({ text: 'ABC', notices: 1 })
  })

  it.each([
    ['a pause alone is no repetition', REPEATED, 'PARTIAL TEXTWHOLE TEXT'],
    ['a stored message that does not fit changes nothing', REPEATED, 'Something else.'],
    ['an empty stored message changes nothing', REPEATED, ''],
    ['nothing is stored', REPEATED, undefined],
  ] as const)('%s', async (_name, pieces, stored) => {
    expect(await turn(pieces, stored)).toEqual({ text: 'PARTIAL TEXTWHOLE TEXT', notices: 0 })
  })

  it('reads no stored answer without a pause', async () => {
    expect(
      await turn(
        [
          [0, 'A '],
          [10, 'B'],
        ],
        'B',
      ),
    ).toEqual({ text: 'A B', notices: 0 })
  })

  it('returns the answer as written where there is no home directory', async () => {
    for (const name of ['GEMINI_CLI_HOME', 'HOME', 'USERPROFILE']) vi.stubEnv(name, undefined)
    vi.spyOn(os, 'homedir').mockImplementation(() => {
      throw new Error('the user has no entry')
    })
    const script = `for (const event of ${JSON.stringify(eventsOf(REPEATED))}) console.log(JSON.stringify(event))`
    const plan = planDelivery({ prompt: 'hello' }, { agentType: 'gemini' })
    const { additions: _additions, ...rest } = plan
    const { text } = await deliver({ ...rest, command: process.execPath, args: ['-e', script] })
    expect(text).toBe('PARTIAL TEXTWHOLE TEXT')
  })

  it('does not use the file of another session with the same id prefix', async () => {
    const other = `${ID.slice(0, -1)}0`
    expect(await turn(REPEATED, 'WHOLE TEXT', other)).toEqual({ text: 'PARTIAL TEXTWHOLE TEXT', notices: 0 })
  })
})
