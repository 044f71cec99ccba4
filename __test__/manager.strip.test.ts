import fc from 'fast-check'
import { ContextManager } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { FAMILY, FLAG } from './support/generators.js'
import { referenceStrip } from './support/strip-reference.js'

/** What is left of a text, both as the current message and as one of the context. */
const stripped = (content: string): string => {
  const manager = new ContextManager()
  manager.addMessage({ speaker: { id: 'max', name: 'Max', type: 'human' }, content })
  const { currentMessage } = manager.getContextForAgent('sarah', 'claude-code')
  manager.addMessage({ speaker: { id: 'kai', name: 'Kai', type: 'human' }, content: 'next' })
  expect(manager.getContextForAgent('sarah', 'claude-code').contextMessages[0]?.content).toBe(currentMessage)
  return currentMessage
}

describe('markers go wherever they stand', () => {
  it.each([
    ['in the middle', 'Hello [NEXT:max] world', 'Hello world'],
    ['at the beginning', '[FROM:Max] Hello', 'Hello'],
    ['at the end', 'Hello [DROP:a, b]', 'Hello'],
    ['inside a word', 'a[NEXT:x]b', 'ab'],
    ['in any letter case', 'a [next:x] b [From:y] c [dRoP:z] d [team_Task: t] e', 'a b c d e'],
    ['with nothing in them', '[NEXT:]', ''],
    ['with white space in them', 'a [NEXT: max , sarah ] b', 'a b'],
    ['with an opening bracket in them', 'a [NEXT:b[0] c', 'a c'],
    ['with CJK and emoji in them', `你好 [NEXT:李雷${FAMILY}] 世界`, '你好 世界'],
    ['next to emoji', `${FLAG}[NEXT:a]${FLAG}`, `${FLAG}${FLAG}`],
    ['one after another', '[FROM:a][NEXT:b] [DROP:c]', ''],
    ['many on a line', 'a [NEXT:b] [NEXT:c] [NEXT:d] e', 'a e'],
    ['a task on one line', 'do it [TEAM_TASK: build this] now', 'do it now'],
    ['a task over several lines', 'do it [TEAM_TASK: build\n- this\n- that] now', 'do it now'],
  ])('%s', (_, text, expected) => expect(stripped(text)).toBe(expected))

  it('again until none is left: what only forms when another goes', () => {
    expect(stripped('[NE[NEXT:a]XT:b]')).toBe('')
    expect(stripped('[NEXT:[NEXT:a]b]')).toBe('')
    expect(stripped('x [FR[FR[NEXT:a]OM:b]OM:c] y')).toBe('x y')
    expect(stripped('[TEAM_[NEXT:a]TASK: b]')).toBe('')
    expect(stripped('[TEAM_[NEXT:a]TASK]\nbuild it')).toBe('')
    expect(stripped('[TEAM_TASK: a\n[NEXT:b]\nc]')).toBe('')
  })

  it.each([
    ['the line that a marker leaves empty is no blank line of the task around it', '[TEAM_TASK:\n[NEXT:a]\n [TEAM_TASK][NEXT:a]', ''],
    ['the line break that a marker takes with it parts nothing', '[TEAM_TASK:[NEXT:b[TEAM_TASK:\n[TEAM_TASK][TEAM_TASK]', '[TEAM_TASK:'],
  ])('as if the marker had never been there: %s', (_, text, expected) => expect(stripped(text)).toBe(expected))

  it.each([
    ['\n[TEAM_TASK:[NEXT:[', '[TEAM_TASK]', '[TEAM_TASK]\nTASK:'],
    ['\n[TEAM_TASK:a', ']TASK:a', 'TASK]TASK:[X]\n'],
    ['\n[TEAM_TASK:', '[', '\nTASK]TASK:] '],
  ])('without hanging on text that is made for it: %j, %j, %j', (before, between, after) => {
    expect(stripped(before.repeat(12_000) + between + after.repeat(12_000))).not.toContain('[NEXT:a]')
  })

  it('however deep they are nested', () => {
    expect(stripped(`${'[NEXT:'.repeat(5000)}${']'.repeat(5000)}`)).toBe('')
    expect(stripped(`${'[NE'.repeat(500)}[NEXT:a]${'XT:b]'.repeat(500)}`)).toBe('')
  })
})

