import { CodexContextAssembler, buildPrompt } from 'promptmason'
import { describe, expect, it } from 'vitest'

const assembler = new CodexContextAssembler()

/** Of a long message only the ends are read; beside a parent it is read whole. Both must agree. */
const assembled = (currentMessage: string, maxBytes: number, whole: boolean): string => {
  const input = { contextMessages: [], currentMessage, teamTask: 'task', maxBytes }
  return assembler.assemble(whole ? { ...input, parentContext: { from: 'p', content: 'dropped' } } : input).prompt
}

const texts: [string, string][] = [
  ['ASCII', 'The quick brown fox. '.repeat(40_000)],
  ['Latin', 'naïve café — déjà vu. '.repeat(40_000)],
  ['Chinese', '敏捷的棕色狐狸。'.repeat(100_000)],
  ['mixed', 'hello 世界 👨‍👩‍👧‍👦 e\u{301}\r\n'.repeat(30_000)],
  ['emoji alone', '👍🏽'.repeat(200_000)],
  ['flags alone', '🇨🇳'.repeat(200_000)],
  ['flags off by half', `🇨${'🇨🇳'.repeat(200_000)}x`],
  ['lone surrogates', '\ud800a\udc00'.repeat(300_000)],
  ['pairs across every boundary', `x${'😀'.repeat(300_000)}`],
  ['white space around', `${' \n'.repeat(200)}${'word '.repeat(150_000)}${'\u3000'.repeat(200)}`],
  ['mostly white space', `a${' '.repeat(800_000)}b`],
  ['one enormous grapheme', `e${'\u0301'.repeat(600_000)}`],
]

describe('a message that is much longer than the budget', () => {
  it.each(texts)('%s is cut as if it had been read entirely', (_, text) => {
    for (const maxBytes of [30, 61, 100, 1000, 4099, 50_000]) {
      const attempt = (whole: boolean): string => {
        try {
          return assembled(text, maxBytes, whole)
        } catch (error) {
          return `${(error as Error).message}`
        }
      }
      const prompt = attempt(false)
      expect(prompt === attempt(true), `${maxBytes} bytes`).toBe(true)
      if (prompt.startsWith('[')) expect(Buffer.byteLength(prompt)).toBeLessThanOrEqual(maxBytes)
    }
  })

  it('counts as empty if it has little but white space', () => {
    const text = `${' '.repeat(400_000)}x${' '.repeat(400_000)}`
    expect(assembled(text, 1000, false)).toBe('[TEAM_TASK]\ntask\n\n[MESSAGE]\nx')
  })

  it.each(texts)('%s is counted exactly by buildPrompt, which does not cut it', (_, text) => {
    const size = Buffer.byteLength(text.trim()) + '[MESSAGE]\n'.length
    const attempt = (): unknown =>
      buildPrompt({ agentType: 'codex', contextMessages: [], message: text, maxBytes: 5000 })
    if (size > 5000) {
      expect(attempt).toThrow(expect.objectContaining({ code: 'ERR_BUDGET_EXCEEDED', requiredBytes: size }))
    } else {
      expect(attempt).not.toThrow()
    }
  })
})
