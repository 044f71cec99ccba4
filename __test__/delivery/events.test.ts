/**
 * Turns of the real CLIs against a stand-in for their providers, in one vocabulary. In
 * `__test__/delivery/turns/` is what they wrote, without irrelevant parts.
 */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type DeliveryEvent, type ParsedOutput, parseOutput } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { OutputReader } from '../../dist/delivery/read-output.js'

const FOLDER = join(import.meta.dirname, 'turns')
const FILES = readdirSync(FOLDER)

interface Turn {
  events: DeliveryEvent[]
  result: ParsedOutput
}

/** What a CLI wrote, read in pieces of a size. */
const read = (cli: string, stdout: Buffer, exitCode: number | null, size = stdout.length): Turn => {
  const events: DeliveryEvent[] = []
  const reader = new OutputReader(cli, { onEvent: (event: DeliveryEvent) => events.push(event) })
  for (let start = 0; start < stdout.length; start += size) reader.push(stdout.subarray(start, start + size))
  return { events, result: reader.finish('', exitCode) }
}

const turn = (cli: string, situation: string, exitCode = 0): Turn =>
  read(cli, readFileSync(join(FOLDER, `${cli}-${situation}.jsonl`)), exitCode)

/** An event in a few words. */
const said = (event: DeliveryEvent): string => {
  switch (event.type) {
    case 'session':
      return 'session'
    case 'text':
    case 'reasoning':
      return `${event.type}: ${event.text}`
    case 'tool-call':
      return `call: ${event.name} ${JSON.stringify((event.input as { command?: unknown }).command ?? '')}`
    case 'tool-result':
      return `result: ${event.output.split('\n')[0]}${event.isError === true ? ' (failed)' : ''}`
    case 'plan':
      return `plan: ${event.steps.map(({ text, status }) => `${text} ${status}`).join(', ')}`
    case 'permission':
      return `permission: ${event.name} ${event.decision}`
    case 'retry':
      return `retry: ${event.attempt ?? '-'} ${event.afterMs ?? '-'} ${event.reason}`
    case 'usage':
      return `usage: ${event.inputTokens} ${event.outputTokens}`
    case 'notice':
      return 'notice'
    default: {
      // The union is complete.
      const never: never = event
      return never
    }
  }
}

/** All of a turn, with pieces of text put together. */
const story = ({ events }: Turn): string[] => {
  const lines: string[] = []
  for (const event of events) {
    const last = lines.at(-1)
    if (event.type === 'text' && last?.startsWith('text: ') === true) lines[lines.length - 1] = last + event.text
    else lines.push(said(event))
  }
  return lines
}

