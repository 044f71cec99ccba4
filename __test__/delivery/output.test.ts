/** `parseOutput` on real output of the CLIs, recorded by `npm run test:clis -- --record`. */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { type CliOutput, isPromptmasonError, parseOutput } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { PROFILES } from '../../dist/delivery/profiles/index.js'
import { OutputReader } from '../../dist/delivery/read-output.js'
import type { Recording } from '../clis/record.js'
import { documentText } from '../support/documents.js'
import { runs } from '../support/runs.js'

const FOLDER = join(import.meta.dirname, '..', 'recordings')

const RECORDINGS = readdirSync(FOLDER).map((file) => {
  const [cli = '', kind = ''] = file.split('.')
  const { exitCode, stdout, stderr, cli: version } = JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as Recording
  return { cli, kind, version, exitCode, stdout: stdout.join('\n'), stderr: stderr.join('\n') }
})
const OK = RECORDINGS.filter(({ kind }) => kind === 'ok')
const CLIS = OK.map(({ cli }) => cli)

/** The stand-in claims 101 tokens in, 7 of them cached, and 23 out. Anthropic counts the cached ones apart; Qwen asks twice. */
const USAGE: Record<string, object | undefined> = {
  claude: { inputTokens: 108, cachedInputTokens: 7, outputTokens: 23 },
  qwen: { inputTokens: 202, cachedInputTokens: 14, outputTokens: 46 },
  copilot: undefined,
}
const usual = { inputTokens: 101, cachedInputTokens: 7, outputTokens: 23 }
const usageOf = (cli: string): object | undefined => (cli in USAGE ? USAGE[cli] : usual)

/** What a whole answer has besides. */
const WHOLE = { finishReason: 'stop', delivered: 'yes' }

describe('recordings', () => {
  it('exist for every CLI, in the version of its profile', () => {
    // What is handed on of the Agent Client Protocol is in `turns/`.
    const written = PROFILES.filter(({ isAcp }) => !isAcp)
    const profiles = written.map(({ command, measuredOn }) => `${command} ${measuredOn}`)
    expect([...new Set(RECORDINGS.map(({ version }) => version))].toSorted()).toEqual(profiles.toSorted())
    expect(CLIS).toHaveLength(profiles.length)
  })

  it('are of the documented versions', () => {
    for (const version of RECORDINGS.map((recording) => recording.version.split(' ')[1]))
      expect(documentText('docs/delivery.md')).toContain(`| ${version} |`)
  })

  it('contain nothing about the machine', () => {
    for (const { stdout, stderr } of RECORDINGS)
      expect(stdout + stderr).not.toMatch(/(?<!\/home\/user)\/tmp\/|\/root\/|127\.0\.0\.1:\d\d/)
  })
})

describe('an answer', () => {
  it.each(RECORDINGS.filter(({ kind }) => kind.startsWith('ok')))(
    'of $version, $kind',
    ({ cli, stdout, stderr, exitCode }) => {
      const { text, sessionId, usage, error } = parseOutput(cli, { stdout, stderr, exitCode })
      expect({ text, error }).toEqual({ text: 'ANSWER', error: undefined })
      if (usageOf(cli) === undefined) expect(usage).toBeUndefined()
      else expect(usage).toMatchObject(usageOf(cli) ?? {})
      expect(sessionId).toMatch(/^[\w-]{20,}$/)
      expect(stdout).toContain(sessionId)
    },
  )

  it.each(RECORDINGS.filter(({ kind }) => kind === 'text'))(
    'of $version as plain text',
    ({ stdout, stderr, exitCode }) => {
      expect(parseOutput('text', { stdout, stderr, exitCode })).toEqual({ text: 'ANSWER', ...WHOLE })
      expect(parseOutput('some-agent', { stdout })).toEqual({ text: 'ANSWER', ...WHOLE })
    },
  )

  it('is the same as bytes, with noise around it, and with other line breaks', () => {
    for (const { cli, stdout } of OK) {
      const expected = parseOutput(cli, { stdout, exitCode: 0 })
      const noisy = `Warning: something\n\n${stdout.replaceAll('\n', '\r\n')}\nnull\n[]\n"text"\n{}\n42\n`
      expect(parseOutput(cli, { stdout: Buffer.from(stdout), stderr: new Uint8Array(), exitCode: 0 })).toEqual(expected)
      expect(parseOutput(cli, { stdout: noisy, exitCode: 0 })).toEqual(expected)
    }
  })

  it('may come after a byte order mark', () => {
    for (const { cli, stdout } of OK)
      expect(parseOutput(cli, { stdout: `\ufeff${stdout}`, exitCode: 0 })).toEqual(parseOutput(cli, { stdout }))
  })

  it('is parsed by any name of the agent', () => {
    const stdout = OK.find(({ cli }) => cli === 'claude')?.stdout ?? ''
    for (const name of ['claude-code', 'Claude', ' CLAUDE ']) expect(parseOutput(name, { stdout }).text).toBe('ANSWER')
  })
})

