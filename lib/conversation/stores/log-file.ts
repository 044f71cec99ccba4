/**
 * The log of one conversation: a file of JSON lines, `{"version":3,"entries":[…],"sum":"89abcdef"}`, one
 * for each append. Versions never decrease. The sum is that of the text before it.
 *
 * 1. A line is on the disk before `append` resolves. Only the last line can be torn: by a crash, or by
 *    a power cut, which can leave zeros. It was never confirmed, and is removed.
 * 2. Any other line that cannot be read was damaged by somebody else. That is an error, because skipping
 *    it would lose messages.
 * 3. A failed append is undone. If that also fails, the next append undoes it first.
 */
import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, lstat, open, rename, rm, unlink } from 'node:fs/promises'
import path = require('node:path')
import { makeError } from '../../errors.js'
import { conflict, type StoredConversation } from './contract.js'
import { propertyOf } from '../../thrown.js'

const OWNER_ONLY = 0o600
const CHUNK_BYTES = 1 << 20
const LINE_FEED = 0x0a
const SUM = /,"sum":"([\da-f]{8})"\}\s*$/
// Windows has neither.
const { O_RDONLY, O_RDWR, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants

type Content = StoredConversation & { size: number; isEnded: boolean; isTorn: boolean }
type Line = { bytes: Buffer; end: number; isEnded: boolean }

/** Undefined if there is no such file. */
const ifThere = <T>(file: Promise<T>) =>
  file.catch((error: unknown) => (propertyOf(error, 'code') === 'ENOENT' ? undefined : Promise.reject(error)))

/** Opens a file of this store. Somebody else may have put a link or a pipe in its place. */
const openFile = async (file: string, access: number) => {
  const handle = await open(file, access | O_NOFOLLOW | O_NONBLOCK).catch((error: unknown) => {
    // A link, or a socket.
    if (['ELOOP', 'EMLINK', 'ENXIO'].some((code) => propertyOf(error, 'code') === code)) throw notRegular(file)
    throw error
  })
  if ((await handle.stat()).isFile()) return handle
  await handle.close()
  throw notRegular(file)
}

const notRegular = (file: string) =>
  makeError('Error', `${file} is a link or something else that is not a regular file: remove it`, {
    code: 'ERR_UNREADABLE_FILE',
    file,
  })

/** The lines of a file. The longest line determines how much memory this takes. */
async function* linesOf(handle: FileHandle): AsyncGenerator<Line> {
  let begun: Buffer[] = []
  let end = 0
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- one piece after another
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, null)
    if (bytesRead === 0) break
    let rest = buffer.subarray(0, bytesRead)
    for (let at = rest.indexOf(LINE_FEED); at !== -1; at = rest.indexOf(LINE_FEED)) {
      const bytes = Buffer.concat([...begun, rest.subarray(0, at)])
      end += bytes.length + 1
      yield { bytes, end, isEnded: true }
      begun = []
      rest = rest.subarray(at + 1)
    }
    if (rest.length > 0) begun.push(rest)
  }
  const bytes = Buffer.concat(begun)
  if (bytes.length > 0) yield { bytes, end: end + bytes.length, isEnded: false }
}

const damaged = (file: string, line: number, problem: string) =>
  makeError('Error', `${file}:${line}: ${problem}; restore the file, or remove the line to continue without it`, {
    code: 'ERR_UNREADABLE_FILE',
    file,
    line,
  })

/** The content of a line. Undefined if it is blank; throws if it is not a line of a log. */
const parseLine = (bytes: Buffer, lastVersion: number): StoredConversation | undefined => {
  const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  if (text.trim() === '') return undefined
  const sum = SUM.exec(text)
  if (sum !== null && sum[1] !== sumOf(text.slice(0, sum.index))) {
    throw new Error('its text is not that of its checksum; if you have edited it, remove "sum" from it')
  }
  const { version, entries } = JSON.parse(text) as StoredConversation
  if (!Number.isSafeInteger(version) || version < lastVersion || !Array.isArray(entries)) {
    throw new Error(`it has no version after ${lastVersion}, or no entries`)
  }
  return { version, entries }
}

const readContent = async (file: string, handle: FileHandle): Promise<Content> => {
  const content: Content = { version: 0, entries: [], size: 0, isEnded: true, isTorn: false }
  let torn: unknown
  let number = 0
  for await (const { bytes, end, isEnded } of linesOf(handle)) {
    if (torn !== undefined) throw damaged(file, number, `this line is damaged (${torn})`)
    number += 1
    try {
      const line = parseLine(bytes, content.version)
      if (line !== undefined) {
        content.version = line.version
        for (const entry of line.entries) content.entries.push(entry)
      }
    } catch (error) {
      // JSON never contains a raw zero byte: the system had allocated the line but not written it.
      if (isEnded && !bytes.includes(0)) throw damaged(file, number, `this line is damaged (${error})`)
      torn = error
      continue
    }
    content.size = end
    content.isEnded = isEnded
  }
  content.isTorn = torn !== undefined
  return content
}

