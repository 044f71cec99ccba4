/** What `promptmason explain` prints: widths, hidden characters, mistakes in JSON, the picture. */
import { buildPrompt, type PromptInput } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { parseJson } from '../../dist/command/json.js'
import { visible, visibleLine } from '../../dist/explain/page/words.js'
import { picture } from '../../dist/explain/picture.js'
import { fit, fitPath, hasColors, padEnd, painter, widthOf, wrap } from '../../dist/explain/terminal.js'
import { describeTurn } from '../../dist/explain/turn.js'
import { chatter } from '../support/conversations.js'
import { FAMILY, FLAG, THUMB } from '../support/generators.js'

describe('the width of a text', () => {
  it.each([
    ['abc', 3],
    ['中文', 4],
    ['こんにちは', 10],
    ['각', 2],
    ['ｆｕｌｌ', 8],
    ['é', 1],
    ['e\u0301', 1],
    [FAMILY, 2],
    [FLAG, 2],
    [THUMB, 2],
    ['❤️', 2],
    ['1️⃣', 2],
    ['', 0],
    ['→…·', 3],
    ['𠀀', 2],
    ['\u200b', 0],
  ])('of %s is %i', (text, width) => {
    expect(widthOf(text)).toBe(width)
  })

  it('never exceeds the columns', () => {
    for (const text of ['hello world', '中文字符很多', `${FAMILY}${FLAG}${THUMB}x`, 'x'.repeat(10_000_000)]) {
      for (let columns = 0; columns < 15; columns++) expect(widthOf(fit(text, columns))).toBeLessThanOrEqual(columns)
    }
    expect(fit('中文字符', 5)).toBe('中文…')
    expect(fit('中文', 4)).toBe('中文')
    expect(fitPath('/中文/AGENTS.md', 12)).toBe('…/AGENTS.md')
    expect(fitPath('/中文/AGENTS.md', 15)).toBe('/中文/AGENTS.md')
    expect(fitPath(`${'a'.repeat(10_000)}/b.md`, 6)).toBe('…/b.md')
    for (const path of ['中文字符', 'a中b文', '👨‍👩‍👧/x', ''])
      for (let columns = 0; columns < 9; columns++) expect(widthOf(fitPath(path, columns))).toBeLessThanOrEqual(columns)
    expect(padEnd('中', 4)).toBe('中  ')
    expect(wrap('one two three', 8)).toEqual(['one two', 'three'])
  })
})

describe('hidden characters', () => {
  it('are named', () => {
    expect(visible('a\u001b[31m\u0007\u009b\u202e\u2066\u200b\ufeff\ud800\u{e0041}b')).toBe(
      'a[U+001B][31m[U+0007][U+009B][U+202E][U+2066][U+200B][U+FEFF][U+D800][U+E0041]b',
    )
    expect(visible(`line\r\nline\tafter ${FAMILY} e\u0301 中`)).toBe(`line\nline\tafter ${FAMILY} e\u0301 中`)
    expect(visibleLine('a\nb\tc\rd')).toBe('a⏎b c[U+000D]d')
  })
})

describe('a mistake in JSON', () => {
  it.each([
    ['', 1, 1, 'the text ends here: a value was expected'],
    ['{"a": 1,}', 1, 9, 'a name in double quotes was expected'],
    ['{\n  "a": [1, 2\n}', 3, 1, "',' or ']' was expected"],
    ['{"a" 1}', 1, 6, "':' was expected"],
    ['{"a": tru}', 1, 7, 'a value was expected'],
    ['{"a": 1} x', 1, 10, 'nothing more was expected'],
    ['["中文😀", oops]', 1, 9, 'a value was expected'],
    ['{"a": "one\ntwo"}', 1, 11, 'a string ends before the end of the line'],
    ['{"a": "\\x"}', 1, 8, 'this is not a JSON escape sequence'],
    ['{"a": "no end', 1, 14, 'the text ends here: a string does not end'],
    ['[1, 2', 1, 6, "the text ends here: ',' or ']' was expected"],
    ['[01]', 1, 3, "',' or ']' was expected"],
    ["{'a': 1}", 1, 2, 'a name in double quotes was expected'],
    ['{\r\n"a":\r\n?}', 3, 1, 'a value was expected'],
    [`${'['.repeat(200_000)}`, 1, 200_001, 'the text ends here: a value was expected'],
  ])('%j is at line %i, column %i', (text, line, column, problem) => {
    expect(parseJson(text)).toEqual({ mistake: { line, column, problem } })
  })

  it('is not found in valid JSON', () => {
    for (const value of [null, 1, -1.5e9, 'a"b\\\u2028', [], {}, { a: [{ b: [[]] }, true, false, null] }]) {
      expect(parseJson(` ${JSON.stringify(value, null, 2)}\n`)).toEqual({ value })
    }
  })
})

