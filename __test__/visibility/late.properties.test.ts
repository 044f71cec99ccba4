/** Two members who must not see each other's words, over random sequences of everything that changes a conversation. */
import fc from 'fast-check'
import { ContextManager, type MessageRouting, SilentLogger } from 'promptmason'
import { expect, it } from 'vitest'
import { runs } from '../support/runs.js'

const WORDS = { ann: 'ANNS-SECRET', bob: 'BOBS-SECRET' } as const
type Name = keyof typeof WORDS
const MEMBERS = { ann: { id: 'u1', name: 'Ann' }, bob: { id: 'u2', name: 'Smith, Ann' } } as const
/** Ways to address each of them unambiguously. */
const WAYS = {
  ann: ['u1', 'ANN', ' ann ', { id: 'u1' }, { identifier: 'u1', name: 'Smith, Ann' }],
  bob: ['u2', 'smith, ANN', 'Smith, Ann', { memberId: 'u2' }, { id: 'u2', name: 'Ann' }],
} as const

const name = fc.constantFrom<Name>('ann', 'bob')
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('add' as const), to: name, way: fc.nat(4), isLate: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('resolve' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('speak' as const), by: name, alias: fc.constantFrom('', 'A.', 'x') }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('newcomer' as const),
      id: fc.constantFrom('ann', 'smith, ann', 'u3', 'smith'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('rename' as const), at: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), at: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('edit' as const), at: fc.nat(20) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('restart' as const), inParts: fc.boolean(), at: fc.nat(20) }) },
)

it('neither sees what is for the other, in any form or report', { timeout: 120_000 }, () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 25 }), (steps) => {
      const options = { logger: new SilentLogger(), contextWindowSize: 99 }
      let manager = new ContextManager(options)
      for (const speaker of Object.values(MEMBERS)) manager.addMessage({ speaker, content: 'hello' })
      let late: { routing: MessageRouting; id: string; to: MessageRouting }[] = []
      const idAt = (at: number): string =>
        manager.getMessages()[at % Math.max(1, manager.getMessages().length)]?.id ?? ''
      const resolve = (): void => {
        for (const { routing, id, to } of late) {
          const stored = manager.getMessages().find((message) => message.id === id)
          Object.assign(stored?.routing ?? routing, to)
        }
        late = []
      }
      for (const one of steps) {
        const messages = manager.getMessages()
        switch (one.kind) {
          case 'add': {
            const to: MessageRouting = { resolvedAddressees: [WAYS[one.to][one.way] ?? 'u1'] }
            const routing: MessageRouting = one.isLate ? {} : to
            const content = `${WORDS[one.to]} [NEXT:x]`
            const { id } = manager.addMessage({ speaker: { id: 'kai' }, content, routing, private: one.isLate })
            if (one.isLate) late.push({ routing, id, to })
            break
          }
          case 'resolve':
            resolve()
            break
          case 'speak':
            manager.addMessage({ speaker: { ...MEMBERS[one.by], displayName: one.alias }, content: 'said' })
            break
          case 'newcomer':
            // What is addressed from now on may mean somebody else, so only what was before counts.
            resolve()
            manager.addMessage({ speaker: { id: one.id }, content: 'new here' })
            for (const at of ['ann', 'bob'] as const) check(manager, at)
            check(manager, one.id)
            return
          case 'rename':
          case 'edit':
          case 'remove': {
            if (messages.length === 0) break
            const id = idAt(one.at)
            const message = messages.find((each) => each.id === id)
            if (one.kind === 'remove') manager.removeMessage(id)
            else if (one.kind === 'edit') manager.updateMessage(id, { content: `${message?.content} edited` })
            else if (message?.speaker.id !== 'kai')
              manager.updateMessage(id, { speaker: { id: `${message?.speaker.id}`, name: 'Z' } })
            break
          }
          case 'restart': {
            const next = new ContextManager(options)
            const after = one.inParts ? idAt(one.at) : undefined
            if (after) {
              const whole = manager.exportSnapshot()
              const end = whole.messages.findIndex(({ id }) => id === after) + 1
              const { audiences: _, names: __, ...head } = whole
              const { pinned: ___, ...first } = { ...head, messages: whole.messages.slice(0, end) }
              // A part continues what was stored when its first message was added: only then is it the same.
              if (whole.names === undefined && whole.audiences === undefined && late.length === 0) {
                next.importSnapshot({ ...first, lastNumber: undefined })
                next.importSnapshot(JSON.parse(JSON.stringify(manager.exportSnapshot({ after }))), { append: true })
              } else next.importSnapshot(whole)
            } else next.importSnapshot(JSON.parse(JSON.stringify(manager.exportSnapshot())))
            manager = next
            break
          }
        }
        for (const at of ['ann', 'bob'] as const) check(manager, at)
      }
    }),
    runs(120),
  )
})

/** Collects everything that one of them may see, by each of its names. */
const check = (manager: ContextManager, who: string): void => {
  const isMember = who in MEMBERS
  const hidden = isMember ? [WORDS[who === 'ann' ? 'bob' : 'ann']] : Object.values(WORDS)
  const names = isMember ? Object.values(MEMBERS[who as Name]) : [who]
  for (const recipient of names.slice(0, isMember ? 1 : undefined)) {
    const options = { recipient }
    const route = { parentMessageId: manager.getMessages()[0]?.id ?? '', targetMemberId: 'x' }
    const buffer = Buffer.alloc(50_000)
    const texts = [
      JSON.stringify(manager.getContextForAgent('a', 'codex', options)),
      JSON.stringify(manager.getContextForRoute('a', 'codex', route, options)),
      JSON.stringify(manager.overflow('a', 'codex', options).messages),
      ...['codex', 'claude', 'gemini', 'plain'].map((type) =>
        JSON.stringify(manager.assembleForAgent('a', type, options, { report: true })),
      ),
      manager.assembleForAgent('a', 'codex', options, { as: 'buffer' }).prompt.toString(),
      JSON.stringify(manager.assembleForRoute('a', 'claude', route, options, { report: true })),
      buffer.subarray(0, manager.assembleForAgent('a', 'codex', options, { into: buffer }).bytes).toString(),
    ]
    for (const text of texts) for (const word of hidden) expect(text).not.toContain(word)
  }
}