describe('a turn with tools', () => {
  const shell: Record<string, [name: string, first: string, second: string]> = {
    claude: ['Bash', '"echo one; cat a.txt"', '"cat missing.txt"'],
    codex: ['command_execution', `"/bin/bash -lc 'echo one; cat a.txt'"`, `"/bin/bash -lc 'cat missing.txt'"`],
    gemini: ['run_shell_command', '"echo one; cat a.txt"', '"cat missing.txt"'],
    opencode: ['bash', '"echo one; cat a.txt"', '"cat missing.txt"'],
    qwen: ['run_shell_command', '"echo one; cat a.txt"', '"cat missing.txt"'],
    copilot: ['bash', '"echo one; cat a.txt"', '"cat missing.txt"'],
  }

  it.each(Object.keys(shell))('of %s has the same events', (cli) => {
    const [name, first, second] = shell[cli] ?? ['', '', '']
    const told = turn(cli, 'turn')
    const lines = story(told).filter((line) => !/^(session|usage|notice)/.test(line))
    const calls = lines.filter((line) => line.startsWith('call'))
    expect(calls).toEqual([`call: ${name} ${first}`, `call: ${name} ${second}`])
    const texts = lines.filter((line) => line.startsWith('text'))
    expect(texts).toEqual(['text: Let me look.', 'text: And another one.', 'text: FINAL ANSWER'])
    const results = lines.filter((line) => line.startsWith('result'))
    expect(results[0]).toBe('result: one')
    // Gemini does not say that a command has failed.
    expect(results[1]?.endsWith(' (failed)')).toBe(cli !== 'gemini')
    const thoughts = lines.filter((line) => line.startsWith('reasoning'))
    expect(thoughts).toEqual(cli === 'gemini' ? [] : ['reasoning: I think first.', 'reasoning: Now I know.'])
    expect(lines.at(-1)).toBe('text: FINAL ANSWER')
    expect(told.result).toMatchObject({ text: 'FINAL ANSWER', finishReason: 'stop', delivered: 'yes' })
    expect(told.events.filter(({ type }) => type === 'session')).toHaveLength(1)
  })

  it.each(Object.keys(shell))('of %s has ids that belong together, and its own events', (cli) => {
    const { events } = turn(cli, 'turn')
    const ids = (type: string): string[] =>
      events.flatMap((event) => (event.type === type && 'id' in event ? [event.id ?? ''] : []))
    expect(ids('tool-call')).toEqual(ids('tool-result'))
    expect(new Set(ids('tool-call')).size).toBe(2)
    const names = (type: string) =>
      events.flatMap((event) => (event.type === type && 'name' in event ? event.name : []))
    expect(names('tool-result')).toEqual(names('tool-call'))
    for (const { raw } of events) expect(raw).toHaveProperty('type')
  })

  it('has a model and a cost where the CLI reports them', () => {
    expect(turn('claude', 'turn').result).toMatchObject({
      model: 'claude-opus-5-5',
      costUsd: expect.closeTo(0.0025962),
    })
    expect(turn('gemini', 'turn').result.model).toBe('gemini-2.5-pro')
    expect(turn('qwen', 'turn').result.model).toBe('qwen3-coder-plus')
    expect(turn('copilot', 'turn').result.model).toBe('m')
    for (const cli of ['codex', 'opencode']) expect(turn(cli, 'turn').result).not.toHaveProperty('costUsd')
  })

  it.each(FILES)('is the same in pieces: %s', (file) => {
    const [cli = ''] = file.split('-')
    const stdout = readFileSync(join(FOLDER, file))
    const whole = read(cli, stdout, 0)
    expect(read(cli, stdout, 0, 7)).toEqual(whole)
    expect(parseOutput(cli, { stdout, exitCode: 0 })).toEqual(whole.result)
  })

  it('reports plain text as it arrives', () => {
    const { events, result } = read('text', Buffer.from('漢字\nand more\n'), 0, 2)
    expect(events.every(({ type }) => type === 'text')).toBe(true)
    expect(events.map((event) => (event.type === 'text' ? event.text : '')).join('')).toBe('漢字\nand more\n')
    expect(result.text).toBe('漢字\nand more')
  })
})

describe('partial text', () => {
  it.each(['claude', 'qwen'])('of %s is reported once, although it arrives twice', (cli) => {
    const { events, result } = turn(cli, 'partial')
    const texts = events.flatMap((event) => (event.type === 'text' ? [event.text] : []))
    expect(texts).toEqual(['Let me ', 'look.', 'FINAL ', 'ANSWER'])
    expect(events.filter(({ type }) => type === 'reasoning')).toHaveLength(1)
    expect(result.text).toBe('FINAL ANSWER')
  })
})

