import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..', '..')

/** Runs a program with promptmason as `pm` and a small input, and returns its stderr. */
const stderrOf = (program: string, env: Record<string, string | undefined> = {}): string => {
  const prelude = `
    const pm = require('promptmason')
    const contextMessages = Array.from({ length: 12 }, (_, i) => ({ from: 'm' + i, content: 'c'.repeat(100) }))
    const input = { agentType: 'claude', systemInstructionText: 'You are Max', contextMessages, message: 'Hi' }
  `
  const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', prelude + program], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, DEBUG: undefined, ...env },
  })
  expect({ status, stdout }).toEqual({ status: 0, stdout: '' })
  return stderr
}

const build = 'pm.buildPrompt(input);'

describe('DEBUG', () => {
  it.each(['1', 'true', '*', 'promptmason', 'express:*,promptmason', 'a promptmason'])(
    '%j writes what is sent',
    (DEBUG) => {
      const output = stderrOf(build, { DEBUG })
      expect(output).toContain('[Debug][Send] claude-code: ')
      expect(output).toContain('── systemFlag, 11 bytes\nYou are Max\n')
      expect(output).toMatch(
        /── prompt, \d+ bytes\n\[CONTEXT\]\n- m7 -> all: c+\n[^]*\n\[MESSAGE\]\nHi\n\[Debug\]\[Trim\]/,
      )
    },
  )

  it.each([undefined, '', '0', 'false', 'express:*', 'promptmasonry'])('%j writes nothing', (DEBUG) => {
    expect(stderrOf(build, { DEBUG })).toBe('')
  })

  it('writes what was trimmed', () => {
    const program = `
      input.instructionFileText = 'rule\\n'.repeat(9999)
      pm.buildPrompt({ ...input, maxContextMessages: 12, systemMaxBytes: 2070, maxBytes: 2522 })
    `
    expect(stderrOf(program, { DEBUG: '1' })).toMatch(
      /\[Debug\]\[Trim\] \[SYSTEM\] shortened to 2 KB of 48\.8 KB; \[CONTEXT\] trimmed to 3 of 12 messages\n$/,
    )
  })

  it('writes that a summary was shortened or dropped', () => {
    const program =
      "for (const size of [9990, 500]) pm.buildPrompt({ ...input, contextMessages: [], summary: 's'.repeat(size), maxBytes: size / 2 })"
    expect(stderrOf(program, { DEBUG: '1' }).match(/\[Debug\]\[Trim\].*/g)).toEqual([
      expect.stringMatching(/ \[SUMMARY\] shortened to 4\.8 KB of 9\.7 KB$/),
      expect.stringMatching(/ \[SUMMARY\] dropped, all of 510 bytes$/),
    ])
  })

  it('names the type of a custom layout', () => {
    const program = `
      const layout = { agentType: 'aider', sections: [{ part: 'context', title: '# Chat' }, { part: 'message' }], messageLine: { open: '* ' } }
      new pm.LayoutAssembler(layout).assemble({ contextMessages, currentMessage: 'Hi', teamTask: null, maxBytes: 250 })
      const manager = new pm.ContextManager({ layouts: [layout] })
      manager.addMessage({ speaker: { id: 'max' }, content: 'Go' })
      manager.assembleForAgent('sarah', 'AIDER')
    `
    const output = stderrOf(program, { DEBUG: '1' })
    expect(output).toMatch(
      /\[Debug\]\[Send\] aider: [^]*\n# Chat\n\* m10: c+\n\* m11: c+\n\nHi\n\[Debug\]\[Trim\] \[CONTEXT\] trimmed to 2 of 12 messages\n/,
    )
    expect(output).toContain('[Debug][Send] sarah (aider): ')
  })

  it('states that nothing was left out', () => {
    expect(stderrOf('pm.buildPrompt({ ...input, contextMessages: [] })', { DEBUG: '1' })).toMatch(
      /\[Debug\]\[Trim\] nothing was left out\n$/,
    )
  })

  it('can be switched on and off at run time', () => {
    const program = `${build} process.env.DEBUG = 'promptmason'; ${build} delete process.env.DEBUG; ${build}`
    expect(stderrOf(program).match(/\[Debug\]\[Send\]/g)).toHaveLength(1)
  })

  it('is read from process.env, also if that was replaced', () => {
    const assemble =
      "new pm.PlainTextAssembler().assemble({ contextMessages, currentMessage: 'x', teamTask: null, maxBytes: 5000 });"
    const program = `${build} ${assemble} process.env = { ...process.env, DEBUG: '1' }; ${build} ${assemble}`
    expect(stderrOf(program).match(/\[Debug\]\[Send\]/g)).toHaveLength(2)
  })

  it('covers every form of every assembler', () => {
    const program = `
      for (const name of ['Claude', 'Codex', 'Gemini']) {
        const assembler = new pm[name + 'ContextAssembler']()
        const materials = { contextMessages, currentMessage: 'Hi', teamTask: null, maxBytes: 4096 }
        assembler.assemble(materials)
        assembler.assemble(materials, { report: true })
        assembler.assemble(materials, { as: 'buffer' })
        assembler.assemble(materials, { into: Buffer.alloc(4096) })
      }
      pm.buildPrompt(input, { as: 'buffer' })
      pm.buildPrompt(input, { into: Buffer.alloc(4096) })
    `
    expect(stderrOf(program, { DEBUG: '*' }).match(/\[Debug\]\[Send\]/g)).toHaveLength(14)
  })

  it('does not read messages that are not sent', () => {
    const program = `
      const trap = { get from() { throw new Error('read') }, content: '' }
      const assembler = new pm.PlainTextAssembler()
      const filler = { from: 'a', content: 'x'.repeat(90) }
      assembler.assemble({ contextMessages: [trap, trap, filler, filler], currentMessage: 'Hi', teamTask: null, maxBytes: 120 })
    `
    expect(stderrOf(program, { DEBUG: '1' })).toContain('[CONTEXT] trimmed to 1 of 4 messages')
  })

  it('does not interleave the blocks of parallel workers', () => {
    const program = `
      const { Worker } = require('node:worker_threads')
      const work = \`
        const pm = require('promptmason')
        const { workerData: name } = require('node:worker_threads')
        for (let i = 0; i < 40; i++) {
          pm.buildPrompt({ agentType: 'other', contextMessages: [], message: (name + '\\\\n').repeat(20000).trim() })
        }\`
      for (const name of ['a', 'b', 'c']) new Worker(work, { eval: true, workerData: name })
    `
    const blocks = stderrOf(program, { DEBUG: '1' }).split('[Debug][Send] ').slice(1)
    expect(blocks).toHaveLength(120)
    for (const block of blocks) {
      expect(block).toMatch(
        /^unknown: 39999 of \d+ bytes\n── prompt, 39999 bytes\n([abc])(\n\1){19999}\n\[Debug\]\[Trim\] nothing was left out\n$/,
      )
    }
  })
})

