import fc from 'fast-check'
import { ContextManager, isPromptmasonError, type ContextManagerOptions, type ContextSnapshot } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { untyped } from '../support/assemblers.js'
import { spoken } from '../support/conversation.js'
import { type GeneratedChanges, managerOptions, question, type Question, steps } from '../support/manager-generators.js'
import { runs } from '../support/runs.js'

/** Many runs take a while. The duration is not tested. */
const PATIENCE_MS = 3_600_000

/** A store that is written to after some of the steps: mostly what came since, rarely all of it. */
class Store {
  entries: string[] = []
  lastId: string | undefined
  /** Whether a message was changed or removed that is in the store. */
  isOutdated = false
  appended = 0

  save(manager: ContextManager): void {
    let snapshot: ContextSnapshot
    try {
      snapshot = manager.exportSnapshot({ after: this.isOutdated ? undefined : this.lastId })
    } catch (error) {
      // The last message that is stored was removed.
      if (!isPromptmasonError(error, 'ERR_UNKNOWN_MESSAGE')) throw error
      snapshot = manager.exportSnapshot()
    }
    if (snapshot.after === undefined) this.entries = []
    else this.appended += 1
    this.entries.push(JSON.stringify(snapshot))
    this.lastId = manager.getLatestMessage()?.id
    this.isOutdated = false
  }

  has(index: number): boolean {
    return this.entries.reduce((count, entry) => count + JSON.parse(entry).messages.length, 0) > index
  }

  restored(options: ContextManagerOptions): ContextManager {
    const manager = new ContextManager(options)
    for (const entry of this.entries) manager.importSnapshot(JSON.parse(entry), { append: true })
    return manager
  }
}

const QUIET = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

/** A generated message or changes, with the id of a message in the place of its index. */
const withParent = <T extends GeneratedChanges>(manager: ContextManager, { routing, ...fields }: T): object => {
  if (routing === undefined) return fields
  const { parent, ...others } = routing
  return {
    ...fields,
    routing: { ...others, parentMessageId: parent === null ? parent : manager.getMessages().at(parent)?.id },
  }
}

/** Everything that can be seen of a conversation; of a prompt that does not fit, why. */
const stateOf = (manager: ContextManager, { agentType, options, route: { place, ...others } }: Question): unknown[] => {
  const route = { ...others, parentMessageId: manager.getMessages().at(place)?.id ?? 'msg-404' }
  const prompts = [
    () => manager.assembleForAgent('agent', agentType, options),
    () => manager.assembleForRoute('agent', agentType, route, options),
  ].map((run) => {
    try {
      return run()
    } catch (error) {
      return String(error)
    }
  })
  const snapshot = { ...manager.exportSnapshot(), timestamp: 0 }
  return [snapshot, manager.getMessages(), manager.getLatestMessage(), manager.getTeamTask(), ...prompts]
}

describe('any conversation', { timeout: PATIENCE_MS }, () => {
  it('that is stored in parts is the same in a second manager and in a restored one', () => {
    let appended = 0
    fc.assert(
      fc.property(managerOptions, steps, fc.infiniteStream(fc.nat(3)), question, (given, sequence, chances, asked) => {
        const options: ContextManagerOptions = { ...given, onMissingParent: 'latest', logger: QUIET }
        const manager = new ContextManager(options)
        const second = new ContextManager(options)
        const store = new Store()
        for (const step of sequence) {
          const messages = manager.getMessages()
          const target = 'place' in step ? messages.at(step.place) : undefined
          if (target && store.has(messages.indexOf(target))) store.isOutdated = true
          if (step.kind === 'add') manager.addMessage(untyped(withParent(manager, step.message)))
          if (step.kind === 'task') manager.setTeamTask(step.task)
          if (step.kind === 'update' && target) manager.updateMessage(target.id, withParent(manager, step.changes))
          if (step.kind === 'remove' && target) manager.removeMessage(target.id)
          if (chances.next().value === 0) continue

          store.save(manager)
          const latest = store.entries.at(-1) ?? ''
          second.importSnapshot(JSON.parse(latest), { append: store.entries.length > 1 })
          const expected = stateOf(manager, asked)
          for (const other of [second, store.restored(options)]) expect(stateOf(other, asked)).toEqual(expected)
        }
        store.save(manager)
        appended += store.appended
        const ids = [manager, store.restored(options)].map((one) => one.addMessage(spoken('next')).id)
        expect(ids[1]).toBe(ids[0])
      }),
      runs(300),
    )
    expect(appended).toBeGreaterThan(500)
  })
})