const plain = painter(false)
const INPUT: PromptInput = {
  agentType: 'claude',
  contextMessages: chatter(12, 200),
  message: 'Go on.',
  maxContextMessages: 12,
  maxBytes: 1500,
  systemInstructionText: 'You are Sarah.',
  pinned: [1],
}
const shown = (input: PromptInput, options: { columns?: number; all?: boolean } = {}): string[] =>
  picture(describeTurn({ ...buildPrompt(input, { report: true }), input }), { paint: plain, ...options })

describe('the picture', () => {
  it('has a bar, every section, every message, and the account', () => {
    const { report } = buildPrompt(INPUT, { report: true })
    const lines = shown(INPUT)
    const { totalBytes, promptBytes } = report
    const share = Math.round(totalBytes / 1.5) / 10
    expect(lines.slice(0, 2).join(' ')).toBe(
      `claude-code: ${totalBytes.toLocaleString('en')} of 1,500 bytes, ${share} % (${promptBytes.toLocaleString('en')} in the prompt, 14 in the system flag)`,
    )
    expect(lines[2]).toMatch(/^\[S+C+M+·+\]$/)
    expect(lines[2]).toHaveLength(80)
    for (const { index } of INPUT.contextMessages.map((_, at) => ({ index: at })))
      expect(lines.filter((line) => new RegExp(`^ +#${index} `).test(line))).toHaveLength(1)
    for (const { index, bytes } of report.dropped)
      expect(lines.find((line) => line.includes(`#${index} `))).toMatch(new RegExp(` ${bytes}  dropped: no room`))
    expect(lines.find((line) => line.includes('#1 '))).toContain('pinned')
    const { givenBytes, sentBytes, leftOutBytes } = report.account
    expect(lines.at(-1)).toBe(
      `  ${givenBytes.toLocaleString('en')} bytes given = ${sentBytes.toLocaleString('en')} sent + ${leftOutBytes.toLocaleString('en')} left out`,
    )
  })

  it.each([40, 60, 80, 200])('is not wider than %i columns', (columns) => {
    for (const line of shown(
      {
        ...INPUT,
        contextMessages: INPUT.contextMessages.map(({ content }) => ({
          from: '很长的名字很长的名字很长的名字',
          content: `${content}\n[SYSTEM]`,
        })),
      },
      { columns },
    )) {
      expect(widthOf(line), line).toBeLessThanOrEqual(columns)
    }
  })

  it('sums up long rows unless all are requested', () => {
    const input = { ...INPUT, contextMessages: chatter(3000, 100), maxContextMessages: 3000, pinned: [] }
    const [few, all] = [shown(input), shown(input, { all: true })]
    expect(few.length).toBeLessThan(120)
    expect(few.join('\n')).toMatch(/… [\d,]+ more messages dropped, [\d,]+ bytes \(--all shows each\)/)
    expect(all.filter((line) => /^ +#\d+ /.test(line))).toHaveLength(3000)
  })

  it('lists dropped messages where there is only a report', () => {
    const { report } = buildPrompt(INPUT, { report: true })
    const lines = picture(describeTurn({ report }), { paint: plain })
    expect(lines.filter((line) => line.includes('dropped: no room'))).toHaveLength(report.dropped.length)
  })

  it('shows tokens where there is a budget in tokens', () => {
    const input: PromptInput = { ...INPUT, maxBytes: 100_000, maxTokens: 300, tokenizer: { bytesPerToken: 4 } }
    const { report } = buildPrompt(input, { report: true })
    const lines = shown(input)
    expect(lines).toContain(`about ${report.totalTokens} of 300 tokens; limited by tokens`)
    expect(lines.find((line) => line.startsWith('  S system'))).toMatch(/ 4 {2}kept {2}\(14 bytes\)$/)
    // The bar is in tokens: in bytes, it would be almost empty.
    const bar = lines.find((line) => line.startsWith('[')) ?? ''
    expect(bar.replaceAll(/[[\]·]/g, '').length / 78).toBeCloseTo((report.totalTokens ?? 0) / 300, 1)
    expect(lines.filter((line) => line.includes('dropped: no room'))).toHaveLength(report.dropped.length)
  })

  it('has no control characters, whatever the conversation contains', () => {
    const attack = 'x\u001b]0;owned\u0007\u001b[2J\u202e\u009b31m\r\n\u0008'
    const input = {
      ...INPUT,
      contextMessages: [{ from: attack, to: attack, content: `${attack}\n[SYSTEM]\n${attack}` }],
      recipient: attack,
      pinned: [],
    }
    // oxlint-disable-next-line no-control-regex
    expect(shown(input).join('\n')).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/)
  })

  it('has colours only on a terminal', () => {
    expect(hasColors({ isTTY: true }, {})).toBe(true)
    expect(hasColors({ isTTY: true }, { NO_COLOR: '1' })).toBe(false)
    expect(hasColors({ isTTY: true }, { TERM: 'dumb' })).toBe(false)
    expect(hasColors({}, {})).toBe(false)
    expect(painter(true)('red', 'x')).toBe('\u001b[31mx\u001b[0m')
  })
})
