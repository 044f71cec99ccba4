/**
 * Over any sequence of turns, confirmed and failed, restarts included, every message that an agent
 * may see is shown to it exactly once, unless the account of some prompt says otherwise.
 *
 * `SESSION_RUNS=10000 npx vitest run __test__/sessions/properties.test.ts` tries more sequences.
 */
import fc from 'fast-check'
import { ContextManager, type AssemblerReport, type ContextManagerOptions } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { bytesOf, checkAccount } from '../support/account.js'

const RUNS = { numRuns: Number(process.env['SESSION_RUNS'] ?? 2000) }
const PATIENCE_MS = 3_600_000
const AGENTS = ['max', 'sarah'] as const
type Agent = (typeof AGENTS)[number]

/** Each message has a name of its own that occurs nowhere else, at both ends: it is shown whole if both are there. */
const nameOf = (number: number): string => `<${number}>`
const shownIn = (prompt: string): number[] => {
  const names = (prompt.match(/<\d+>/g) ?? []).map((name) => Number(name.slice(1, -1)))
  return [...new Set(names)].filter((number) => names.filter((name) => name === number).length >= 2)
}

/** What a CLI keeps: everything that it was sent and accepted. */
class CliSession {
  readonly messages = new Map<number, number>()
  system = ''
  task = ''
  summary = ''

  /** Takes a prompt; `current` may be repeated: the message to act on must arrive. */
  accept(prompt: string, current: number): void {
    for (const number of shownIn(prompt)) {
      if (number !== current) expect(this.messages.get(number) ?? 0).toBe(0)
      this.messages.set(number, 1)
    }
    this.system = /SYS\d+/.exec(prompt)?.[0] ?? this.system
    this.task = /TASK\d+/.exec(prompt)?.[0] ?? this.task
    this.summary = /SUM\d+/.exec(prompt)?.[0] ?? this.summary
  }
}

const anyStep = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('add' as const),
      by: fc.constantFrom('kai', 'lee', ...AGENTS),
      to: fc.constantFrom(undefined, undefined, ...AGENTS),
      size: fc.nat(30),
      pinned: fc.constantFrom(undefined, undefined, undefined, true),
      parent: fc.constantFrom(undefined, 1, 2),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('prompt' as const),
      agent: fc.constantFrom(...AGENTS),
      isAccepted: fc.constantFrom(true, true, false),
      route: fc.constantFrom(undefined, undefined, undefined, 1, 2),
      form: fc.nat(3),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('forget' as const), agent: fc.constantFrom(...AGENTS) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('restart' as const), throughJson: fc.boolean(), append: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('pin' as const), at: fc.nat(9), isPinned: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('summary' as const),
      agent: fc.constantFrom(undefined, undefined, ...AGENTS),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('task' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('system' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), at: fc.nat(9) }) },
)

const anyOptions: fc.Arbitrary<ContextManagerOptions> = fc.record({
  contextWindowSize: fc.constantFrom(1, 3, 50),
  maxBytes: fc.constantFrom(260, 500, 100_000),
  evictionStep: fc.constantFrom(1, 2),
  siblingContentMaxLength: fc.constantFrom(5, 200),
})