describe('what is no marker stays', () => {
  it.each([
    ['nothing', ''],
    ['plain text', 'plain'],
    ['other brackets', 'arr[0] and [x]: y [link](http://a) [ ]'],
    ['other names', '[NEXTX:a] [ NEXT:a] [NEXT max] [NEXT]'],
    ['prose that mentions a title', 'Use [TEAM_TASK] to set the task.'],
    ['prose that begins with a title', '[TEAM_TASK] is what sets the task.\n\nIt has a text.'],
    ['prose that ends with a title', 'To set the task, write [TEAM_TASK]\nand then the task.'],
    ['one that is never closed', 'see [NEXT: this\nlet a = [1];'],
    ['one that is closed on another line', '[NEXT: a\nb]'],
    ['a task that goes over a blank line', '[TEAM_TASK: open\n\nlet a = [1];'],
    ['lookalikes outside ASCII', '[ＮＥＸＴ:a] [NEXT：a]'],
  ])('%s', (_, text) => expect(stripped(text)).toBe(text))

  it.each([
    ['behind one that goes', 'a [NEXT:x] b [TEAM_TASK: open\n\nlet a = [1];', 'a b [TEAM_TASK: open\n\nlet a = [1];'],
    ['around one that goes', '[TEAM_TASK: open [NEXT:x]\n\nlet a = [1];', '[TEAM_TASK: open\n\nlet a = [1];'],
    ['behind a task of several lines that goes', '[TEAM_TASK: a\nb] [NEXT:c\nd]', '[NEXT:c\nd]'],
  ])('also %s', (_, text, expected) => expect(stripped(text)).toBe(expected))
})

describe('the gap is closed, and nothing else is touched', () => {
  const CODE = [
    'function a() {', '\tif (x)  {', "    return  'two  spaces'   ", '  }', '', '', '', '}  // end', '   ', '\u3000全角  空格\u00a0', '',
  ].join('\n')

  it.each([
    ['by itself', ''],
    ['with a marker on the last line', '[NEXT:max]'],
  ])('indentation, blank lines and double spaces in code survive %s', (_, marker) => {
    expect(stripped(`look:\n\n${CODE}\ndone ${marker}`)).toBe(`look:\n\n${CODE}\ndone${marker ? '' : ' '}`)
  })

  it.each([
    ['code before, after and on the line of a marker', 'fn a() {\n    b();  // [NEXT:x] two  spaces\n}\n\n\nend', 'fn a() {\n    b();  // two  spaces\n}\n\n\nend'],
    ['indentation before a marker', '  [NEXT:x] indented', '  indented'],
    ['a tab before a marker', '\t[NEXT:x] indented', '\tindented'],
    ['all but one of the spaces around it', 'a  [NEXT:x]  b', 'a   b'],
    ['no space that is on one side only', 'a[NEXT:x] b [NEXT:y]c', 'a b c'],
    ['a line left empty goes', 'one\n[NEXT:x]\ntwo', 'one\ntwo'],
    ['a line left blank goes', 'one\n  [NEXT:x]  \ntwo', 'one\ntwo'],
    ['with CRLF too', 'one\r\n[NEXT:x]\r\ntwo [NEXT:y]\r\nthree', 'one\r\ntwo\r\nthree'],
    ['one of the blank lines on both sides goes', 'one\n\n[NEXT:x]\n\ntwo', 'one\n\ntwo'],
    ['only one of them', 'one\n\n\n[NEXT:x]\n\n\ntwo', 'one\n\n\n\ntwo'],
    ['none of those on one side only', 'one\n\n[NEXT:x]\ntwo\n[NEXT:y]\n\nthree', 'one\n\ntwo\n\nthree'],
    ['all of them at the end', 'one\n\n\n[NEXT:x]', 'one'],
    ['all of them at the beginning', '[FROM:x]\n\n\n  one', '  one'],
    ['other blank lines at the ends', '\n\none [NEXT:x] two\n\n', '\n\none two\n\n'],
    ['blank lines below a marker at the end of its line', 'one [NEXT:x]\n\ntwo\n', 'one\n\ntwo\n'],
    ['the spaces at the end of the line above', 'a hard break  \n[NEXT:x]', 'a hard break  '],
  ])('%s', (_, text, expected) => expect(stripped(text)).toBe(expected))
})

