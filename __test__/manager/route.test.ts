import { ContextManager, type RouteContextOptions, type RoutingItem } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { thrownBy } from '../support/assemblers.js'
import { byAi, contentsOf, keepingLogger, managerWith, numbered, spoken } from '../support/conversation.js'
import { FAMILY, FLAG, THUMB } from '../support/generators.js'

/** A question in `msg-3`, three replies to it, and talk around them. */
const routed = (options = {}): ContextManager =>
  managerWith(
    [
      spoken('m1'),
      byAi('sarah', 'm2 by sarah'),
      spoken('the question [NEXT:sarah]', { routing: { resolvedAddressees: ['sarah', 'lee'] } }),
      byAi('lee', 'reply of lee', { parentMessageId: 'msg-3', intent: 'review', resolvedAddressees: ['kailai'] }),
      byAi('sarah', 'reply of sarah', { parentMessageId: 'msg-3' }),
      byAi('max', 'reply of max', { parentMessageId: 'msg-3', intent: '' }),
      byAi('max', 'reply to another', { parentMessageId: 'msg-1' }),
      spoken('latest'),
    ],
    options,
  )

const TO_SARAH: RoutingItem = { parentMessageId: 'msg-3', targetMemberId: 'sarah', intent: 'discuss' }
const ask = (manager: ContextManager, route: Partial<RoutingItem> = {}, options?: RouteContextOptions) =>
  manager.getContextForRoute('agent', 'claude-code', { ...TO_SARAH, ...route }, options)

