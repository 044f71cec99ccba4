/** What a delivery takes of the system, and gives back. */
import { execFile } from 'node:child_process'
import { getEventListeners } from 'node:events'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type DeliveryPlan, deliver, planDelivery } from 'promptmason'
import { describe, expect, it, vi } from 'vitest'
import { root } from '../support/documents.js'
import { newDirectory } from '../support/processes.js'

vi.setConfig({ testTimeout: 60_000 })

const PROGRAM = join(import.meta.dirname, '..', 'support', 'fake-cli.cjs')

const planOf = (args: string[]): DeliveryPlan =>
  planDelivery(
    { prompt: 'hello' },
    { agentType: 'mine', profile: { command: process.execPath, args: [PROGRAM, ...args], output: 'claude' } },
  )

describe('a signal', () => {
  it('that was aborted before is the reason, and nothing was delivered', async () => {
    const reason = new Error('enough')
    await expect(deliver(planOf(['deaf']), { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    expect(reason).toMatchObject({ delivered: 'no' })
    await expect(deliver(planOf(['deaf']), { signal: AbortSignal.abort('enough') })).rejects.toMatchObject({
      message: 'enough',
      delivered: 'no',
    })
  })

  it('is forgotten after each delivery, so that it can be freed', async () => {
    const control = new AbortController()
    const signal = AbortSignal.any([control.signal])
    const work = [deliver(planOf(['deaf']), { signal }), deliver(planOf(['deaf']), { signal })]
    expect(getEventListeners(signal, 'abort')).toHaveLength(1)
    await Promise.all(work)
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
    const late = deliver(planOf(['talk']), { signal, onText: () => control.abort() })
    expect(await late.catch((error: unknown) => error)).toBe(signal.reason)
  })
})

describe.skipIf(process.platform === 'win32')('stderr', () => {
  it('takes a bounded part of the disk, and its end is kept', async () => {
    let largest = 0
    const program = `
      const { fstatSync, writeSync } = require('node:fs')
      const line = 'progress '.repeat(10_000)
      let left = 200
      const timer = setInterval(() => {
        for (let each = 0; each < 5; each++) writeSync(2, line)
        console.log(JSON.stringify({ type: 'assistant', message: { content: [{ type: 'text', text: String(fstatSync(2).size) }] } }))
        if (--left > 0) return
        clearInterval(timer)
        writeSync(2, 'the last words')
        process.exitCode = 3
      }, 10)
    `
    const profile = { command: process.execPath, args: ['-e', program], output: 'claude' }
    const plan = planDelivery({ prompt: 'x' }, { agentType: 'mine', profile })
    const onText = (text: string): void => {
      largest = Math.max(largest, Number(text))
    }
    const { error } = await deliver(plan, { onText })
    expect(error?.message).toMatch(/progress the last words$/)
    // 90 MB were written.
    expect(largest).toBeGreaterThan(0)
    expect(largest).toBeLessThan(50_000_000)
  })
})

describe('a program', () => {
  it('that reports its progress on stderr is not silent', async () => {
    const program = `
      let left = 12
      const timer = setInterval(() => {
        if (left-- > 0) return process.stderr.write('.')
        clearInterval(timer)
        console.log('done')
      }, 250)
    `
    const profile = { command: process.execPath, args: ['-e', program] }
    const plan = planDelivery({ prompt: 'x' }, { agentType: 'mine', profile })
    await expect(deliver(plan, { idleTimeoutMs: 2000 })).resolves.toMatchObject({ text: 'done' })
  })

  it('that reports its tool when it is ended was last seen running it', async () => {
    const call = { type: 'assistant', message: { content: [{ type: 'tool_use', id: 't', name: 'Bash', input: {} }] } }
    const result = { type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: 't', content: 'ended' }] } }
    const program = `
      process.on('SIGTERM', () => { console.log(${JSON.stringify(JSON.stringify(result))}); setTimeout(process.exit, 200) })
      console.log(${JSON.stringify(JSON.stringify(call))})
      setInterval(() => {}, 1000)
    `
    const profile = { command: process.execPath, args: ['-e', program], output: 'claude' }
    const plan = planDelivery({ prompt: 'x' }, { agentType: 'mine', profile })
    await expect(deliver(plan, { timeoutMs: 2000 })).rejects.toMatchObject({ timedOut: true, lastSeen: 'tool' })
  })
})

describe.skipIf(process.platform !== 'linux')('without free file descriptors, a delivery', () => {
  it('leaves no descriptor and no directory behind', async () => {
    const temporary = newDirectory()
    const program = `
      const { closeSync, openSync, readdirSync } = require('node:fs')
      const { deliver, planDelivery } = require(${JSON.stringify(root)})
      const profile = { command: 'cat', systemFileFlag: '-' }
      const plan = planDelivery({ prompt: 'x', systemFlag: 'S' }, { agentType: 'mine', profile, systemVia: 'file' })
      const run = () => deliver(plan).then(() => 'ok', ({ code }) => String(code))
      const main = async () => {
        await run()
        // A new one would need descriptors for a moment.
        const before = readdirSync('/proc/self/fd').length
        const codes = []
        for (let free = 0; free < 12; free++) {
          const taken = []
          try { for (;;) taken.push(openSync('/dev/null')) } catch {}
          for (let each = 0; each < free; each++) closeSync(taken.pop())
          codes.push(await run())
          for (const fd of taken) closeSync(fd)
        }
        await new Promise((resolve) => setTimeout(resolve, 200))
        console.log(JSON.stringify({ codes, leaked: readdirSync('/proc/self/fd').length - before, left: readdirSync(process.env.TMPDIR) }))
      }
      main()
    `
    const { stdout } = await promisify(execFile)(
      'sh',
      ['-c', 'ulimit -n 128; exec "$0" -e "$1"', process.execPath, program],
      { env: { ...process.env, TMPDIR: temporary } },
    )
    const { codes, leaked, left } = JSON.parse(stdout)
    expect(codes).toContain('EMFILE')
    expect({ leaked, left }).toEqual({ leaked: 0, left: [] })
    expect(statSync(temporary).isDirectory()).toBe(true)
  })
})
