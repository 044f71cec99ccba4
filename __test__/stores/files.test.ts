/* oxlint-disable no-await-in-loop -- one step after another */
import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileStore, isPromptmasonError } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { fileNameOf } from '../../dist/conversation/stores/file-names.js'
import { newDirectory } from '../support/processes.js'

const LONG_MS = 60_000

/** A store with a conversation that has some entries, and that nobody has open. */
const written = async (entries: readonly string[] = ['one', 'two']) => {
  const directory = newDirectory()
  const store = fileStore(directory)
  const { fence } = await store.acquire('a', 'anna', LONG_MS)
  let version = 0
  for (const entry of entries) version = await store.append('a', { version, fence }, [entry])
  await store.release('a', fence)
  return { directory, file: join(directory, 'a.jsonl'), version }
}

/** The entries that the next owner finds, and what it can still append. */
const reopened = async (directory: string) => {
  const store = fileStore(directory)
  const { fence } = await store.acquire('a', 'ben', LONG_MS)
  const found = await store.load('a')
  await store.append('a', { version: found?.version ?? 0, fence }, ['next'])
  await store.release('a', fence)
  const after = await fileStore(directory).load('a')
  expect(after?.entries).toEqual([...(found?.entries ?? []), 'next'])
  return found
}

describe('the name of a file', () => {
  it.each([
    ['design', 'design'],
    ['0190c3a4-77b2-7f4e_x', '0190c3a4-77b2-7f4e_x'],
    ['Design', '%44esign'],
    ['../../etc/passwd', '%2E%2E%2F%2E%2E%2Fetc%2Fpasswd'],
    ['.', '%2E'],
    ['nul', '%6Eul'],
    ['com1', '%63om1'],
    ['com10', 'com10'],
    ['nul.txt', 'nul%2Etxt'],
    ['a b:c*', 'a%20b%3Ac%2A'],
    ['é', '%C3%A9'],
  ])('of %j is %j', (id, name) => {
    expect(fileNameOf(id)).toBe(name)
    expect(decodeURIComponent(name)).toBe(id)
  })

  it('has a hash where it would be too long', () => {
    const names = ['x'.repeat(201), '会'.repeat(100), '会'.repeat(101)].map(fileNameOf)
    expect(new Set(names).size).toBe(3)
    for (const name of names) expect(name).toMatch(/^[a-z0-9%A-F]{100}~[0-9a-f]{64}$/)
  })
})

describe('a file', () => {
  it('has a JSON line for each append', async () => {
    const { file } = await written()
    expect(readFileSync(file, 'utf8').split('\n')).toEqual([
      '{"version":1,"entries":["one"],"sum":"494c0791"}',
      '{"version":2,"entries":["two"],"sum":"1698dba5"}',
      '',
    ])
  })

  it.skipIf(process.platform === 'win32')('is readable only by its owner, and so is its directory', async () => {
    const directory = join(newDirectory(), 'deep', 'er')
    const store = fileStore(directory)
    const { fence } = await store.acquire('a', 'anna', LONG_MS)
    const version = await store.append('a', { version: 0, fence }, ['one'])
    const modes = () => readdirSync(directory).map((name) => [name, statSync(join(directory, name)).mode & 0o777])
    const expected = [
      ['a.jsonl', 0o600],
      ['a.lock', 0o600],
    ]
    expect(modes()).toEqual(expected)
    await store.compact('a', { version, fence }, ['one'])
    expect(modes()).toEqual(expected)
    for (const made of [directory, join(directory, '..')]) expect(statSync(made).mode & 0o777).toBe(0o700)
    await store.release('a', fence)
  })

  it('is created by the first append', async () => {
    const directory = newDirectory()
    const store = fileStore(directory)
    expect(await store.load('a')).toBeNull()
    const { fence } = await store.acquire('a', 'anna', LONG_MS)
    expect(await store.load('a')).toBeNull()
    expect(readdirSync(directory)).toEqual(['a.lock'])
    await store.append('a', { version: 0, fence }, ['one'])
    expect(readdirSync(directory)).toEqual(['a.jsonl', 'a.lock'])
    await store.release('a', fence)
  })

  it('is read as an editor leaves it: with a BOM, CRLF, blank lines, without the last line feed', async () => {
    const { directory, file } = await written()
    writeFileSync(file, '\u{feff}{"version":1,"entries":["one"]}\r\n\r\n{"version":2,"entries":["two"],"more":1}')
    expect(await reopened(directory)).toEqual({ version: 2, entries: ['one', 'two'] })
  })
})

