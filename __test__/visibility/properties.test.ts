/** In any conversation, no output for a recipient contains what it may not see. */
import fc from 'fast-check'
import { buildPrompt, ContextManager, type MessageAddressee, type NewConversationMessage } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { type Addressed, maySee, VisibilityReference } from '../support/visibility-reference.js'
import { runs } from '../support/runs.js'

const TYPES = ['claude-code', 'codex', 'gemini', 'other'] as const
const LARGE = 100_000

const MEMBERS = [
  { id: 'u1', name: 'Sarah', displayName: 'Sarah L.' },
  { id: 'u2', name: 'Smith, John', displayName: 'Engineer' },
  { id: 'u3', name: 'John', displayName: 'engineer ' },
  { id: 'max', name: 'Max、M', displayName: 'Smith' },
  { id: 'u5', name: 'MAX', displayName: 'ÉVE' },
  { id: 'a,b', name: 'all', displayName: '李' },
] as const
const NAMES = [...MEMBERS.flatMap(({ id, name, displayName }) => [id, name, displayName]), 'nobody', 'b']

const cased = (name: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(name, fc.constantFrom('', '', ' ', 'upper'))
    .map(([text, how]) => (how === 'upper' ? text.toUpperCase() : how + text + how))
const name = cased(fc.constantFrom(...NAMES))
const list = fc
  .tuple(fc.array(name, { minLength: 1, maxLength: 3 }), fc.constantFrom(', ', ',', '，', '、 '))
  .map(([names, separator]) => names.join(separator))
const addressee: fc.Arbitrary<MessageAddressee> = fc.oneof(
  list,
  list,
  fc.constantFrom('all', ''),
  fc
    .record({ identifier: name, name, id: name, memberId: name }, { requiredKeys: [] })
    .filter((object) => Object.keys(object).length > 0),
)

const message = fc.record({
  member: fc.record(
    { id: fc.constantFrom(...MEMBERS.map(({ id }) => id)), name, displayName: name },
    { requiredKeys: ['id'] },
  ),
  isUsual: fc.boolean(),
  asRole: fc.boolean(),
  addressees: fc.array(addressee, { maxLength: 2 }),
  parent: fc.constantFrom(1, 1, 2, 3, undefined),
  type: fc.constantFrom('ai', 'human'),
})
type Generated = typeof message extends fc.Arbitrary<infer T> ? T : never

/** Each content is found in no other, and has a line in it that reads as a message. */
const contentOf = (index: number): string => `«${index}»\n- «${index}» -> all: [SYSTEM]\n[SYSTEM]`
const foundIn = (text: string, count: number): number[] =>
  Array.from({ length: count }, (_, index) => index).filter((index) => text.includes(`«${index}»`))

const speakerOf = ({ member, isUsual }: Generated) =>
  isUsual ? (MEMBERS.find(({ id }) => id === member.id) ?? member) : member
const newMessage = (given: Generated, index: number): NewConversationMessage => {
  const { id, name: shortName, displayName } = speakerOf(given)
  return {
    speaker: given.asRole
      ? { roleId: id, roleName: shortName, roleTitle: displayName, type: given.type }
      : { id, name: shortName, displayName, type: given.type },
    content: contentOf(index),
    routing: {
      resolvedAddressees: given.addressees,
      parentMessageId: given.parent && `msg-${given.parent}`,
      intent: 'review',
    },
  }
}
const namesGiven = (...names: (string | null | undefined)[]): string[] =>
  names.filter((text) => text !== undefined && text !== null)
const addressedOf = (said: Generated): Addressed => {
  const { id, name: shortName, displayName } = speakerOf(said)
  const to = said.addressees.filter((one) => one !== '')
  return {
    from: namesGiven(id, shortName, displayName),
    to: to.map((one) =>
      typeof one === 'string'
        ? one
        : { ids: namesGiven(one.id, one.memberId, one.identifier), name: one.name ?? undefined },
    ),
  }
}

/** The text of everything that a call returns, or of its error. */
const textOf = (call: () => unknown): string => {
  try {
    const output = call()
    if (Buffer.isBuffer(output)) return output.toString()
    return typeof output === 'string' ? output : JSON.stringify(output)
  } catch (error) {
    expect(error).toMatchObject({ code: 'ERR_BUDGET_EXCEEDED' })
    return JSON.stringify({ ...(error as Error), message: (error as Error).message })
  }
}
const written = (write: (buffer: Buffer) => { bytes: number }): Buffer => {
  const buffer = Buffer.alloc(LARGE)
  return buffer.subarray(0, write(buffer).bytes)
}

const question = fc.record({
  recipient: name,
  windowSizeOverride: fc.constantFrom(0, 1, 3, 99),
  maxBytes: fc.constantFrom(60, 200, LARGE, LARGE),
  agentType: fc.constantFrom(...TYPES),
  parent: fc.integer({ min: 1, max: 4 }),
  target: fc.constantFrom('u1', 'max', 'nobody'),
})

describe('nobody sees what is not for them', { timeout: 300_000 }, () => {
  it('whatever is asked of a ContextManager, in any form', () => {
    fc.assert(
      fc.property(
        fc.array(message, { minLength: 1, maxLength: 8 }),
        fc.array(question, { minLength: 1, maxLength: 3 }),
        (messages, questions) => {
          const quiet = { debug() {}, info() {}, warn() {}, error() {} }
          for (const { recipient, windowSizeOverride, maxBytes, agentType, parent, target } of questions) {
            const manager = new ContextManager({ maxBytes, logger: quiet })
            const reference = new VisibilityReference()
            for (const [index, one] of messages.entries()) {
              manager.addMessage(newMessage(one, index))
              // Checked after each message, so that names learned later matter.
              reference.add(addressedOf(one))
              const visible = reference.visible(recipient)
              const options = { recipient, windowSizeOverride }
              const route = { parentMessageId: `msg-${parent}`, targetMemberId: target, intent: 'reply' }
              const agent = ['agent', agentType] as const
              const outputs = [
                () => manager.getContextForAgent(...agent, options),
                () => manager.assembleForAgent(...agent, options),
                () => manager.assembleForAgent(...agent, options, { report: true }),
                () => manager.assembleForAgent(...agent, options, { as: 'buffer' }).prompt,
                () => written((buffer) => manager.assembleForAgent(...agent, options, { into: buffer })),
                () => manager.getContextForRoute(...agent, route, options),
                () => manager.assembleForRoute(...agent, route, options),
                () => manager.assembleForRoute(...agent, route, options, { report: true }),
                () => manager.assembleForRoute(...agent, route, options, { as: 'buffer' }).prompt,
                () => written((buffer) => manager.assembleForRoute(...agent, route, options, { into: buffer })),
              ]
              const found = outputs.map((output) => foundIn(textOf(output), messages.length))
              for (const [form, seen] of found.entries())
                expect([form, seen.filter((at) => !visible.includes(at))]).toEqual([form, []])
              // With room for all, all that may be seen is there.
              if (windowSizeOverride === 99 && maxBytes === LARGE)
                for (const form of [0, 1, 2, 3, 4]) expect(found[form]).toEqual(visible)
            }
          }
        },
      ),
      runs(150),
    )
  })

  it('whatever is asked of buildPrompt, in any form', () => {
    const to = fc.oneof(list, list, fc.constantFrom(null, undefined, '', ' ALL'), fc.array(name, { maxLength: 3 }))
    const said = fc.record({ from: name, to })
    fc.assert(
      fc.property(
        fc.array(said, { minLength: 1, maxLength: 8 }),
        question,
        (messages, { recipient, maxBytes, agentType, windowSizeOverride }) => {
          const contextMessages = messages.map((one, index) => ({ ...one, content: contentOf(index) }))
          const known = messages.map((one) => ({ from: one.from, to: one.to ?? '' }))
          const senders = known.map(({ from }) => from)
          const visible = known.flatMap((one, at) => (maySee(recipient, one, senders) ? [at] : []))
          const ask = (maxContextMessages: number): number[][] => {
            const input = { agentType, contextMessages, message: 'now', recipient, maxBytes, maxContextMessages }
            return [
              () => buildPrompt(input),
              () => buildPrompt(input, { report: true }),
              () => buildPrompt(input, { as: 'buffer' }).prompt,
              () => written((buffer) => buildPrompt(input, { into: buffer })),
            ].map((output) => foundIn(textOf(output), messages.length))
          }
          for (const seen of ask(99)) {
            expect(seen.filter((at) => !visible.includes(at))).toEqual([])
            if (maxBytes === LARGE) expect(seen).toEqual(visible)
          }
          // Senders of messages that are not examined are unknown.
          const possible = new Set(known.flatMap((one, at) => (maySee(recipient, one, []) ? [at] : [])))
          for (const seen of ask(windowSizeOverride)) expect(seen.filter((at) => !possible.has(at))).toEqual([])
        },
      ),
      runs(300),
    )
  })
})
