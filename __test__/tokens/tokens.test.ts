import { countTokens, type Tokenizer } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { thrownBy, untyped } from '../support/assemblers.js'
import { told } from '../support/child.js'
import { documentText } from '../support/documents.js'

const VOCABULARIES = ['o200k', 'cl100k'] as const

/** Texts with the counts of OpenAI's own tokenizer, by `scripts/tokens/check.py --record`. */
const recorded = JSON.parse(documentText('__test__/fixtures/token-counts.json')) as [
  text: string,
  o200k: number,
  cl100k: number,
][]

describe('countTokens with a vocabulary', () => {
  it('counts like the reference, strings and bytes alike', () => {
    expect(recorded.length).toBeGreaterThan(500)
    for (const [text, ...expected] of recorded) {
      const bytes = Buffer.from(text)
      for (const form of [text, bytes, new Uint8Array(bytes)]) {
        expect(
          VOCABULARIES.map((vocabulary) => countTokens(form, vocabulary)),
          JSON.stringify(text),
        ).toEqual(expected)
      }
    }
  })

  it.each(VOCABULARIES)('counts a lone surrogate as U+FFFD, by %s', (vocabulary) => {
    for (const [broken, sent] of [
      ['\uD800', '\uFFFD'],
      ['a\uDC00b', 'a\uFFFDb'],
      ['中\uD83D', '中\uFFFD'],
      ['\uD83D\uD83D\uDC4D', '\uFFFD👍'],
    ] as const) {
      expect(countTokens(broken, vocabulary)).toBe(countTokens(sent, vocabulary))
    }
  })

  it.each(VOCABULARIES)(
    'counts bytes that are not well-formed as the text that they decode to, by %s',
    (vocabulary) => {
      for (const bytes of [
        [0xff],
        [0xe4, 0xb8],
        [0x61, 0x80, 0x62],
        [0xed, 0xa0, 0x80],
        [0xf4, 0x90, 0x80, 0x80],
        [0xc0, 0xaf],
      ]) {
        expect(countTokens(Uint8Array.from(bytes), vocabulary)).toBe(
          countTokens(Buffer.from(bytes).toString(), vocabulary),
        )
      }
    },
  )

  it('counts text that looks like a special token as the text that it is', () => {
    expect(VOCABULARIES.map((vocabulary) => countTokens('<|endoftext|>', vocabulary))).toEqual([7, 7])
  })

  it('counts an empty text as 0', () => {
    for (const tokenizer of [...VOCABULARIES, { bytesPerToken: 4 }])
      expect([countTokens('', tokenizer), countTokens(Buffer.alloc(0), tokenizer)]).toEqual([0, 0])
  })

  it('counts one long piece of any kind', () => {
    const expected = [
      ['a', 12_500, 12_500],
      [' ', 782, 782],
      ['中', 100_000, 100_000],
    ] as const
    for (const [character, ...counts] of expected) {
      const text = character.repeat(100_000)
      const found = VOCABULARIES.map((vocabulary) => countTokens(text, vocabulary))
      expect(found, JSON.stringify(character)).toEqual(counts)
    }
  })

  it('counts texts of all kinds and lengths, whatever was counted before', () => {
    const kinds = ['a', 'é', '中', '👍', '\uD83D', 'a中']
    const lengths = [1, 63, 64, 85, 86, 127, 128, 251, 252, 253, 255, 256, 257, 511, 512, 1000, 5000, 100_000]
    const texts = lengths.flatMap((length) => kinds.map((kind) => kind.repeat(length)))
    // A name between two texts, and the other order.
    for (const text of [...texts, ...texts.toReversed(), ...texts.flatMap((one) => [one, 'max'])]) {
      expect(countTokens(text, { bytesPerToken: 1 }), JSON.stringify(text.slice(0, 10))).toBe(Buffer.byteLength(text))
    }
  })

  it('accepts a view of a larger buffer, and shared memory', () => {
    const whole = Buffer.from('before中文after')
    expect(countTokens(whole.subarray(6, 12), 'o200k')).toBe(countTokens('中文', 'o200k'))
    const shared = new Uint8Array(new SharedArrayBuffer(5))
    shared.set(Buffer.from('hello'))
    expect(countTokens(shared, 'o200k')).toBe(1)
  })

  it('counts the same in threads that all begin at once', () => {
    const program = `
      const { Worker } = require('node:worker_threads')
      const work = "const { countTokens } = require('promptmason'); const text = 'Hello, world! 中文 '.repeat(50);" +
        "require('node:worker_threads').parentPort.postMessage([countTokens(text, 'o200k'), countTokens(text, 'cl100k')])"
      const workers = Array.from({ length: 6 }, () => new Worker(work, { eval: true }))
      tell(await Promise.all(workers.map((worker) => new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject)))))
    `
    const text = 'Hello, world! 中文 '.repeat(50)
    expect(told(program)).toEqual(
      Array.from({ length: 6 }, () => VOCABULARIES.map((vocabulary) => countTokens(text, vocabulary))),
    )
  })
})

describe('countTokens with an estimate', () => {
  it('divides the bytes of the whole text, rounded up', () => {
    for (const bytesPerToken of [4, 2.5, 1 / 3, 0.1, 1000]) {
      for (const text of ['a', 'abcde', '中文', 'x'.repeat(9999), '\uD800', '👍🏽 é']) {
        expect(countTokens(text, { bytesPerToken })).toBe(Math.ceil(Buffer.byteLength(text) / bytesPerToken))
      }
    }
  })

  it('has rates by script', () => {
    const tokenizer = { bytesPerToken: 4, byScript: { symbols: 2, cjk: 1.5, other: null } }
    const counts = [
      'abcdefgh',
      'é'.repeat(4),
      '12, ',
      '中文',
      'かな',
      '한글',
      '，。',
      '👍',
      'Привет',
      '… “”',
      'abcd12中👍',
    ]
    expect(counts.map((text) => countTokens(text, tokenizer))).toEqual([2, 2, 2, 4, 4, 4, 4, 1, 3, 5, 5])
  })

  it('accepts what calibrate returns, and its JSON', () => {
    const learned = { bytesPerToken: 3, byScript: { latin: 3, symbols: 3, cjk: 3, other: 3 }, spread: 0, turns: [] }
    expect(countTokens('abcd', learned)).toBe(2)
    expect(countTokens('abcd', JSON.parse(JSON.stringify(learned)))).toBe(2)
  })
})