describe('a torn last line', () => {
  it('is removed, wherever it was torn', async () => {
    const { directory, file } = await written(['one', 'zwei 😀 \\ "x"'])
    const whole = readFileSync(file)
    const first = whole.indexOf('\n') + 1
    for (let length = first; length < whole.length; length++) {
      writeFileSync(file, whole.subarray(0, length))
      // All of it is there but the line feed: it is complete.
      const expected = length === whole.length - 1 ? ['one', 'zwei 😀 \\ "x"'] : ['one']
      expect((await fileStore(directory).load('a'))?.entries).toEqual(expected)
      expect((await reopened(directory))?.entries).toEqual(expected)
    }
  })

  it('is removed if the system has left zeros in its place', async () => {
    const { directory, file } = await written()
    const size = statSync(file).size
    for (const tail of ['\0'.repeat(50), `${'\0'.repeat(50)}\n`, `{"vers\0\0\0\0":["x"]}\n`]) {
      truncateSync(file, size)
      appendFileSync(file, tail)
      expect((await fileStore(directory).load('a'))?.entries).toEqual(['one', 'two'])
      const store = fileStore(directory)
      const { fence } = await store.acquire('a', 'ben', LONG_MS)
      await store.load('a')
      expect(statSync(file).size).toBe(size)
      await store.release('a', fence)
    }
  })

  it('is kept if the file is only read', async () => {
    const { directory, file } = await written()
    appendFileSync(file, '{"version":3,"ent')
    const size = statSync(file).size
    expect((await fileStore(directory).load('a'))?.version).toBe(2)
    expect(statSync(file).size).toBe(size)
  })
})

describe('a damaged line', () => {
  it.each([
    ['that is no JSON', 'oops\n{"version":2,"entries":[]}\n', 1],
    ['that is the last one, and whole', '{"version":1,"entries":[]}\noops\n', 2],
    ['without entries', '{"version":1}\n', 1],
    ['with a lower version', '{"version":2,"entries":[]}\n{"version":1,"entries":[]}\n', 2],
    ['with zeros, in the middle', '{"version":1,"entries":[]}\n\0\0\0\n{"version":2,"entries":[]}\n', 2],
    ['that is no UTF-8', Buffer.from([...Buffer.from('{"version":1,"entries":["'), 0xff, ...Buffer.from('"]}\n')]), 1],
  ])('%s causes an error that names it', async (_, content, line) => {
    const { directory, file } = await written()
    writeFileSync(file, content)
    const error = await fileStore(directory)
      .load('a')
      .catch((thrown: unknown) => thrown)
    if (!isPromptmasonError(error, 'ERR_UNREADABLE_FILE')) throw error
    expect([error.file, error.line]).toEqual([file, line])
    expect(error.message).toContain(`${file}:${line}: this line is damaged`)
    expect(readFileSync(file)).toEqual(Buffer.from(content))
    // The next owner can open it when it is repaired.
    const store = fileStore(directory)
    const { fence } = await store.acquire('a', 'ben', LONG_MS)
    await expect(store.load('a')).rejects.toMatchObject({ code: 'ERR_UNREADABLE_FILE' })
    await expect(store.append('a', { version: 0, fence }, [])).rejects.toMatchObject({ code: 'ERR_UNREADABLE_FILE' })
    writeFileSync(file, '{"version":1,"entries":["one"]}\n')
    expect(await store.load('a')).toEqual({ version: 1, entries: ['one'] })
    await store.release('a', fence)
  })
})

