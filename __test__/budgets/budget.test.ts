import type { AssemblerInput, SectionReport } from 'promptmason'
import { describe, expect, it } from 'vitest'
import {
  AGENTS,
  byteLength,
  create,
  fullSize,
  history,
  inputOf,
  promptOf,
  reportOf,
  said,
  thrownBy,
  type Agent,
  untyped,
} from '../support/assemblers.js'
import { FAMILY, FLAG, JAMO, THUMB } from '../support/generators.js'

/** Many budgets take a while. The duration is not tested. */
const PATIENCE_MS = 120_000
const OMISSION = /\n\[… (\d+) bytes omitted …\]\n/

const sectionOf = (sections: SectionReport[], name: string) => sections.find((section) => section.name === name)

describe('the measure', () => {
  it.each(AGENTS)('%s: includes the last byte of a budget, and drops something with one byte less', (agent) => {
    const given = { contextMessages: history(3), teamTask: 'task', systemInstruction: 'system 中' }
    const whole = fullSize(agent, given)
    const all = create(agent).assemble(inputOf(given))
    expect(create(agent).assemble(inputOf({ ...given, maxBytes: whole }))).toStrictEqual(all)
    expect(promptOf(agent, { ...given, maxBytes: whole - 1 })).not.toContain('m0')
    expect(promptOf(agent, { ...given, maxBytes: whole - 1 })).toContain('m1')
  })

  it('counts the flag, and both copies of a system text in both places', () => {
    const systemInstruction = 's'.repeat(100)
    const least = (systemPlacement: 'flag' | 'inline' | 'both') =>
      thrownBy(() => promptOf('claude', { systemInstruction, maxBytes: 1 }, { systemPlacement })).requiredBytes
    expect(least('flag')).toBe(byteLength('[MESSAGE]\nhello') + 100)
    expect(least('inline')).toBe(byteLength('[SYSTEM]\n\n\n[MESSAGE]\nhello') + 100)
    expect(least('both')).toBe(byteLength('[SYSTEM]\n\n\n[MESSAGE]\nhello') + 200)
  })

  it.each(AGENTS)('%s: counts a lone surrogate as three bytes, and writes U+FFFD', (agent) => {
    const given = {
      contextMessages: [said('\udc00', 'a\ud800', '\ud800')],
      currentMessage: '\ud83d!',
      systemInstruction: '\udfff',
    }
    const output = create(agent).assemble(inputOf(given))
    expect(output.prompt.isWellFormed() && (output.systemFlag ?? '').isWellFormed()).toBe(true)
    expect(output.prompt).toContain('\ufffd!')
    const whole = fullSize(agent, given)
    expect(create(agent).assemble(inputOf({ ...given, maxBytes: whole }))).toStrictEqual(output)
    expect(promptOf(agent, { ...given, maxBytes: whole - 1 })).not.toContain('a\ufffd')
  })
})

