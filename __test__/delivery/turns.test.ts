/** What `deliver` does for one turn: partial text, session ids, one turn per session, waiting, hooks. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type DeliveryPlan,
  type DeliveryProfile,
  type SpawnHook,
  cliVersion,
  deliver,
  isPromptmasonError,
  planDelivery,
} from 'promptmason'
import { describe, expect, it, vi } from 'vitest'
import { gone, idIn, newDirectory, newFile } from '../support/processes.js'

// Processes may take long to start while other tests run.
vi.setConfig({ testTimeout: 60_000 })

const PROGRAM = join(import.meta.dirname, '..', 'support', 'fake-cli.cjs')

const planOf = (args: string[], profile: Partial<DeliveryProfile> = {}, resume?: string): DeliveryPlan =>
  planDelivery(
    { prompt: 'hello' },
    {
      agentType: 'mine',
      resume,
      profile: {
        command: process.execPath,
        args: [PROGRAM, ...args],
        resumeArgs: ['--resume', '{id}'],
        output: 'claude',
        ...profile,
      },
    },
  )

const rejection = async (work: Promise<unknown>): Promise<any> =>
  work.then(
    () => {
      throw new Error('it was fulfilled')
    },
    (error: unknown) => error,
  )

/** The arguments that a program was started with. */
const argsOf = async (work: Promise<{ text?: string }>): Promise<string[]> => JSON.parse((await work).text ?? '')

const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[\da-f]{4}-[\da-f]{12}$/

describe('a plan', () => {
  it('is delivered with partial text if there is a listener, unless disabled', async () => {
    const plan = planOf(['args'], { streamArgs: ['--partial', 'yes'] })
    expect(plan.args).not.toContain('--partial')
    expect(await argsOf(deliver(plan))).toEqual([])
    expect(await argsOf(deliver(plan, { onText: () => {} }))).toEqual(['--partial', 'yes'])
    expect(await argsOf(deliver(plan, { onEvent: () => {} }))).toEqual(['--partial', 'yes'])
    expect(await argsOf(deliver(plan, { onEvent: () => {}, stream: false }))).toEqual([])
  })

  it('can be delivered twice, each time with another id for a new session', async () => {
    const plan = planOf(['args'], { sessionIdArgs: ['--id={id}'] })
    const before = structuredClone(plan)
    const ids = [await argsOf(deliver(plan)), await argsOf(deliver(plan))].flat().map((argument) => argument.slice(5))
    expect(ids).toEqual([expect.stringMatching(UUID), expect.stringMatching(UUID)])
    expect(new Set(ids).size).toBe(2)
    expect(structuredClone(plan)).toEqual(before)
    const resumed = planOf(['args'], { sessionIdArgs: ['--id={id}'] }, 'mine')
    expect(await argsOf(deliver(resumed))).toEqual(['--resume', 'mine'])
  })

  it('does not repeat an extra argument', () => {
    const extra = (extraArgs: string[]): unknown =>
      planDelivery({ prompt: 'x' }, { agentType: 'claude', extraArgs }).additions
    expect(extra([])).toEqual({
      at: 4,
      streamArgs: ['--include-partial-messages'],
      sessionIdArgs: ['--session-id', '{id}'],
    })
    expect(extra(['--session-id', 'x', '--include-partial-messages'])).toBeUndefined()
    expect(planDelivery({ prompt: 'x' }, { agentType: 'claude', json: false }).additions).not.toHaveProperty(
      'streamArgs',
    )
    expect(planDelivery({ prompt: 'x' }, { agentType: 'claude', resume: 's' }).additions).not.toHaveProperty(
      'sessionIdArgs',
    )
  })
})

const raise = (error: unknown): never => {
  throw error
}

