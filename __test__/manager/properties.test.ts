import fc from 'fast-check'
import {
  ContextManager,
  type AssemblerReportOutput,
  type ContextManagerOptions,
  type ContextSnapshot,
  type MessageChanges,
  type NewConversationMessage,
  type RoutingItem,
} from 'promptmason'
import { describe, expect, it } from 'vitest'
import { byteLength, type Thrown, untyped } from '../support/assemblers.js'
import {
  type Behaviours,
  behaviours,
  type GeneratedChanges,
  type GeneratedMessage,
  managerOptions,
  type Question,
  question,
  type Step,
  steps,
} from '../support/manager-generators.js'
import { type Managed, ReferenceManager } from '../support/manager-reference.js'
import { runs } from '../support/runs.js'

/** Many runs take a while. The duration is not tested. */
const PATIENCE_MS = 3_600_000

const ECHO = { speaker: { id: 'hook', type: 'system' }, content: 'said by a [NEXT:x] hook' }

/** A manager, real or plain, with everything that the caller's functions were called with. */
class World<M extends Managed = Managed> {
  readonly log: unknown[][] = []
  readonly manager: M
  snapshot: ContextSnapshot | undefined

  constructor(
    make: (options: ContextManagerOptions) => M,
    options: ContextManagerOptions,
    { added, changed, logger }: Behaviours,
  ) {
    this.manager = make({
      ...options,
      onMessageAdded: (message) => this.called('added', added, message),
      onTeamTaskChanged: (task) => this.called('changed', changed, task),
      logger: {
        debug: () => expect.unreachable(),
        info: () => expect.unreachable(),
        warn: (...words) => this.called('warn', logger, ...words),
        error: () => expect.unreachable(),
      },
    })
  }

  /** A function of the caller: does what the test says, but not recursively. */
  private called(name: string, behaviour: string, ...given: unknown[]): void {
    const isNested = this.log.at(-1)?.[0] === 'begin'
    this.log.push([name, ...given])
    if (behaviour === 'nothing' || isNested) return
    if (behaviour === 'throws') throw new Error(`${name} throws`)
    this.log.push(['begin'])
    const { manager } = this
    const before = this.log.length
    if (behaviour === 'adds') manager.addMessage(ECHO)
    if (behaviour === 'clears') manager.clear()
    if (behaviour === 'sets the task') manager.setTeamTask('set by a hook')
    const latest = manager.getLatestMessage()
    if (behaviour === 'updates' && latest) manager.updateMessage(latest.id, { content: 'changed by a hook' })
    if (behaviour === 'removes' && latest) manager.removeMessage(latest.id)
    const seen = [manager.getMessages(), manager.getTeamTask(), manager.getContextForAgent('hook', 'claude-code')]
    this.log.splice(before - 1, 1, ['end', ...seen])
  }

  /** The id of a message by its place. */
  idAt(place: number): string {
    return this.manager.getMessages().at(place)?.id ?? 'msg-404'
  }

  messageOf({ routing, ...fields }: GeneratedMessage): NewConversationMessage {
    if (routing === undefined) return fields
    const { parent, ...others } = routing
    return { ...fields, routing: { ...others, parentMessageId: parent === null ? parent : this.idAt(parent) } }
  }
}

/** Changes with the ids of this world. */
const changesIn = (world: World, { routing, ...fields }: GeneratedChanges): MessageChanges => {
  if (routing === undefined) return fields
  const { parent, ...others } = routing
  return { ...fields, routing: { ...others, parentMessageId: parent === null ? parent : world.idAt(parent) } }
}

type Outcome = { value: unknown } | { error: unknown }

/** The result of a call; of an error, what both kinds of manager have in common. */
const outcomeOf = (run: () => unknown): Outcome => {
  try {
    return { value: run() }
  } catch (thrown) {
    const { name, message, code, requiredBytes, sections } = thrown as Thrown
    if (code === 'ERR_BUDGET_EXCEEDED') return { error: { name, code, requiredBytes, sections } }
    return { error: { name, message: message.split(/:|, got/)[0] } }
  }
}

/** With enough messages, the first comes twice. */
const FOREIGN_IDS = ['mine', 'msg-7', '\ud800', 'msg-07', 'yours', 'msg-3', 'msg-11']

const badSnapshots = (good: ContextSnapshot): unknown[] => [
  undefined,
  { ...good, version: 3 },
  { ...good, messages: {} },
  { ...good, messages: [...good.messages, { id: 'x', content: 'no speaker' }] },
  { ...good, messages: [...good.messages, { speaker: { id: 'a' }, content: 'no id' }] },
  { ...good, messages: [...good.messages, { id: 'x', speaker: { id: 'a' }, content: 'x', timestamp: 'never' }] },
]

/** A snapshot after JSON; what the plain implementation keeps in it has no form there. */
const throughJson = (snapshot: ContextSnapshot & { visibility?: unknown }) => ({
  ...JSON.parse(JSON.stringify({ ...snapshot, visibility: undefined })),
  ...(snapshot.visibility === undefined ? {} : { visibility: snapshot.visibility }),
})

