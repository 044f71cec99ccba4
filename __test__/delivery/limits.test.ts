/** Sizes, and the limits of platforms and CLIs. */
import { type DeliveryOptions, type SizeUnit, planDelivery } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { UNIT_NAMES, excess, measure } from '../../dist/delivery/measure.js'
import { allowsThroughShim, checkCommandLine, platformOf, windowsUnits } from '../../dist/delivery/platforms.js'
import { refusalOf } from '../support/refusals.js'

describe('a size', () => {
  it('is counted as in JavaScript', () => {
    const pieces = ['a', 'é', '漢', '😀', '\u{10ffff}', '\0', '\ufeff', 'e\u0301']
    let text = ''
    for (let step = 0; step < 30_000; step++) {
      text += pieces[(step * 7 + Math.floor(step / 11)) % pieces.length] ?? ''
      if (step >= 100 && step % 997 !== 0) continue
      const bytes = Buffer.from(text)
      expect(UNIT_NAMES.map((unit) => measure(bytes, unit))).toEqual([bytes.length, [...text].length, text.length])
    }
  })

  it.each<[string, Record<SizeUnit, number>]>([
    ['aé漢😀', { bytes: 10, codePoints: 4, utf16: 5 }],
    ['漢字', { bytes: 6, codePoints: 2, utf16: 2 }],
    ['😀😀', { bytes: 8, codePoints: 2, utf16: 4 }],
  ])('of %s exceeds a limit that is one less', (text, sizes) => {
    for (const unit of UNIT_NAMES) {
      expect(excess(Buffer.from(text), unit, sizes[unit])).toBeUndefined()
      expect(excess(Buffer.from(text), unit, sizes[unit] - 1)).toBe(sizes[unit])
    }
  })

  it('of bytes that are not UTF-8 is counted', () => {
    for (const bytes of [[0xf0], [0x80, 0x80, 0x80], [0x61, 0xff, 0x61], Array.from({ length: 70_000 }, () => 0x80)]) {
      for (const unit of UNIT_NAMES) expect(measure(Buffer.from(bytes), unit)).toBeLessThanOrEqual(bytes.length)
    }
  })
})

describe('a command line', () => {
  const excessOf = (platform: string, ...args: string[]): number[] | undefined => {
    const error = refusalOf(() => checkCommandLine(platformOf(platform), 'c', args))
    return error === undefined ? undefined : [error.size, error.limit]
  }

  it('allows 131,071 bytes in an argument on Linux', () => {
    expect(excessOf('linux', 'a'.repeat(131_071))).toBeUndefined()
    expect(excessOf('android', 'a'.repeat(131_072))).toEqual([131_072, 131_071])
    // 43,690 × 3 bytes and one more.
    expect(excessOf('linux', `${'漢'.repeat(43_690)}a`)).toBeUndefined()
    expect(excessOf('linux', '漢'.repeat(43_691))).toEqual([131_073, 131_071])
  })

  it('leaves room for the environment', () => {
    const long = 'a'.repeat(131_071)
    expect(excessOf('linux', ...Array.from({ length: 14 }, () => long))).toBeUndefined()
    expect(excessOf('linux', ...Array.from({ length: 15 }, () => long))?.[1]).toBe(1_966_080)
    expect(excessOf('darwin', 'a'.repeat(917_504 - 20))).toBeUndefined()
    for (const platform of ['darwin', 'freebsd', 'constructor'])
      expect(excessOf(platform, 'a'.repeat(917_504))?.[1]).toBe(917_504)
  })

  it('is counted in UTF-16 with its quotes on Windows', () => {
    // The command, two spaces, and the room for paths.
    const most = 32_766 - 1024 - 3
    expect(excessOf('win32', 'a'.repeat(most))).toBeUndefined()
    expect(excessOf('win32', 'a'.repeat(most + 1))).toEqual([31_743, 31_742])
    expect(excessOf('win32', '漢'.repeat(most))).toBeUndefined()
    expect(excessOf('win32', '😀'.repeat(Math.floor(most / 2) + 1))).toBeDefined()
    expect(excessOf('win32', `${'a'.repeat(most - 4)} b`)).toBeUndefined()
    expect(excessOf('win32', `${'a'.repeat(most - 3)} b`)).toBeDefined()
  })

  it('allows 8,191 units of plain text through a .cmd file', () => {
    const allows = (text: string, platform = 'win32'): boolean => allowsThroughShim(platformOf(platform), 'c', [text])
    expect(allows('a'.repeat(8_191 - 1024 - 3))).toBe(true)
    expect(allows('a'.repeat(8_191 - 1024 - 2))).toBe(false)
    for (const changed of ['"', '50%', 'a\nb', 'a\r', 'a&b', '!', '^', '<', '>', '|'])
      expect(allows(changed)).toBe(false)
    expect(allows('"a"\n', 'linux')).toBe(true)
  })

  it.each([
    ['a', 'a'],
    ['', '""'],
    ['a b', '"a b"'],
    ['a"b', String.raw`"a\"b"`],
    [String.raw`a\b`, String.raw`a\b`],
    ['a b\\', String.raw`"a b\\"`],
    [String.raw`a\\"b`, String.raw`"a\\\\\"b"`],
    [String.raw`a\ b`, String.raw`"a\ b"`],
  ])('has %j as Windows reads it', (argument, written) => {
    expect(windowsUnits(argument)).toBe(written.length)
  })

  it('takes time in proportion to its length', () => {
    expect(windowsUnits(` ${'\\'.repeat(1_000_000)}a`)).toBe(1_000_004)
    expect(windowsUnits(` ${'\\'.repeat(1_000_000)}`)).toBe(2_000_003)
  })
})

