/** Wrong layouts, and hostile ones. */
import { ContextManager, LayoutAssembler, buildPrompt, type LayoutDefinition } from 'promptmason'
import { afterEach, describe, expect, it } from 'vitest'
import { byteLength, inputOf, outcomeOfAllForms, said, thrownBy, untyped } from '../support/assemblers.js'
import { pollute, unpollute } from '../support/pollution.js'
import { PARTS } from '../support/reference.js'

const OWN: LayoutDefinition = {
  agentType: 'mine',
  sections: [
    { part: 'context', title: '# Chat' },
    { part: 'message', title: '# Now' },
  ],
  messageLine: {},
}
const INPUT = inputOf({ contextMessages: [said('a', 'b', 'c')], teamTask: 'task', systemInstruction: 'sys' })
const PROMPT = '# Chat\na: b\n\n# Now\nhello'

const BREAKS = ['\n', '\r', '\r\n', '\u000b', '\u000c', '\u0085', '\u2028', '\u2029']

/** Fields in the place of those of a layout that is right, and the error's text with `@` for the layout. */
const WRONG: [unknown, string][] = [
  [{ agentType: undefined }, '@.agentType must be a string, got undefined'],
  [{ agentType: 5 }, '@.agentType must be a string, got number'],
  [{ agentType: '' }, "@.agentType must be a name, got ''"],
  [{ agentType: ' \ufeff\t' }, "@.agentType must be a name, got ' \ufeff\t'"],
  [{ agentType: 'a\nb' }, "@.agentType must be a single line, got 'a\nb'"],
  [{ aliases: 'x' }, '@.aliases must be an array of strings, got string'],
  [{ aliases: ['x', null] }, '@.aliases[1] must be a string, got null'],
  [{ aliases: ['x', ' '] }, "@.aliases[1] must be a name, got ' '"],
  [{ aliases: ['a', 'b', ' A'] }, "@.aliases[2] must be a name that this layout does not have yet, got ' A'"],
  [{ aliases: ['MINE'] }, "@.aliases[0] must be a name that this layout does not have yet, got 'MINE'"],
  [{ systemPlacement: 'both' }, "@.systemPlacement must be 'flag' or 'inline', got 'both'"],
  [{ systemPlacement: true }, '@.systemPlacement must be a string, got boolean'],
  [
    { systemPlacement: 'flag' },
    "@.systemPlacement must be 'inline' in a layout without a section for the part system, got 'flag'",
  ],
  [{ sections: undefined }, '@.sections must be an array, got undefined'],
  [{ sections: { 0: { part: 'message' } } }, '@.sections must be an array, got object'],
  [{ sections: ['message'] }, '@.sections[0] must be an object, got string'],
  [{ sections: [{ part: 'message' }, null] }, '@.sections[1] must be an object, got null'],
  [{ sections: [{}] }, '@.sections[0].part must be a string, got undefined'],
  [{ sections: [{ part: 'summery' }] }, `@.sections[0].part must be one of ${PARTS.join(', ')}, got 'summery'`],
  [{ sections: [{ part: 'Message' }] }, `@.sections[0].part must be one of ${PARTS.join(', ')}, got 'Message'`],
  [
    { sections: [{ part: 'message' }, { part: 'system' }, { part: 'message' }] },
    "@.sections[2].part must be a part that is not in @.sections[0] already, got 'message'",
  ],
  [{ sections: [{ part: 'message', title: 5 }] }, '@.sections[0].title must be a string, got number'],
  [{ sections: [{ part: 'message', note: ['x'] }] }, '@.sections[0].note must be a string, got array'],
  [
    { sections: [{ part: 'message', titel: 'x' }] },
    "@.sections[0] must be an object with keys of part, title, note, got 'titel'",
  ],
  [
    { sections: [{ part: 'context' }] },
    '@.sections must be a list with the part message, because it has the part context, got one without it',
  ],
  [{ messageLine: undefined }, '@.messageLine must be an object, got undefined'],
  [{ messageLine: '- ' }, '@.messageLine must be an object, got string'],
  [{ messageLine: { arrow: 5 } }, '@.messageLine.arrow must be a string, got number'],
  [{ messageLine: { close: '' } }, "@.messageLine must be an object with keys of open, arrow, colon, got 'close'"],
  [{ quoteLine: { arrow: '' } }, "@.quoteLine must be an object with keys of open, colon, got 'arrow'"],
  [{ quoteLine: 5 }, '@.quoteLine must be an object, got number'],
  [{ labels: { id: '' } }, "@.labels must be an object with keys of parentMessageId, intent, got 'id'"],
  [{ labels: { intent: 5 } }, '@.labels.intent must be a string, got number'],
  [
    { title: 'x' },
    "@ must be an object with keys of agentType, aliases, systemPlacement, sections, messageLine, quoteLine, senderLine, fence, tools, labels, notes, got 'title'",
  ],
]

