import fc from 'fast-check'
import { ContextManager, type ContextManagerOptions } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { byAi, contentsOf, managerWith, spoken } from '../support/conversation.js'
import { FAMILY, FLAG } from '../support/generators.js'
import { referenceStrip } from '../support/strip-reference.js'
import { runs } from '../support/runs.js'

/** What is left of a text, both as the current message and as one of the context. */
const stripped = (content: string): string => {
  const manager = new ContextManager()
  manager.addMessage({ speaker: { id: 'max', name: 'Max', type: 'human' }, content })
  const { currentMessage } = manager.getContextForAgent('sarah', 'claude-code')
  manager.addMessage({ speaker: { id: 'kai', name: 'Kai', type: 'human' }, content: 'next' })
  expect(manager.getContextForAgent('sarah', 'claude-code').contextMessages[0]?.content).toBe(currentMessage)
  return currentMessage
}

describe('markers are removed everywhere', () => {
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

  it('repeatedly, until none is left', () => {
    expect(stripped('[NE[NEXT:a]XT:b]')).toBe('')
    expect(stripped('[NEXT:[NEXT:a]b]')).toBe('')
    expect(stripped('x [FR[FR[NEXT:a]OM:b]OM:c] y')).toBe('x y')
    expect(stripped('[TEAM_[NEXT:a]TASK: b]')).toBe('')
    expect(stripped('[TEAM_[NEXT:a]TASK]\nbuild it')).toBe('')
    expect(stripped('[TEAM_TASK: a\n[NEXT:b]\nc]')).toBe('')
  })

  it.each([
    [
      'the line that a marker leaves empty is no blank line of the task around it',
      '[TEAM_TASK:\n[NEXT:a]\n [TEAM_TASK][NEXT:a]',
      '',
    ],
    [
      'the line break that a marker takes with it parts nothing',
      '[TEAM_TASK:[NEXT:b[TEAM_TASK:\n[TEAM_TASK][TEAM_TASK]',
      '[TEAM_TASK:',
    ],
  ])('as if the marker had never been there: %s', (_, text, expected) => expect(stripped(text)).toBe(expected))

  it.each([
    ['\n[TEAM_TASK:[NEXT:[', '[TEAM_TASK]', '[TEAM_TASK]\nTASK:'],
    ['\n[TEAM_TASK:a', ']TASK:a', 'TASK]TASK:[X]\n'],
    ['\n[TEAM_TASK:', '[', '\nTASK]TASK:] '],
  ])('in linear time on hostile text: %j, %j, %j', (before, between, after) => {
    expect(stripped(before.repeat(12_000) + between + after.repeat(12_000))).not.toContain('[NEXT:a]')
  })

  it('however deep they are nested', () => {
    expect(stripped(`${'[NEXT:'.repeat(5000)}${']'.repeat(5000)}`)).toBe('')
    expect(stripped(`${'[NE'.repeat(500)}[NEXT:a]${'XT:b]'.repeat(500)}`)).toBe('')
  })
})