describe('a turn that fails', () => {
  it('reports the given session', async () => {
    const file = newFile()
    const plan = planOf(['stuck', file], { sessionIdArgs: ['--id={id}'] })
    const control = new AbortController()
    const work = rejection(deliver(plan, { signal: control.signal }))
    await idIn(file)
    control.abort()
    expect(await work).toMatchObject({
      name: 'AbortError',
      delivered: 'unknown',
      sessionId: expect.stringMatching(UUID),
    })
  })

  it('reports the text so far, and what the CLI was doing', async () => {
    const error = await rejection(deliver(planOf(['talk']), { timeoutMs: 2000 }))
    expect(error).toMatchObject({
      code: 'ERR_NO_ANSWER',
      timedOut: true,
      delivered: 'unknown',
      sessionId: 's',
      partialText: 'I am about to',
      lastSeen: 'working',
    })
  })

  it('reports that nothing was delivered if nothing was started', async () => {
    const missing = planDelivery({ prompt: 'x' }, { agentType: 'promptmason-no-such-program' })
    expect(await rejection(deliver(missing))).toMatchObject({ code: 'ENOENT', delivered: 'no' })
  })

  it('keeps deliveries apart that one signal has aborted', async () => {
    const files = [newFile(), newFile()]
    const control = new AbortController()
    const plan = (file: string): DeliveryPlan => planOf(['stuck', file], { sessionIdArgs: ['--id={id}'] })
    const work = files.map((file) => rejection(deliver(plan(file), { signal: control.signal })))
    await Promise.all(files.map(idIn))
    control.abort(new Error('enough'))
    const [one, other] = await Promise.all(work)
    expect([one.message, other.message]).toEqual(['enough', 'enough'])
    expect(one.sessionId).not.toBe(other.sessionId)
    // One has the caller's error, the other has it as its cause.
    expect([one, other]).toContain(control.signal.reason)
    expect([one.cause, other.cause]).toContain(control.signal.reason)
  })

  it('throws an error if the cause is not an object', async () => {
    const file = newFile()
    const control = new AbortController()
    const work = rejection(deliver(planOf(['stuck', file]), { signal: control.signal }))
    await idIn(file)
    control.abort('enough')
    expect(await work).toMatchObject({ name: 'AbortError', message: 'enough', cause: 'enough', delivered: 'unknown' })
  })

  it.each<[string, () => unknown]>([
    ['an error of another turn', () => Object.assign(new Error('busy'), { code: 'ERR_BUSY', delivered: 'no' })],
    ['a frozen object', () => Object.freeze({ message: 7 })],
    ['a proxy that cannot be read', () => new Proxy({}, new Proxy({}, { get: () => () => raise(new Error('mine')) }))],
  ])('by %s has the state of this one', async (_, make) => {
    const file = newFile()
    const control = new AbortController()
    const work = rejection(deliver(planOf(['stuck', file]), { signal: control.signal }))
    await idIn(file)
    const reason = make()
    control.abort(reason)
    const error = await work
    expect(error.delivered).toBe('unknown')
    expect(error.cause === reason).toBe(true)
  })
})

describe.concurrent('waiting', () => {
  it('for a CLI that writes nothing ends', async () => {
    const error = await rejection(deliver(planOf(['stuck', newFile()]), { idleTimeoutMs: 500 }))
    expect(error).toMatchObject({ code: 'ERR_NO_ANSWER', timedOut: true, lastSeen: 'silent' })
    expect(error.message).toContain('wrote nothing for 500 ms; it was last seen silent')
  })

  it('continues as long as it writes', async () => {
    await expect(deliver(planOf(['slow', '8']), { idleTimeoutMs: 2000 })).resolves.toMatchObject({ text: 'slow' })
  })

  it.each([
    ['rate-limit', { type: 'system', subtype: 'api_retry', attempt: 1, error: 'rate_limit', error_status: 429 }],
    ['retrying', { type: 'system', subtype: 'api_retry', attempt: 1, error: 'server_error', error_status: 500 }],
    ['tool', { type: 'assistant', message: { content: [{ type: 'tool_use', id: 't', name: 'Bash', input: {} }] } }],
    ['working', { type: 'assistant', message: { content: [{ type: 'text', text: 'Hm.' }] } }],
  ])('reports what the CLI was doing when it timed out: %s', async (lastSeen, event) => {
    // Under Wine, a program takes longer to start.
    const idleTimeoutMs = process.platform === 'win32' ? 5000 : 700
    const error = await rejection(deliver(planOf(['hang', JSON.stringify(event)]), { idleTimeoutMs }))
    expect(error).toMatchObject({ lastSeen, timedOut: true })
  })

  it('reports a CLI that writes only to stderr', async () => {
    const error = await rejection(deliver(planOf(['hang', '', 'status: 429']), { idleTimeoutMs: 700 }))
    expect(error.lastSeen).toBe('rate-limit')
  })

  it('can be unlimited', async () => {
    await expect(deliver(planOf(['deaf']), { idleTimeoutMs: Infinity })).resolves.toMatchObject({ text: 'deaf' })
    expect(await rejection(deliver(planOf(['deaf']), { idleTimeoutMs: 0 }))).toMatchObject({ code: 'ERR_OUT_OF_RANGE' })
  })

  it('for a CLI that has answered and does not exit ends', async () => {
    const { text, exitCode } = await deliver(planOf(['linger'], { output: 'codex' }))
    expect({ text, exitCode }).toEqual({ text: 'done', exitCode: null })
  })

  it('for a CLI that retries repeatedly ends', async () => {
    const result = await deliver(planOf(['again'], { output: 'opencode' }))
    expect(result).toMatchObject({ error: { code: 'interrupted' }, partialText: 'PARTIAL' })
  })
})

