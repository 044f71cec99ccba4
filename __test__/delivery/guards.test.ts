/** Places at which a CLI would act, by the rules of the CLIs, and what is written into a text. */
import { describe, expect, it } from 'vitest'
import { insert, sizeOf } from '../../dist/delivery/guards.js'
import { findPlaces } from '../../dist/delivery/guards.js'
import { SPACES, endWithoutSpaces, skipSpaces, spaceAt, spaceBefore } from '../../dist/delivery/white-space.js'

type Trigger = Parameters<typeof findPlaces>[0]

const places = (trigger: Trigger, text: string): number[] => [...findPlaces(trigger, Buffer.from(text))]
const bytesBefore = (text: string, sign: string): number => Buffer.byteLength(text.slice(0, text.indexOf(sign)))

describe('a leading command', () => {
  it.each(['/clear', '/help me', '/a:b', '/中文 x', '/ init', '/a\nb', '/a.b', '/-', '/1', '/\u3000a'])(
    'is %j',
    (text) => {
      expect(places('leadingSlash', text)).toEqual([0])
    },
  )

  it.each([
    '',
    '/',
    '//',
    '// note',
    '/*',
    '/* note',
    '/etc/hosts is',
    '/a/',
    ' /clear',
    '\n/clear',
    'a /clear',
    '\ufeff/clear',
    '/ ',
    '/\u3000',
    '/\u3000a/b',
  ])('is not %j', (text) => {
    expect(places('leadingSlash', text)).toEqual([])
  })
})

describe('a mention after white space', () => {
  it.each([
    '@a',
    'see @secret.txt',
    'x\n@a,',
    'a\t@"my file"',
    'a\u3000@a',
    'a\u00a0@a',
    '\ufeff@a',
    '漢 @漢',
    'a\u2028@a',
  ])('is in %j', (text) => {
    expect(places('atAfterSpace', text)).toEqual([bytesBefore(text, '@')])
  })

  it.each(['@', '@ a', 'x@a', '(@a)', '中@a', '`@a`', 'a\u200b@a', 'a\u0085@a', 'a @\u3000', 'a @'])(
    'is not in %j',
    (text) => {
      expect(places('atAfterSpace', text)).toEqual([])
    },
  )

  it('is found every time', () => {
    expect(places('atAfterSpace', '@a @b\n@c')).toEqual([0, 3, 6])
    expect(places('atPath', '@a \\@b x@c @ @\u2060d @, @\u2061')).toEqual([0, 4, 8, 22])
  })
})

describe('a mention anywhere', () => {
  it.each(['x@a', 'me@example.org', '中@a', 'x@漢', 'x@\u00a0', 'x@.a', 'x@"a b"', 'x@\\ a'])('is in %j', (text) => {
    expect(places('atAnywhere', text)).toEqual([bytesBefore(text, '@')])
  })

  it.each(['@', 'a @ b', 'a@, b', 'a@.', 'a@. B', 'a@.\n', '\\@a', '\\\\@a', '@(a)', '@\n'])('is not in %j', (text) => {
    expect(places('atAnywhere', text)).toEqual([])
  })

  it('may be right before another one, which would act as soon as the first one does not', () => {
    expect(places('atAnywhere', '@@a')).toEqual([0, 1])
  })
})

describe('a skill', () => {
  it.each([
    '$a',
    '`$my-skill`',
    'x$ns:sk y',
    '\\$a',
    '中$a中',
    '$a.',
    '$HOMES',
    '$5x',
    '[$a](b)',
    '$a_name_longer_than_any_variable',
    '[$5](/skills/5/SKILL.md)',
    '[$a:] \n( skill://x )',
  ])('is in %j', (text) => {
    expect(places('dollarName', text)).toEqual([bytesBefore(text, '$')])
  })

  it.each([
    '$',
    '$ a',
    '$5',
    '$1,000',
    '$HOME',
    '$home/x',
    '$PATH:/usr/bin',
    '$Xdg_Config_Home',
    '${a}',
    '$\u2060a',
    '$(a)',
    '＄a',
    '$é',
    '$a:',
    '[$PATH](skill://x)',
    '[$5] x ($5)',
    '[$](x)',
    '[$\u2060a](skill://x)',
  ])('is not in %j', (text) => {
    expect(places('dollarName', text)).toEqual([])
  })

  it('is marked by the last of two signs', () => {
    expect(places('dollarName', '$$a')).toEqual([1])
  })
})