describe('other text stays', () => {
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
    'function a() {',
    '\tif (x)  {',
    "    return  'two  spaces'   ",
    '  }',
    '',
    '',
    '',
    '}  // end',
    '   ',
    '\u3000全角  空格\u00a0',
    '',
  ].join('\n')

  it.each([
    ['by itself', ''],
    ['with a marker on the last line', '[NEXT:max]'],
  ])('indentation, blank lines and double spaces in code survive %s', (_, marker) => {
    expect(stripped(`look:\n\n${CODE}\ndone ${marker}`)).toBe(`look:\n\n${CODE}\ndone${marker ? '' : ' '}`)
  })

  it.each([
    [
      'code before, after and on the line of a marker',
      'fn a() {\n    b();  // [NEXT:x] two  spaces\n}\n\n\nend',
      'fn a() {\n    b();  // two  spaces\n}\n\n\nend',
    ],
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

describe('[TEAM_TASK] alone on its line is removed with its text', () => {
  it.each([
    ['to the end', '[TEAM_TASK]\nbuild it\n\nall of it', ''],
    ['in any letter case, with space around', 'intro\n\n  [team_task] \nbuild it', 'intro'],
    ['up to a blank line followed by a title', '[TEAM_TASK]\nbuild\n\nmore\n\n[MESSAGE]\nhello', '[MESSAGE]\nhello'],
    ['with what comes before kept', 'intro\n\n[TEAM_TASK]\nbuild it\n\n[MESSAGE]\nhello', 'intro\n\n[MESSAGE]\nhello'],
    [
      'and a blank line kept where there was one',
      'intro\n[TEAM_TASK]\nbuild it\n\n[MESSAGE]\nhello',
      'intro\n\n[MESSAGE]\nhello',
    ],
    ['a title without a blank line before it is text', '[TEAM_TASK]\nbuild\n[MESSAGE]\nno blank line before', ''],
    ['a bracketed number is no title', '[TEAM_TASK]\nbuild\n\n[1] this\n[2] that', ''],
    ['a marker is a title, and goes itself', '[TEAM_TASK]\nbuild\n\n[FROM:max] Hello there', 'Hello there'],
    ['several of them', '[TEAM_TASK]\na\n\nb\n\n[TEAM_TASK]\nc\n\n[X] d', '[X] d'],
    ['with CRLF', 'a\r\n\r\n[TEAM_TASK]\r\nb\r\n\r\n[C]\r\nd', 'a\r\n\r\n[C]\r\nd'],
  ])('%s', (_, text, expected) => expect(stripped(text)).toBe(expected))
})

describe('markers in code are text', () => {
  it.each([
    ['in inline code', 'write `[NEXT:max]` to go on'],
    ['in inline code with longer backticks', 'write `` `[NEXT:max]` `` to go on'],
    ['in inline code over two lines', 'write `a\n[NEXT:max]` to go on'],
    ['in a fence', 'like this:\n```\n[NEXT:max]\n\n[TEAM_TASK: x]\n```\nthat is all'],
    ['in a fence of tildes', '~~~md\n[NEXT:max]\n```\n~~~\nthat is all'],
    ['in an indented fence', '   ```\n   [NEXT:max]\n   ```'],
    ['in a fence that only a longer one closes', '````\n```\n[NEXT:max]\n`````'],
    ['in a fence that is never closed', '```\n[NEXT:max]\n\n[DROP:a]'],
    ['a task title in a fence', '```\n[TEAM_TASK]\nbuild it\n```\nthat is all'],
    ['a task title in inline code', '`a\n[TEAM_TASK]\nb`'],
    ['half of a marker in code', '[NEXT:`a]`'],
    ['a bracket in code closes none', '[NEXT:a `]` b'],
  ])('%s', (_, text) => expect(stripped(text)).toBe(text))

  it.each([
    ['around inline code', '[NEXT:a] `[NEXT:b]` [NEXT:c]', '`[NEXT:b]`'],
    ['around a fence', '[FROM:a]\n\n```\n[NEXT:b]\n```\n[NEXT:c]', '```\n[NEXT:b]\n```'],
    ['with inline code in them', 'a [TEAM_TASK: run `x[0]` and\n`y`] b', 'a b'],
    ['behind a lone backtick', 'a ` b [NEXT:c] d', 'a ` b d'],
    ['between runs of different length', 'a `` b [NEXT:c] ` d', 'a `` b ` d'],
    ['between backticks of two paragraphs', 'a ` b\n\n[NEXT:c] ` d', 'a ` b\n\n` d'],
    ['between backticks with a fence between them', 'a ` [NEXT:c]\n```\n```\n` d', 'a `\n```\n```\n` d'],
    ['in what is indented too far for a fence', 'x\n    ~~~\n[NEXT:a] y', 'x\n    ~~~\ny'],
    ['behind a backtick in the line of a fence', '``` a ` b\n[NEXT:a] c', '``` a ` b\nc'],
  ])('others are removed %s', (_, text, expected) => expect(stripped(text)).toBe(expected))

  it('the text of a task does not end inside a fence', () => {
    const task = '[TEAM_TASK]\nwrite\n```toml\na = 1\n\n[section]\nb = 2\n```\n'
    expect(stripped(`${task}\n[MESSAGE]\nhello`)).toBe('[MESSAGE]\nhello')
    expect(stripped(`${task}[MESSAGE]\nhello`)).toBe('')
    expect(stripped('[TEAM_TASK]\nwrite\n```\n\n[section]\nb = 2')).toBe('')
    expect(stripped('[TEAM_TASK]\nwrite\n\n[a `]` is no title')).toBe('')
  })

  it('text is parsed again after a removal', () => {
    // The fence in the middle opens one at first; without the marker it closes one.
    expect(stripped('[FROM:max] ```js\ncode\n```\nDone. [NEXT:sarah]')).toBe('```js\ncode\n```\nDone.')
    // Two backticks and one become three, which have no partner.
    expect(stripped('``[NEXT:a]`[NEXT:b]`c')).toBe('````c')
  })

  it('a text that changes what is code over and over keeps no marker, not even in code', () => {
    const fences =
      '[NEXT:a]```\n``````\n[NEXT:a]```\n```\n[X] `[NEXT:a]```\n[NEXT:a][TEAM_[NEXT:b]TASK]\n[TEAM_[NEXT:b]TASK]\n[NEXT:a]````[NEXT:a]```\n'
    const text = `before \`[NEXT:c]\` it\n\n${fences}`
    expect(stripped(text)).toMatch(/^before `` it\n/)
    expect(stripped(text)).not.toContain('[NEXT:')
    expect(stripped(text)).toBe(referenceStrip(text))
  })
})

describe('stripMarkers', () => {
  const CONTENT = 'look [NEXT:max] at\n\n[TEAM_TASK]\nthis'
  const STRIPPED = 'look at'
  const filled = (options: ContextManagerOptions): ContextManager =>
    managerWith([spoken(CONTENT), byAi('max', CONTENT, { parentMessageId: 'msg-1' }), spoken(CONTENT)], {
      siblingContentMaxLength: 1000,
      ...options,
    })
  const ROUTE = { parentMessageId: 'msg-1', targetMemberId: 'sarah' }
  const seenBy = (manager: ContextManager): string[] => {
    const { contextMessages, currentMessage } = manager.getContextForAgent('sarah', 'codex')
    const { parentContext, siblingContext } = manager.getContextForRoute('sarah', 'codex', ROUTE)
    return [...contentsOf(contextMessages), currentMessage, parentContext?.content ?? '', ...contentsOf(siblingContext)]
  }

  it.each<[ContextManagerOptions, string]>([
    [{}, STRIPPED],
    [{ stripMarkers: undefined }, STRIPPED],
    [{ stripMarkers: null }, STRIPPED],
    [{ stripMarkers: true }, STRIPPED],
    [{ stripMarkers: false }, CONTENT],
  ])('%j decides what agents see in views', (options, expected) => {
    expect(seenBy(filled(options))).toEqual(Array.from({ length: 5 }, () => expected))
  })

  it('applies to prompts', () => {
    for (const agentType of ['claude-code', 'codex', 'gemini', 'other']) {
      const promptsOf = (stripMarkers: boolean): string[] => {
        const manager = filled({ stripMarkers, logger: { warn: () => {} } as never })
        return [
          manager.assembleForAgent('sarah', agentType).prompt,
          manager.assembleForRoute('sarah', agentType, ROUTE).prompt,
        ]
      }
      for (const prompt of promptsOf(true)) expect(prompt).not.toContain('[NEXT:max]')
      for (const prompt of promptsOf(false)) expect(prompt.split(CONTENT).length).toBeGreaterThan(2)
    }
  })

  it('depends on the manager that imports a snapshot', () => {
    for (const exporting of [true, false]) {
      const snapshot = filled({ stripMarkers: exporting }).exportSnapshot()
      expect(contentsOf(snapshot.messages)).toEqual([CONTENT, CONTENT, CONTENT])
      for (const importing of [true, false]) {
        const manager = new ContextManager({ stripMarkers: importing, siblingContentMaxLength: 1000 })
        manager.importSnapshot(snapshot)
        expect(seenBy(manager)).toEqual(Array.from({ length: 5 }, () => (importing ? STRIPPED : CONTENT)))
      }
    }
  })

  it('applies after clear', () => {
    const manager = filled({ stripMarkers: false })
    manager.clear()
    manager.addMessage(spoken(CONTENT))
    expect(manager.getContextForAgent('sarah', 'codex').currentMessage).toBe(CONTENT)
  })
})

describe('any text', { timeout: 120_000 }, () => {
  const SOUP = [
    '[',
    ']',
    '[[',
    ']]',
    ':',
    '[NEXT:',
    '[from:',
    '[Drop:',
    '[TEAM_TASK:',
    '[TEAM_TASK]',
    '[NE',
    'XT:',
    '[TEAM_',
    'TASK]',
    'TASK:',
    '[NEXT:a]',
    '[X]',
    '[1]',
    'a',
    'b',
    ' ',
    '  ',
    '    x  y',
    '\t',
    '\n',
    '\n\n',
    '\r\n',
    '\r',
    '\n[TEAM_TASK]\n',
    '中',
    FAMILY,
    '\ufeff',
    '\u2028',
    '\u0085',
    '\ud800',
  ]
  const CODE = [
    '`',
    '`',
    '``',
    '```',
    '````',
    '~~~',
    '~~~~',
    '\n```\n',
    '\n```js\n',
    '\n~~~\n',
    '\n   ```\n',
    '\n    ```\n',
    '``` \n',
    '`[NEXT:a]`',
    '\n```\n[TEAM_TASK]\n```\n',
    '`[',
    ']`',
  ]
  const joined = (pieces: string[], maxLength: number): fc.Arbitrary<string> =>
    fc.array(fc.constantFrom(...pieces), { maxLength }).map((chosen) => chosen.join(''))
  const soup = fc.oneof(joined(SOUP, 14), joined([...SOUP, ...CODE, ...CODE], 18))

  it('is stripped as the plain implementation does it', () => {
    fc.assert(
      fc.property(soup, (text) => {
        expect(stripped(text)).toBe(referenceStrip(text.toWellFormed()))
      }),
      runs(5000),
    )
  })

  it('has nothing left to strip afterwards', () => {
    fc.assert(
      fc.property(soup, (text) => {
        const once = stripped(text)
        if (!/[`~]/.test(text)) expect(once).not.toMatch(/\[(from|next|drop):[^\]\n]*\]/i)
        expect(stripped(once)).toBe(once)
      }),
      runs(1500),
    )
  })

  it('only loses characters: what is left is in the same order', () => {
    fc.assert(
      fc.property(soup, (text) => {
        const rest = text.toWellFormed()[Symbol.iterator]()
        for (const kept of stripped(text)) {
          let next = rest.next()
          while (!next.done && next.value !== kept) next = rest.next()
          expect(next.value).toBe(kept)
        }
      }),
      runs(1500),
    )
  })

  it('is returned to its writer unchanged', () => {
    fc.assert(
      fc.property(soup, (content) => {
        const manager = new ContextManager()
        expect(manager.addMessage({ speaker: { id: 'max' }, content }).content).toBe(content)
        expect(manager.getLatestMessage()?.content).toBe(content)
      }),
    )
  })
})