describe('several results', () => {
  it('become one answer and one usage', () => {
    expect(turn('claude', 'background').result).toMatchObject({
      text: 'FIRST ANSWER\n\nSECOND ANSWER',
      usage: { inputTokens: 324, cachedInputTokens: 21, outputTokens: 69 },
      costUsd: expect.closeTo(0.0025962),
    })
  })

  it('of a resumed session do not include earlier usage', () => {
    const used = (inputTokens: number) => ({
      m: { inputTokens, outputTokens: inputTokens, costUSD: inputTokens / 1000 },
    })
    const result = {
      type: 'result',
      is_error: false,
      num_turns: 1,
      result: 'A',
      total_cost_usd: 0.7,
      modelUsage: used(700),
    }
    const events = [
      { ...result, model_usage_since_last_result: used(20) },
      { ...result, model_usage_since_last_result: used(30) },
    ]
    const stdout = events.map((event) => JSON.stringify(event)).join('\n')
    const parsed = parseOutput('claude', { stdout })
    expect(parsed.usage).toMatchObject({ inputTokens: 50, outputTokens: 50 })
    expect(parsed.costUsd).toBeCloseTo(0.05)
    // Older versions count the run.
    expect(parseOutput('claude', { stdout: JSON.stringify(result) })).toMatchObject({
      usage: { inputTokens: 700 },
      costUsd: 0.7,
    })
  })

  it('add up where the CLI does not', () => {
    const result = { type: 'result', is_error: false, num_turns: 1, result: 'A', usage: { input_tokens: 10 } }
    const stdout = [result, { ...result, result: 'B' }].map((event) => JSON.stringify(event)).join('\n')
    expect(parseOutput('claude', { stdout })).toMatchObject({ text: 'A\n\nB', usage: { inputTokens: 20 } })
  })
})

describe('sub-agents', () => {
  it.each(['claude', 'gemini', 'opencode', 'qwen', 'copilot'])('of %s are not part of the answer', (cli) => {
    const told = turn(cli, 'subagent')
    expect(JSON.stringify(told.events.filter(({ type }) => type === 'text').map(said))).not.toMatch(/SUB|Background/)
    expect(told.result.text).toContain('FINAL ANSWER')
  })

  it('are included in the usage', () => {
    expect(turn('claude', 'subagent').result.usage).toMatchObject({ inputTokens: 432, outputTokens: 92 })
    expect(turn('qwen', 'subagent').result.usage).toMatchObject({ inputTokens: 404, outputTokens: 92 })
  })
})

describe('a denied permission', () => {
  it.each(['claude', 'gemini', 'qwen', 'opencode', 'copilot'])('is reported by %s', (cli) => {
    const told = turn(cli, 'denied')
    expect(story(told).filter((line) => line.startsWith('permission'))).toEqual([
      expect.stringMatching(/^permission: \w+ denied$/),
    ])
    expect(told.result.denials).toMatchObject([{ input: { command: 'rm -rf a.txt' } }])
  })

  it('is one for a tool that opencode has taken from the agent, too', () => {
    const wrong = (tool: string) => {
      const input = { tool, error: `Model tried to call unavailable tool '${tool}'. Available tools: glob, read.` }
      const part = { callID: tool, tool: 'invalid', state: { status: 'completed', input, output: 'invalid' } }
      return { type: 'tool_use', sessionID: 's', part }
    }
    const events = [
      wrong('write'),
      // There is no such tool, whatever is allowed.
      wrong('find'),
      { type: 'text', sessionID: 's', part: { text: 'I could not.' } },
      { type: 'step_finish', sessionID: 's', part: { reason: 'stop' } },
    ]
    const stdout = events.map((event) => JSON.stringify(event)).join('\n')
    const { text, denials } = parseOutput('opencode', { stdout })
    expect([text, denials?.map(({ name }) => name)]).toEqual(['I could not.', ['write']])
  })

  it('may be the reason for a missing answer', () => {
    expect(turn('opencode', 'denied').result).toMatchObject({
      error: { code: 'permission-denied', message: expect.stringContaining('bash') },
      delivered: 'unknown',
    })
  })
})