describe('a bit that has flipped', () => {
  it('anywhere in a line is noticed, or changes nothing', async () => {
    const { directory, file } = await written(['one', 'zwei'])
    const whole = readFileSync(file)
    let noticed = 0
    for (let at = 0; at < whole.indexOf('\n'); at++) {
      for (let bit = 0; bit < 8; bit++) {
        const flipped = Buffer.from(whole)
        flipped[at] = (flipped[at] ?? 0) ^ (1 << bit)
        writeFileSync(file, flipped)
        const read = await fileStore(directory)
          .load('a')
          .catch((thrown: unknown) => thrown)
        if (isPromptmasonError(read, 'ERR_UNREADABLE_FILE')) noticed += 1
        else expect(read).toEqual({ version: 2, entries: ['one', 'zwei'] })
      }
    }
    expect(noticed).toBeGreaterThan(300)
  })

  it('is named with what to do; an edited line is read without its checksum', async () => {
    const { directory, file } = await written()
    const edited = readFileSync(file, 'utf8').replace('"two"', '"zwei"')
    writeFileSync(file, edited)
    await expect(fileStore(directory).load('a')).rejects.toThrow(
      `${file}:2: this line is damaged (Error: its text is not that of its checksum; if you have edited it, remove "sum" from it)`,
    )
    writeFileSync(file, edited.replace(/,"sum":"\w+"\}\n$/, '}\n'))
    expect((await reopened(directory))?.entries).toEqual(['one', 'zwei'])
  })
})

describe.skipIf(process.platform === 'win32')('something that somebody else has put in the place of a file', () => {
  const refused = { code: 'ERR_UNREADABLE_FILE' }

  it.each(['jsonl', 'lock'])('of %s is neither followed nor waited for', async (ending) => {
    const directory = newDirectory()
    const [file, precious] = [join(directory, `a.${ending}`), join(directory, 'precious')]
    writeFileSync(precious, '{"version":1,"entries":["precious"]}\n')
    const before = readFileSync(precious)
    for (const plant of [
      () => symlinkSync(precious, file),
      () => symlinkSync(join(directory, 'missing'), file),
      () => execFileSync('mkfifo', [file]),
      () => mkdirSync(file),
    ]) {
      plant()
      const store = fileStore(directory)
      const open = async () => {
        const { fence } = await store.acquire('a', 'anna', LONG_MS)
        try {
          const version = (await store.load('a'))?.version ?? 0
          await store.append('a', { version, fence }, ['one'])
        } finally {
          await store.release('a', fence)
        }
      }
      const error = await open().catch((thrown: unknown) => thrown)
      if (!statSync(file, { throwIfNoEntry: false })?.isDirectory()) expect(error).toMatchObject(refused)
      else expect(error).toBeInstanceOf(Error)
      if (ending === 'jsonl') await expect(store.load('a')).rejects.toMatchObject(refused)
      rmSync(file, { recursive: true })
    }
    expect(readFileSync(precious)).toEqual(before)
    expect(existsSync(join(directory, 'missing'))).toBe(false)
  })

  it('that is compacted into is replaced, and what a link leads to stays', async () => {
    const { directory, file, version } = await written()
    const precious = join(directory, 'precious')
    writeFileSync(precious, 'precious')
    symlinkSync(precious, `${file}.new`)
    const store = fileStore(directory)
    const { fence } = await store.acquire('a', 'ben', LONG_MS)
    await store.compact('a', { version, fence }, ['all'])
    await store.release('a', fence)
    expect(readFileSync(precious, 'utf8')).toBe('precious')
    expect((await reopened(directory))?.entries).toEqual(['all'])
  })
})