describe('the order of the steps', { timeout: PATIENCE_MS }, () => {
  const given = {
    contextMessages: history(4, (index) => `context ${index}`),
    siblingContext: [said('s', 'sibling 0'), said('s', 'sibling 1'), said('s', 'sibling 2')],
    parentContext: said('p', `parent ${'p'.repeat(1500)}`),
    currentMessage: `message ${'m'.repeat(400)}`,
    teamTask: 'the team task',
    summary: `summary ${'s'.repeat(1500)}`,
    systemInstruction: 'the system text',
    routeMeta: { intent: 'the intent' },
  } satisfies Partial<AssemblerInput>

  it.each(AGENTS)(
    '%s: shortens context, siblings, summary, parent and message, each only when the previous one is used up',
    (agent) => {
      const least = thrownBy(() => promptOf(agent, { ...given, maxBytes: 1 })).requiredBytes ?? NaN
      const seen = new Set<string>()
      for (let maxBytes = fullSize(agent, given); maxBytes >= least; maxBytes--) {
        const { prompt, systemFlag, report } = create(agent).assemble(inputOf({ ...given, maxBytes }), { report: true })
        const action = (name: string) => sectionOf(report.sections, name)?.action
        const order = ['context', 'siblings', 'summary', 'parent', 'message'].map(action)
        const touched = order.findLastIndex((each) => each !== 'kept')
        expect(order.slice(0, Math.max(0, touched)), `maxBytes ${maxBytes}`).toEqual(
          order.slice(0, Math.max(0, touched)).fill('dropped'),
        )
        seen.add(order.join())
        expect(prompt).toContain('the team task')
        expect(systemFlag ?? prompt).toContain('the system text')
        if (agent !== 'plain') expect(prompt.endsWith('the intent')).toBe(true)
      }
      expect([...seen]).toEqual([
        'kept,kept,kept,kept,kept',
        'trimmed,kept,kept,kept,kept',
        'dropped,kept,kept,kept,kept',
        'dropped,trimmed,kept,kept,kept',
        'dropped,dropped,kept,kept,kept',
        'dropped,dropped,shortened,kept,kept',
        'dropped,dropped,dropped,kept,kept',
        'dropped,dropped,dropped,shortened,kept',
        'dropped,dropped,dropped,dropped,kept',
        'dropped,dropped,dropped,dropped,shortened',
      ])
    },
  )

  it.each(AGENTS)('%s: drops siblings from the end of their list', (agent) => {
    const { contextMessages: _, ...noContext } = given
    const prompt = promptOf(agent, { ...noContext, maxBytes: fullSize(agent, noContext) - 1 })
    expect(prompt.match(/sibling \d/g)).toEqual(['sibling 0', 'sibling 1'])
  })

  it.each(AGENTS)('%s: drops an empty section with its title, its explaining line and its blank line', (agent) => {
    const without = { currentMessage: 'hi', teamTask: 'task' }
    const alone = promptOf(agent, without)
    const withAll = {
      ...without,
      summary: 'z',
      contextMessages: history(1),
      siblingContext: [said('s', 'x')],
      parentContext: said('p', 'y'),
    }
    expect(promptOf(agent, { ...withAll, maxBytes: byteLength(alone) })).toBe(alone)
  })

  it.each(AGENTS)('%s: never shortens system text, team task and routing data', (agent) => {
    for (const field of ['teamTask', 'systemInstruction', 'instructionFileText'] as const) {
      const error = thrownBy(() => promptOf(agent, { [field]: 'x'.repeat(5000), maxBytes: 5000 }))
      expect(error.code).toBe('ERR_BUDGET_EXCEEDED')
    }
    if (agent === 'plain') return
    expect(thrownBy(() => promptOf(agent, { routeMeta: { intent: 'x'.repeat(5000) }, maxBytes: 5000 })).code).toBe(
      'ERR_BUDGET_EXCEEDED',
    )
  })
})