describe('DEBUG in each thread', () => {
  /** How often something was written, by the message that was sent. */
  const writtenBy = (program: string, env?: Record<string, string | undefined>): Record<string, number> => {
    const sent = stderrOf(program, env).matchAll(/── prompt, \d+ bytes\n(\w+)\n/g)
    const counts: Record<string, number> = {}
    for (const [, message = ''] of sent) counts[message] = (counts[message] ?? 0) + 1
    return counts
  }
  /** `send(message)` writes it through each way to a prompt: four. */
  const send = `
    const send = (message) => {
      const pm = require('promptmason')
      const assembler = new pm.PlainTextAssembler()
      const materials = { contextMessages: [], currentMessage: message, teamTask: null, maxBytes: 4096 }
      assembler.assemble(materials)
      assembler.assemble(materials, { as: 'buffer' })
      pm.buildPrompt({ agentType: 'other', contextMessages: [], message })
      const manager = new pm.ContextManager({ assemblers: { other: {} } })
      manager.addMessage({ speaker: { id: 'a' }, content: message })
      manager.assembleForAgent('a', 'other')
    };
  `
  const worker = (work: string, options: string): string => `
    {
      const { Worker, SHARE_ENV } = require('node:worker_threads')
      const started = new Worker(${JSON.stringify(`${send}${work}`)}, { eval: true, ${options} })
      await new Promise((resolve, reject) => { started.once('exit', resolve).once('error', reject) })
    }
  `
  const main = (program: string): string => `${send};(async () => {${program}})()`

  it('on the main thread, it is read in each call', () => {
    const program = `
      send('first'); process.env.DEBUG = '1'; send('second'); process.env.DEBUG = '0'; send('third'); process.env.DEBUG = 'promptmason'
      send('fourth'); process.env.DEBUG = ''; send('fifth'); process.env.DEBUG = '*'; delete process.env.DEBUG; send('sixth')
      Object.assign(process.env, { DEBUG: 'true' }); send('seventh')
    `
    expect(writtenBy(main(program))).toEqual({ second: 4, fourth: 4, seventh: 4 })
    expect(writtenBy(main(program), { DEBUG: '1' })).toEqual({ first: 4, second: 4, fourth: 4, seventh: 4 })
  })

  it('in a worker, it is read from the worker’s environment', () => {
    const program = `
      ${worker("send('given')", "env: { DEBUG: '1' }")}
      ${worker("send('without')", 'env: {}')}
      ${worker("send('copied')", '')}
      ${worker("process.env.DEBUG = '1'; send('own'); delete process.env.DEBUG; send('deleted')", '')}
      send('main')
      process.env.DEBUG = '1'
      ${worker("send('copiedLater')", '')}
      ${worker("send('withoutLater')", 'env: {}')}
      ${worker("send('offLater')", "env: { DEBUG: '0' }")}
      ${worker("delete process.env.DEBUG; send('deletedLater')", '')}
      send('mainLater')
    `
    expect(writtenBy(main(program))).toEqual({ given: 4, own: 4, copiedLater: 4, mainLater: 4 })
  })

  it('in a worker that shares the environment, it is that of the process', () => {
    const program = `
      ${worker("send('off')", 'env: SHARE_ENV')}
      process.env.DEBUG = '1'
      ${worker("send('on')", 'env: SHARE_ENV')}
      ${worker("delete process.env.DEBUG; send('deleted')", 'env: SHARE_ENV')}
      send('mainOff')
      ${worker("process.env.DEBUG = '1'; send('set')", 'env: SHARE_ENV')}
      send('mainOn')
    `
    expect(writtenBy(main(program))).toEqual({ on: 4, set: 4, mainOn: 4 })
  })
})