describe('a prompt', () => {
  const sizesOf = (
    agentType: string,
    prompt: string,
    options: Partial<DeliveryOptions> = {},
  ): unknown[] | undefined => {
    const error = refusalOf(() => planDelivery({ prompt }, { agentType, platform: 'linux', ...options }))
    return error === undefined ? undefined : [error.size, error.limit, error.unit]
  }

  it('is counted in the units of the CLI', () => {
    const most = 1_048_576
    expect(sizesOf('codex', 'a'.repeat(most))).toBeUndefined()
    expect(sizesOf('codex', 'a'.repeat(most + 1))).toEqual([most + 1, most, 'codePoints'])
    // Four bytes and two units each, and one code point.
    expect(sizesOf('codex', '😀'.repeat(most))).toBeUndefined()
    expect(sizesOf('codex', '😀'.repeat(most + 1))).toEqual([most + 1, most, 'codePoints'])

    expect(sizesOf('claude', '漢'.repeat(Math.floor(10_485_760 / 3)))).toBeUndefined()
    expect(sizesOf('claude', 'a'.repeat(10_485_761))).toEqual([10_485_761, 10_485_760, 'bytes'])

    expect(sizesOf('gemini', 'a'.repeat(4_190_000))).toBeUndefined()
    expect(sizesOf('gemini', 'a'.repeat(4_190_001))).toEqual([4_190_001, 4_190_000, 'utf16'])
    expect(sizesOf('gemini', '漢'.repeat(Math.floor(8_388_608 / 3) + 1))).toEqual([8_388_609, 8_388_608, 'bytes'])
    expect(sizesOf('qwen', 'a'.repeat(8_388_608))).toBeUndefined()
    expect(sizesOf('qwen', 'a'.repeat(8_388_609))).toEqual([8_388_609, 8_388_608, 'bytes'])
  })

  it('includes inserted text', () => {
    const filled = (end: string): string => 'a'.repeat(8_388_608 - end.length) + end
    expect(sizesOf('qwen', filled(' @a'), { guard: 'report' })).toBeUndefined()
    expect(sizesOf('qwen', filled(' @a').slice(1), { guard: 'escape' })).toBeUndefined()
    expect(sizesOf('qwen', filled(' @a'), { guard: 'escape' })).toEqual([8_388_609, 8_388_608, 'bytes'])
    // More is inserted than there may be in all.
    expect(sizesOf('gemini', '@'.repeat(4_190_000), { guard: 'escape' })).toEqual([8_379_999, 4_190_000, 'utf16'])
  })

  it('is not empty, and not blank where the CLI refuses that', () => {
    for (const agentType of ['claude', 'codex', 'gemini', 'opencode', 'qwen', 'copilot']) {
      expect(sizesOf(agentType, '')).toEqual([undefined, undefined, undefined])
      for (const blank of [' ', '\n\t', '\u3000\ufeff'])
        expect(sizesOf(agentType, blank) === undefined).toBe(['gemini', 'qwen'].includes(agentType))
      expect(sizesOf(agentType, '\u0085')).toBeUndefined()
    }
  })

  it('shares the limit with extra arguments', () => {
    const error = refusalOf(() =>
      planDelivery({ prompt: 'x' }, { agentType: 'gemini', platform: 'linux', extraArgs: ['a'.repeat(131_072)] }),
    )
    expect(error).toMatchObject({
      message: expect.stringContaining('argument 2 is too long'),
      size: 131_072,
      limit: 131_071,
      unit: 'bytes',
    })
  })
})