describe('shortening the parent', () => {
  const quoted = (prompt: string): string | undefined => /- p: ([^]*?)(?:\n\n\[MESSAGE\]|$)/.exec(prompt)?.[1]
  const sizesAtEveryBudget = (content: string): (number | undefined)[] => {
    const given = { parentContext: said('p', content), currentMessage: 'hi' }
    const smallest = byteLength('[MESSAGE]\nhi')
    const budgets = Array.from({ length: fullSize('codex', given) - smallest + 1 }, (_, index) => smallest + index)
    return budgets.map((maxBytes) => {
      const kept = quoted(promptOf('codex', { ...given, maxBytes }))
      return kept === undefined ? undefined : byteLength(kept)
    })
  }

  it('keeps head and tail around a line that counts what is missing', () => {
    const content = `begin ${'x'.repeat(3000)} end`
    const kept = quoted(promptOf('codex', { parentContext: said('p', content), maxBytes: 2000 })) ?? ''
    const [head = '', omitted, tail = ''] = kept.split(OMISSION)
    expect(head.startsWith('begin ') && tail.endsWith(' end')).toBe(true)
    expect(head.length + tail.length + Number(omitted)).toBe(content.length)
  })

  it.each([
    ['ASCII', 'x'.repeat(3000)],
    ['three-byte characters', '中'.repeat(1000)],
    ['families', FAMILY.repeat(80)],
    ['a word before one enormous grapheme', `ab${`e${'\u0301'.repeat(1500)}`}`],
  ])('never leaves less than 1 KiB of it: %s', (_, content) => {
    const sizes = sizesAtEveryBudget(content).filter((size) => size !== undefined)
    expect(sizes.at(-1)).toBe(byteLength(content))
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(1024)
  })

  it('shortens it to 1 KiB before it drops it', () => {
    const sizes = sizesAtEveryBudget('x'.repeat(3000)).filter((size) => size !== undefined)
    expect(Math.min(...sizes)).toBe(1024)
  })

  it('drops a parent of less than 1 KiB entirely', () => {
    expect(new Set(sizesAtEveryBudget('x'.repeat(1000)))).toEqual(new Set([undefined, 1000]))
  })
})

describe('shortening the message', () => {
  const cutTo = (text: string, bytes: number): string =>
    promptOf('plain', { currentMessage: text, maxBytes: bytes }, { messageMinBytes: 0 })
  const leastOf = (text: string): number => thrownBy(() => cutTo(text, 1)).requiredBytes ?? NaN

  it.each(AGENTS)('%s shows what is missing, inside the budget', (agent) => {
    const currentMessage = `begin ${'x'.repeat(1000)} end`
    const prompt = promptOf(agent, { currentMessage, maxBytes: 300 })
    expect(byteLength(prompt)).toBeLessThanOrEqual(300)
    const [before = '', omitted, tail = ''] = prompt.split(OMISSION)
    const head = before.slice(before.indexOf('begin'))
    expect(head.length + Number(omitted) + tail.length).toBe(currentMessage.length)
    expect(tail.endsWith(' end')).toBe(true)
  })

  it('always shows the line, since half an instruction could be taken for a whole one', () => {
    const text = 'Please delete the file but do not touch the others. '.repeat(9).trim()
    const line = byteLength('\n[… 467 bytes omitted …]\n')
    expect(leastOf(text)).toBe(line + 32)
    for (let maxBytes = 1; maxBytes < byteLength(text); maxBytes++) {
      if (maxBytes < line + 32) expect(thrownBy(() => cutTo(text, maxBytes)).requiredBytes).toBe(line + 32)
      else expect(cutTo(text, maxBytes)).toMatch(OMISSION)
    }
  })

  it.each(AGENTS)('%s: not below messageMinBytes, or its own size if that is less', (agent) => {
    for (const [options, least] of [
      [{}, 256],
      [{ messageMinBytes: 256 }, 256],
      [{ messageMinBytes: 900 }, 900],
      [{ messageMinBytes: 5000 }, 1000],
      [{ messageMinBytes: 0 }, 61],
    ] as const) {
      const currentMessage = 'x'.repeat(1000)
      const empty = byteLength(promptOf(agent, { currentMessage: '-' })) - 1
      const error = thrownBy(() => promptOf(agent, { currentMessage, maxBytes: 1 }, options))
      expect(error.requiredBytes).toBe(empty + least)
      expect(
        thrownBy(() => promptOf(agent, { currentMessage, maxBytes: empty + least - 1 }, options)).requiredBytes,
      ).toBe(empty + least)
      expect(byteLength(promptOf(agent, { currentMessage, maxBytes: empty + least }, options))).toBe(empty + least)
    }
  })

  it.each([
    ['where the number of omitted bytes has fewer digits than that of all', 'x'.repeat(1100)],
    ['between long graphemes', `e${'\u0301'.repeat(30)}`.repeat(40)],
    ['between families', FAMILY.repeat(90)],
  ])('%s, leaves at least messageMinBytes, with any budget', (_, currentMessage) => {
    for (const messageMinBytes of [100, 256, 700]) {
      const messageOf = (maxBytes: number) => promptOf('plain', { currentMessage, maxBytes }, { messageMinBytes })
      const least = thrownBy(() => messageOf(1)).requiredBytes ?? 0
      expect(least).toBeGreaterThanOrEqual(messageMinBytes)
      expect(least).toBeLessThan(messageMinBytes + 64)
      expect(thrownBy(() => messageOf(least - 1)).requiredBytes).toBe(least)
      for (let maxBytes = least; maxBytes < byteLength(currentMessage) + 2; maxBytes++)
        expect(byteLength(messageOf(maxBytes))).toBeGreaterThanOrEqual(messageMinBytes)
    }
  })

  it.each<[string, string]>([
    ['a letter with accents', `e${'\u0301'.repeat(9000)}`],
    ['a family of thousands', Array.from({ length: 4000 }, () => '👩').join('\u200d')],
    ['letters that join', 'क्'.repeat(200_000)],
    ['jamo', '\u1100'.repeat(300_000)],
  ])('one grapheme throughout is not cut, however it is read: %s', (_, text) => {
    for (const maxBytes of [1000, byteLength(text) - 1]) {
      const error = thrownBy(() => cutTo(text, maxBytes))
      expect(error.code).toBe('ERR_BUDGET_EXCEEDED')
      expect(error.requiredBytes).toBe(byteLength(text))
    }
    expect(cutTo(text, byteLength(text))).toBe(text)
  })

  it.each([
    ['a family', FAMILY],
    ['a flag', FLAG],
    ['a skin tone', THUMB],
    ['a Hangul syllable of jamo', JAMO],
    ['a combining accent', 'e\u0301'],
    ['a surrogate pair', '😀'],
  ])('%s stays whole at every budget', (_, unit) => {
    const text = unit.repeat(30)
    for (let maxBytes = leastOf(text); maxBytes <= byteLength(text); maxBytes++) {
      const short = cutTo(text, maxBytes)
      expect(byteLength(short)).toBeLessThanOrEqual(maxBytes)
      expect(short.replace(OMISSION, '').replaceAll(unit, ''), `at ${maxBytes}`).toBe('')
    }
  })

  it('CRLF stays whole at every budget', () => {
    const text = `.${'\r\n.'.repeat(40)}`
    for (let maxBytes = leastOf(text); maxBytes <= byteLength(text); maxBytes++) {
      const [head, , tail] = cutTo(text, maxBytes).split(OMISSION)
      expect(head?.endsWith('\r'), `at ${maxBytes}`).toBe(false)
      expect(tail?.startsWith('\n') ?? false, `at ${maxBytes}`).toBe(false)
    }
  })
})