/** Makes sure that the name of a new file is on the disk, too. Windows cannot do this and does not need it. */
export const syncDirectory = async (directory: string) => {
  if (process.platform === 'win32') return
  const handle = await open(directory, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

const writeAll = async (handle: FileHandle, bytes: Buffer, position: number) => {
  for (let written = 0; written < bytes.length; ) {
    // oxlint-disable-next-line no-await-in-loop -- one piece after another
    const { bytesWritten } = await handle.write(bytes, written, bytes.length - written, position + written)
    written += bytesWritten
  }
}

/** Finds damage: nobody has to be kept from changing it on purpose. */
const sumOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 8)

/** @param entries As JSON. */
const lineOf = (version: number, entries: readonly string[]) => {
  const text = `{"version":${version},"entries":[${entries.join(',')}]`
  return `${text},"sum":"${sumOf(text)}"}\n`
}

/** The log of a conversation that this process has locked. */
export class LogFile {
  #id
  #file
  #handle: FileHandle | undefined
  /** Where the next line begins. */
  #size = 0
  /** Whether the last line has its line feed. */
  #isEnded = true
  /** Whether something follows after `#size` that was never confirmed. */
  #isTorn = false
  version = 0

  constructor(id: string, file: string) {
    this.#id = id
    this.#file = file
  }

  /** Reads a log that another process may be writing. Null if there is none. */
  static async read(file: string) {
    const handle = await ifThere(openFile(file, O_RDONLY))
    if (handle === undefined) return null
    try {
      const { version, entries } = await readContent(file, handle)
      return version === 0 ? null : { version, entries }
    } finally {
      await handle.close()
    }
  }

  /** Reads it, and removes a torn line. Null if there is none. */
  async load() {
    await this.close()
    const handle = await ifThere(openFile(this.#file, O_RDWR))
    this.version = 0
    this.#size = 0
    if (handle === undefined) return null
    try {
      const { version, entries, size, isEnded, isTorn } = await readContent(this.#file, handle)
      this.#adopt(handle, version, size)
      this.#isEnded = isEnded
      this.#isTorn = isTorn
      if (isTorn) await this.#mend(handle)
      return version === 0 ? null : { version, entries }
    } catch (error) {
      this.#handle = undefined
      await handle.close()
      throw error
    }
  }

  /** @param entries As JSON. */
  async append(entries: readonly string[]) {
    const handle = this.#handle ?? (await this.#create())
    if (this.#isTorn) await this.#mend(handle)
    await this.#checkUnchanged(handle)
    const version = this.version + 1
    const bytes = Buffer.from(`${this.#isEnded ? '' : '\n'}${lineOf(version, entries)}`)
    this.#isTorn = true
    try {
      await writeAll(handle, bytes, this.#size)
      await handle.datasync()
    } catch (error) {
      await this.#mend(handle).catch(() => {})
      throw error
    }
    this.#isTorn = false
    this.#isEnded = true
    this.#size += bytes.length
    this.version = version
    return version
  }

  /**
   * Replaces everything. The old file stays until the new one is complete.
   * @param entries As JSON.
   */
  async compact(entries: readonly string[]) {
    const version = this.version + 1
    const temporary = `${this.#file}.new`
    const bytes = Buffer.from(entries.map((entry) => lineOf(version, [entry])).join('') || lineOf(version, []))
    if (this.#handle !== undefined) await this.#checkUnchanged(this.#handle)
    try {
      // What an interrupted compaction has left, or somebody's link.
      await ifThere(unlink(temporary))
      const handle = await open(temporary, 'wx', OWNER_ONLY)
      try {
        await writeAll(handle, bytes, 0)
        await handle.sync()
      } finally {
        await handle.close()
      }
      // Windows cannot replace an open file.
      await this.close()
      await rename(temporary, this.#file)
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => {})
      if (this.#handle === undefined) await this.load()
      throw error
    }
    this.#adopt(await openFile(this.#file, O_RDWR), version, bytes.length)
    await syncDirectory(path.dirname(this.#file))
    return version
  }

  async close() {
    const handle = this.#handle
    this.#handle = undefined
    await handle?.close()
  }

  async #create() {
    const handle = await open(this.#file, 'ax+', OWNER_ONLY).catch((error) =>
      Promise.reject(error?.code === 'EEXIST' ? this.#changed() : error),
    )
    try {
      await handle.close()
      await syncDirectory(path.dirname(this.#file))
    } catch (error) {
      await rm(this.#file, { force: true }).catch(() => {})
      throw error
    }
    return this.#adopt(await openFile(this.#file, O_RDWR), 0, 0)
  }

  #adopt(handle: FileHandle, version: number, size: number) {
    this.#handle = handle
    this.version = version
    this.#size = size
    this.#isEnded = true
    this.#isTorn = false
    return handle
  }

  /** Removes what was never confirmed. */
  async #mend(handle: FileHandle) {
    await handle.truncate(this.#size)
    await handle.datasync()
    this.#isTorn = false
  }

  /** The lock does not stop an editor or `rm`, after which anything written here would be lost. */
  async #checkUnchanged(handle: FileHandle) {
    const [here, there] = await Promise.all([
      handle.stat({ bigint: true }),
      ifThere(lstat(this.#file, { bigint: true })),
    ])
    if (there?.ino === here.ino && there.dev === here.dev && here.size === BigInt(this.#size)) return
    throw this.#changed()
  }

  #changed() {
    return conflict(this.#id, `was changed by another program: ${this.#file} is not as it was left. Open it again`)
  }
}
