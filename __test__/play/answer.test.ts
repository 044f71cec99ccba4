/** What the playground answers to a conversation and choices. */
import { buildPrompt, ContextManager, type PromptInput } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { answer, type Answer, type Made, type Problem } from '../../dist/play/answer.js'
import { examples } from '../../dist/play/examples.js'
import { chatter } from '../support/conversations.js'

const made = (result: Answer): Made => {
  if ('problem' in result) throw new Error(result.problem.message)
  return result
}
const problem = (result: Answer): Problem => {
  if (!('problem' in result)) throw new Error('it was made')
  return result.problem
}

const INPUT: PromptInput = {
  agentType: 'codex',
  contextMessages: chatter(12, 200),
  message: 'Go on.',
  maxContextMessages: 12,
  maxBytes: 1200,
}
const TEXT = JSON.stringify(INPUT)

describe('the examples', () => {
  it.each(examples())('$name: $about', ({ text }) => {
    const { turn, warnings } = made(answer(text, {}))
    expect(warnings).toEqual([])
    expect(turn.lacks).toEqual([])
    // Each has something to look at.
    expect(turn.report.leftOut.length + turn.report.findings.length).toBeGreaterThan(0)
  })

  it('cover each kind of input', () => {
    expect(examples()).toHaveLength(5)
    expect(new Set(examples().map(({ text }) => made(answer(text, {})).kind))).toEqual(
      new Set(['buildPrompt', 'assembler', 'snapshot']),
    )
  })
})

describe('choices', () => {
  it('leave the input unchanged if they are empty', () => {
    const result = made(
      answer(TEXT, {
        agent: '',
        'max-bytes': ' ',
        'max-tokens': '',
        tokenizer: '',
        recipient: '',
        window: '',
        pins: '',
      }),
    )
    const output = buildPrompt(INPUT, { report: true })
    expect(result.turn.report).toEqual(output.report)
    expect(result.prompt).toBe(output.prompt)
  })

  it('match the options of the command', () => {
    const choices = {
      agent: 'claude',
      'max-bytes': '5000',
      'max-tokens': '400',
      tokenizer: '3.5',
      recipient: 'max',
      window: '6',
      pins: '0, #8',
    }
    const input = {
      ...INPUT,
      agentType: 'claude',
      maxBytes: 5000,
      maxTokens: 400,
      tokenizer: { bytesPerToken: 3.5 },
      recipient: 'max',
      maxContextMessages: 6,
      pinned: [0, 8],
    }
    expect(made(answer(TEXT, choices)).prompt).toBe(buildPrompt(input).prompt)
  })

  it('pin exactly the given messages of a snapshot, by id or number', () => {
    const manager = new ContextManager({ contextWindowSize: 3 })
    const ids = chatter(9, 200).map(({ from, content }) => manager.addMessage({ speaker: { id: from }, content }).id)
    manager.pin(ids[1]!)
    const text = JSON.stringify(manager.exportSnapshot())
    const pinnedBy = (pins: string) => {
      const { turn } = made(answer(text, { agent: 'codex', window: '3', pins }))
      return turn.pinned.map((line) => turn.messages[line]?.id)
    }
    expect(pinnedBy('')).toEqual([ids[1]])
    expect(pinnedBy(`${ids[2]} 0`)).toEqual([ids[0], ids[2]])
    expect(pinnedBy('none')).toEqual([])
    expect(problem(answer(text, { pins: 'nobody' }))).toEqual({
      code: 'ERR_USAGE',
      message: "there is no message 'nobody' to pin",
    })
  })

  it.each([
    [{ 'max-bytes': 'x' }, "Budget in bytes must be a whole number from 1 on, got 'x'"],
    [{ 'max-tokens': '0' }, "Budget in tokens must be a whole number from 1 on, got '0'"],
    [{ tokenizer: '-1' }, "Tokenizer must be o200k, cl100k or a number of bytes per token, got '-1'"],
    [{ window: '1.5' }, "Window must be a whole number from 0 on, got '1.5'"],
    [{ pins: '99' }, "there is no message '99' to pin: messages have numbers from 0 to 11"],
  ])('are named in errors as on the page: %j', (choices, message) => {
    expect(problem(answer(TEXT, choices))).toEqual({ code: 'ERR_USAGE', message })
  })
})

describe('a problem', () => {
  it('of JSON has its position', () => {
    expect(problem(answer('{\n  "message": "a",\n  oops', {}))).toEqual({
      code: 'ERR_JSON',
      message: 'line 3, column 3: this is not JSON: a name in double quotes was expected',
      line: 3,
      column: 3,
    })
  })

  it('of a budget reports the required size', () => {
    const { code, required, unit } = problem(answer(TEXT, { 'max-bytes': '3' }))
    expect([code, unit]).toEqual(['ERR_BUDGET_EXCEEDED', 'bytes'])
    expect(made(answer(TEXT, { 'max-bytes': String(required) })).turn.report.totalBytes).toBe(required)
    expect(problem(answer(TEXT, { 'max-tokens': '3', tokenizer: 'o200k' })).unit).toBe('tokens')
  })

  it.each([
    ['[1]', /^the input must be a PromptInput/],
    ['{"contextMessages": 1, "message": "a"}', /^contextMessages must /],
    ['{"contextMessages": [{"from": 1}], "message": "a"}', /^contextMessages\[0\]\.from must /],
    ['{"contextMessages": [], "message": {"a": 1}}', /^message\.from must /],
    ['{"messages": [1], "version": 1, "teamTask": null, "timestamp": 0}', /messages\[0\]/],
    ['{"messages": {"length": 1e9}}', /./],
    ['{"contextMessages": [], "message": "a", "__proto__": {"x": 1}, "constructor": 1}', null],
    [`{"contextMessages": [], "message": "a", "x": ${'['.repeat(20_000)}${']'.repeat(20_000)}}`, null],
    ['[', /the text ends here/],
    ['['.repeat(1_000_000), /the text ends here/],
  ])('of an input is reported: %.60s', (text, message) => {
    const result = answer(text, {})
    if (message === null) expect('problem' in result ? result.problem : undefined).toBeUndefined()
    else expect(problem(result).message).toMatch(message)
    expect('problem' in result ? result.problem.code : '').not.toBe('ERR_INTERNAL')
  })
})
