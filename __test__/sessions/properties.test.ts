/**
 * Over any sequence of turns, confirmed and failed, restarts included, the session of an agent is a
 * part of what it may see, in order and without repetition, and every gap is announced in the prompt
 * and in the account. The core's own tests try many more sequences, with pins, edits and routes
 * (src/manager/context_manager/tests.rs). This one holds through the addon.
 *
 * `RUNS_FACTOR=100 npx vitest run __test__/sessions/properties.test.ts` tries more sequences.
 */
import fc from 'fast-check'
import { ContextManager, type ContextManagerOptions } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { bytesOf, checkAccount } from '../support/account.js'
import { runs } from '../support/runs.js'

const RUNS = runs(120)
const PATIENCE_MS = 3_600_000
const AGENTS = ['max', 'sarah'] as const
type Agent = (typeof AGENTS)[number]
const GAP = '[… messages omitted …]'

/** Each message has a name of its own that occurs nowhere else. */
const nameOf = (number: number): string => `<${number}>`
const numberIn = (text: string): number => Number(/<(\d+)>/.exec(text)?.[1])

/** The messages of a prompt in the order of its lines, and -1 for each omission line. */
const linesOf = (prompt: string): number[] =>
  prompt
    .split('\n')
    .filter((line) => line === GAP || /<\d+>/.test(line))
    .map((line) => (line === GAP ? -1 : numberIn(line)))

/** What a CLI keeps: everything that it was sent and accepted. */
interface CliSession {
  /** The messages in the order in which it has read them. */
  read: number[]
  system: string | undefined
  task: string | undefined
}

const anyStep = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('add' as const),
      by: fc.constantFrom('kai', 'lee', ...AGENTS),
      to: fc.constantFrom(undefined, undefined, ...AGENTS),
      size: fc.nat(60),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('prompt' as const),
      agent: fc.constantFrom(...AGENTS),
      isAccepted: fc.constantFrom(true, true, false),
      as: fc.constantFrom('string' as const, 'buffer' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('forget' as const), agent: fc.constantFrom(...AGENTS) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('restart' as const), throughJson: fc.boolean(), append: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('task' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('system' as const) }) },
)

const anyOptions: fc.Arbitrary<ContextManagerOptions> = fc.record({
  contextWindowSize: fc.constantFrom(1, 3, 50),
  maxBytes: fc.constantFrom(200, 320, 100_000),
  evictionStep: fc.constantFrom(1, 2),
})

