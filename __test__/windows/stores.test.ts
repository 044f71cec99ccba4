/** Stored conversations and the names that Windows has for files. `npm run test:windows` runs this under Wine. */
import { readdirSync } from 'node:fs'
import { fileStore } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { newDirectory } from '../support/processes.js'

/** Names that mean a device, another name, a stream or another directory, and some that differ in case alone. */
const IDS = [
  'con',
  'CON',
  'nul',
  'aux.txt',
  'com1',
  'COM1.x',
  'a',
  'A',
  'a.',
  'a ',
  'a:b',
  '..\\a',
  '../a',
  'C:\\a',
  '*?',
  '你好',
]

describe.skipIf(process.platform !== 'win32')('conversations on Windows', () => {
  it('have a file each, whatever they are called', async () => {
    const directory = newDirectory()
    const store = fileStore(directory)
    for (const id of IDS) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const { fence } = await store.acquire(id, 'anna', 60_000)
      // oxlint-disable-next-line no-await-in-loop
      await store.append(id, { version: 0, fence }, [id])
      // oxlint-disable-next-line no-await-in-loop
      await store.release(id, fence)
    }
    const found = await Promise.all(IDS.map((id) => fileStore(directory).load(id)))
    expect(found).toEqual(IDS.map((id) => ({ version: 1, entries: [id] })))
    expect(readdirSync(directory).filter((name) => name.endsWith('.jsonl'))).toHaveLength(IDS.length)
  })

  it('are found by every kind of path', async () => {
    const directory = newDirectory()
    const first = fileStore(directory)
    const { fence } = await first.acquire('a', 'anna', 60_000)
    await first.append('a', { version: 0, fence }, ['one'])
    for (const other of [directory.replaceAll('\\', '/'), directory.toUpperCase(), `\\\\?\\${directory}`]) {
      const store = fileStore(other)
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect(await store.load('a'), other).toEqual({ version: 1, entries: ['one'] })
      // oxlint-disable-next-line no-await-in-loop
      await expect(store.acquire('a', 'ben', 60_000), other).rejects.toMatchObject({ code: 'ERR_CONFLICT' })
    }
    await first.release('a', fence)
  })
})
