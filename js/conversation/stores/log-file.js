'use strict'
/**
 * The log of one conversation: a file of JSON lines, `{"version":3,"entries":[…]}`, one for each
 * append. Versions never decrease.
 *
 * 1. A line is on the disk before `append` resolves. Only the last line can be torn: by a crash, or by
 *    a power cut, which can leave zeros. It was never confirmed, and is removed.
 * 2. Any other line that cannot be read was damaged by somebody else. That is an error, because skipping
 *    it would lose messages.
 * 3. A failed append is undone. If that also fails, the next append undoes it first.
 */
const { open, rename, rm, stat } = require('node:fs/promises')
const path = require('node:path')
const { makeError } = require('../../errors.js')
const { conflict } = require('./contract.js')

const OWNER_ONLY = 0o600
const CHUNK_BYTES = 1 << 20
const LINE_FEED = 0x0a

/** @typedef {import('node:fs/promises').FileHandle} FileHandle */
/** @typedef {{ version: number, entries: any[], size: number, isEnded: boolean, isTorn: boolean }} Content */
/** @typedef {{ bytes: Buffer, end: number, isEnded: boolean }} Line */

const isMissing = (/** @type {any} */ error) => error?.code === 'ENOENT'

/**
 * The lines of a file. The longest line determines how much memory this takes.
 * @param {FileHandle} handle
 * @returns {AsyncGenerator<Line>}
 */
async function* linesOf(handle) {
  /** @type {Buffer[]} */
  let begun = []
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

/** @param {string} file @param {number} line @param {string} problem */
const damaged = (file, line, problem) =>
  makeError('Error', `${file}:${line}: ${problem}; restore the file, or remove the line to continue without it`, {
    code: 'ERR_UNREADABLE_FILE',
    file,
    line,
  })

/**
 * The content of a line. Undefined if it is blank; throws if it is not a line of a log.
 * @param {Buffer} bytes
 * @param {number} lastVersion
 * @returns {{ version: number, entries: any[] } | undefined}
 */
const parseLine = (bytes, lastVersion) => {
  const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  if (text.trim() === '') return undefined
  const { version, entries } = JSON.parse(text)
  if (!Number.isSafeInteger(version) || version < lastVersion || !Array.isArray(entries)) {
    throw new Error(`it has no version after ${lastVersion}, or no entries`)
  }
  return { version, entries }
}

/**
 * @param {string} file
 * @param {FileHandle} handle
 * @returns {Promise<Content>}
 */
const readContent = async (file, handle) => {
  /** @type {Content} */
  const content = { version: 0, entries: [], size: 0, isEnded: true, isTorn: false }
  /** @type {unknown} */
  let torn
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

/** Makes sure that the name of a new file is on the disk, too. Windows cannot do this and does not need it. @param {string} directory */
const syncDirectory = async (directory) => {
  if (process.platform === 'win32') return
  const handle = await open(directory, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** @param {FileHandle} handle @param {Buffer} bytes @param {number} position */
const writeAll = async (handle, bytes, position) => {
  for (let written = 0; written < bytes.length; ) {
    // oxlint-disable-next-line no-await-in-loop -- one piece after another
    const { bytesWritten } = await handle.write(bytes, written, bytes.length - written, position + written)
    written += bytesWritten
  }
}

/** @param {number} version @param {readonly string[]} entries As JSON. */
const lineOf = (version, entries) => `{"version":${version},"entries":[${entries.join(',')}]}\n`

/** The log of a conversation that this process has locked. */
class LogFile {
  #id
  #file
  /** @type {FileHandle | undefined} */
  #handle
  /** Where the next line begins. */
  #size = 0
  /** Whether the last line has its line feed. */
  #isEnded = true
  /** Whether something follows after `#size` that was never confirmed. */
  #isTorn = false
  version = 0

  /** @param {string} id @param {string} file */
  constructor(id, file) {
    this.#id = id
    this.#file = file
  }

  /**
   * Reads a log that another process may be writing. Null if there is none.
   * @param {string} file
   */
  static async read(file) {
    const handle = await open(file, 'r').catch((error) => (isMissing(error) ? undefined : Promise.reject(error)))
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
    const handle = await open(this.#file, 'r+').catch((error) => (isMissing(error) ? undefined : Promise.reject(error)))
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

  /** @param {readonly string[]} entries As JSON. */
  async append(entries) {
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
   * @param {readonly string[]} entries As JSON.
   */
  async compact(entries) {
    const version = this.version + 1
    const temporary = `${this.#file}.new`
    const bytes = Buffer.from(entries.map((entry) => lineOf(version, [entry])).join('') || lineOf(version, []))
    if (this.#handle !== undefined) await this.#checkUnchanged(this.#handle)
    try {
      const handle = await open(temporary, 'w', OWNER_ONLY)
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
    this.#adopt(await open(this.#file, 'r+'), version, bytes.length)
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
    return this.#adopt(await open(this.#file, 'r+'), 0, 0)
  }

  /** @param {FileHandle} handle @param {number} version @param {number} size */
  #adopt(handle, version, size) {
    this.#handle = handle
    this.version = version
    this.#size = size
    this.#isEnded = true
    this.#isTorn = false
    return handle
  }

  /** Removes what was never confirmed. @param {FileHandle} handle */
  async #mend(handle) {
    await handle.truncate(this.#size)
    await handle.datasync()
    this.#isTorn = false
  }

  /** The lock does not stop an editor or `rm`, after which anything written here would be lost. @param {FileHandle} handle */
  async #checkUnchanged(handle) {
    const [here, there] = await Promise.all([
      handle.stat({ bigint: true }),
      stat(this.#file, { bigint: true }).catch((error) => (isMissing(error) ? undefined : Promise.reject(error))),
    ])
    if (there?.ino === here.ino && there.dev === here.dev && here.size === BigInt(this.#size)) return
    throw this.#changed()
  }

  #changed() {
    return conflict(this.#id, `was changed by another program: ${this.#file} is not as it was left. Open it again`)
  }
}

module.exports = { LogFile, syncDirectory }