describe('a session', () => {
  it('has one turn at a time', async () => {
    const file = newFile()
    const control = new AbortController()
    const first = rejection(deliver(planOf(['stuck', file], {}, 'one'), { signal: control.signal }))
    await idIn(file)
    const error = await rejection(deliver(planOf(['deaf'], {}, 'one')))
    expect(isPromptmasonError(error, 'ERR_BUSY')).toBe(true)
    expect(error).toMatchObject({ sessionId: 'one', delivered: 'no' })
    // Another one is free, also of the same name in another CLI.
    await expect(deliver(planOf(['deaf'], {}, 'two'))).resolves.toMatchObject({ text: 'deaf' })
    await expect(deliver(planOf(['deaf'], { output: 'text' }, 'one'))).resolves.toHaveProperty('text')
    control.abort()
    await first
    await expect(deliver(planOf(['deaf'], {}, 'one'))).resolves.toMatchObject({ text: 'deaf' })
  })

  it('that a CLI has started is in use, too', async () => {
    const control = new AbortController()
    const begun = new Promise<string>((resolve) => {
      void rejection(
        deliver(planOf(['talk']), {
          signal: control.signal,
          onEvent: (event) => {
            if (event.type === 'session') resolve(event.sessionId)
          },
        }),
      )
    })
    expect(await rejection(deliver(planOf(['deaf'], {}, await begun)))).toMatchObject({ code: 'ERR_BUSY' })
    control.abort()
  })

  it('with cumulative token counts reports those of each turn', async () => {
    const turn = (total: number, resume?: string) =>
      deliver(planOf(['codex', String(total)], { output: 'codex' }, resume)).then(({ usage }) => usage)
    const usage = (inputTokens: number) => ({ inputTokens, outputTokens: inputTokens })
    expect(await turn(100)).toEqual(usage(100))
    expect(await turn(250, 'thread-1')).toEqual(usage(150))
    expect(await turn(300, 'thread-1')).toEqual(usage(50))
    // It has started to count from zero.
    expect(await turn(20, 'thread-1')).toEqual(usage(20))
    // Nobody knows what was before.
    expect(await turn(400, 'another')).toBeUndefined()
  })
})

describe('the environment', () => {
  it('contains nothing of an agent session or a debugger', async () => {
    const env = {
      CLAUDECODE: '1',
      CLAUDE_CODE_ENTRYPOINT: 'cli',
      CODEX_THREAD_ID: 'x',
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
      VSCODE_INSPECTOR_OPTIONS: '{}',
      NODE_OPTIONS: '--max-old-space-size=4000 --inspect=127.0.0.1:0 --inspect-brk',
    }
    const before = { ...process.env }
    Object.assign(process.env, env)
    try {
      const { text } = await deliver(planOf(['echo']))
      const seen = JSON.parse(text ?? '').env
      expect(seen['NODE_OPTIONS']).toBe('--max-old-space-size=4000')
      for (const name of Object.keys(env)) if (name !== 'NODE_OPTIONS') expect(seen).not.toHaveProperty(name)
      const plan = planOf(['echo'], { env: { CLAUDECODE: 'mine' } })
      expect(JSON.parse((await deliver(plan)).text ?? '').env).toMatchObject({ CLAUDECODE: 'mine' })
    } finally {
      for (const name of Object.keys(env)) {
        if (before[name] === undefined) delete process.env[name]
        else process.env[name] = before[name]
      }
    }
  })
})

