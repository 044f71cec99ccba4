/** A message is added faster if an earlier one has the same speaker and addressees. With `ids: 'keep'`, it never is. */
import fc from 'fast-check'
import { ContextManager, type ContextManagerOptions } from 'promptmason'
import { expect, it } from 'vitest'
import { untyped } from '../support/assemblers.js'
import { runs } from '../support/runs.js'

/** Few, so that most messages have the speaker and the addressees of another one. */
const speaker = fc.constantFrom(
  { id: 'max', name: 'Max', type: 'human' },
  { id: 'max', name: 'Max', type: 'human' },
  { id: 'max', name: 'Max', type: 'ai' },
  { id: 'lee', name: 'Lee' },
  { id: 'lee', name: 'Lee' },
  { id: 'lee', name: 'Lee', displayName: 'L.' },
)
const addressees = fc.constantFrom(['lee'], ['lee'], ['L.'], ['max', 'lee'], [{ id: 'lee' }], [])
const routing = fc.record(
  { resolvedAddressees: addressees, parentMessageId: fc.constantFrom('msg-1', 'msg-2'), intent: fc.constant('review') },
  { requiredKeys: ['resolvedAddressees'] },
)
const message = fc.record({
  speaker,
  content: fc.constantFrom('x', 'see [NEXT:lee]', '中文'),
  routing: fc.option(routing, { nil: undefined, freq: 1 }),
  private: fc.constantFrom(true, undefined, undefined, undefined),
  pinned: fc.constantFrom(true, undefined, undefined, undefined),
})
const place = fc.nat(8)
const step = fc.oneof(
  { weight: 9, arbitrary: fc.record({ kind: fc.constant('add' as const), message }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('address' as const), place, addressees }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('update' as const), place, message }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), place }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('leave' as const), member: fc.constantFrom('max', 'Lee') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('append' as const), after: place, addressees }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('look' as const) }) },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

/** A manager, the objects that were passed to it, and their ids. */
const started = (options: ContextManagerOptions) => ({
  manager: new ContextManager({ ...options, contextWindowSize: 99, logger: quiet }),
  given: new Map<string, { routing?: unknown }>(),
  added: 0,
})

const take = (one: ReturnType<typeof started>, given: Exclude<Step, { kind: 'look' }>): void => {
  const { manager } = one
  const idAt = (nth: number) => manager.getMessages().at(nth)?.id
  if (given.kind === 'add') {
    const passed = structuredClone({ ...given.message, id: `msg-${++one.added}` })
    one.given.set(manager.addMessage(untyped(passed)).id, passed)
  } else if (given.kind === 'leave') {
    manager.removeMember(given.member)
  } else if (given.kind === 'append') {
    // A copy that went on: what it addressed late is addressed here, too.
    const copy = new ContextManager({ ids: 'keep', logger: quiet })
    copy.importSnapshot(manager.exportSnapshot())
    const late = copy.getMessages().at(given.after)
    if (late !== undefined && late.routing === undefined) late.routing = { resolvedAddressees: given.addressees }
    const after = manager.getMessages().at(-1)?.id
    if (after !== undefined) manager.importSnapshot(copy.exportSnapshot({ after }), { append: true })
  } else {
    const id = idAt(given.place)
    if (id === undefined) return
    if (given.kind === 'remove') manager.removeMessage(id)
    if (given.kind === 'update') manager.updateMessage(id, untyped(given.message))
    const passed = given.kind === 'address' ? one.given.get(id) : undefined
    if (passed !== undefined && given.kind === 'address') passed.routing = { addressees: given.addressees }
  }
}

/** What each of them sees, and what is stored. */
const seen = ({ manager }: ReturnType<typeof started>) => {
  const views = [undefined, 'max', 'lee', 'zoe', 'L.'].map((recipient) => {
    const { prompt, report } = manager.assembleForAgent('max', 'codex', { recipient }, { report: true })
    return { prompt, account: report.account, findings: report.findings }
  })
  const { timestamp: _, lastNumber: __, ...snapshot } = untyped<Record<string, unknown>>(manager.exportSnapshot())
  return { views, snapshot, messages: manager.getMessages() }
}

it('is added the same way if an earlier message has its speaker and addressees', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('team', 'addressed'),
      fc.array(step, { minLength: 8, maxLength: 24, size: 'max' }),
      (visibility, sequence) => {
        const both = [{ visibility }, { visibility, ids: 'keep' as const }].map(started)
        for (const each of [...sequence, { kind: 'look' as const }]) {
          if (each.kind === 'look') {
            const [numbered, kept] = both.map(seen)
            expect(numbered).toEqual(kept)
          } else {
            for (const one of both) take(one, each)
          }
        }
      },
    ),
    runs(200),
  )
})