const refused = (make: () => unknown, message: string): void => {
  const error = thrownBy(make)
  expect([error.name, error.code, error.message]).toEqual(['TypeError', 'ERR_INVALID_ARG_TYPE', message])
}

describe('a layout is checked when it is made', () => {
  it.each(WRONG)('%j: %s', (fields, message) => {
    const layout = untyped<LayoutDefinition>({ ...OWN, ...(fields as object) })
    refused(() => new LayoutAssembler(layout), message.replaceAll('@', 'layout'))
    refused(() => buildPrompt({ layout, contextMessages: [], message: 'x' }), message.replaceAll('@', 'layout'))
    refused(
      () => new ContextManager({ layouts: [{ ...OWN, agentType: 'other' }, layout] }),
      message.replaceAll('@', 'options.layouts[1]'),
    )
  })

  it.each(BREAKS.map((lineBreak) => [JSON.stringify(lineBreak), lineBreak]))(
    'no text of it may have %s in it',
    (_, lineBreak) => {
      const broken = `a${lineBreak}b`
      const texts: [string, object][] = [
        ['sections[0].title', { sections: [{ part: 'message', title: broken }] }],
        ['sections[0].note', { sections: [{ part: 'message', note: broken }] }],
        ['messageLine.open', { messageLine: { open: broken } }],
        ['messageLine.arrow', { messageLine: { arrow: broken } }],
        ['messageLine.colon', { messageLine: { colon: broken } }],
        ['quoteLine.open', { quoteLine: { open: broken } }],
        ['quoteLine.colon', { quoteLine: { colon: broken } }],
        ['labels.parentMessageId', { labels: { parentMessageId: broken } }],
        ['labels.intent', { labels: { intent: broken } }],
        ['agentType', { agentType: broken }],
        ['aliases[0]', { aliases: [broken] }],
      ]
      for (const [path, fields] of texts)
        refused(
          () => new LayoutAssembler({ ...OWN, ...fields }),
          `layout.${path} must be a single line, got '${broken}'`,
        )
    },
  )

  it.each([
    [undefined, 'undefined'],
    [null, 'null'],
    ['codex', 'string'],
    [5, 'number'],
    [() => OWN, 'function'],
  ])('%s is not a layout', (layout, got) => {
    refused(() => new LayoutAssembler(untyped(layout)), `layout must be an object, got ${got}`)
  })

  it.each([
    [OWN, 'object'],
    ['x', 'string'],
    [new Set([OWN]), 'a Set'],
  ])('%s is not a list of layouts', (layouts, got) => {
    refused(() => new ContextManager({ layouts: untyped(layouts) }), `options.layouts must be an array, got ${got}`)
  })

  it('options are checked, too', () => {
    refused(
      () => new LayoutAssembler(OWN, untyped({ headings: { x: '' } })),
      `options.headings must be an object with keys of ${PARTS.join(', ')}, got 'x'`,
    )
    refused(
      () => new ContextManager({ layouts: [OWN], assemblers: { mine: { systemPlacement: 'both' } } }),
      "options.systemPlacement must be 'inline', as this agent has no system flag, got 'both'",
    )
  })

  it('a name means one layout', () => {
    const named = (agentType: string, ...aliases: string[]): LayoutDefinition => ({ ...OWN, agentType, aliases })
    const clash = (path: string, got: string, of: string) =>
      `options.layouts${path} must be a name that no other layout has, got '${got}', a name of '${of}'`
    const cases: [LayoutDefinition[], string][] = [
      [[named('a'), named('b', 'c'), named(' A')], clash('[2].agentType', ' A', 'a')],
      [[named('a', 'x'), named('b', 'y', 'X ')], clash('[1].aliases[1]', 'X ', 'a')],
      [[named('a', 'x'), named('X')], clash('[1].agentType', 'X', 'a')],
      [[named('Claude')], clash('[0].agentType', 'Claude', 'claude-code')],
      [[named('a', 'copilot')], clash('[0].aliases[0]', 'copilot', 'github-copilot')],
      [[named('unknown')], clash('[0].agentType', 'unknown', 'unknown')],
    ]
    for (const [layouts, message] of cases) refused(() => new ContextManager({ layouts }), message)
    // Where nothing is looked up by name, a layout may replace one of the package.
    expect(new LayoutAssembler(named('claude-code', 'codex')).getAgentType()).toBe('claude-code')
  })
})

