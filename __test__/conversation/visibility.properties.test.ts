/* oxlint-disable no-await-in-loop -- one step after another */
/** Whoever says what to whom, no prompt, summary, report or page contains what its member may not see. */
import fc from 'fast-check'
import { type Conversation, memoryStore, openConversation, type RunInput } from 'promptmason'
import { expect, it } from 'vitest'
import { quiet } from '../support/team.js'

const NAMES = ['sarah', 'max', 'lee'] as const
type Name = (typeof NAMES)[number]
const anyName = fc.constantFrom(...NAMES)
const anyNames = fc.uniqueArray(anyName, { minLength: 1, maxLength: 2 })

const anyStep = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('say' as const), to: fc.option(anyNames), isPrivate: fc.boolean() }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('send' as const),
      names: fc.uniqueArray(anyName, { minLength: 1 }),
      fails: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom('restart' as const, 'update' as const, 'exchange' as const) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('replace' as const), name: anyName }) },
)

it('nobody sees what is not for them', async () => {
  let [hidden, seen] = [0, 0]
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyStep, { minLength: 5, maxLength: 30 }),
      fc.constantFrom('team' as const, 'addressed' as const),
      fc.constantFrom('fence' as const, 'verbatim' as const),
      async (steps, visibility, markers) => {
        const store = memoryStore()
        /** Who may see a word; undefined for everybody. */
        const readers = new Map<string, Set<string> | undefined>()
        const failing = new Set<Name>()
        /** Who has each name: the first one, the second one, … */
        const memberships = new Map<string, number>()
        const current = (name: string): string => `${name} ${memberships.get(name) ?? 1}`
        const keys = new Map<string, string>()
        let count = 0
        const word = (): string => `word${++count}x`

        const check = (name: string, text: string): void => {
          for (const found of text.match(/word\d+x/g) ?? []) {
            expect(readers.has(found)).toBe(true)
            const allowed = readers.get(found)
            seen += 1
            if (allowed !== undefined && !allowed.has(current(name))) throw new Error(`${current(name)} sees ${found}`)
          }
        }
        const run =
          (name: Name) =>
          ({ prompt, resume }: RunInput) => {
            check(name, prompt)
            const key = /^=== (\w{12}) from/m.exec(prompt)?.[1]
            if (key !== undefined) {
              expect([undefined, current(name)]).toContain(keys.get(key))
              keys.set(key, current(name))
            }
            if (failing.delete(name)) throw new Error('no')
            return { text: word(), session: resume ?? `${name}${count}` }
          }
        const open = (): Promise<Conversation> =>
          openConversation<string>({
            id: 'a',
            store,
            visibility,
            markers,
            logger: quiet,
            contextWindowSize: 3,
            evictionStep: 1,
            summarise: ({ messages, previous, member }) => {
              for (const { content } of messages) check(member, content)
              return `${previous ?? ''} ${messages.map(({ content }) => content).join(' ')}`
            },
            members: {
              kailai: { human: true },
              ...Object.fromEntries(NAMES.map((name) => [name, { run: run(name) }])),
            },
          })
        let talk = await open()
        const remember = ({ content, speaker, routing, private: isPrivate }: any): void => {
          const to: string[] = routing?.addressees ?? []
          const isHidden = isPrivate === true || (visibility === 'addressed' && to.length > 0)
          readers.set(content, isHidden ? new Set([speaker.id, ...to].map(current)) : undefined)
          hidden += Number(isHidden)
        }
        for (const step of steps) {
          if (step.kind === 'say') {
            const to = step.to ?? undefined
            remember(await talk.say('kailai', word(), { to, private: step.isPrivate && to !== undefined }))
          } else if (step.kind === 'send') {
            if (step.fails) failing.add(step.names[0] ?? 'max')
            for (const { member, turn } of await talk.sendAll(step.names)) {
              if (turn === undefined) continue
              remember(turn.message)
              check(member, JSON.stringify(turn.report))
            }
            failing.clear()
          } else if (step.kind === 'restart') {
            await talk.close()
            talk = await open()
          } else if (step.kind === 'exchange') await talk.change('max', { run: run('max') })
          else if (step.kind === 'replace') {
            await talk.removeMember(step.name)
            memberships.set(step.name, (memberships.get(step.name) ?? 1) + 1)
            await talk.addMember(step.name, { run: run(step.name) })
          } else {
            const last = talk.messages().at(-1)
            if (last === undefined) continue
            const text = word()
            const allowed = readers.get(last.content)
            readers.set(text, allowed)
            await talk.update(last.id, { text })
          }
        }
        await talk.close()
      },
    ),
    { numRuns: 120 },
  )
  expect(hidden).toBeGreaterThan(200)
  expect(seen).toBeGreaterThan(1000)
})