describe('running elsewhere', () => {
  const seen: { command: string; args: string[]; options: Parameters<SpawnHook>[2] }[] = []
  const hook: SpawnHook = async (command, args, options) => {
    seen.push({ command, args, options })
    return spawn(command, args, options) as ChildProcess
  }

  it('uses a program that the caller starts', async () => {
    const plan = planOf(['loud', '3'])
    let said = 0
    const result = await deliver(plan, { spawn: hook, onText: ({ length }) => (said += length) })
    expect(result).toMatchObject({ text: '5', exitCode: 0, delivered: 'yes' })
    expect(said).toBe(3 * 1024 * 1024)
    expect(seen.at(-1)).toMatchObject({ command: process.execPath, args: plan.args })
    expect(seen.at(-1)?.options.stdio).toEqual(['pipe', 'pipe', 'pipe'])
  })

  it('ends a program by its own kill', async () => {
    const file = newFile()
    const control = new AbortController()
    const work = rejection(deliver(planOf(['stubborn', file]), { spawn: hook, signal: control.signal }))
    const pid = await idIn(file)
    control.abort()
    expect(await work).toBe(control.signal.reason)
    await gone(pid)
    const late = await rejection(deliver(planOf(['stuck', newFile()]), { spawn: hook, timeoutMs: 500 }))
    expect(late).toMatchObject({ code: 'ERR_NO_ANSWER', timedOut: true })
  })

  it('may fail', async () => {
    const own = new Error('no container')
    const failing: SpawnHook = async () => {
      throw own
    }
    expect(await rejection(deliver(planOf(['deaf']), { spawn: failing }))).toBe(own)
    const wrong = (async () => spawn(process.execPath, ['-e', ''], { stdio: 'ignore' })) as unknown as SpawnHook
    expect((await rejection(deliver(planOf(['deaf']), { spawn: wrong }))).message).toContain('three pipes')
    const missing: SpawnHook = (_command, _args, options) => spawn('promptmason-no-such-program', options)
    expect(await rejection(deliver(planOf(['deaf']), { spawn: missing }))).toMatchObject({ code: 'ENOENT' })
  })

  it('uses files that the caller writes', async () => {
    const folder = newDirectory()
    const files = {
      async write(name: string, content: Buffer) {
        const path = join(mkdtempSync(join(folder, 'f')), name)
        writeFileSync(path, content, { mode: 0o600 })
        return path
      },
      async remove(path: string) {
        rmSync(join(path, '..'), { recursive: true })
      },
    }
    const plan = planDelivery(
      { prompt: 'x', systemFlag: 'SYSTEM' },
      {
        agentType: 'mine',
        profile: { command: process.execPath, args: [PROGRAM, 'file'], systemFileFlag: '--file=', output: 'claude' },
      },
    )
    plan.args[plan.args.length - 1] = '{file:system-prompt.md}'
    const { text } = await deliver(plan, { files })
    expect(JSON.parse(text ?? '').path.startsWith(folder)).toBe(true)
    expect(readdirSync(folder)).toEqual([])
    const failing = { ...files, write: async () => '' }
    expect(await rejection(deliver(plan, { files: failing }))).toMatchObject({
      code: 'ERR_INVALID_ARG_TYPE',
      delivered: 'no',
    })
  })
})

describe('a version', () => {
  it('is detected once', async () => {
    const file = newFile()
    const program = `require('node:fs').appendFileSync(${JSON.stringify(file)}, 'x'); console.log('mine v2.10.3-beta.1 (build 7)')`
    const ask = (): Promise<string | undefined> =>
      cliVersion('mine', { command: process.execPath, versionArgs: ['-e', program] })
    expect(await Promise.all([ask(), ask()])).toEqual(['2.10.3-beta.1', '2.10.3-beta.1'])
    expect(await ask()).toBe('2.10.3-beta.1')
    expect(readFileSync(file, 'utf8')).toBe('x')
    expect(await cliVersion('node')).toBe(process.versions.node)
    await expect(cliVersion('promptmason-no-such-program')).rejects.toMatchObject({ code: 'ENOENT' })
    await expect(cliVersion('mine', { command: process.execPath, versionArgs: ['-e', ''] })).resolves.toBeUndefined()
  })
})