describe('getContextForRoute', () => {
  it('returns everything of the route, in the documented shape', () => {
    const manager = routed()
    manager.setTeamTask('build')
    const parent = { from: 'Kailai', to: 'sarah, lee', content: 'the question' }
    expect(ask(manager, {}, { systemInstruction: ['a'], instructionFileText: 'f' })).toStrictEqual({
      contextMessages: [{ from: 'Kailai', to: 'all', content: 'm1' }],
      currentMessage: 'the question',
      teamTask: 'build',
      systemInstruction: ['a'],
      instructionFileText: 'f',
      maxBytes: 768 * 1024,
      parentContext: parent,
      siblingContext: [
        { from: 'Max', to: 'all', content: 'reply of max' },
        { from: 'Lee [review]', to: 'kailai', content: 'reply of lee' },
      ],
      routeMeta: { parentMessageId: 'msg-3', intent: 'discuss' },
      meta: {
        parentMessageId: 'msg-3',
        intent: 'discuss',
        targetMemberId: 'sarah',
        siblingCount: 2,
        siblingTotalCount: 2,
        truncatedSiblings: false,
      },
    })
  })

  it.each<[string, string, number | undefined, string[]]>([
    ["without the target's own most recent message", 'sarah', undefined, ['m1']],
    ['with everything for somebody who has not spoken', 'lee', undefined, ['m1', 'm2 by sarah']],
    ['as large as the override says', 'lee', 1, ['m2 by sarah']],
    ['empty with 0', 'lee', 0, []],
  ])('context is the window before the parent: %s', (_, targetMemberId, windowSizeOverride, expected) => {
    expect(contentsOf(ask(routed(), { targetMemberId }, { windowSizeOverride }).contextMessages)).toEqual(expected)
  })

  it('keeps older messages of the target', () => {
    const manager = managerWith([byAi('max', '1'), spoken('2'), byAi('max', '3'), spoken('4'), spoken('5')])
    const seen = (parentMessageId: string, options?: RouteContextOptions) =>
      contentsOf(ask(manager, { parentMessageId, targetMemberId: 'max' }, options).contextMessages)
    expect(seen('msg-5')).toEqual(['1', '2', '4'])
    expect(seen('msg-3')).toEqual(['2'])
    expect(seen('msg-1')).toEqual([])
  })

  it('recipient filters the window', () => {
    const manager = managerWith([
      spoken('to lee', { routing: { resolvedAddressees: ['lee'] } }),
      spoken('to all'),
      spoken('q'),
    ])
    expect(contentsOf(ask(manager, {}, { recipient: 'Sarah' }).contextMessages)).toEqual(['to all'])
  })

  it.each<[string, object, RouteContextOptions, string[], number]>([
    ['all of them within the default of 5', {}, {}, ['r7', 'r6', 'r5', 'r4', 'r3'], 7],
    ['defaultMaxSiblings', { defaultMaxSiblings: 2 }, {}, ['r7', 'r6'], 7],
    ['maxSiblings instead', { defaultMaxSiblings: 2 }, { maxSiblings: 1 }, ['r7'], 7],
    ['none with 0', {}, { maxSiblings: 0 }, [], 7],
    ['not cut off', {}, { maxSiblings: 7 }, ['r7', 'r6', 'r5', 'r4', 'r3', 'r2', 'r1'], 7],
  ])('shows siblings newest first, up to the limit: %s', (_, options, given, expected, total) => {
    const replies = Array.from({ length: 7 }, (_none, index) =>
      byAi(`m${index % 2}`, `r${index + 1}`, { parentMessageId: 'msg-1' }),
    )
    const { siblingContext, meta } = ask(
      managerWith([spoken('q'), ...replies], options),
      { parentMessageId: 'msg-1' },
      given,
    )
    expect(contentsOf(siblingContext)).toEqual(expected)
    expect(meta).toMatchObject({
      siblingCount: expected.length,
      siblingTotalCount: total,
      truncatedSiblings: expected.length < total,
    })
  })

  const CODE = 'see:\n```ts\nconst a = 1\n```\nand ```b``` done ```open'
  it.each<[string, number, string, string]>([
    ['code blocks are replaced', 200, CODE, 'see:\n[code block omitted]\nand [code block omitted] done ```open'],
    ['markers are stripped before', 5, 'ab [NEXT:x] cd', 'ab cd'],
    ['what is exactly as long stays', 3, 'abc', 'abc'],
    ['what is longer is cut', 3, 'abcd', 'abc...'],
    ['characters count, not bytes', 3, '中文字符', '中文字...'],
    ['an emoji with modifiers stays whole', 4, `a${THUMB}b`, 'a...'],
    ['or fits whole', 5, `a${THUMB}b`, `a${THUMB}...`],
    ['a family stays whole', 12, `a${FAMILY}b`, `a${FAMILY}...`],
    ['a flag stays whole', 6, `${FLAG}${FLAG}`, `${FLAG}...`],
    ['the replaced code block counts', 10, '```x``` and more', '[code bloc...'],
    ['nothing is left with 0', 0, 'abc', '...'],
    ['of nothing', 0, '', ''],
  ])('siblings are short: %s', (_, siblingContentMaxLength, content, expected) => {
    const manager = managerWith([spoken('q'), byAi('max', content, { parentMessageId: 'msg-1' })], {
      siblingContentMaxLength,
    })
    expect(contentsOf(ask(manager, { parentMessageId: 'msg-1' }).siblingContext)).toEqual([expected])
  })

  it('siblings have 200 characters by default', () => {
    const manager = managerWith([spoken('q'), byAi('max', 'x'.repeat(201), { parentMessageId: 'msg-1' })])
    expect(contentsOf(ask(manager, { parentMessageId: 'msg-1' }).siblingContext)).toEqual([`${'x'.repeat(200)}...`])
  })

  it.each<[string, object, RouteContextOptions, boolean]>([
    ['by default', {}, {}, true],
    ['not if the manager says so', { defaultForceParentReinsertion: false }, {}, false],
    [
      'unless the call says otherwise',
      { defaultForceParentReinsertion: false },
      { forceParentReinsertion: true },
      true,
    ],
    ['not if the call says so', {}, { forceParentReinsertion: false }, false],
  ])('repeats the parent: %s', (_, options, given, expected) => {
    expect(ask(routed(options), {}, given).parentContext !== undefined).toBe(expected)
  })

  it.each<[string, object, string, string | undefined]>([
    ['1 KiB stays', {}, 'x'.repeat(1024), 'x'.repeat(1024)],
    [
      'more is shortened to 1 KiB',
      {},
      'x'.repeat(2000),
      `${'x'.repeat(497)}\n[… 1006 bytes omitted …]\n${'x'.repeat(497)}`,
    ],
    [
      'parentReinsertionMaxBytes',
      { parentReinsertionMaxBytes: 100 },
      'x'.repeat(200),
      `${'x'.repeat(36)}\n[… 129 bytes omitted …]\n${'x'.repeat(35)}`,
    ],
    ['too little room for the omission line', { parentReinsertionMaxBytes: 10 }, '中文字符集', undefined],
    ['nothing fits', { parentReinsertionMaxBytes: 2 }, '中', undefined],
  ])('the parent is shortened: %s', (_, options, content, expected) => {
    const { parentContext, currentMessage } = ask(managerWith([spoken(content)], options), { parentMessageId: 'msg-1' })
    expect(parentContext?.content).toBe(expected)
    expect(Buffer.byteLength(parentContext?.content ?? '')).toBeLessThanOrEqual(1024)
    expect(currentMessage).toBe(content)
  })

  it('falls back to getContextForAgent for an unknown parent, with a warning and empty siblings', () => {
    const { logger, warnings } = keepingLogger()
    const manager = routed({ logger })
    const given = { windowSizeOverride: 2, systemInstruction: 's' }
    expect(ask(manager, { parentMessageId: 'msg-99' }, given)).toEqual({
      ...manager.getContextForAgent('agent', 'claude-code', given),
      siblingContext: [],
      meta: {
        parentMessageId: undefined,
        intent: 'discuss',
        targetMemberId: 'sarah',
        siblingCount: 0,
        siblingTotalCount: 0,
        truncatedSiblings: false,
      },
    })
    expect(warnings).toEqual([['[ContextManager] Parent message msg-99 not found, falling back to latest']])
    const prompt = manager.assembleForRoute('agent', 'claude-code', { ...TO_SARAH, parentMessageId: 'msg-99' }, given)
    expect(prompt).toEqual(manager.assembleForAgent('agent', 'claude-code', given))
    expect(warnings).toHaveLength(2)
  })

  it('an intent may be missing', () => {
    const { routeMeta, meta } = ask(routed(), { intent: undefined })
    expect([routeMeta?.intent, meta.intent]).toEqual([undefined, undefined])
    expect(
      routed().assembleForRoute('a', 'codex', { parentMessageId: 'msg-3', targetMemberId: 'sarah' }).prompt,
    ).toMatch(/parentMessageId: msg-3$/)
  })

  it.each<[unknown[], string, string]>([
    [['a', 'b'], 'TypeError', 'route must be an object, got undefined'],
    [['a', 'b', null], 'TypeError', 'route must be an object, got null'],
    [
      ['a', 'b', { ...TO_SARAH, parentMessageId: 5 }],
      'TypeError',
      'route.parentMessageId must be a string, got number',
    ],
    [['a', 'b', { ...TO_SARAH, targetMemberId: 5 }], 'TypeError', 'route.targetMemberId must be a string, got number'],
    [['a', 'b', { ...TO_SARAH, intent: 5 }], 'TypeError', 'route.intent must be a string, got number'],
    [
      ['a', 'b', TO_SARAH, { maxSiblings: -1 }],
      'RangeError',
      'options.maxSiblings must be a non-negative integer, got -1',
    ],
    [['a', 'b', TO_SARAH, { maxSiblings: '1' }], 'TypeError', 'options.maxSiblings must be a number, got string'],
    [
      ['a', 'b', TO_SARAH, { forceParentReinsertion: 1 }],
      'TypeError',
      'options.forceParentReinsertion must be a boolean, got number',
    ],
    [
      ['a', 'b', TO_SARAH, { windowSizeOverride: NaN }],
      'RangeError',
      'options.windowSizeOverride must be a non-negative integer, got NaN',
    ],
  ])('refuses %j', (given, name, message) => {
    const manager = routed()
    expect(thrownBy(() => Reflect.apply(manager.getContextForRoute, manager, given))).toMatchObject({ name, message })
    const [agentId, agentType, route, options] = given
    for (const form of [undefined, { report: true }, { as: 'buffer' }]) {
      expect(
        thrownBy(() => Reflect.apply(manager.assembleForRoute, manager, [agentId, agentType, route, options, form])),
      ).toMatchObject({ name, message })
    }
  })
})

describe('assembleForRoute', () => {
  it('lays out the whole turn', () => {
    expect(
      routed().assembleForRoute('sarah', 'openai-codex', TO_SARAH, { systemInstruction: 'You are Sarah' }).prompt,
    ).toBe(`[SYSTEM]
You are Sarah

[CONTEXT]
- Kailai -> all: m1

[RELATED_CONTEXT]
(other replies to that message, newest first; do not repeat them)
- Max: reply of max
- Lee [review]: reply of lee

[MESSAGE]
the question

[ROUTING_META]
parentMessageId: msg-3
intent: discuss`)
  })

  it('does not show a long parent twice: once whole as the message, once shortened', () => {
    const { prompt } = managerWith([spoken('long '.repeat(1000)), ...numbered(3)]).assembleForRoute('sarah', 'gemini', {
      parentMessageId: 'msg-1',
      targetMemberId: 'sarah',
    })
    expect(prompt).not.toContain('omitted')
    expect(prompt.match(/(?:long ?){1000}/g)).toHaveLength(1)
  })
})