describe('an answer that was cut off', () => {
  it.each([
    ['claude', 1, undefined],
    ['codex', 1, undefined],
    ['gemini', 0, 'PARTIAL TEXT'],
    ['opencode', 0, 'PARTIAL TEXT'],
    ['qwen', 1, 'PARTIAL TEXT'],
    ['copilot', 1, 'PARTIAL TEXT'],
  ])('does not count as one: %s', (cli, exitCode, partialText) => {
    const { result } = turn(cli, 'cut', exitCode)
    expect(result).toMatchObject({ error: { code: 'interrupted' }, finishReason: 'interrupted' })
    expect(result).not.toHaveProperty('text')
    expect(result.partialText).toBe(partialText)
    expect(result.delivered).not.toBe('no')
  })

  it.each(['opencode', 'qwen', 'copilot'])('and repeated completely counts: %s', (cli) => {
    const told = turn(cli, 'cutonce')
    const lines = story(told).filter((line) => /^(text|retry)/.test(line))
    expect([lines[0], lines[1]?.split(':')[0], lines.at(-1)]).toEqual([
      'text: PARTIAL TEXT',
      'retry',
      'text: WHOLE TEXT',
    ])
    expect(told.result).toMatchObject({ text: 'WHOLE TEXT', finishReason: 'stop' })
    expect(told.result).not.toHaveProperty('partialText')
  })

  it('ends after repeated retries', () => {
    const line = readFileSync(join(FOLDER, 'opencode-cut.jsonl'), 'utf8').split('\n').slice(0, 3).join('\n')
    const reader = new OutputReader('opencode')
    reader.push(Buffer.from(`${line}\n${line}\n`))
    expect(reader.isStuck).toBe(false)
    reader.push(Buffer.from(`${line}\n`))
    expect(reader.isStuck).toBe(true)
  })

  it("is marked if the model's limit was the reason", () => {
    expect(turn('opencode', 'length').result).toMatchObject({ text: 'PARTIAL TEXT', finishReason: 'length' })
    for (const cli of ['claude', 'codex']) {
      const { result } = turn(cli, 'length', 1)
      expect(result).toMatchObject({ error: { code: 'interrupted' }, finishReason: 'length' })
      expect(result.partialText?.startsWith('PARTIAL TEXT')).toBe(true)
      expect(result.partialText).not.toContain('limit')
    }
    const stopped = (stop_reason: string): string | undefined =>
      parseOutput('claude', {
        stdout: JSON.stringify({ type: 'result', is_error: false, num_turns: 1, result: 'A', stop_reason }),
      }).finishReason
    expect(['end_turn', 'max_tokens', 'refusal'].map(stopped)).toEqual(['stop', 'length', 'refused'])
  })
})

describe('a CLI that retries', () => {
  it('reports it', () => {
    expect(story(turn('claude', 'rate-limit')).slice(1, 3)).toEqual([
      'retry: 1 5000 rate_limit 429',
      'retry: 2 5000 rate_limit 429',
    ])
    expect(story(turn('codex', 'rate-limit', 1))).toContain(
      'retry: 2 - exceeded retry limit, last status: 429 Too Many Requests',
    )
    expect(story(turn('copilot', 'rate-limit')).slice(0, 2)).toEqual([
      'retry: 1 - rate_limit 429',
      'retry: 2 - rate_limit 429',
    ])
  })

  it.each(['claude', 'codex', 'gemini', 'copilot'])('or gives up reports why: %s', (cli) => {
    expect(turn(cli, 'overloaded', 1).result.error?.code).toBe('rate-limit')
  })
})

describe('a CLI that is not configured', () => {
  it('reports that it is not logged in', () => {
    for (const cli of ['claude', 'qwen']) {
      expect(turn(cli, 'not-configured', 1).result.error?.code).toBe('not-logged-in')
    }
    const stderr =
      'Please set an Auth method in your settings.json or specify one of the following environment variables'
    expect(parseOutput('gemini', { stdout: '', stderr, exitCode: 41 }).error?.code).toBe('not-logged-in')
  })
})

describe('a line that is too long to read', () => {
  it('is reported as the reason for a missing answer', () => {
    const reader = new OutputReader('claude')
    const piece = Buffer.alloc(1024 * 1024, 'x')
    for (let megabytes = 0; megabytes < 70; megabytes++) reader.push(piece)
    reader.push(Buffer.from('\n'))
    expect(reader.finish('', 0)).toMatchObject({
      error: {
        code: 'interrupted',
        message: `a line of ${70 * 1024 * 1024} bytes could not be read: at most 67108864`,
      },
    })
  })
})