describe('sessions', { timeout: PATIENCE_MS }, () => {
  it('show messages in order and once, and announce every gap', () => {
    const anySteps = fc.array(anyStep, { minLength: 4, maxLength: 30 })
    const isAnnounced = { gaps: 0, nothing: 0 }
    fc.assert(
      fc.property(anySteps, anyOptions, fc.boolean(), (steps, options, withRecipient) => {
        let manager = new ContextManager(options)
        let stored = manager.exportSnapshot()
        const clis = new Map<Agent, CliSession>()
        const [authors, addressees] = [new Map<number, string>(), new Map<number, Agent | undefined>()]
        let [number, system, task] = [0, 0, 0]

        const prompt = (agent: Agent, isAccepted: boolean, as: 'string' | 'buffer'): void => {
          const messages = manager.getMessages()
          const visible = messages
            .map(({ content }) => numberIn(content))
            .filter(
              (one) => !withRecipient || [undefined, agent].includes(addressees.get(one)) || authors.get(one) === agent,
            )
          const before = clis.get(agent)
          const last = Math.max(0, ...(before?.read ?? []))
          const due = visible.filter((one) => one > last && authors.get(one) !== agent)
          const asked = {
            session: 'delta' as const,
            systemInstruction: `SYS${system}`,
            ...(withRecipient && { recipient: agent }),
          }
          let made
          try {
            made =
              as === 'buffer'
                ? manager.assembleForAgent(agent, 'codex', asked, { as, report: true })
                : manager.assembleForAgent(agent, 'codex', asked, { report: true })
          } catch (error) {
            const code = before !== undefined && due.length === 0 ? 'ERR_NOTHING_TO_SEND' : 'ERR_BUDGET_EXCEEDED'
            expect(error).toHaveProperty('code', code)
            isAnnounced.nothing += Number(code === 'ERR_NOTHING_TO_SEND')
            return
          }
          const { report } = made
          const text = made.prompt.toString()
          const given = [messages.map(({ content }) => content), manager.getTeamTask(), asked.systemInstruction]
          checkAccount(report, bytesOf(...given))
          expect(report.session?.mode).toBe(before ? 'delta' : 'whole')
          const lines = linesOf(text)
          const shown = lines.filter((one) => one > 0)
          expect(visible).toEqual(expect.arrayContaining(shown))
          if (before) {
            // All that is new, in order, with an omission line for what is missing at its beginning.
            const missing = due.slice(0, due.length - shown.length)
            expect(lines).toEqual([...(missing.length > 0 ? [-1] : []), ...due.slice(missing.length)])
            isAnnounced.gaps += Number(missing.length > 0)
            const reasons = new Map(report.leftOut.map((entry) => [entry.index, entry.reason]))
            const indexOf = (one: number): number => messages.findIndex(({ content }) => numberIn(content) === one)
            for (const one of missing) expect(reasons.get(indexOf(one))).toBe('budget')
            for (const one of before.read) if (visible.includes(one)) expect(reasons.get(indexOf(one))).toBe('seen')
          }
          if (!isAccepted) return
          const cli = {
            read: [...(before?.read ?? []), ...shown],
            system: /SYS\d+/.exec(text)?.[0] ?? before?.system,
            task: /TASK\d+/.exec(text)?.[0] ?? before?.task,
          }
          expect(new Set(cli.read).size).toBe(cli.read.length)
          // What it wrote before the session began, but had not been asked about, stands before the message.
          const others = cli.read.filter((one) => authors.get(one) !== agent)
          expect(others).toEqual(others.toSorted((one, other) => one - other))
          expect(
            lines.length === 1 ||
              shown.length === 0 ||
              authors.get(shown.at(-1) ?? 0) !== agent ||
              visible.every((one) => authors.get(one) === agent),
          ).toBe(true)
          expect([cli.system, cli.task]).toEqual([`SYS${system}`, manager.getTeamTask() ?? undefined])
          clis.set(agent, cli)
          expect(manager.confirm(agent)).toBe(true)
          expect(manager.confirm(agent)).toBe(false)
        }

        const restart = (throughJson: boolean, append: boolean): void => {
          const last = stored.messages.at(-1)?.id
          const after = append ? last : undefined
          const snapshot = manager.exportSnapshot({ after })
          const next = new ContextManager(options)
          if (after !== undefined) next.importSnapshot(stored)
          const carried = throughJson ? JSON.parse(JSON.stringify(snapshot)) : snapshot
          next.importSnapshot(carried, { append: after !== undefined })
          expect({ ...next.exportSnapshot(), timestamp: 0 }).toEqual({ ...manager.exportSnapshot(), timestamp: 0 })
          manager = next
          stored = manager.exportSnapshot()
        }

        for (const step of steps) {
          if (step.kind === 'add') {
            number += 1
            addressees.set(number, step.to)
            authors.set(number, step.by)
            const routing = { addressees: step.to ? [step.to] : [] }
            const content = `${nameOf(number)}${'x'.repeat(step.size)}`
            manager.addMessage({ speaker: { id: step.by, type: 'ai' }, content, routing })
          } else if (step.kind === 'prompt') prompt(step.agent, step.isAccepted, step.as)
          else if (step.kind === 'restart') restart(step.throughJson, step.append)
          else if (step.kind === 'task') manager.setTeamTask(`TASK${++task}`)
          else if (step.kind === 'system') system += 1
          else {
            manager.forget(step.agent)
            clis.delete(step.agent)
          }
        }
      }),
      RUNS,
    )
    expect(isAnnounced.gaps).toBeGreaterThan(0)
    expect(isAnnounced.nothing).toBeGreaterThan(0)
  })
})