describe('sessions', { timeout: PATIENCE_MS }, () => {
  it('show each message exactly once, unless an account says otherwise', () => {
    fc.assert(
      fc.property(
        fc.array(anyStep, { minLength: 4, maxLength: 30 }),
        anyOptions,
        fc.boolean(),
        (steps, options, withRecipient) => {
          const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
          const reports: AssemblerReport[] = []
          const settings: ContextManagerOptions = {
            ...options,
            logger: quiet,
            onAssembled: ({ report }) => void reports.push(report),
          }
          let manager = new ContextManager(settings)
          let stored = manager.exportSnapshot()
          const clis = new Map<Agent, CliSession>()
          const addressees = new Map<number, string | undefined>()
          const authors = new Map<number, string>()
          let [number, system, task, sums] = [0, 0, 0, 0]
          const numberOfMessage = (content: string): number => Number(/<(\d+)>/.exec(content)?.[1])

          for (const step of steps) {
            const messages = manager.getMessages()
            if (step.kind === 'add') {
              number += 1
              addressees.set(number, step.to)
              authors.set(number, step.by)
              const content = `${nameOf(number)}${'x'.repeat(step.size)}${nameOf(number)}`
              const parentMessageId = step.parent ? `msg-${step.parent}` : undefined
              manager.addMessage({
                speaker: { id: step.by, type: 'ai' },
                content,
                pinned: step.pinned,
                routing: { addressees: step.to ? [step.to] : [], parentMessageId },
              })
            } else if (step.kind === 'prompt') {
              const asked = {
                session: 'delta' as const,
                systemInstruction: `SYS${system}`,
                ...(withRecipient && { recipient: step.agent }),
              }
              const before = clis.get(step.agent)
              const whole = { ...asked, session: undefined }
              reports.length = 0
              let prompt
              try {
                if (step.route)
                  prompt = manager.assembleForRoute(
                    step.agent,
                    'codex',
                    { parentMessageId: `msg-${step.route}`, targetMemberId: step.agent },
                    asked,
                  ).prompt
                else if (step.form === 0)
                  prompt = manager.assembleForAgent(step.agent, 'codex', asked, { as: 'buffer' }).prompt.toString()
                else if (step.form === 1)
                  prompt = manager.assembleForAgent(step.agent, 'codex', asked, { report: true }).prompt
                else prompt = manager.assembleForAgent(step.agent, 'codex', asked).prompt
              } catch (error) {
                expect(error).toHaveProperty('code', 'ERR_BUDGET_EXCEEDED')
                continue
              }
              const report = reports.at(-1)!
              const routing = step.route ? bytesOf(`msg-${step.route}`) : 0
              const summary = manager.getSummary(step.agent)
              checkAccount(
                report,
                bytesOf(
                  messages.map(({ content }) => content),
                  manager.getTeamTask(),
                  asked.systemInstruction,
                  summary?.text,
                ) + routing,
              )
              expect(report.session?.mode).toBe(before ? 'delta' : 'whole')
              if (!before && !step.route) {
                const plain = manager.assembleForAgent(step.agent, 'codex', whole)
                expect(prompt).toBe(plain.prompt)
              }

              const shown = shownIn(prompt)
              const visible = messages.filter(({ content }) => {
                const id = numberOfMessage(content)
                return (
                  !withRecipient ||
                  addressees.get(id) === undefined ||
                  addressees.get(id) === step.agent ||
                  authors.get(id) === step.agent
                )
              })
              const named = new Set((prompt.match(/<\d+>/g) ?? []).map((name) => Number(name.slice(1, -1))))
              for (const id of named) expect(visible.some(({ content }) => numberOfMessage(content) === id)).toBe(true)

              // What is not shown and was not shown before has its place in the account.
              const reasons = new Map(report.leftOut.map((entry) => [entry.index, entry.reason]))
              for (const message of visible) {
                const id = numberOfMessage(message.content)
                const isKnown = before?.messages.has(id) ?? false
                const reason = reasons.get(messages.indexOf(message))
                if (!shown.includes(id) && !isKnown)
                  expect(reason === undefined ? `nothing of ${id}` : reason).toMatch(
                    /^(budget|step|window|own|duplicate|limit|summary|code)$/,
                  )
                if (!shown.includes(id) && isKnown)
                  expect(reason === undefined ? `nothing of ${id}` : reason).toMatch(
                    /^(seen|own|duplicate|summary|window)$/,
                  )
              }
              const latest =
                step.route &&
                messages.find(
                  ({ id, content }) => id === `msg-${step.route}` && visible.some((one) => one.content === content),
                )
              const current = numberOfMessage((latest || visible.at(-1))?.content ?? '')
              if (step.isAccepted) {
                const cli = before ?? new CliSession()
                cli.accept(prompt, current)
                // What the session knows is what holds now, or it was just sent.
                expect(cli.system).toBe(`SYS${system}`)
                if (manager.getTeamTask() !== null) expect(cli.task).toBe(manager.getTeamTask())
                clis.set(step.agent, cli)
                expect(manager.confirm(step.agent)).toBe(true)
                expect(manager.confirm(step.agent)).toBe(false)
              }
            } else if (step.kind === 'forget') {
              const isKnown = manager.forget(step.agent)
              if (clis.has(step.agent)) expect(isKnown).toBe(true)
              expect(manager.forget(step.agent)).toBe(false)
              clis.delete(step.agent)
            } else if (step.kind === 'restart') {
              const last = stored.messages.at(-1)?.id
              const canAppend =
                step.append &&
                last !== undefined &&
                messages.some(({ id }) => id === last) &&
                stored.messages.every(({ id }) => messages.some((message) => message.id === id))
              const snapshot = canAppend ? manager.exportSnapshot({ after: last }) : manager.exportSnapshot()
              const next = new ContextManager(settings)
              const carried = step.throughJson ? JSON.parse(JSON.stringify(snapshot)) : snapshot
              if (canAppend) next.importSnapshot(stored)
              next.importSnapshot(carried, { append: canAppend })
              expect({ ...next.exportSnapshot(), timestamp: 0 }).toEqual({ ...manager.exportSnapshot(), timestamp: 0 })
              manager = next
              stored = manager.exportSnapshot()
            } else if (step.kind === 'pin' && messages.length > 0) {
              const id = messages[step.at % messages.length]!.id
              if (step.isPinned) manager.pin(id)
              else manager.unpin(id)
            } else if (step.kind === 'summary' && messages.length > 1) {
              const asked = { ...(withRecipient && step.agent && { recipient: step.agent }) }
              let upTo
              try {
                upTo = manager.overflow(step.agent ?? 'max', 'codex', asked).upTo
              } catch (error) {
                expect(error).toHaveProperty('code', 'ERR_BUDGET_EXCEEDED')
              }
              if (upTo) manager.setSummary({ upTo, text: `SUM${++sums}`, recipient: step.agent })
            } else if (step.kind === 'task') {
              manager.setTeamTask(`TASK${++task}`)
            } else if (step.kind === 'system') {
              system += 1
            } else if (step.kind === 'remove' && messages.length > 0) {
              manager.removeMessage(messages[step.at % messages.length]!.id)
            }
          }
        },
      ),
      RUNS,
    )
  })
})