describe('a file that another program changes while it is open', () => {
  const open = async () => {
    const { directory, file, version } = await written()
    const store = fileStore(directory)
    const { fence } = await store.acquire('a', 'ben', LONG_MS)
    await store.load('a')
    return { directory, file, store, append: () => store.append('a', { version, fence }, ['three']), fence }
  }

  it.each<[string, (file: string) => void]>([
    ['appends to it', (file) => appendFileSync(file, '{"version":3,"entries":["x"]}\n')],
    ['shortens it', (file) => truncateSync(file, 5)],
    ['removes it', (file) => rmSync(file)],
    [
      'replaces it',
      (file) => {
        const content = readFileSync(file)
        rmSync(file)
        writeFileSync(file, content)
      },
    ],
  ])('and that %s is a conflict, and nothing is written', async (_, change) => {
    const { file, store, append, fence } = await open()
    change(file)
    const before = existsSync(file) && readFileSync(file)
    await expect(append()).rejects.toMatchObject({ code: 'ERR_CONFLICT' })
    expect(existsSync(file) && readFileSync(file)).toEqual(before)
    await store.release('a', fence)
  })

  it('causes a conflict if it is created before the first append', async () => {
    const directory = newDirectory()
    const store = fileStore(directory)
    const { fence } = await store.acquire('a', 'anna', LONG_MS)
    expect(await store.load('a')).toBeNull()
    writeFileSync(join(directory, 'a.jsonl'), '{"version":1,"entries":["x"]}\n')
    await expect(store.append('a', { version: 0, fence }, ['one'])).rejects.toMatchObject({ code: 'ERR_CONFLICT' })
    await store.release('a', fence)
  })
})

describe('compact', () => {
  it('replaces the file atomically, and continues in the new one', async () => {
    const { directory, file, version } = await written(Array.from({ length: 50 }, (_, index) => `${index}`))
    const store = fileStore(directory)
    const { fence } = await store.acquire('a', 'ben', LONG_MS)
    const next = await store.compact('a', { version, fence }, ['all', 'of it'])
    await store.append('a', { version: next, fence }, ['more'])
    expect(readFileSync(file, 'utf8').split('\n')).toEqual([
      '{"version":51,"entries":["all"],"sum":"47c48dd7"}',
      '{"version":51,"entries":["of it"],"sum":"520f2d79"}',
      '{"version":52,"entries":["more"],"sum":"a4b49115"}',
      '',
    ])
    await store.release('a', fence)
    expect((await reopened(directory))?.entries).toEqual(['all', 'of it', 'more'])
  })

  it('can leave a conversation without entries', async () => {
    const { directory, version } = await written()
    const store = fileStore(directory)
    const { fence } = await store.acquire('a', 'ben', LONG_MS)
    await store.compact('a', { version, fence }, [])
    await store.release('a', fence)
    expect(await reopened(directory)).toEqual({ version: version + 1, entries: [] })
  })

  it('changes nothing if it fails', async () => {
    const { directory, file, version } = await written()
    const store = fileStore(directory)
    const { fence } = await store.acquire('a', 'ben', LONG_MS)
    const before = readFileSync(file, 'utf8')
    mkdirSync(`${file}.new`)
    await expect(store.compact('a', { version, fence }, ['x'])).rejects.toMatchObject({ code: 'EISDIR' })
    expect(readFileSync(file, 'utf8')).toBe(before)
    rmSync(`${file}.new`, { recursive: true })
    await store.append('a', { version, fence }, ['three'])
    await store.release('a', fence)
    expect((await reopened(directory))?.entries).toEqual(['one', 'two', 'three'])
  })

  it('ignores the file of an interrupted compaction', async () => {
    const { directory, file } = await written()
    writeFileSync(`${file}.new`, '{"version":9,"entr')
    expect((await reopened(directory))?.entries).toEqual(['one', 'two'])
  })
})

/** A root user can write everywhere, and only it can mount. */
const isRoot = process.getuid?.() === 0

/** A small disk, if we may make one. */
const mountSmall = (): string | undefined => {
  const directory = newDirectory()
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', directory], { stdio: 'ignore' })
    return directory
  } catch {
    return undefined
  }
}
const canMount = (): boolean => {
  const directory = process.platform === 'linux' && isRoot ? mountSmall() : undefined
  if (directory !== undefined) execFileSync('umount', [directory])
  return directory !== undefined
}
const hasMounts = canMount()

