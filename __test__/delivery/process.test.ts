/** `deliver` with real processes. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type DeliveryEvent,
  type DeliveryOptions,
  type DeliveryPlan,
  type DeliveryProfile,
  deliver,
  isPromptmasonError,
  planDelivery,
} from 'promptmason'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { told } from '../support/child.js'
import { gone, idIn, newDirectory, newFile } from '../support/processes.js'

// Processes may take long to start while other tests run.
vi.setConfig({ testTimeout: 60_000 })

const isWindows = process.platform === 'win32'
const PROGRAM = join(import.meta.dirname, '..', 'support', 'fake-cli.cjs')

const hash = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex')

const planOf = (
  args: string[],
  prompt: string | Buffer = 'hello',
  options: Partial<DeliveryOptions> = {},
  profile: Partial<DeliveryProfile> = {},
  systemFlag?: string,
): DeliveryPlan =>
  planDelivery({ prompt, systemFlag } as { prompt: string }, {
    agentType: 'mine',
    profile: { command: process.execPath, args: [PROGRAM, ...args], output: 'claude', ...profile },
    ...options,
  })

const rejection = async (work: Promise<unknown>): Promise<any> =>
  work.then(
    () => {
      throw new Error('it was fulfilled')
    },
    (error: unknown) => error,
  )

// Deliveries leave nothing behind.
const temporary = newDirectory()
const original = process.env['TMPDIR']
beforeAll(() => {
  process.env['TMPDIR'] = temporary
})
afterAll(() => {
  if (original === undefined) delete process.env['TMPDIR']
  else process.env['TMPDIR'] = original
  expect(readdirSync(temporary)).toEqual([])
})

describe('what is sent', () => {
  it.each([
    ['one byte', 1, 'a'],
    ['a pipe', 65_536, 'a'],
    ['an argument', 131_072, '漢'],
    ['the default budget', 768 * 1024, 'a'],
    ['megabytes', 4_000_000, '😀'],
  ])('arrives unchanged on stdin: %s', async (_name, length, character) => {
    const prompt = character.repeat(length)
    const { text } = await deliver(planOf(['echo'], prompt))
    expect(JSON.parse(text ?? '').stdin).toEqual({ bytes: Buffer.byteLength(prompt), hash: hash(prompt) })
  })

  // `__test__/windows` tests the limits of Windows.
  it.skipIf(isWindows).each([131_070, 131_071])('arrives whole as an argument of %i bytes', async (bytes) => {
    const system = `${'漢'.repeat(Math.floor(bytes / 3))}${'a'.repeat(bytes % 3)}`
    const plan = planOf(['echo'], 'x', {}, { systemFlag: '--system', systemFileFlag: '--file' }, system)
    expect(plan.files).toEqual([])
    const { text } = await deliver(plan)
    expect(JSON.parse(text ?? '').args.at(-1)).toEqual({ bytes, hash: hash(system) })
  })

  it('arrives unchanged in a file where it is too long for an argument', async () => {
    const system = 'a'.repeat(131_072)
    const { text } = await deliver(
      planOf(['file'], 'x', {}, { systemFlag: '--system', systemFileFlag: '--file' }, system),
    )
    const seen = JSON.parse(text ?? '')
    expect(seen).toMatchObject({ hash: hash(system), ...(isWindows ? {} : { file: '600', directory: '700' }) })
    expect(existsSync(seen.path)).toBe(false)
  })

  it.skipIf(isWindows)('would not have fit into an argument', async () => {
    // What a plan refuses is what the system refuses.
    const plan = planOf(['echo'])
    plan.args.push('a'.repeat(131_072))
    const error = await rejection(deliver(plan))
    expect(error).toMatchObject({ name: 'RangeError', code: 'ERR_UNDELIVERABLE', cli: process.execPath })
    expect(isPromptmasonError(error, 'ERR_UNDELIVERABLE')).toBe(true)
    // And as much as it allows is what the system allows.
    const most = planOf(['echo'], 'x', { extraArgs: Array.from({ length: 14 }, () => 'a'.repeat(131_071)) })
    const { text } = await deliver(most)
    expect(JSON.parse(text ?? '').args).toHaveLength(14)
  })

  it('has arguments that no shell has interpreted', async () => {
    const args = ['$HOME', '`id`', '"', "'", '\\', '*', '\n', '%PATH%', '; exit 1', '', '漢😀', '\u0001']
    const { text } = await deliver(planOf(['echo', ...args]))
    expect(JSON.parse(text ?? '').args.map((argument: { hash: string }) => argument.hash)).toEqual(args.map(hash))
  })

  it('has the directory and the environment of the plan', async () => {
    process.env['PROMPTMASON_TEST'] = 'inherited'
    process.env['PROMPTMASON_GONE'] = 'inherited'
    const cwd = newDirectory()
    const { text } = await deliver(
      planOf(['echo'], 'x', { cwd }, { env: { PROMPTMASON_GONE: undefined, PROMPTMASON_NEW: 'new' } }),
    )
    const seen = JSON.parse(text ?? '')
    expect(seen.cwd).toBe(cwd)
    expect(seen.env).toMatchObject({ PROMPTMASON_TEST: 'inherited', PROMPTMASON_NEW: 'new' })
    expect(seen.env).not.toHaveProperty('PROMPTMASON_GONE')
  })
})

describe('a program', () => {
  it('may answer without reading', async () => {
    await expect(deliver(planOf(['deaf'], 'a'.repeat(5_000_000)))).resolves.toEqual({
      text: 'deaf',
      finishReason: 'stop',
      delivered: 'yes',
      sessionId: 's',
      durationMs: expect.any(Number),
      exitCode: 0,
    })
  })

  it('may close stdin early', async () => {
    await expect(deliver(planOf(['closed'], 'a'.repeat(5_000_000)))).resolves.toMatchObject({
      text: 'closed',
      exitCode: 0,
    })
  })

  it('may write megabytes before it reads', async () => {
    let said = 0
    const { text } = await deliver(planOf(['loud', '20'], 'a'.repeat(3_000_000)), {
      onText: ({ length }) => {
        said += length
      },
    })
    expect(text).toBe('3000000')
    expect(said).toBe(20 * 1024 * 1024)
  })

  it('may exit before its output is read', async () => {
    await expect(deliver(planOf(['hasty', '8']))).resolves.toMatchObject({ text: 'hasty' })
    const slow = (): void => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50)
    }
    await expect(deliver(planOf(['hasty', '8']), { onEvent: slow })).resolves.toMatchObject({ text: 'hasty' })
  })

  it('is read while it runs', async () => {
    const file = newFile()
    const events: unknown[] = []
    const onEvent = (event: DeliveryEvent): void => {
      events.push(event.type)
      writeFileSync(file, '')
    }
    await expect(deliver(planOf(['patient', file]), { onEvent })).resolves.toMatchObject({ text: 'patient' })
    expect(events).toEqual(['notice'])
  })

  it('may leave a process behind that keeps its output open', async () => {
    const file = newFile()
    const detached = true
    await expect(deliver(planOf(['orphan', file]), { detached })).resolves.toMatchObject({ text: 'gone' })
    process.kill(await idIn(file), 'SIGKILL')
  })

  it('may split characters between chunks', async () => {
    const event = JSON.stringify({ type: 'result', is_error: false, num_turns: 1, result: '漢😀é' })
    await expect(deliver(planOf(['say', event]))).resolves.toMatchObject({ text: '漢😀é', exitCode: 0 })
    await expect(deliver(planOf(['say', '漢😀é\n'], 'x', {}, { output: 'text' }))).resolves.toMatchObject({
      text: '漢😀é',
      exitCode: 0,
    })
  })

  it('may be missing', async () => {
    const missing = planDelivery({ prompt: 'x' }, { agentType: 'promptmason-no-such-program' })
    expect(await rejection(deliver(missing))).toMatchObject({
      code: 'ENOENT',
      syscall: 'spawn promptmason-no-such-program',
    })
    expect((await rejection(deliver(planOf(['echo'], 'x', { cwd: '/no/such/directory' })))).message).toContain(
      'there is no directory /no/such/directory',
    )
  })
})

describe('no answer', () => {
  it.each([
    ['nothing', ''],
    ['no event', 'Hello!\n'],
    ['no last event', '{"type":"system","session_id":"s-1"}\n'],
    ['half an event', '{"type":"result","is_error":false,"num_turns":1,"resu'],
    ['a prompt that was not sent', '{"type":"result","session_id":"s-1","is_error":false,"num_turns":0,"result":""}\n'],
  ])('is an error even if the exit code is 0: %s', async (_name, stdout) => {
    const error = await rejection(deliver(planOf(['say', stdout, 'a warning\n'])))
    expect(isPromptmasonError(error, 'ERR_NO_ANSWER')).toBe(true)
    expect(error).toMatchObject({ exitCode: 0, signal: null, timedOut: false, stderr: 'a warning' })
    expect(error.stdout).toBe(stdout.trim())
    expect(error.sessionId).toBe(stdout.includes('s-1') ? 's-1' : undefined)
  })

  it('is the error that the CLI reports', async () => {
    await expect(deliver(planOf(['say', '', 'No conversation found with session ID: 1', '1']))).resolves.toMatchObject({
      delivered: 'no',
      error: { code: 'session-not-found', message: 'No conversation found with session ID: 1' },
      exitCode: 1,
    })
    await expect(deliver(planOf(['say', '', '', '3']))).resolves.toMatchObject({
      error: { code: 'other', message: 'the CLI has ended with exit code 3' },
      exitCode: 3,
    })
    // Windows has no signals: a process that is killed ends with a code.
    const killed = isWindows
      ? { message: 'the CLI has ended with exit code 1', exitCode: 1 }
      : { message: 'the CLI was ended by a signal', exitCode: null }
    await expect(deliver(planOf(['die']))).resolves.toMatchObject({
      error: { code: 'other', message: killed.message },
      exitCode: killed.exitCode,
    })
  })
})

describe('an early end', () => {
  it('is caused by a signal, with its reason', async () => {
    const file = newFile()
    const control = new AbortController()
    const reason = new Error('the user left')
    const work = rejection(deliver(planOf(['stuck', file], 'a'.repeat(1_000_000)), { signal: control.signal }))
    const pid = await idIn(file)
    control.abort(reason)
    expect(await work).toBe(reason)
    await gone(pid)
  })

  it('is possible before the start', async () => {
    const signal = AbortSignal.abort()
    const file = newFile()
    expect(await rejection(deliver(planOf(['stuck', file]), { signal }))).toBe(signal.reason)
    expect(existsSync(file)).toBe(false)
  })

  it('is caused by a timeout', async () => {
    const error = await rejection(deliver(planOf(['stuck', newFile()]), { timeoutMs: 1000 }))
    const signal = isWindows ? {} : { signal: 'SIGTERM' }
    expect(error).toMatchObject({ code: 'ERR_NO_ANSWER', timedOut: true, exitCode: null, ...signal })
    expect(error.message).toContain('timed out after 1000 ms')
  })

  it('reaches programs that ignore SIGTERM', async () => {
    const file = newFile()
    const control = new AbortController()
    const work = rejection(deliver(planOf(['stubborn', file]), { signal: control.signal }))
    const pid = await idIn(file)
    control.abort()
    expect((await work).name).toBe('AbortError')
    await gone(pid)
  })

  it('reaches what the program has started', async () => {
    const file = newFile()
    const control = new AbortController()
    const work = rejection(deliver(planOf(['family', file]), { signal: control.signal }))
    const pid = await idIn(file)
    control.abort()
    await work
    await gone(pid)
  })

  it('is caused by a listener that throws', async () => {
    const own = new Error('mine')
    const onEvent = (): void => {
      throw own
    }
    expect(await rejection(deliver(planOf(['loud', '3']), { onEvent }))).toBe(own)
  })

  it('is caused by the end of the coordinator', async () => {
    const file = newFile()
    const plan = planOf(['stuck', file], 'x', { systemVia: 'file' }, { systemFileFlag: '--file' }, 'S')
    const directory = told<string>(`
      const { deliver } = require('promptmason')
      const { existsSync, readFileSync, readdirSync } = require('node:fs')
      const plan = ${JSON.stringify(plan)}
      plan.stdin = Buffer.from('x')
      plan.files[0].content = 'S'
      process.env.TMPDIR = ${JSON.stringify(newDirectory())}
      deliver(plan)
      const timer = setInterval(() => {
        // It is there before the id is in it.
        if (!existsSync(${JSON.stringify(file)}) || readFileSync(${JSON.stringify(file)}, 'utf8') === '') return
        clearInterval(timer)
        tell(process.env.TMPDIR + '/' + readdirSync(process.env.TMPDIR).find((name) => name.startsWith('promptmason-')))
        process.exit()
      }, 20)
    `)
    await gone(await idIn(file))
    expect(directory).toContain('promptmason-')
    expect(existsSync(directory)).toBe(false)
  })

  it('leaves no listeners behind', async () => {
    const listeners = process.listenerCount('exit')
    const { signal } = new AbortController()
    await Promise.all([deliver(planOf(['deaf']), { signal }), deliver(planOf(['deaf']), { signal })])
    expect(process.listenerCount('exit')).toBe(listeners)
  })
})

describe('mistakes', () => {
  const plan = planOf(['deaf'])
  const withoutMemory = (): Uint8Array => {
    const view = new Uint8Array(8)
    structuredClone(view.buffer, { transfer: [view.buffer] })
    return view
  }
  it.each<[string, unknown, unknown?]>([
    ['plan must be an object, as planDelivery returns it', null],
    ['plan.command must be the name of a program', { ...plan, command: '' }],
    ['plan.args[1] must be a string without NUL', { ...plan, args: ['a', 1] }],
    ['plan.args[1] must be a string without NUL', { ...plan, args: Object.assign(['a'], { length: 2 ** 32 - 1 }) }],
    ['plan.args must be an array of strings', { ...plan, args: 'a' }],
    ['plan.stdin must be a Buffer', { ...plan, stdin: 'x' }],
    ['plan.stdin must be a Buffer', { ...plan, stdin: withoutMemory() }],
    ['plan.files[0].content must be a Buffer', { ...plan, files: [{ name: 'x', content: withoutMemory() }] }],
    ['plan.files[0].name must be the name of a file', { ...plan, files: Object.assign([], { length: 2 ** 32 - 1 }) }],
    ['plan.files[0].name must be the name of a file', { ...plan, files: [{ name: '../x', content: 'a' }] }],
    ['plan.files[0].content must be a Buffer', { ...plan, files: [{ name: 'x' }] }],
    ['plan.env.A must be a string without NUL, or undefined', { ...plan, env: { A: 1 } }],
    ['plan.args[0] must be a string without NUL', { ...plan, args: ['a\0b'] }],
    ['plan.env.A must be a string without NUL, or undefined', { ...plan, env: { A: '\0' } }],
    ['plan.cwd must be a string without NUL', { ...plan, cwd: 1 }],
    ['plan.cwd must be a string without NUL', { ...plan, cwd: '/tmp\0' }],
    ['plan.output must be a string', { ...plan, output: undefined }],
    ['options must be an object', plan, 1],
    ['options.signal must be an AbortSignal', plan, { signal: {} }],
    ['options.onEvent must be a function', plan, { onEvent: 1 }],
    ['options.timeoutMs must be a number', plan, { timeoutMs: '1' }],
  ])('%s', async (message, wrong, options) => {
    const error = await rejection(deliver(wrong as DeliveryPlan, options as never))
    expect(error.message).toBe(message)
    expect(isPromptmasonError(error, 'ERR_INVALID_ARG_TYPE')).toBe(true)
  })

  it('in times describe the range', async () => {
    const errors = await Promise.all(
      [0, -1, 1.5, Number.NaN, 2 ** 31].map((timeoutMs) => rejection(deliver(plan, { timeoutMs }))),
    )
    expect(errors.map(({ code }) => code)).toEqual(Array.from(errors, () => 'ERR_OUT_OF_RANGE'))
    await expect(deliver(plan, { timeoutMs: 2 ** 31 - 1, signal: null, onEvent: null })).resolves.toMatchObject({
      text: 'deaf',
    })
  })
})
