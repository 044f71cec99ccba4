/** Several processes and one directory. */
import { Worker } from 'node:worker_threads'
import { fileStore } from 'promptmason'
import { afterEach, describe, expect, it } from 'vitest'
import { root } from '../support/documents.js'
import { newDirectory } from '../support/processes.js'
import { StoreOwner } from '../support/store-owners.js'

const LONG_MS = 60_000

const owners: StoreOwner[] = []
const startOwner = (directory: string): StoreOwner => {
  const owner = new StoreOwner('file', directory)
  owners.push(owner)
  return owner
}
afterEach(() => Promise.all(owners.splice(0).map((owner) => owner.end())))

describe('processes that share a directory', () => {
  it('have one owner at a time, and release when it is killed', async () => {
    const directory = newDirectory()
    const [first, second] = [startOwner(directory), startOwner(directory)]
    const { fence } = await first.call('acquire', 'a', 'first', LONG_MS)
    await first.call('append', 'a', { version: 0, fence }, ['one'])
    expect(await second.call('acquire', 'a', 'second', LONG_MS)).toMatchObject({ code: 'ERR_CONFLICT' })
    expect(await second.call('append', 'a', { version: 1, fence }, ['x'])).toMatchObject({ code: 'ERR_CONFLICT' })
    expect(await second.call('load', 'a')).toEqual({ version: 1, entries: ['one'] })
    await first.end('SIGKILL')
    const next = await second.call('acquire', 'a', 'second', LONG_MS)
    expect(next.fence).toBeGreaterThan(fence)
    await second.call('append', 'a', { version: 1, fence: next.fence }, ['two'])
    expect(await fileStore(directory).load('a')).toEqual({ version: 2, entries: ['one', 'two'] })
  })

  it('compete for it: exactly one gets it each time', async () => {
    const directory = newDirectory()
    const rivals = Array.from({ length: 4 }, () => startOwner(directory))
    for (let round = 0; round < 25; round++) {
      // oxlint-disable-next-line no-await-in-loop -- one fight after another
      const results = await Promise.all(rivals.map((rival, index) => rival.call('acquire', 'a', `${index}`, LONG_MS)))
      const winners = results.flatMap((result, index) => ('fence' in result ? [index] : []))
      expect(winners).toHaveLength(1)
      expect(results.filter(({ code }) => code === 'ERR_CONFLICT')).toHaveLength(3)
      const [winner = 0] = winners
      // oxlint-disable-next-line no-await-in-loop
      await rivals[winner]?.call('release', 'a', results[winner].fence)
    }
  })

  it.skipIf(process.platform === 'win32')('wait for a paused owner, which still has its lock', async () => {
    const directory = newDirectory()
    const [first, second] = [startOwner(directory), startOwner(directory)]
    const { fence } = await first.call('acquire', 'a', 'first', 1)
    first.child.kill('SIGSTOP')
    expect(await second.call('acquire', 'a', 'second', LONG_MS)).toMatchObject({ code: 'ERR_CONFLICT' })
    first.child.kill('SIGCONT')
    expect(await first.call('append', 'a', { version: 0, fence }, ['one'])).toBe(1)
  })

  it('do not pass their lock to programs that they start', async () => {
    const directory = newDirectory()
    const [first, second] = [startOwner(directory), startOwner(directory)]
    await first.call('acquire', 'a', 'first', LONG_MS)
    const sleeper = await first.call('sleeper')
    try {
      await first.end('SIGKILL')
      expect(await second.call('acquire', 'a', 'second', LONG_MS)).toEqual({ fence: 2 })
    } finally {
      process.kill(sleeper)
    }
  })

  it('release when a worker that owned it is terminated', async () => {
    const directory = newDirectory()
    const program = `
      const { fileStore } = require(${JSON.stringify(root)})
      const store = fileStore(${JSON.stringify(directory)})
      store.acquire('a', 'worker', 1000).then(() => require('node:worker_threads').parentPort.postMessage('owned'))
      setInterval(() => store, 1000)`
    const worker = new Worker(program, { eval: true })
    await new Promise((resolve) => worker.once('message', resolve))
    const store = fileStore(directory)
    await expect(store.acquire('a', 'main', LONG_MS)).rejects.toMatchObject({ code: 'ERR_CONFLICT' })
    await worker.terminate()
    const { fence } = await store.acquire('a', 'main', LONG_MS)
    await store.release('a', fence)
  })
})
