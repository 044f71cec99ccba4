import { spawn } from 'node:child_process'
import { dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import { told } from '../support/child.js'
import { root } from '../support/documents.js'
import { useProject } from '../support/project.js'
import { serve } from '../support/server.js'

const PATIENCE_MS = 120_000
const project = useProject()

/**
 * Programs run in a separate process, where a crash ends no other test. `start(code, data)`
 * is a worker with `pm`, `data` and `say`; `workOnEverything` returns what was wrong.
 */
const PRELUDE = `
  const { Worker } = require('node:worker_threads')
  const pm = require('promptmason')
  const { workOnEverything } = require('./__test__/support/thread-work.cjs')
  const WORKER = \`
    const { parentPort, workerData: data } = require('node:worker_threads')
    const pm = require('promptmason')
    const { workOnEverything } = require('./__test__/support/thread-work.cjs')
    const say = parentPort.postMessage.bind(parentPort)
  \`
  const start = (code, workerData) => new Worker(WORKER + code, { eval: true, workerData })
  const messageOf = (worker) => new Promise((resolve, reject) => {
    worker.once('message', resolve).once('error', reject).once('exit', () => reject(new Error('no answer')))
  })
  const text = 'Some text of 中文 words. '.repeat(20)
  const dataOf = ([name, folder]) => ({ name, folder, text, tokens: pm.countTokens(text, 'o200k') })
`

/** Folders with an `AGENTS.md` that says the name of a thread, by that name. */
const foldersOf = (names: string[]): string =>
  JSON.stringify(names.map((name) => [name, dirname(project.current.write(`${name}/AGENTS.md`, name))]))

const NAMES = Array.from({ length: 8 }, (_, index) => `worker-${index}`)

describe('eight workers', { timeout: PATIENCE_MS }, () => {
  it('can assemble prompts, use managers and snapshots, count tokens and read instructions at once', () => {
    const program = `${PRELUDE}
      const [main, ...folders] = ${foldersOf(['main', ...NAMES])}
      const workers = folders.map((folder) => messageOf(start('workOnEverything(pm, data).then(say)', dataOf(folder))))
      tell(await Promise.all([workOnEverything(pm, dataOf(main)), ...workers]))
    `
    expect(told(program)).toEqual(Array.from({ length: 9 }, () => []))
  })

  it('may be the first to count tokens, all at once', () => {
    const program = `${PRELUDE}
      const workers = Array.from({ length: 8 }, () => messageOf(start("say(pm.countTokens(data, 'cl100k'))", text)))
      const counts = await Promise.all(workers)
      tell(counts.every((count) => count === pm.countTokens(text, 'cl100k')))
    `
    expect(told(program)).toBe(true)
  })
})

/** Calls whose native part runs on other threads. The folder is `data`. */
const ASYNC_CALLS: Record<string, string> = {
  'InstructionPrompt.system': 'pm.InstructionPrompt.system({ directory: data, worktree: data })',
  'InstructionPrompt.systemPaths': 'pm.InstructionPrompt.systemPaths({ directory: data, worktree: data })',
  'InstructionPrompt.load':
    "pm.InstructionPrompt.load({ directory: data, worktree: data, config: { instructions: ['**/*.md'] } })",
  'InstructionPrompt.find': 'pm.InstructionPrompt.find(data)',
  'InstructionPrompt.resolvePaths':
    "pm.InstructionPrompt.resolvePaths(data + '/a/b/c.ts', { directory: data, worktree: data })",
  'InstructionPrompt.resolve': "pm.InstructionPrompt.resolve(data + '/a/b/c.ts', { directory: data, worktree: data })",
  'SystemPrompt.build': 'pm.SystemPrompt.build({ agent: {}, directory: data })',
  findUp: "pm.findUp('AGENTS.md', data)",
}

/** A worker that always has pending calls, and reports when it has started. */
const endless = (call: string): string =>
  JSON.stringify(`const next = () => { void ${call}.then(next) }; for (let i = 0; i < 40; i++) next(); say('begun')`)

describe('abandoned asynchronous work', { timeout: PATIENCE_MS }, () => {
  const filled = (): string => {
    for (let index = 0; index < 40; index++) project.current.write(`a/${index}/AGENTS.md`, `text ${index} `.repeat(200))
    project.current.write('a/b/c.ts')
    project.current.write('AGENTS.md', 'main')
    return project.current.root
  }

  it.each(Object.entries(ASYNC_CALLS))('%s: workers may be terminated in the middle of it', (_, call) => {
    const program = `${PRELUDE}
      const folder = ${JSON.stringify(filled())}
      for (let round = 0; round < 2; round++) {
        const workers = Array.from({ length: 8 }, () => start(${endless(call)}, folder))
        await Promise.all(workers.map(async (worker, index) => {
          await messageOf(worker)
          // Some at once, some when calls have come back.
          if (index % 2 === 1) await new Promise((resolve) => setTimeout(resolve, index * 3))
          await worker.terminate()
        }))
      }
      tell([await workOnEverything(pm, dataOf(['main', folder])), await messageOf(start('workOnEverything(pm, data).then(say)', dataOf(['main', folder])))])
    `
    expect(told(program)).toEqual([[], []])
  })

  it.each(Object.entries(ASYNC_CALLS))('%s: the process may exit in the middle of it', (_, call) => {
    const program = `
      const pm = require('promptmason')
      const data = ${JSON.stringify(filled())}
      for (let i = 0; i < 100; i++) void ${call}
      tell('ended')
    `
    expect(told(`${program}; process.exit(0)`)).toBe('ended')
    expect(told(`${program}; setImmediate(() => process.exit(0))`)).toBe('ended')
  })

  it.each(Object.entries(ASYNC_CALLS))('%s: the process may exit while workers are in the middle of it', (_, call) => {
    const program = `${PRELUDE}
      await Promise.all(Array.from({ length: 8 }, () => messageOf(start(${endless(call)}, ${JSON.stringify(filled())}))))
      tell('ended')
      process.exit(0)
    `
    expect(told(program)).toBe('ended')
  })
})

/** A day, longer than the test: waiting for the server must not end by itself. */
const FETCH =
  'pm.InstructionPrompt.system({ config: { instructions: [address] }, timeoutMs: 86_400_000 }).finally(() => process.exit(1))'
const WORKER = `const worker = new Worker("const pm = require('promptmason'); const address = require('node:worker_threads').workerData; " + ${JSON.stringify(FETCH)}, { eval: true, workerData: address })`

describe('exit while a URL is fetched from a server that does not answer', { timeout: PATIENCE_MS }, () => {
  const endings: Record<string, { program: string; ended: object }> = {
    'process.exit': { program: `${FETCH}; const end = () => process.exit(7)`, ended: { code: 7, signal: null } },
    'process.exit while a worker fetches': {
      program: `${WORKER}; const end = () => process.exit(7)`,
      ended: { code: 7, signal: null },
    },
    'the end of the worker that fetches': {
      program: `${WORKER}; const end = () => { process.exitCode = 7; process.stdin.destroy(); void worker.terminate() }`,
      ended: { code: 7, signal: null },
    },
    'an exit handler that assembles': {
      program: `${FETCH}; const end = () => process.exit()
        const input = { contextMessages: [], currentMessage: 'x', teamTask: null, maxBytes: 10 }
        process.on('exit', () => { process.exitCode = new pm.PlainTextAssembler().assemble(input).prompt === 'x' ? 8 : 9 })`,
      ended: { code: 8, signal: null },
    },
    'a signal': {
      program: `${FETCH}; const end = () => process.kill(process.pid, 'SIGTERM')`,
      ended: { code: null, signal: 'SIGTERM' },
    },
  }

  it.each(Object.entries(endings))('%s: ends at once', async (_, { program, ended }) => {
    let requests = 0
    // The server has the request, and keeps it.
    const url = await serve(() => {
      requests += 1
      child.stdin.write('end')
    })
    const code = `
      const { Worker } = require('node:worker_threads'); const pm = require('promptmason'); const address = ${JSON.stringify(url)}
      ${program}
      process.stdin.once('data', () => end())
    `
    const env = { ...process.env, DEBUG: undefined }
    const child = spawn(process.execPath, ['-e', code], {
      cwd: root,
      env,
      stdio: ['pipe', 'inherit', 'pipe'],
      timeout: PATIENCE_MS / 2,
      killSignal: 'SIGKILL',
    })
    let stderr = ''
    child.stderr.on('data', (data) => {
      stderr += data
    })
    const found = await new Promise((resolve, reject) => {
      child.once('error', reject).once('close', (exit, signal) => resolve({ code: exit, signal }))
    })
    expect({ found, stderr, requests }).toEqual({ found: ended, stderr: '', requests: 1 })
  })
})