describe('countTokens with a function', () => {
  it('calls it once, with well-formed text', () => {
    const asked: string[] = []
    const tokenizer = (text: string): number => asked.push(text)
    expect(countTokens('a\uD800', tokenizer)).toBe(1)
    expect(countTokens(Buffer.from('中文'), tokenizer)).toBe(2)
    expect(countTokens(Uint8Array.of(0x61, 0xff), tokenizer)).toBe(3)
    expect(asked).toEqual(['a\uFFFD', '中文', 'a\uFFFD'])
  })

  it.each([
    [-1, '-1'],
    [1.5, '1.5'],
    [Number.NaN, 'NaN'],
    [Infinity, 'Infinity'],
    ['3', 'string'],
    [undefined, 'undefined'],
    [3n, 'bigint'],
    [Promise.resolve(1), 'a Promise: did you forget to await it?'],
  ])('rejects %s', (returned, got) => {
    const error = thrownBy(() =>
      countTokens(
        'x',
        untyped<Tokenizer>(() => returned),
      ),
    )
    expect(error).toBeInstanceOf(RangeError)
    expect(error.code).toBe('ERR_OUT_OF_RANGE')
    expect(error.message).toBe(`the result of tokenizer must be a non-negative integer, got ${got}`)
  })

  it('rethrows its exception', () => {
    const own = new Error('mine')
    expect(
      thrownBy(() =>
        countTokens('x', () => {
          throw own
        }),
      ),
    ).toBe(own)
  })

  it('checks the text before it calls it', () => {
    expect(thrownBy(() => countTokens(untyped(5), () => 1)).message).toBe(
      'text must be a string or a Uint8Array, got number',
    )
  })
})

describe('countTokens refuses', () => {
  const tokenizers: [unknown, string, string][] = [
    [
      undefined,
      'ERR_INVALID_ARG_TYPE',
      "tokenizer must be 'o200k', 'cl100k', { bytesPerToken } or a function, got undefined",
    ],
    [
      'gpt2',
      'ERR_INVALID_ARG_TYPE',
      "tokenizer must be 'o200k', 'cl100k', { bytesPerToken } or a function, got 'gpt2'",
    ],
    ['o200k\0', 'ERR_INVALID_ARG_TYPE', "got 'o200k\0'"],
    [4, 'ERR_INVALID_ARG_TYPE', 'or a function, got number'],
    [{}, 'ERR_INVALID_ARG_TYPE', 'tokenizer.bytesPerToken must be a number, got undefined'],
    [[], 'ERR_INVALID_ARG_TYPE', 'tokenizer.bytesPerToken must be a number, got undefined'],
    [{ bytesPerToken: '4' }, 'ERR_INVALID_ARG_TYPE', 'tokenizer.bytesPerToken must be a number, got string'],
    [{ bytesPerToken: 0 }, 'ERR_OUT_OF_RANGE', 'tokenizer.bytesPerToken must be a positive finite number, got 0'],
    [{ bytesPerToken: -4 }, 'ERR_OUT_OF_RANGE', 'a positive finite number, got -4'],
    [{ bytesPerToken: Number.NaN }, 'ERR_OUT_OF_RANGE', 'a positive finite number, got NaN'],
    [{ bytesPerToken: Infinity }, 'ERR_OUT_OF_RANGE', 'a positive finite number, got Infinity'],
    [{ bytesPerToken: 4, byScript: 3 }, 'ERR_INVALID_ARG_TYPE', 'tokenizer.byScript must be an object, got number'],
    [
      { bytesPerToken: 4, byScript: { cjk: 0 } },
      'ERR_OUT_OF_RANGE',
      'tokenizer.byScript.cjk must be a positive finite number, got 0',
    ],
    [
      { bytesPerToken: 4, byScript: { cjk: '2' } },
      'ERR_INVALID_ARG_TYPE',
      'tokenizer.byScript.cjk must be a number, got string',
    ],
  ]
  it.each(tokenizers)('the tokenizer %o', (tokenizer, code, message) => {
    const error = thrownBy(() => countTokens('x', untyped<Tokenizer>(tokenizer)))
    expect(error.code).toBe(code)
    expect(error.message).toContain(message)
  })

  it.each([
    [5, 'number'],
    [null, 'null'],
    [{}, 'object'],
    [new Float64Array(2), 'object'],
    [new ArrayBuffer(2), 'object'],
    [['x'], 'array'],
  ])('the text %o', (text, got) => {
    expect(thrownBy(() => countTokens(untyped(text), 'o200k')).message).toBe(
      `text must be a string or a Uint8Array, got ${got}`,
    )
  })

  it('getters that throw, with their exception', () => {
    const own = new Error('mine')
    const tokenizer = {
      get bytesPerToken(): number {
        throw own
      },
    }
    expect(thrownBy(() => countTokens('x', tokenizer))).toBe(own)
  })

  it('nothing when called from inside a getter', () => {
    const tokenizer = {
      get bytesPerToken() {
        return countTokens('Hello, world!', 'o200k')
      },
    }
    expect(countTokens('12345678', tokenizer)).toBe(2)
  })
})