describe('evictionStep', () => {
  const firstKept = (agent: Agent, count: number, evictionStep: number | undefined, maxBytes: number): number => {
    const contextMessages = history(count, (index) => `<${String(index).padStart(4, '0')}>`)
    const kept = /<(\d+)>/.exec(promptOf(agent, { contextMessages, currentMessage: 'hi', maxBytes }, { evictionStep }))
    return kept === null ? count : Number(kept[1])
  }

  it.each(AGENTS)(
    '%s: with 16 the beginning stays byte-identical for 16 turns, with 1 it changes every turn',
    (agent) => {
      const starts = (step: number) => Array.from({ length: 96 }, (_, turn) => firstKept(agent, 100 + turn, step, 900))
      const runs = [...new Set(starts(16))].map((start) => starts(16).filter((other) => other === start).length)
      expect(runs.slice(1, -1)).toEqual(Array.from({ length: runs.length - 2 }, () => 16))
      expect(starts(16).every((start) => start > 0 && start % 16 === 0)).toBe(true)
      expect(new Set(starts(1)).size).toBe(96)

      const kept = (turn: number) =>
        promptOf(
          agent,
          { contextMessages: history(200 + turn, (index) => `${1000 + index}`), maxBytes: 900, currentMessage: 'hi' },
          { evictionStep: 16 },
        )
      const prefixes = Array.from({ length: 33 }, (_, turn) => kept(turn).slice(0, kept(turn).lastIndexOf('\n\n')))
      const changes = prefixes.filter((prefix, turn) => turn > 0 && !prefix.startsWith(prefixes[turn - 1] ?? ''))
      expect(changes).toHaveLength(2)
    },
  )

  it.each(AGENTS)('%s: 0 and undefined mean 1, and nothing is dropped when everything fits', (agent) => {
    expect(firstKept(agent, 50, 0, 500)).toBe(firstKept(agent, 50, 1, 500))
    expect(firstKept(agent, 50, undefined, 500)).toBe(firstKept(agent, 50, 1, 500))
    expect(firstKept(agent, 50, 16, 100_000)).toBe(0)
  })

  it.each(AGENTS)('%s: a step larger than the history drops all of it', (agent) => {
    expect(firstKept(agent, 50, 1000, 500)).toBe(50)
    expect(firstKept(agent, 50, Number.MAX_SAFE_INTEGER, 500)).toBe(50)
  })
})

