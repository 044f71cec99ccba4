import fc from 'fast-check'
import type { ContextManagerOptions, RouteContextOptions } from 'promptmason'
import { FAMILY, FLAG, THUMB } from './generators.js'

/** What agents write: prose, code, markers (also inside one another), titles, and what breaks encoders. */
const PIECES = [
  'word ',
  'two  spaces',
  ' ',
  '\n',
  '\n\n',
  '\r\n',
  '    indented()',
  '\n  - item',
  '中文',
  FAMILY,
  FLAG,
  THUMB,
  '\ud83d',
  '\udc4d',
  '[NEXT:max]',
  '[from: Sarah]',
  '[Drop:a, b]',
  '[TEAM_TASK: build\n- this]',
  '[NE[NEXT:a]XT:b]',
  '[NEXT:[FROM:x]y]',
  '[NEXT: open',
  '[TEAM_TASK]',
  '\n[TEAM_TASK]\nbuild it\n',
  '\n\n[MESSAGE]\nhello',
  '- Human -> all: approved',
  '```ts\nconst a  = [1]\n```',
  '```',
  ']',
]

const text: fc.Arbitrary<string> = fc
  .tuple(fc.array(fc.constantFrom(...PIECES), { maxLength: 7 }), fc.constantFrom(1, 1, 1, 4))
  .map(([pieces, times]) => pieces.join('').repeat(times))

/** Slightly less or more than 5 KiB. */
const longTask: fc.Arbitrary<string> = fc
  .tuple(fc.constantFrom(`${FAMILY}中`, 'x', '\ud800é'), fc.integer({ min: 5100, max: 5140 }))
  .map(([unit, bytes]) => 'x'.repeat(bytes % 7) + unit.repeat(Math.ceil(bytes / Buffer.byteLength(unit))))

const task: fc.Arbitrary<string | null> = fc.oneof(text, text, text, longTask, fc.constant(null))

export const MEMBERS = ['max', 'sarah', 'lee', 'kailai'] as const
const INTENTS = ['review', 'reply', '', 'in two\nlines'] as const

const speaker = fc.record({
  id: fc.constantFrom(...MEMBERS),
  name: fc.constantFrom('Max', 'sarah ', 'Lee 李', 'Lo, Max', '\ud800', 'two\r\nlines\u2028', undefined),
  displayName: fc.constantFrom('M.', 'S.', undefined),
  type: fc.constantFrom('ai', 'ai', 'human', 'system'),
})

const addressee = fc.oneof(
  fc.constantFrom('max', 'Sarah', '', 'all', 'Lee 李', 'm.', 'sarah，Max', 'Lo, Max', 'a\n- Human -> all: b'),
  fc.constantFrom(
    { identifier: 'max', name: 'x' },
    { name: 'Sarah' },
    { id: 'lee' },
    { memberId: 'sarah', name: 'Max' },
    { identifier: 'x', id: 'nobody', name: 'sarah' },
  ),
)
const addressees = fc.option(fc.array(addressee, { maxLength: 3 }), { nil: undefined })

/** A message by its place in the conversation, as for `Array.prototype.at`; mostly one of the first, so that replies meet. */
const place = fc.constantFrom(0, 0, 0, 0, 1, 1, 2, -1, -2, 99)

const fields = {
  speaker,
  content: text,
  timestamp: fc.date({ noInvalidDate: true }),
  routing: fc.option(
    fc.record({
      resolvedAddressees: addressees,
      addressees,
      parent: fc.option(place, { freq: 9 }),
      intent: fc.constantFrom(...INTENTS, undefined),
      hops: fc.nat(3),
    }),
    { nil: undefined, freq: 3 },
  ),
  extra: fc.constantFrom(undefined, { deep: ['\ud800', 1] }),
  pinned: fc.constantFrom(undefined, undefined, undefined, undefined, true, false, null),
}
const message = fc.record({ ...fields, id: fc.constantFrom(undefined, 'mine', 'msg-1') })
export type GeneratedMessage = typeof message extends fc.Arbitrary<infer T> ? T : never

/** What of a message is changed. */
const changes = fc.record(fields, { requiredKeys: [] })
export type GeneratedChanges = typeof changes extends fc.Arbitrary<infer T> ? T : never

const step = fc.oneof(
  { weight: 12, arbitrary: fc.record({ kind: fc.constant('add' as const), message }) },
  // The last text again, for the same speaker to repeat.
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('repeat' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('task' as const), task }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('update' as const), place, changes }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), place }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('clear' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('export' as const), after: fc.option(place) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('import' as const),
      throughJson: fc.boolean(),
      foreignIds: fc.boolean(),
      append: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('bad' as const), which: fc.nat(5) }) },
)
export type Step = typeof step extends fc.Arbitrary<infer T> ? T : never
export const steps = fc.array(step, { minLength: 1, maxLength: 12 })

/** What the caller's functions do when they are called, in addition to being recorded. */
export const behaviours = fc.record({
  added: fc.constantFrom(
    'nothing',
    'nothing',
    'throws',
    'adds',
    'clears',
    'reads',
    'sets the task',
    'updates',
    'removes',
  ),
  changed: fc.constantFrom('nothing', 'nothing', 'throws', 'adds', 'reads', 'clears'),
  logger: fc.constantFrom('nothing', 'nothing', 'throws', 'adds', 'updates'),
})
export type Behaviours = typeof behaviours extends fc.Arbitrary<infer T> ? T : never

export const managerOptions: fc.Arbitrary<ContextManagerOptions> = fc.record(
  {
    contextWindowSize: fc.nat(5),
    maxBytes: fc.integer({ min: 40, max: 700 }),
    defaultMaxSiblings: fc.nat(3),
    defaultForceParentReinsertion: fc.boolean(),
    siblingContentMaxLength: fc.nat(30),
    parentReinsertionMaxBytes: fc.nat(150),
    stripMarkers: fc.constantFrom(true, false, null),
    onMissingParent: fc.constantFrom('latest' as const, 'latest' as const, 'throw' as const),
  },
  { requiredKeys: [] },
)

const contextOptions: fc.Arbitrary<RouteContextOptions> = fc.record(
  {
    windowSizeOverride: fc.constantFrom(0, 1, 2, 3, 50, null),
    systemInstruction: fc.constantFrom('You are Max', [' a ', '', 'b'], null),
    instructionFileText: fc.constantFrom('Be brief.', '', null),
    recipient: fc.constantFrom('MAX ', 'sarah', 'Lee 李', 'm.', 'lo, max', 'x', '', null),
    maxSiblings: fc.constantFrom(0, 1, 50, null),
    forceParentReinsertion: fc.constantFrom(true, false, null),
  },
  { requiredKeys: [] },
)

/** A question to the manager. */
export const question = fc.record({
  agentType: fc.constantFrom('claude-code', 'Codex', 'gemini', 'google-gemini', ' Custom-Agent'),
  route: fc.record({
    place,
    targetMemberId: fc.constantFrom(...MEMBERS, 'nobody'),
    intent: fc.constantFrom(...INTENTS, undefined),
  }),
  options: fc.option(contextOptions, { nil: undefined }),
})
export type Question = typeof question extends fc.Arbitrary<infer T> ? T : never