afterEach(unpollute)

describe('only own properties of a layout count', () => {
  const uses: [string, (layout: LayoutDefinition) => string][] = [
    ['LayoutAssembler', (layout) => new LayoutAssembler(layout).assemble(INPUT).prompt],
    [
      'buildPrompt',
      (layout) => buildPrompt({ layout, contextMessages: INPUT.contextMessages, message: 'hello' }).prompt,
    ],
    ['ContextManager', (layout) => new ContextManager({ layouts: [layout] }).assemblePrompt('mine', INPUT).prompt],
  ]
  const inherited: [string, unknown][] = [
    ['title', 'EVIL'],
    ['note', 'EVIL'],
    ['open', 'EVIL'],
    ['arrow', 'EVIL'],
    ['colon', 'EVIL'],
    ['aliases', ['EVIL']],
    ['quoteLine', { open: 'EVIL' }],
    ['labels', { intent: 'EVIL' }],
    ['systemPlacement', 'flag'],
    ['EVIL', 'EVIL'],
  ]
  it.each(uses.flatMap(([name, use]) => inherited.map(([key, value]) => [name, key, value, use] as const)))(
    '%s does not read %s of Object.prototype',
    (_, key, value, use) => {
      const layout: LayoutDefinition = {
        ...OWN,
        sections: [{ part: 'context' }, { part: 'message' }, { part: 'routing' }],
      }
      pollute(key, { value, enumerable: true })
      const prompt = use(layout)
      unpollute()
      expect(prompt).toBe('a: b\n\nhello')
    },
  )

  it.each([
    ['agentType', 'evil'],
    ['sections', [{ part: 'message' }]],
    ['messageLine', {}],
    ['part', 'message'],
  ] as const)('an inherited %s is ignored', (key, value) => {
    const { [key as 'agentType']: _, ...rest } = key === 'part' ? { ...OWN, sections: [{}] } : OWN
    pollute(key, { value, enumerable: true })
    const error = thrownBy(() => new LayoutAssembler(untyped(rest)))
    unpollute()
    expect(error.message).toMatch(new RegExp(`^layout\\.(sections\\[0\\]\\.)?${key} must be .*, got undefined$`))
  })

  it('a custom prototype is ignored, and __proto__ is a key like any other', () => {
    refused(() => new LayoutAssembler(Object.create(OWN)), 'layout.agentType must be a string, got undefined')
    refused(
      () => new LayoutAssembler(JSON.parse('{"__proto__": {"agentType": "x"}}')),
      expect.stringContaining("got '__proto__'"),
    )
    const layout: LayoutDefinition = Object.assign(Object.create({ aliases: 5, sections: 'x' }), OWN)
    expect(new LayoutAssembler(layout).assemble(INPUT).prompt).toBe(PROMPT)
    expect(new LayoutAssembler(Object.assign(Object.create(null), OWN)).assemble(INPUT).prompt).toBe(PROMPT)
  })
})