describe('cost follows what is kept', () => {
  const FOUR_BILLION = 2 ** 32 - 1
  const endless = (read: Set<string>) =>
    new Proxy([] as AssemblerInput['contextMessages'], {
      get: (_, key) => {
        if (key === 'length') return FOUR_BILLION
        read.add(String(key))
        return { from: 'a', to: 'b', content: String(key) }
      },
    })

  it.each(AGENTS)(
    '%s: reads only the kept messages of an endless history, and the first that does not fit',
    (agent) => {
      const read = new Set<string>()
      const input = inputOf({ contextMessages: endless(read), maxBytes: 1000 })
      const assembler = create(agent)
      const kept = assembler.assemble(input).prompt.match(/42949\d+/g) ?? []
      expect([...read].slice(0, kept.length).toReversed()).toEqual(kept)
      expect(read.size).toBeLessThanOrEqual(kept.length + 1)
      const once = read.size
      assembler.assemble(input, { as: 'buffer' })
      assembler.assemble(input, { into: Buffer.alloc(1000) })
      expect(read.size).toBe(once)
    },
  )

  it.each(AGENTS)('%s: does not read or validate messages that are never reached', (agent) => {
    const forbidden = new Proxy(
      {},
      {
        get: () => {
          throw new Error('an old message was read')
        },
      },
    )
    const contextMessages = untyped<AssemblerInput['contextMessages']>([forbidden, null, 5, ...history(20)])
    expect(promptOf(agent, { contextMessages, maxBytes: 100 })).toContain('m19')
    expect(() => promptOf(agent, { contextMessages })).toThrow()
  })

  it.each(AGENTS)('%s: reads no history when the rest leaves no room', (agent) => {
    const read = new Set<string>()
    promptOf(agent, { contextMessages: endless(read), currentMessage: 'x'.repeat(500), maxBytes: 300 })
    expect(read.size).toBe(0)
  })

  it('measures dropped messages for a report, at most a million of an endless history, and says so', () => {
    const read = new Set<string>()
    const report = reportOf('codex', { contextMessages: endless(read), maxBytes: 1000 })
    const kept = sectionOf(report.sections, 'context')?.itemsAfter ?? NaN
    expect(report.dropped).toHaveLength(100)
    expect(read.size).toBe(kept + 100 + 1_000_000)
    expect(sectionOf(report.sections, 'context')).not.toHaveProperty('bytesBefore')
    expect(report.leftOut.at(-1)).toMatchObject({ part: 'context', reason: 'budget', count: FOUR_BILLION - kept - 100 })
    expect(report.decisions.at(-1)).toBe(
      `${FOUR_BILLION - kept - 100 - 1_000_000} messages are not measured, and missing in the account`,
    )
  })
})
