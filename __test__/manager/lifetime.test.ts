import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { ContextManager } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { contentsOf, managerWith, numbered, spoken } from '../support/conversation.js'
import { isBun, isSanitized } from '../support/runtime.js'

const root = join(import.meta.dirname, '..', '..')
/** Other processes and threads take their time; how long is not what is tested. */
const PATIENCE_MS = 120_000
const MIB = 1024 * 1024

/**
 * Runs a program in a process of its own, with `ContextManager`, `fill` (about 4 MiB into a
 * manager) and `memory` (after garbage collection, in bytes); answers what it gives to `tell`.
 */
const run = <T>(program: string): T => {
  const prelude = `
    const { ContextManager } = require('promptmason')
    const tell = (value) => process.stdout.write(JSON.stringify(value))
    const text = 'some text of a message '.repeat(45)
    const fill = (manager) => {
      for (let i = 0; i < 4000; i++) manager.addMessage({ speaker: { id: 'm' + i % 3, name: 'M' }, content: i + text })
      return manager
    }
    const turn = () => new Promise((resolve) => setImmediate(resolve))
    const memory = async () => {
      for (let i = 0; i < 5; i++) { globalThis.gc(); await turn() }
      const { rss, external, heapUsed } = process.memoryUsage()
      return { rss, external, heapUsed }
    }
  `
  // Node 24 gives young objects more and more room, also when nothing is kept.
  const args = ['--expose-gc', ...(isBun ? [] : ['--max-semi-space-size=8'])]
  const { status, stdout, stderr } = spawnSync(process.execPath, [...args, '-e', `${prelude};(async () => {${program}})()`], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, DEBUG: undefined },
  })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return JSON.parse(stdout)
}

type Memory = { rss: number; external: number; heapUsed: number }

/** 60 rounds of 4 MiB: kept, they would be 240 MiB. */
const rounds = (body: string): string => `
  const round = () => { ${body} }
  for (let i = 0; i < 10; i++) { round(); await turn() }
  const before = await memory()
  for (let i = 0; i < 60; i++) { round(); await turn() }
  tell([before, await memory()])
`

const expectNoGrowth = ([before, after]: [Memory, Memory]): void => {
  if (!isSanitized) expect(after.rss - before.rss).toBeLessThan(80 * MIB)
  expect(after.external - before.external).toBeLessThan(20 * MIB)
  expect(after.heapUsed - before.heapUsed).toBeLessThan(20 * MIB)
}

describe('memory returns', { timeout: PATIENCE_MS }, () => {
  it.skipIf(isSanitized)('without being asked for: the engine knows what a manager weighs that JavaScript holds little of', () => {
    const highest = run<number>(`
      const large = 'x'.repeat(2 ** 20)
      let highest = 0
      for (let i = 0; i < 200; i++) {
        const manager = new ContextManager({ onMessageAdded: () => manager })
        for (let j = 0; j < 8; j++) manager.addMessage({ speaker: { id: 'a' }, content: large })
        await turn()
        highest = Math.max(highest, process.memoryUsage().rss)
      }
      tell(highest)
    `)
    // All of them together would be 1600 MiB.
    expect(highest).toBeLessThan(800 * MIB)
  })

  it('when managers are dropped whose hooks and logger refer to them', () => {
    expectNoGrowth(run(rounds(`
      const manager = new ContextManager({
        onMessageAdded: () => manager.getLatestMessage(),
        onTeamTaskChanged: () => manager.getTeamTask(),
        logger: { warn: () => manager.getMessages() },
      })
      fill(manager).setTeamTask('x'.repeat(6000))
      manager.assembleForAgent('a', 'claude-code', { windowSizeOverride: 1000 }, { report: true })
    `)))
  })

  it('when messages refer to the manager', () => {
    expectNoGrowth(run(rounds(`
      const manager = fill(new ContextManager())
      manager.addMessage({ speaker: { id: 'a' }, content: 'x', manager, back: () => manager })
    `)))
  })

  it('when one manager is cleared again and again', () => {
    expectNoGrowth(run(`const manager = new ContextManager();${rounds('fill(manager).clear()')}`))
  })

  it('when one manager imports its snapshot again and again', () => {
    expectNoGrowth(run(`const manager = fill(new ContextManager());${rounds('manager.importSnapshot(JSON.parse(JSON.stringify(manager.exportSnapshot())))')}`))
  })

  it('when bad snapshots and bad messages are refused', () => {
    expectNoGrowth(run(`
      const manager = fill(new ContextManager())
      const snapshot = manager.exportSnapshot()
      ${rounds(`
        try { manager.importSnapshot({ ...snapshot, messages: [...snapshot.messages, null] }) } catch {}
        try { manager.addMessage({ content: text.repeat(4000), speaker: {} }) } catch {}
      `)}
    `))
  })

  it('when prompts are assembled in every form', () => {
    expectNoGrowth(run(`
      const manager = fill(new ContextManager({ contextWindowSize: 4000, maxBytes: 2 ** 24 }))
      const buffer = Buffer.alloc(2 ** 23)
      ${rounds(`
        manager.assembleForAgent('a', 'codex')
        manager.assembleForAgent('a', 'gemini', undefined, { as: 'buffer' })
        manager.assembleForAgent('a', 'codex', null, { into: buffer })
        manager.assembleForAgent('a', 'claude', undefined, { report: true })
      `)}
    `))
  })
})

describe('many managers', { timeout: PATIENCE_MS }, () => {
  it('do not see one another', () => {
    const managers = Array.from({ length: 200 }, (_, index) => managerWith([spoken(`of ${index}`)], { contextWindowSize: index }))
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
      const prelude = "const { parentPort, threadId } = require('node:worker_threads'); const { ContextManager } = require('promptmason');"
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
      const messages = Array.from({ length: 50 }, (_none, i) => spoken(`${index}-${i}-中文`, { speaker: { id: 'a', name: 'A' } }))
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
    const prelude = "const { parentPort } = require('node:worker_threads'); const { ContextManager } = require('promptmason');"
    for (let round = 0; round < 5; round++) {
      const worker = new Worker(prelude + program, { eval: true })
      // oxlint-disable-next-line no-await-in-loop -- one after another
      await new Promise((resolve, reject) => { worker.once('message', resolve).once('error', reject) })
      // oxlint-disable-next-line no-await-in-loop -- one after another
      await worker.terminate()
    }
    expect(managerWith(numbered(2)).getMessages()).toHaveLength(2)
  })
})