describe.skipIf(!hasMounts)('a full disk', () => {
  it('causes an error, stores nothing partially, and recovers when there is room again', async () => {
    const directory = mountSmall() ?? ''
    try {
      const store = fileStore(directory)
      const { fence } = await store.acquire('a', 'anna', LONG_MS)
      let version = await store.append('a', { version: 0, fence }, ['one'])
      const ballast = join(directory, 'ballast')
      const before = readFileSync(join(directory, 'a.jsonl'))
      for (const bytes of [30_000, 48_000, 200_000]) {
        writeFileSync(ballast, Buffer.alloc(30_000))
        const long = 'x'.repeat(bytes)
        await expect(store.append('a', { version, fence }, [long])).rejects.toMatchObject({ code: 'ENOSPC' })
        await expect(store.compact('a', { version, fence }, [long])).rejects.toMatchObject({ code: 'ENOSPC' })
        expect(readFileSync(join(directory, 'a.jsonl'))).toEqual(before)
        expect(readdirSync(directory).toSorted()).toEqual(['a.jsonl', 'a.lock', 'ballast'])
      }
      rmSync(ballast)
      version = await store.append('a', { version, fence }, ['y'.repeat(20_000)])
      await store.append('a', { version, fence }, ['three'])
      await store.release('a', fence)
      expect((await fileStore(directory).load('a'))?.entries).toEqual(['one', 'y'.repeat(20_000), 'three'])
      writeFileSync(ballast, '')
      try {
        for (;;) appendFileSync(ballast, Buffer.alloc(4096))
      } catch {
        // Now it is full to the last block.
      }
      // A conversation can still be read and opened, and a new one is an error.
      expect((await fileStore(directory).load('a'))?.entries).toHaveLength(3)
      const again = await store.acquire('a', 'anna', LONG_MS)
      await store.release('a', again.fence)
      const fresh = await store.acquire('b', 'anna', LONG_MS).catch((error: unknown) => error)
      expect(fresh).toMatchObject({ code: 'ENOSPC', file: join(directory, 'b.lock') })
      expect(isPromptmasonError(fresh)).toBe(false)
    } finally {
      execFileSync('umount', [directory])
    }
  })
})

describe.skipIf(isRoot || process.platform === 'win32')('a read-only directory', () => {
  it('can be read, but not opened for writing until it is writable again', async () => {
    const { directory } = await written()
    rmSync(join(directory, 'a.lock'))
    chmodSync(directory, 0o500)
    const store = fileStore(directory)
    expect((await store.load('a'))?.entries).toEqual(['one', 'two'])
    await expect(store.acquire('a', 'ben', LONG_MS)).rejects.toMatchObject({ code: 'ERR_UNREADABLE_FILE' })
    chmodSync(directory, 0o700)
    expect((await reopened(directory))?.entries).toEqual(['one', 'two'])
  })
})

describe.skipIf(!hasMounts)('a disk that becomes read-only', () => {
  it('causes an error, and recovers when it is writable again', async () => {
    const directory = mountSmall() ?? ''
    try {
      const store = fileStore(directory)
      const { fence } = await store.acquire('a', 'anna', LONG_MS)
      const version = await store.append('a', { version: 0, fence }, ['one'])
      await store.release('a', fence)
      execFileSync('mount', ['-o', 'remount,ro', directory])
      expect((await store.load('a'))?.entries).toEqual(['one'])
      await expect(store.acquire('a', 'anna', LONG_MS)).rejects.toMatchObject({ code: 'ERR_UNREADABLE_FILE' })
      execFileSync('mount', ['-o', 'remount,rw', directory])
      const again = await store.acquire('a', 'anna', LONG_MS)
      await store.append('a', { version, fence: again.fence }, ['two'])
      await store.release('a', again.fence)
      expect((await store.load('a'))?.entries).toEqual(['one', 'two'])
    } finally {
      execFileSync('umount', [directory])
    }
  })
})
