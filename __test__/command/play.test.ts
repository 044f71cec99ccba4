/** `promptmason play`, as a process. */
import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from '../support/documents.js'

const COMMAND = join(root, 'dist', 'command', 'cli.js')
let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'promptmason-play-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

type Child = ChildProcessByStdio<Writable, Readable, Readable>
const start = (args: string[]): Child =>
  spawn(process.execPath, [COMMAND, 'play', ...args], {
    cwd: folder,
    env: { ...process.env, TMPDIR: folder, TMP: folder, TEMP: folder },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
/** What it prints up to the end of a line. */
const firstLine = async (stream: Readable): Promise<string> => {
  let printed = ''
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
    printed += String(chunk)
    if (/\}\n|Ctrl-C/.test(printed)) break
  }
  return printed
}
const ended = (child: Child): Promise<{ code: number | null; signal: string | null }> =>
  new Promise((resolve) => child.on('exit', (code, signal) => resolve({ code, signal })))
const isRefused = (port: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(Number(port), '127.0.0.1')
    socket.on('error', () => resolve(true)).on('connect', () => resolve(socket.destroy() === undefined))
  })

/** Windows has no signals: a process that gets one is terminated. */
const itHasSignals = it.skipIf(process.platform === 'win32')

describe('promptmason play', () => {
  itHasSignals('serves its page until it is interrupted, and leaves nothing behind', async () => {
    const child = start(['--json'])
    const { url } = JSON.parse(await firstLine(child.stdout)) as { url: string }
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{22}\/$/)
    expect(await (await fetch(url)).text()).toContain('promptmason playground')
    // Also with a pending request.
    const { origin, port } = new URL(url)
    const conversation = JSON.stringify({
      contextMessages: Array.from({ length: 20_000 }, (_, at) => ({ from: 'a', content: `${at}` })),
      message: 'Go on.',
    })
    const asked = fetch(`${url}prompt`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Origin: origin },
      body: JSON.stringify({ conversation, choices: {} }),
    }).then(
      (response) => response.text(),
      () => 'ended',
    )
    const end = ended(child)
    child.kill('SIGINT')
    expect(await end).toEqual({ code: 0, signal: null })
    await asked
    expect(await isRefused(port)).toBe(true)
    expect(readdirSync(folder)).toEqual([])
  })

  itHasSignals('starts from a file, and says where the page is', async () => {
    writeFileSync(join(folder, 'a.json'), '{"message": "</script>"}')
    const child = start(['a.json'])
    const printed = await firstLine(child.stdout)
    expect(printed).toMatch(/^The playground is at http:\/\/127\.0\.0\.1:\d+\/[\w-]{22}\/\nPress Ctrl-C to end it\.\n$/)
    const html = await (await fetch(/http\S+/.exec(printed)?.[0] ?? '')).text()
    expect(html).toContain('\\"message\\": \\"\\u003c/script\\u003e\\"')
    const end = ended(child)
    child.kill('SIGTERM')
    expect(await end).toEqual({ code: 0, signal: null })
  })

  it('exits at once when it is killed', async () => {
    const child = start(['--json'])
    const { port } = new URL((JSON.parse(await firstLine(child.stdout)) as { url: string }).url)
    const end = ended(child)
    child.kill('SIGKILL')
    await end
    expect(await isRefused(port)).toBe(true)
  })

  it('reports what is wrong with a file', async () => {
    writeFileSync(join(folder, 'latin.json'), Buffer.from([0x7b, 0xff]))
    for (const [file, message] of [
      ['missing.json', 'missing.json cannot be read'],
      ['latin.json', 'latin.json is not UTF-8'],
    ] as const) {
      const child = start([file])
      const end = ended(child)
      // oxlint-disable-next-line no-await-in-loop
      const [{ code }, printed] = await Promise.all([end, child.stderr.toArray()])
      expect([code, printed.join('')]).toEqual([2, expect.stringContaining(message)])
    }
  })
})