describe('a layout is read once', () => {
  const copyOf = (layout: LayoutDefinition): any => structuredClone(layout)

  it('editing it later changes nothing', () => {
    const layout = copyOf({ ...OWN, aliases: ['x'] })
    const [assembler, manager] = [new LayoutAssembler(layout), new ContextManager({ layouts: [layout] })]
    layout.agentType = 'evil'
    layout.aliases[0] = 'evil'
    layout.sections[0].title = 'EVIL'
    layout.sections.push({ part: 'system' })
    layout.messageLine.open = 'EVIL'
    layout.labels = { intent: 'EVIL' }
    expect(assembler.assemble(INPUT).prompt).toBe(PROMPT)
    expect(assembler.getAgentType()).toBe('mine')
    expect(manager.assemblePrompt('X', INPUT).prompt).toBe(PROMPT)
    expect(manager.assemblePrompt('mine', INPUT).prompt).toBe(PROMPT)
  })

  it('a frozen object or a proxy is accepted', () => {
    const frozen: LayoutDefinition = Object.freeze({
      ...OWN,
      sections: Object.freeze(OWN.sections.map((section) => Object.freeze({ ...section }))),
      messageLine: Object.freeze({}),
    })
    const proxied = new Proxy(
      { ...OWN, sections: new Proxy([...OWN.sections], {}), messageLine: new Proxy({}, {}) },
      {},
    )
    for (const layout of [frozen, proxied]) expect(new LayoutAssembler(layout).assemble(INPUT).prompt).toBe(PROMPT)
  })

  it('each getter is called once, and may call the package again', () => {
    const calls: string[] = []
    const spied = <T extends object>(target: T, path: string): T => {
      const spy: object = Array.isArray(target) ? [] : {}
      for (const [key, value] of Object.entries(target)) {
        const get = (): unknown => {
          calls.push(`${path}.${key}`)
          expect(new LayoutAssembler(OWN).assemble(INPUT).prompt).toBe(PROMPT)
          return typeof value === 'object' ? spied(value, `${path}.${key}`) : value
        }
        Object.defineProperty(spy, key, { get, enumerable: true })
      }
      return spy as T
    }
    const whole = {
      ...OWN,
      aliases: ['x'],
      systemPlacement: 'inline',
      quoteLine: { open: '' },
      labels: { intent: '' },
    } as const
    const expected: string[] = []
    JSON.stringify(whole, function (this: unknown, key: string, value: unknown) {
      if (key !== '') expected.push(key)
      return value
    })
    for (const make of [
      () => new LayoutAssembler(spied(whole, '')).assemble(INPUT).prompt,
      () => buildPrompt({ layout: spied(whole, ''), contextMessages: INPUT.contextMessages, message: 'hello' }).prompt,
      () => new ContextManager({ layouts: [spied(whole, '')] }).assemblePrompt('mine', INPUT).prompt,
    ]) {
      calls.length = 0
      expect(make()).toBe(PROMPT)
      expect(new Set(calls).size).toBe(calls.length)
      expect(calls.map((path) => path.split('.').at(-1)).toSorted()).toEqual(expected.toSorted())
    }
  })

  it('the exception of a getter is rethrown', () => {
    const own = new Error('own')
    const throwing = {
      ...OWN,
      get sections(): never {
        throw own
      },
    }
    for (const make of [
      () => new LayoutAssembler(throwing),
      () => buildPrompt({ layout: throwing, contextMessages: [], message: '' }),
      () => new ContextManager({ layouts: [throwing] }),
    ])
      expect(thrownBy(make)).toBe(own)
  })
})