const take = (world: World, step: Step): unknown => {
  const { manager } = world
  switch (step.kind) {
    case 'add':
      return manager.addMessage(world.messageOf(step.message))
    case 'repeat': {
      const latest = manager.getLatestMessage()
      return latest && manager.addMessage(latest)
    }
    case 'task':
      return manager.setTeamTask(step.task)
    case 'update':
      return manager.updateMessage(world.idAt(step.place), changesIn(world, step.changes))
    case 'remove':
      return manager.removeMessage(world.idAt(step.place))
    case 'clear':
      return manager.clear()
    case 'export':
      world.snapshot = manager.exportSnapshot({ after: step.after === null ? null : world.idAt(step.after) })
      return {
        ...world.snapshot,
        timestamp: typeof world.snapshot.timestamp,
        // Each has its own way to say who may see what.
        names: undefined,
        audiences: undefined,
        visibility: undefined,
      }
    case 'import': {
      const given = world.snapshot ?? manager.exportSnapshot()
      const messages = given.messages.map((message, index) => ({ ...message, id: FOREIGN_IDS[index % 7] ?? '' }))
      const idOf = (id: string) => messages[given.messages.findIndex((message) => message.id === id)]?.id
      const audiences = given.audiences?.map((audience) => ({ ...audience, id: idOf(audience.id) ?? '' }))
      const snapshot = step.foreignIds ? { ...given, messages, ...(audiences && { audiences }) } : given
      return manager.importSnapshot(step.throughJson ? throughJson(snapshot) : snapshot, {
        append: step.append,
      })
    }
    case 'bad':
      return manager.importSnapshot(untyped(badSnapshots(manager.exportSnapshot())[step.which]))
  }
}

const routeOf = (world: World, { route: { place, ...others } }: Question): RoutingItem => ({
  ...others,
  parentMessageId: world.idAt(place),
})

/** Everything that can be asked. */
const views = (world: World, asked: Question): Outcome[] => {
  const { manager } = world
  const { agentType, options } = asked
  const route = routeOf(world, asked)
  return [
    () => manager.getMessages(),
    () => manager.getLatestMessage(),
    () => manager.getTeamTask(),
    () => manager.getContextForAgent('agent', agentType, options),
    () => manager.getContextForRoute('agent', agentType, route, options),
    () => manager.assembleForAgent('agent', agentType, options),
    () => manager.assembleForRoute('agent', agentType, route, options),
  ].map(outcomeOf)
}

/** The four forms of both assemblies are what `assemblePrompt` makes of the context. */
const expectFormsToAgree = (world: World<ContextManager>, asked: Question): void => {
  const { manager } = world
  const { agentType, options } = asked
  const route = routeOf(world, asked)
  const target = ['agent', agentType] as const
  const intoOf = (write: (buffer: Buffer) => { bytes: number; systemFlag?: string | undefined }) => {
    const buffer = Buffer.alloc(8192)
    const { bytes, systemFlag } = write(buffer)
    return { prompt: buffer.toString('utf8', 0, bytes), systemFlag }
  }
  const textOf = ({ prompt, systemFlag }: { prompt: Buffer | string; systemFlag?: string | undefined }) => ({
    prompt: prompt.toString(),
    systemFlag,
  })
  const reportedOf = (output: AssemblerReportOutput) => {
    expect(output.report.promptBytes).toBe(byteLength(output.prompt))
    return textOf(output)
  }
  const forAgent = [
    () => manager.assemblePrompt(agentType, manager.getContextForAgent(...target, options)),
    () => manager.assembleForAgent(...target, options),
    () => reportedOf(manager.assembleForAgent(...target, options, { report: true })),
    () => textOf(manager.assembleForAgent(...target, options, { as: 'buffer' })),
    () => intoOf((buffer) => manager.assembleForAgent(...target, options, { into: buffer })),
  ]
  const forRoute = [
    () => manager.assemblePrompt(agentType, manager.getContextForRoute(...target, route, options)),
    () => manager.assembleForRoute(...target, route, options),
    () => reportedOf(manager.assembleForRoute(...target, route, options, { report: true })),
    () => textOf(manager.assembleForRoute(...target, route, options, { as: 'buffer' })),
    () => intoOf((buffer) => manager.assembleForRoute(...target, route, options, { into: buffer })),
  ]
  for (const forms of [forAgent, forRoute]) {
    const [expected, ...others] = forms.map(outcomeOf)
    for (const other of others) expect(other).toEqual(expected)
  }
}

const QUIET: Behaviours = { added: 'nothing', changed: 'nothing', logger: 'nothing' }

describe('any conversation', { timeout: PATIENCE_MS }, () => {
  it('agrees with the plain implementation after every step, whatever hooks and logger do', () => {
    fc.assert(
      fc.property(managerOptions, behaviours, steps, question, (options, does, sequence, asked) => {
        const real = new World((given) => new ContextManager(given), options, does)
        const plain = new World((given) => new ReferenceManager(given), options, does)
        for (const step of sequence) {
          expect(outcomeOf(() => take(real, step))).toEqual(outcomeOf(() => take(plain, step)))
          expect(views(real, asked)).toEqual(views(plain, asked))
          expect(real.log).toEqual(plain.log)
        }
      }),
      runs(300),
    )
  })

  it('is assembled in all four forms as assemblePrompt does it with the context', () => {
    fc.assert(
      fc.property(managerOptions, steps, question, (options, sequence, asked) => {
        const world = new World((given) => new ContextManager(given), options, QUIET)
        for (const step of sequence) outcomeOf(() => take(world, step))
        expectFormsToAgree(world, asked)
      }),
      runs(300),
    )
  })

  it('returns the same objects that a message was made of', () => {
    fc.assert(
      fc.property(steps, (sequence) => {
        const { manager } = new World((given) => new ContextManager(given), {}, QUIET)
        for (const step of sequence) {
          if (step.kind !== 'add') continue
          const given = untyped<NewConversationMessage>(step.message)
          const added = manager.addMessage(given)
          for (const [key, value] of Object.entries(given)) if (key !== 'id') expect(added).toHaveProperty(key, value)
          for (const message of [added, manager.getLatestMessage(), manager.getMessages().at(-1)])
            expect(message).toBe(added)
          expect(added.timestamp).toBe(given.timestamp)
          expect(added.speaker).toBe(given.speaker)
          expect(added.routing).toBe(given.routing)
        }
      }),
      runs(100),
    )
  })
})
