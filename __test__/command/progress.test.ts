/** What the command prints on a terminal while it waits. */
import { spawn, spawnSync } from 'node:child_process'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { readBytes } from '../../dist/command/read-input.js'
import { progressOn } from '../../dist/command/progress.js'
import { root } from '../support/documents.js'

const ERASE = '\r\u001b[K'
const terminal = (isTTY = true) => {
  const written: string[] = []
  return { written, isTTY, columns: 40, write: (text: string | Uint8Array) => void written.push(String(text)) }
}

describe('progress', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }))
  afterEach(() => void vi.useRealTimers())

  it('prints nothing in the first second', () => {
    const output = terminal()
    const progress = progressOn(output)
    progress.say('reading')
    vi.advanceTimersByTime(999)
    progress.end()
    expect(output.written).toEqual([])
  })

  it('prints what it waits for on one line, and erases it', () => {
    const output = terminal()
    const progress = progressOn(output)
    progress.say('reading one')
    vi.advanceTimersByTime(1000)
    progress.say('fetching from \u001b[2J a host with a name that is long')
    vi.advanceTimersByTime(1000)
    progress.end()
    vi.advanceTimersByTime(5000)
    expect(output.written).toEqual([
      `${ERASE}reading one … 1 s`,
      `${ERASE}fetching from [U+001B][2J a host w… 2 s`,
      ERASE,
    ])
  })

  it('prints at once what blocks the event loop', () => {
    const output = terminal()
    const progress = progressOn(output)
    progress.sayAtOnce('parsing 120 MiB of JSON')
    progress.end()
    expect(output.written).toEqual([`${ERASE}parsing 120 MiB of JSON …`, ERASE])
  })

  it('prints nothing without a terminal', () => {
    const output = terminal(false)
    const progress = progressOn(output)
    progress.say('reading')
    progress.sayAtOnce('reading')
    vi.advanceTimersByTime(5000)
    progress.end()
    expect(output.written).toEqual([])
  })

  it('prints how much of a file is read', async () => {
    const said: string[] = []
    const progress = { say: (text: string) => void said.push(text), sayAtOnce() {}, end() {} }
    const open = async function* () {
      yield Buffer.alloc(1000)
      yield Buffer.alloc(2000)
    }
    const output = terminal()
    const surroundings = {
      stdout: output,
      stderr: output,
      env: {},
      open,
      sizeOf: () => 3000,
      interrupted: async () => {},
    }
    expect(await readBytes('large.json', { surroundings, progress })).toHaveLength(3000)
    expect(said).toEqual([
      'reading large.json',
      'reading large.json: 1,000 bytes of 3,000 bytes',
      'reading large.json: 3,000 bytes of 3,000 bytes',
    ])
  })
})

describe('in a terminal', () => {
  const hasScript = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0
  it.skipIf(!hasScript)('a command that waits for its input says so, and prints nothing else', async () => {
    const line = `${process.execPath} dist/command/cli.js explain - --json`
    const child = spawn('script', ['-qec', line, '/dev/null'], { cwd: root, stdio: ['pipe', 'pipe', 'inherit'] })
    let printed = ''
    const seen = new Promise<void>((resolve) => {
      child.stdout.on('data', (chunk: Buffer) => {
        printed += String(chunk)
        if (printed.includes('reading stdin … 1 s')) resolve()
      })
    })
    await seen
    child.stdin.end('{"contextMessages": [], "message": "Go on."}\n\u0004')
    await new Promise((resolve) => child.on('close', resolve))
    expect(printed).toContain(`${ERASE}{`)
  })
})
