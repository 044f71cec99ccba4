import { Worker } from 'node:worker_threads'
import { ContextManager } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { told } from '../support/child.js'
import { contentsOf, managerWith, numbered, spoken } from '../support/conversation.js'

/** Other processes and threads take a while. The duration is not tested. */
const PATIENCE_MS = 120_000

/**
 * Runs a program in a separate process, with `ContextManager`, `fill` (adds messages to a
 * manager), and `watch(kind, object)`. Returns how many objects of each kind were watched, how many
 * of these are left after garbage collection, and how many managers native code still has.
 */
const leftBy = (program: string): Record<string, unknown> =>
  told(
    `
  const native = require('./binding.js')
  const { NativeManager } = native
  const natives = []
  native.NativeManager = function (options) {
    const made = new NativeManager(options)
    natives.push(new WeakRef(made))
    return made
  }
  const { ContextManager } = require('promptmason')
  const fill = (manager) => {
    for (let i = 0; i < 40; i++) watch('messages', manager.addMessage({ speaker: { id: 'm' + i % 3, name: 'M' }, content: i + ' text', own: {} }))
    return manager
  }
  const watched = {}
  const watch = (kind, object) => { (watched[kind] ??= []).push(new WeakRef(object)); return object }
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  const refused = (run) => { try { run() } catch { return true } return false };
  await (async () => { for (let round = 0; round < 60; round++) { ${program}; await turn() } })()
  for (let i = 0; i < 10; i++) { globalThis.gc(); await turn() }
  const left = (refs) => refs.filter((ref) => ref.deref() !== undefined).length
  tell({ ...Object.fromEntries(Object.entries(watched).map(([kind, refs]) => [kind, [refs.length, left(refs)]])), managers: left(natives) })
`,
    { args: ['--expose-gc'] },
  )

describe('unused objects are collected', { timeout: PATIENCE_MS }, () => {
  it('when managers are dropped whose hooks and logger refer to them', () => {
    expect(
      leftBy(`
      const manager = new ContextManager({
        onMessageAdded: () => manager.getLatestMessage(),
        onTeamTaskChanged: () => manager.getTeamTask(),
        logger: { warn: () => manager.getMessages() },
      })
      fill(manager).setTeamTask('x'.repeat(6000))
      manager.assembleForAgent('a', 'claude-code', { windowSizeOverride: 1000 }, { report: true })
    `),
    ).toEqual({ messages: [2400, 0], managers: 0 })
  })

  it('when messages refer to the manager', () => {
    expect(
      leftBy(`
      const manager = fill(new ContextManager())
      watch('messages', manager.addMessage({ speaker: { id: 'a' }, content: 'x', manager, back: () => manager }))
    `),
    ).toEqual({ messages: [2460, 0], managers: 0 })
  })

  it('when one manager is cleared again and again', () => {
    expect(leftBy('fill(globalThis.manager ??= new ContextManager()).clear()')).toEqual({
      messages: [2400, 0],
      managers: 1,
    })
  })

  it('when one manager imports its snapshot again and again', () => {
    // The messages of the last round are those of the manager.
    expect(
      leftBy(`
      const manager = globalThis.manager ??= fill(new ContextManager())
      manager.importSnapshot(JSON.parse(JSON.stringify(manager.exportSnapshot())))
      for (const message of manager.getMessages()) watch('imported', message)
    `),
    ).toEqual({ messages: [40, 0], imported: [2400, 40], managers: 1 })
  })

  it('when bad snapshots and bad messages are refused', () => {
    expect(
      leftBy(`
      const manager = globalThis.manager ??= fill(new ContextManager())
      const snapshot = manager.exportSnapshot()
      for (const message of snapshot.messages) watch('copies', message)
      const bad = watch('bad', { content: 'x', speaker: {} })
      if (!refused(() => manager.importSnapshot({ ...snapshot, messages: [...snapshot.messages, null] }))) watch('imported', {})
      if (!refused(() => manager.addMessage(bad))) watch('added', {})
    `),
    ).toEqual({ messages: [40, 40], copies: [2400, 0], bad: [60, 0], managers: 1 })
  })
})