describe('a plugin', () => {
  it.each(['[@a](plugin://a)', 'x[@my-plugin:b] \n(\u3000plugin://a)', '[@1](plugin://'])('is in %j', (text) => {
    expect(places('atPlugin', text)).toEqual([bytesBefore(text, '@')])
  })

  it.each([
    '@a(plugin://a)',
    '[@a](https://example.org/a)',
    '[@a] x (plugin://a)',
    '[a](plugin://a)',
    '[@](plugin://a)',
    '[@\u2060a](plugin://a)',
    '[@a',
  ])('is not in %j', (text) => {
    expect(places('atPlugin', text)).toEqual([])
  })
})

describe('bytes that are not UTF-8', () => {
  it('are accepted', () => {
    const bytes = [0x40, 0x24, 0x5b, 0x5d, 0x28, 0x2f, 0x5c, 0x20, 0xe3, 0x80, 0xff, 0xf0, 0x61]
    let state = 1
    const next = (): number => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) >>> 24
    for (let round = 0; round < 2000; round++) {
      const text = Buffer.from(Array.from({ length: next() % 37 }, () => bytes[next() % bytes.length] ?? 0))
      for (const trigger of [
        'leadingSlash',
        'atAfterSpace',
        'atPath',
        'atAnywhere',
        'atPlugin',
        'dollarName',
      ] as const) {
        const found = [...findPlaces(trigger, text)]
        expect(found).toEqual(found.toSorted((one, other) => one - other))
      }
    }
  })
})

describe('white space', () => {
  it('is the same as in JavaScript', () => {
    const all = Array.from({ length: 0x1_0000 }, (_, unit) => String.fromCharCode(unit)).filter((unit) =>
      /\s/.test(unit),
    )
    expect([...SPACES]).toEqual(all)
  })

  it('is found at both ends of other text', () => {
    for (let code = 0; code < 0x1_0000; code++) {
      const character = String.fromCharCode(code)
      if (!character.isWellFormed()) continue
      const bytes = Buffer.from(`漢${character}漢`)
      const length = /\s/.test(character) ? bytes.length - 6 : 0
      if (spaceAt(bytes, 3) !== length || spaceBefore(bytes, bytes.length - 3) !== length)
        expect.fail(`U+${code.toString(16)}`)
    }
    const blank = Buffer.from(SPACES)
    expect([skipSpaces(blank, 0), endWithoutSpaces(blank)]).toEqual([blank.length, 0])
    const within = Buffer.from(` \u3000a\u0085${SPACES}`)
    expect([skipSpaces(within, 0), endWithoutSpaces(within)]).toEqual([4, 7])
  })
})

describe('what is inserted', () => {
  it('is inserted at the right places, in order', () => {
    const insertions = [
      { text: '\\', offsets: Float64Array.of(1, 3) },
      { text: '漢', offsets: Float64Array.of(0, 3, 4) },
    ]
    expect(insert(Buffer.from('abcd'), insertions).toString()).toBe('漢a\\bc\\漢d漢')
    expect([sizeOf(insertions, 'bytes'), sizeOf(insertions, 'codePoints'), sizeOf([], 'utf16')]).toEqual([11, 5, 0])
  })

  it('leaves long parts in between unchanged', () => {
    const part = '漢字😀'.repeat(1000)
    const offset = Buffer.byteLength(part)
    expect(insert(Buffer.from(part + part), [{ text: ' ', offsets: Float64Array.of(offset) }]).toString()).toBe(
      `${part} ${part}`,
    )
  })
})
