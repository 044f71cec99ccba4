/** A file that cannot grow, as on a full disk: calls fail, nothing is stored partially, and later calls work. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chmodSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileStore, openConversation } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { root } from '../support/documents.js'
import { newDirectory } from '../support/processes.js'
import { quiet } from '../support/team.js'

/** Adds messages until something fails, waits for a line on stdin, and continues. Prints each step. */
const SPEAKER = `
const { fileStore, openConversation } = require(${JSON.stringify(join(root, 'index.js'))})
const tell = (value) => console.log(JSON.stringify(value))
const texts = (talk) => talk.messages().map(({ id, content }) => id + ' ' + content.slice(0, 20))
openConversation({
  id: 'a',
  store: fileStore(process.argv[1]),
  members: { kailai: { human: true }, bot: { run: ({ resume }) => ({ text: 'b'.repeat(6000), session: resume ?? 's1' }) } },
}).then(async (talk) => {
  let error
  try {
    for (let index = 0; ; index++) {
      await talk.say('kailai', index + ' ' + 'k'.repeat(index % 2 === 0 ? 50 : 5000))
      await talk.send('bot')
    }
  } catch (thrown) {
    error = thrown
  }
  const before = texts(talk)
  const again = await talk.say('kailai', 'x'.repeat(9000)).catch((thrown) => thrown)
  tell({ before, code: error.code, reason: error.reason, cause: error.cause?.code, again: again.code, after: texts(talk) })
  process.stdin.once('data', async () => {
    await talk.say('kailai', 'there is room again')
    await talk.send('bot')
    tell({ texts: texts(talk) })
    await talk.close()
    process.exit(0)
  })
}).catch((error) => { console.error(error); process.exit(1) })
`

const linesOf = (child: ChildProcess): AsyncIterator<string> =>
  createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]()

const read = (directory: string) =>
  openConversation<string>({
    id: 'a',
    store: fileStore(directory),
    logger: quiet,
    members: { kailai: { human: true } },
  })

const hasPrlimit = (): boolean => {
  if (process.platform !== 'linux') return false
  try {
    execFileSync('prlimit', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

describe.skipIf(!hasPrlimit())('a file with a size limit', () => {
  // In blocks of 512 bytes: it ends at another point of a turn each time.
  it.each([20, 33, 61, 80])('of %i blocks: throws, stores nothing partially, and continues later', async (blocks) => {
    const directory = newDirectory()
    const child = spawn(
      'sh',
      ['-c', `trap '' XFSZ; ulimit -S -f ${blocks}; exec "$@"`, 'sh', process.execPath, '-e', SPEAKER, directory],
      { stdio: ['pipe', 'pipe', 'inherit'] },
    )
    try {
      const lines = linesOf(child)
      const failed = JSON.parse((await lines.next()).value)
      expect([failed.code, failed.cause]).toContain('EFBIG')
      expect(failed.again).toBe('EFBIG')
      expect(failed.after).toEqual(failed.before)
      execFileSync('prlimit', ['--pid', `${child.pid}`, '--fsize=unlimited'])
      child.stdin.write('\n')
      const { texts } = JSON.parse((await lines.next()).value)
      expect(texts.slice(0, failed.before.length)).toEqual(failed.before)
      expect(texts).toHaveLength(failed.before.length + 2)
      const talk = await new Promise((resolve) => child.once('close', resolve)).then(() => read(directory))
      expect(talk.messages().map(({ id, content }) => `${id} ${content.slice(0, 20)}`)).toEqual(texts)
      await talk.close()
    } finally {
      child.kill('SIGKILL')
    }
  })
})

/** Opens the conversation, and adds a message. Prints the outcome. */
const OPENER = `
const { fileStore, openConversation } = require(${JSON.stringify(join(root, 'index.js'))})
openConversation({ id: 'a', store: fileStore(process.argv[1]), members: { kailai: { human: true } } })
  .then(async (talk) => {
    await talk.say('kailai', 'one')
    await talk.close()
    console.log(JSON.stringify({ count: talk.messages().length }))
  })
  .catch(({ code, message }) => console.log(JSON.stringify({ code, message })))
`

/** What the superuser needs in front of a command so that permissions hold for it; undefined if there is nothing. */
const withPermissions = (): string[] | undefined => {
  if (process.getuid?.() !== 0) return []
  const prefix = ['setpriv', '--bounding-set', '-dac_override,-dac_read_search']
  try {
    execFileSync(prefix[0] ?? '', [...prefix.slice(1), 'true'], { stdio: 'ignore' })
    return prefix
  } catch {
    return undefined
  }
}

describe.skipIf(process.platform === 'win32')('a read-only directory', () => {
  it('throws when a conversation is opened, until the directory is writable', ({ skip }) => {
    const prefix = withPermissions()
    if (prefix === undefined) return skip('the superuser may write everywhere, and there is no setpriv to prevent it')
    const directory = newDirectory()
    const open = () => {
      const [command = '', ...args] = [...prefix, process.execPath, '-e', OPENER, directory]
      return JSON.parse(execFileSync(command, args, { encoding: 'utf8' }))
    }
    chmodSync(directory, 0o500)
    expect(open()).toMatchObject({ code: 'ERR_UNREADABLE_FILE', message: expect.stringContaining(directory) })
    expect(readdirSync(directory)).toEqual([])
    chmodSync(directory, 0o700)
    expect(open()).toEqual({ count: 1 })
    // Nothing is written to a conversation that is there, and it can be opened again later.
    chmodSync(directory, 0o500)
    chmodSync(join(directory, 'a.jsonl'), 0o400)
    const before = readFileSync(join(directory, 'a.jsonl'))
    expect(open()).toMatchObject({ code: 'EACCES' })
    expect(readFileSync(join(directory, 'a.jsonl'))).toEqual(before)
    chmodSync(join(directory, 'a.jsonl'), 0o600)
    chmodSync(directory, 0o700)
    expect(open()).toEqual({ count: 2 })
  })
})