describe('many managers', { timeout: PATIENCE_MS }, () => {
  it('do not see one another', () => {
    const managers = Array.from({ length: 200 }, (_, index) =>
      managerWith([spoken(`of ${index}`)], { contextWindowSize: index }),
    )
    for (const [index, manager] of managers.entries()) {
      manager.setTeamTask(`task ${index}`)
      for (const message of numbered(index % 7)) manager.addMessage(message)
    }
    for (const [index, manager] of managers.entries()) {
      expect(manager.getTeamTask()).toBe(`task ${index}`)
      expect(contentsOf(manager.getMessages())).toEqual([`of ${index}`, ...contentsOf(numbered(index % 7))])
      expect(manager.getContextForAgent('a', 'b').contextMessages).toHaveLength(Math.min(index, index % 7))
    }
  })

  it('may use one another in their hooks', () => {
    const second = new ContextManager({ onMessageAdded: ({ content }) => void first.setTeamTask(content) })
    const first: ContextManager = new ContextManager({ onMessageAdded: (message) => void second.addMessage(message) })
    first.addMessage(spoken('hello'))
    expect([first.getTeamTask(), second.getLatestMessage()?.content]).toEqual(['hello', 'hello'])
  })

  const inWorker = (program: string): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const prelude =
        "const { parentPort, threadId } = require('node:worker_threads'); const { ContextManager } = require('promptmason');"
      const worker = new Worker(prelude + program, { eval: true })
      worker.once('message', resolve)
      worker.once('error', reject)
      worker.once('exit', () => reject(new Error('the worker has not answered')))
    })

  it('live in worker threads, each with its own', async () => {
    const program = `
      const managers = Array.from({ length: 20 }, (_, index) => new ContextManager({ contextWindowSize: index }))
      for (let i = 0; i < 50; i++) {
        for (const [index, manager] of managers.entries()) {
          manager.addMessage({ speaker: { id: 'a', name: 'A' }, content: index + '-' + i + '-中文 [NEXT:x]' })
        }
      }
      parentPort.postMessage(managers.map((manager) => manager.assembleForAgent('a', 'claude-code')))
    `
    const expected = Array.from({ length: 20 }, (_, index) => {
      const messages = Array.from({ length: 50 }, (_none, i) =>
        spoken(`${index}-${i}-中文`, { speaker: { id: 'a', name: 'A' } }),
      )
      return managerWith(messages, { contextWindowSize: index }).assembleForAgent('a', 'claude-code')
    })
    const answers = await Promise.all(Array.from({ length: 6 }, () => inWorker(program)))
    for (const answer of answers) expect(answer).toEqual(expected)
  })

  it('end with their worker thread, also in the middle of adding', async () => {
    const program = `
      const manager = new ContextManager({ onMessageAdded: () => { if (manager.getMessages().length === 1000) parentPort.postMessage('filled') } })
      setInterval(() => { for (let i = 0; i < 100; i++) manager.addMessage({ speaker: { id: 'a' }, content: 'x'.repeat(1000) }) }, 0)
    `
    const prelude =
      "const { parentPort } = require('node:worker_threads'); const { ContextManager } = require('promptmason');"
    for (let round = 0; round < 5; round++) {
      const worker = new Worker(prelude + program, { eval: true })
      // oxlint-disable-next-line no-await-in-loop -- one after another
      await new Promise((resolve, reject) => {
        worker.once('message', resolve).once('error', reject)
      })
      // oxlint-disable-next-line no-await-in-loop -- one after another
      await worker.terminate()
    }
    expect(managerWith(numbered(2)).getMessages()).toHaveLength(2)
  })
})