describe('an error', () => {
  const failed = RECORDINGS.filter(({ kind }) => !kind.startsWith('ok') && kind !== 'text')

  it.each(failed)('of $version: $kind', ({ cli, kind, stdout, stderr, exitCode }) => {
    const { text, error } = parseOutput(cli, { stdout, stderr, exitCode })
    expect({ text, code: error?.code }).toEqual({ text: undefined, code: kind })
    expect(error?.message).not.toBe('')
  })

  it('is reported by every CLI', () => {
    for (const cli of CLIS) {
      const kinds = failed.filter((recording) => recording.cli === cli).map(({ kind }) => kind)
      // These retry until they are stopped.
      const limit = ['opencode', 'qwen', 'kilo'].includes(cli) ? [] : ['rate-limit']
      expect(kinds).toEqual(
        expect.arrayContaining(['too-long', 'not-logged-in', 'session-not-found', 'other', ...limit]),
      )
    }
  })

  it.each<[string, string, string]>([
    [
      'codex',
      'Error: turn/start failed: Input exceeds the maximum length of 1048576 characters. (code -32602)',
      'too-long',
    ],
    [
      'claude',
      'Error: piped stdin input exceeds 10MB. Pass large content as a file path in your prompt instead.',
      'too-long',
    ],
    ['gemini', 'When using Gemini API, you must specify the GEMINI_API_KEY environment variable.', 'not-logged-in'],
    ['copilot', 'Error: No authentication information found.', 'not-logged-in'],
    ['gemini', 'Error resuming session: No previous sessions found for this project.', 'session-not-found'],
    ['gemini', '\u001b[31mGemini CLI is not running in a trusted directory.\u001b[0m', 'other'],
    ['qwen', 'segmentation fault', 'other'],
  ])('of %s on stderr: %s', (cli, stderr, code) => {
    expect(parseOutput(cli, { stdout: '', stderr: `${stderr}\n`, exitCode: 1 })).toEqual({
      // oxlint-disable-next-line no-control-regex -- colours
      error: { code, message: stderr.replaceAll(/\u001b\[\d+m/g, '') },
      finishReason: 'other',
      // There was no session yet.
      delivered: 'no',
    })
  })

  it('is not searched for in answers', () => {
    const stdout = JSON.stringify({
      type: 'result',
      is_error: false,
      num_turns: 1,
      result: 'rate limit: 401 not logged in, prompt is too long',
    })
    expect(parseOutput('claude', { stdout, stderr: 'rate limit', exitCode: 0 })).toEqual({
      text: 'rate limit: 401 not logged in, prompt is too long',
      ...WHOLE,
    })
  })

  it('may be only a warning', () => {
    const stdout = OK.find(({ cli }) => cli === 'codex')?.stdout ?? ''
    expect(stdout).toContain('"type":"error"')
    expect(parseOutput('codex', { stdout, exitCode: 0 }).error).toBeUndefined()
  })

  it.each<[string, object[]]>([
    [
      'opencode',
      [
        { type: 'error', error: { name: 'APIError', data: { message: 'try again' } } },
        { type: 'step_start', part: {} },
        { type: 'text', part: { text: 'yes' } },
        { type: 'step_finish', part: { reason: 'stop', tokens: {} } },
      ],
    ],
    [
      'copilot',
      [
        { type: 'session.error', data: { message: 'try again' } },
        { type: 'assistant.message', data: { content: 'yes' } },
        { type: 'result', exitCode: 0 },
      ],
    ],
  ])('of %s that was overcome is none', (cli, events) => {
    expect(parseOutput(cli, { stdout: events.map((event) => JSON.stringify(event)).join('\n'), exitCode: 0 })).toEqual({
      text: 'yes',
      ...WHOLE,
    })
  })
})

describe('steps before the answer', () => {
  it.each<[string, object[]]>([
    [
      'codex',
      [
        { type: 'item.completed', item: { type: 'agent_message', text: 'Let me look.' } },
        { type: 'item.completed', item: { type: 'command_execution' } },
        { type: 'item.completed', item: { type: 'agent_message', text: 'Found it.' } },
        { type: 'turn.completed', usage: {} },
      ],
    ],
    [
      'opencode',
      [
        { type: 'step_start', part: {} },
        { type: 'text', part: { text: 'Let me look.' } },
        { type: 'step_finish', part: { reason: 'tool-calls', tokens: {} } },
        { type: 'step_start', part: {} },
        { type: 'text', part: { text: 'Found it.' } },
        { type: 'step_finish', part: { reason: 'stop', tokens: {} } },
      ],
    ],
    [
      'copilot',
      [
        { type: 'assistant.message', data: { content: 'Let me look.' } },
        { type: 'assistant.message', data: { content: '' } },
        { type: 'assistant.message', data: { content: 'Found it.' } },
        { type: 'result', sessionId: 's', exitCode: 0 },
      ],
    ],
  ])('of %s are not it', (cli, events) => {
    const lines = events.map((event) => JSON.stringify(event))
    expect(parseOutput(cli, { stdout: lines.join('\n'), exitCode: 0 }).text).toBe('Found it.')
    for (let kept = 0; kept < lines.length; kept++) {
      expect(parseOutput(cli, { stdout: lines.slice(0, kept).join('\n'), exitCode: 0 })).toMatchObject({
        error: { code: 'no-answer' },
      })
    }
  })

  it('of gemini may come in pieces', () => {
    const delta = (content: string): string =>
      JSON.stringify({ type: 'message', role: 'assistant', content, delta: true })
    expect(
      parseOutput('gemini', { stdout: `${delta('one, ')}\n${delta('two')}\n{"type":"result","status":"success"}` })
        .text,
    ).toBe('one, two')
  })

  it('of gemini may be the reason for a missing answer', () => {
    const stdout =
      '{"type":"init","session_id":"s"}\n{"type":"error","severity":"warning","message":"Loop detected, stopping execution"}\n{"type":"result","status":"success"}\n'
    expect(parseOutput('gemini', { stdout, exitCode: 0 })).toEqual({
      sessionId: 's',
      error: { code: 'no-answer', message: 'Loop detected, stopping execution' },
      finishReason: 'interrupted',
      delivered: 'unknown',
    })
  })

  it('of opencode add up their tokens', () => {
    const finish = JSON.stringify({
      type: 'step_finish',
      part: { reason: 'stop', tokens: { input: 10, output: 2, reasoning: 1, cache: { read: 5, write: 3 } } },
    })
    expect(parseOutput('opencode', { stdout: `${finish}\n${finish}` }).usage).toEqual({
      inputTokens: 36,
      cachedInputTokens: 10,
      cacheWriteTokens: 6,
      outputTokens: 6,
      reasoningTokens: 2,
    })
  })
})

describe('output that was cut off or garbled', () => {
  it.each(OK)('of $version has no answer before its last event', ({ cli, stdout }) => {
    const lines = stdout.trim().split('\n')
    for (let kept = 0; kept < lines.length; kept++) {
      const parsed = parseOutput(cli, { stdout: lines.slice(0, kept).join('\n'), exitCode: 0 })
      expect(parsed).toMatchObject({
        error: { code: 'no-answer', message: 'the CLI exited before it answered' },
        finishReason: 'interrupted',
      })
      expect(parsed).not.toHaveProperty('text')
    }
    const last = lines.at(-1) ?? ''
    for (const end of [1, Math.floor(last.length / 2), last.length - 1]) {
      const cut = [...lines.slice(0, -1), last.slice(0, end)].join('\n')
      expect(parseOutput(cli, { stdout: cut, exitCode: null }).text).toBeUndefined()
    }
  })

  it('of any kind does not throw, and never yields an answer that was not given', () => {
    const recording = fc.constantFrom(...OK)
    fc.assert(
      fc.property(
        recording,
        fc.nat(),
        fc.nat(),
        fc.uint8Array({ maxLength: 20 }),
        ({ cli, stdout }, from, length, noise) => {
          const bytes = Buffer.from(stdout)
          const start = from % bytes.length
          const garbled = Buffer.concat([bytes.subarray(0, start), noise, bytes.subarray(start + (length % 200))])
          const { text } = parseOutput(cli, { stdout: garbled, exitCode: 0 })
          // A byte in the middle of the answer may be another one.
          if (text !== undefined && text.length < 6 && !text.includes('\ufffd'))
            expect('ANSWER').toContain(text.replaceAll(/[^ANSWER]/g, ''))
        },
      ),
      runs(200),
    )
  })

  it('of any shape does not throw', () => {
    const key = fc.constantFrom(
      'type',
      'result',
      'error',
      'usage',
      'item',
      'part',
      'data',
      'stats',
      'models',
      'message',
      'content',
      'errors',
      'session_id',
      'tokens',
      '__proto__',
    )
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom(
          'result',
          'text',
          'error',
          'turn.completed',
          'turn.failed',
          'step_finish',
          'message',
          'session.error',
          'success',
        ),
        fc.jsonValue(),
        tie('object'),
      ),
      object: fc.dictionary(key, tie('any')),
    }))
    fc.assert(
      fc.property(fc.constantFrom(...CLIS), fc.array(value.object, { maxLength: 5 }), (cli, events) => {
        const { error, text } = parseOutput(cli, {
          stdout: events.map((event) => JSON.stringify(event)).join('\n'),
          exitCode: 0,
        })
        expect(error === undefined).toBe(text !== undefined)
      }),
      runs(200),
    )
  })

  it('with any values is parsed as the types say, in chunks or at once', () => {
    const hostile = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.constantFrom<unknown>(
        -1,
        1.5,
        2 ** 60,
        '',
        '\u0000',
        [],
        {},
        null,
        true,
        'rate limit',
        { toString: 1 },
        { __proto__: 'x', length: -1 },
      ),
    )
    /** The same with another value in the place of the `at`th one, counted from the outside. */
    const replaced = (json: unknown, at: { left: number }, by: unknown): unknown => {
      if (at.left-- === 0) return by
      if (Array.isArray(json)) return json.map((value) => replaced(value, at, by))
      if (typeof json !== 'object' || json === null) return json
      return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, replaced(value, at, by)]))
    }
    const count = expect.toSatisfy((value) => Number.isInteger(value) && value >= 0)
    fc.assert(
      fc.property(
        fc.constantFrom(...RECORDINGS),
        fc.nat(8),
        fc.nat(60),
        hostile,
        fc.constantFrom(0, 1, null),
        fc.integer({ min: 1, max: 40 }),
        (recording, line, left, by, exitCode, size) => {
          const { cli, stderr } = recording
          const lines = recording.stdout.split('\n')
          const chosen = line % lines.length
          const events = (() => {
            try {
              return JSON.stringify(replaced(JSON.parse(lines[chosen] ?? ''), { left }, by))
            } catch {
              return JSON.stringify(by)
            }
          })()
          const stdout = lines.with(chosen, events).join('\n')
          const parsed = parseOutput(cli, { stdout, stderr, exitCode })
          expect(parsed.error === undefined).toBe(parsed.text !== undefined)
          for (const [key, value] of Object.entries(parsed)) {
            if (key === 'usage') for (const tokens of Object.values(value)) expect(tokens).toEqual(count)
            else if (key === 'error')
              expect(value).toEqual({ code: expect.any(String), message: expect.stringMatching(/./s) })
            else if (key === 'costUsd') expect(value).toBeGreaterThanOrEqual(0)
            else if (key === 'denials') for (const { name } of value) expect(name).toEqual(expect.stringMatching(/./s))
            else
              expect([key, value]).toEqual([
                expect.stringMatching(/^(text|partialText|sessionId|model|finishReason|delivered)$/),
                expect.stringMatching(/./s),
              ])
          }
          const reader = new OutputReader(cli)
          const bytes = Buffer.from(stdout)
          for (let start = 0; start < bytes.length; start += size) reader.push(bytes.subarray(start, start + size))
          expect(reader.finish(stderr, exitCode)).toEqual(parsed)
        },
      ),
      runs(300),
    )
  })

  it('reports that an exit code is not an answer', () => {
    for (const cli of [...CLIS, 'text']) {
      expect(parseOutput(cli, { stdout: ' \n', exitCode: 0 })).toMatchObject({ error: { code: 'no-answer' } })
      expect(parseOutput(cli, { stdout: '', exitCode: 3 })).toEqual({
        error: { code: 'other', message: 'the CLI has ended with exit code 3' },
        finishReason: 'other',
        delivered: 'no',
      })
      expect(parseOutput(cli, { stdout: '', exitCode: null })).toEqual({
        error: { code: 'other', message: 'the CLI was ended by a signal' },
        finishReason: 'other',
        delivered: 'unknown',
      })
    }
    expect(parseOutput('text', { stdout: 'partial', stderr: 'rate limit', exitCode: 1 })).toEqual({
      error: { code: 'rate-limit', message: 'rate limit' },
      partialText: 'partial',
      finishReason: 'other',
      delivered: 'no',
    })
  })

  it.each<[string, string, object]>([
    ['claude', 'a subtype that cannot be a string', { type: 'result', is_error: true, subtype: { toString: 1 } }],
    ['claude', 'errors that are no strings', { type: 'result', is_error: true, errors: [{ toString: 1 }, 1] }],
    ['claude', 'a status from a prototype', { type: 'result', is_error: true, api_error_status: 'constructor' }],
    ['copilot', 'a status from a prototype', { type: 'session.error', data: { statusCode: '__proto__' } }],
    ['opencode', 'a name that is no string', { type: 'error', error: { name: [], data: { message: {} } } }],
  ])('of %s is no exception: %s', (cli, _what, event) => {
    expect(parseOutput(cli, { stdout: JSON.stringify(event), exitCode: 1 }).error).toEqual({
      code: 'other',
      message: expect.stringMatching(/./),
    })
  })

  it('may be deep, or have many steps', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    const stdout = `{"type":"result","is_error":true,"errors":${deep}}`
    expect(parseOutput('claude', { stdout, exitCode: 1 }).error?.code).toBe('other')
    const step = JSON.stringify({ type: 'step_finish', part: { reason: 'tool-calls', tokens: { input: 1 } } })
    const steps = `${step}\n`.repeat(150_000)
    expect(parseOutput('opencode', { stdout: steps, exitCode: 0 }).usage).toEqual({ inputTokens: 150_000 })
  })

  it('takes time in proportion to its length', () => {
    // A regular expression would examine each line break repeatedly: 9.7 s.
    expect(parseOutput('text', { stdout: `${'\n'.repeat(1_000_000)}x`, exitCode: 0 }).text).toHaveLength(1_000_001)
    expect(parseOutput('text', { stdout: `x${'\r\n'.repeat(1_000_000)}`, exitCode: 0 }).text).toBe('x')
    const long = 'x'.repeat(1_000_000)
    for (const cli of CLIS) {
      for (const stdout of [
        long,
        `{"type":"result","result":"${long}`,
        '{'.repeat(1_000_000),
        '\n'.repeat(1_000_000),
        '{}\n'.repeat(100_000),
      ]) {
        expect(parseOutput(cli, { stdout, stderr: long, exitCode: 1 }).text).toBeUndefined()
      }
    }
    expect(parseOutput('claude', { stdout: '', stderr: '\u001b]'.repeat(500_000), exitCode: 1 }).error?.code).toBe(
      'other',
    )
  })
})

describe('mistakes', () => {
  it.each<[string, unknown, unknown]>([
    ['agentType must be a string, got undefined', undefined, { stdout: '' }],
    ['output must be an object with stdout', 'claude', 'text'],
    ['output.stdout must be a string, a Buffer or a Uint8Array', 'claude', {}],
    ['output.stderr must be a string, a Buffer or a Uint8Array', 'claude', { stdout: '', stderr: 1 }],
    ['output.exitCode must be an integer or null', 'claude', { stdout: '', exitCode: '0' }],
  ])('%s', (message, agentType, output) => {
    let thrown: any
    try {
      parseOutput(agentType as string, output as CliOutput)
    } catch (error) {
      thrown = error
    }
    expect(thrown?.message).toBe(message)
    expect(isPromptmasonError(thrown, 'ERR_INVALID_ARG_TYPE')).toBe(true)
  })
})