describe('sizes', () => {
  it('a huge title counts in the budget like any other', () => {
    const [title, open] = ['中'.repeat(500_000), '='.repeat(1_000_000)]
    const layout: LayoutDefinition = {
      ...OWN,
      sections: [
        { part: 'context', title, note: title },
        { part: 'message', title },
      ],
      messageLine: { open },
    }
    const assembler = new LayoutAssembler(layout)
    const whole = assembler.assemble({ ...INPUT, maxBytes: 10_000_000 })
    expect(byteLength(whole.prompt)).toBe(
      3 * (1_500_000 + 1) + 1_000_000 + byteLength('a: b') + 2 + byteLength('hello'),
    )
    expect(outcomeOfAllForms(assembler, { ...INPUT, maxBytes: 5_500_000 })).toEqual({
      prompt: `${title}\nhello`,
      systemFlag: undefined,
    })
    expect(outcomeOfAllForms(assembler, { ...INPUT, maxBytes: 1_500_005 })).toEqual({
      requiredBytes: 1_500_006,
      sections: { message: 1_500_006 },
    })
    const forged = {
      contextMessages: [said('a', `x\n${title}\n${open}b: c`)],
      currentMessage: 'm',
      teamTask: null,
      maxBytes: 20_000_000,
    }
    const { report } = new LayoutAssembler(layout, { markers: 'escape' }).assemble(forged, { report: true })
    expect(report.findings.map(({ line, escaped }) => [line, escaped])).toEqual([
      [2, true],
      [3, true],
    ])
    refused(
      () => new LayoutAssembler({ ...OWN, agentType: `${'x'.repeat(1_000_000)}\n` }),
      `layout.agentType must be a single line, got '${'x'.repeat(80)}…'`,
    )
  })

  it('titles that equal each other are allowed', () => {
    const layout: LayoutDefinition = {
      ...OWN,
      sections: [
        { part: 'context', title: '##' },
        { part: 'message', title: '##' },
        { part: 'teamTask', title: '##', note: '##' },
      ],
    }
    expect(new LayoutAssembler(layout).assemble(INPUT).prompt).toBe('##\na: b\n\n##\nhello\n\n##\n##\ntask')
  })

  it('endless lists are rejected', () => {
    const endless: never[] = []
    endless.length = 2 ** 32 - 1
    refused(
      () => new LayoutAssembler({ ...OWN, sections: endless }),
      'layout.sections[0] must be an object, got undefined',
    )
    refused(
      () => new LayoutAssembler({ ...OWN, aliases: endless }),
      'layout.aliases[0] must be a string, got undefined',
    )
    let read = 0
    const many = Array.from({ length: 100_000 }, () => ({
      get part() {
        read += 1
        return 'message' as const
      },
    }))
    refused(
      () => new LayoutAssembler({ ...OWN, sections: many }),
      "layout.sections[1].part must be a part that is not in layout.sections[0] already, got 'message'",
    )
    expect(read).toBeLessThan(10)
  })

  it('thousands of layouts and names are found', () => {
    const layouts = Array.from(
      { length: 2000 },
      (_, index): LayoutDefinition => ({
        ...OWN,
        agentType: `agent-${index}`,
        aliases: Array.from({ length: 5 }, (__, alias) => `Alias-${index}-${alias}`),
      }),
    )
    const manager = new ContextManager({
      layouts,
      logger: {
        debug() {},
        info() {},
        warn: (text) => {
          throw new Error(text)
        },
        error() {},
      },
    })
    for (const name of ['agent-0', 'alias-1999-4', 'ALIAS-77-0'])
      expect(manager.assemblePrompt(name, INPUT).prompt).toBe(PROMPT)
    expect(thrownBy(() => manager.assemblePrompt('agent-2000', INPUT)).message).toContain(
      'Unknown agentType "agent-2000"',
    )
  })
})