describe('[TEAM_TASK] alone on its line goes with its text', () => {
  it.each([
    ['to the end', '[TEAM_TASK]\nbuild it\n\nall of it', ''],
    ['in any letter case, with space around', 'intro\n\n  [team_task] \nbuild it', 'intro'],
    ['up to a blank line followed by a title', '[TEAM_TASK]\nbuild\n\nmore\n\n[MESSAGE]\nhello', '[MESSAGE]\nhello'],
    ['with what comes before kept', 'intro\n\n[TEAM_TASK]\nbuild it\n\n[MESSAGE]\nhello', 'intro\n\n[MESSAGE]\nhello'],
    ['and a blank line kept where there was one', 'intro\n[TEAM_TASK]\nbuild it\n\n[MESSAGE]\nhello', 'intro\n\n[MESSAGE]\nhello'],
    ['a title without a blank line before it is text', '[TEAM_TASK]\nbuild\n[MESSAGE]\nno blank line before', ''],
    ['a bracketed number is no title', '[TEAM_TASK]\nbuild\n\n[1] this\n[2] that', ''],
    ['a marker is a title, and goes itself', '[TEAM_TASK]\nbuild\n\n[FROM:max] Hello there', 'Hello there'],
    ['several of them', '[TEAM_TASK]\na\n\nb\n\n[TEAM_TASK]\nc\n\n[X] d', '[X] d'],
    ['with CRLF', 'a\r\n\r\n[TEAM_TASK]\r\nb\r\n\r\n[C]\r\nd', 'a\r\n\r\n[C]\r\nd'],
  ])('%s', (_, text, expected) => expect(stripped(text)).toBe(expected))
})

describe('any text', { timeout: 120_000 }, () => {
  const SOUP = [
    '[', ']', '[[', ']]', ':', '[NEXT:', '[from:', '[Drop:', '[TEAM_TASK:', '[TEAM_TASK]', '[NE', 'XT:', '[TEAM_', 'TASK]', 'TASK:', '[NEXT:a]',
    '[X]', '[1]', 'a', 'b', ' ', '  ', '    x  y', '\t', '\n', '\n\n', '\r\n', '\r', '\n[TEAM_TASK]\n', '中', FAMILY, '\ufeff', '\u2028', '\u0085', '\ud800',
  ]
  const soup = fc.array(fc.constantFrom(...SOUP), { maxLength: 14 }).map((pieces) => pieces.join(''))

  it('is stripped as the plain implementation does it', () => {
    fc.assert(
      fc.property(soup, (text) => {
        expect(stripped(text)).toBe(referenceStrip(text.toWellFormed()))
      }),
      { numRuns: 20_000 },
    )
  })

  it('has nothing left to strip afterwards', () => {
    fc.assert(
      fc.property(soup, (text) => {
        const once = stripped(text)
        expect(once).not.toMatch(/\[(from|next|drop):[^\]\n]*\]/i)
        expect(stripped(once)).toBe(once)
      }),
      { numRuns: 5000 },
    )
  })

  it('comes back to its writer untouched', () => {
    fc.assert(
      fc.property(soup, (content) => {
        const manager = new ContextManager()
        expect(manager.addMessage({ speaker: { id: 'max' }, content }).content).toBe(content)
        expect(manager.getLatestMessage()?.content).toBe(content)
      }),
    )
  })
})
