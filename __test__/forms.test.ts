import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import type { AssemblerInput } from 'promptmason'
import { describe, expect, it } from 'vitest'
import { AGENTS, byteLength, create, fullSize, history, inputOf, said, thrownBy, untyped } from './support/assemblers.js'

const TEXTS = inputOf({
  contextMessages: [said('kai', 'hi 中文 👨‍👩‍👧‍👦', 'max'), said('max', 'lone \ud800', null)],
  currentMessage: 'what now?',
  teamTask: 'task é',
  systemInstruction: 'system',
})

const transferAway = (memory: Uint8Array): void => {
  structuredClone(memory.buffer, { transfer: [untyped<ArrayBuffer>(memory.buffer)] })
}

describe.each(AGENTS)('%s', (agent) => {
  const assembler = create(agent)
  const promptBytes = byteLength(assembler.assemble(TEXTS).prompt)

  it.each([['with a system text', TEXTS], ['without', inputOf()], ['empty', inputOf({ currentMessage: '' })]])(
    'every form has its keys and no others, systemFlag undefined when there is none: %s', (_, input) => {
      const output = assembler.assemble(input)
      expect(Object.keys(output)).toEqual(['prompt', 'systemFlag'])
      expect(Object.keys(assembler.assembleWithReport(input))).toEqual(['prompt', 'systemFlag', 'report'])
      expect(Object.keys(assembler.assembleToBuffer(input))).toEqual(['prompt', 'systemFlag'])
      expect(Object.keys(assembler.assembleInto(input, Buffer.alloc(1000)))).toEqual(['bytes', 'systemFlag'])
      const expected = agent === 'claude' && input === TEXTS ? 'system' : undefined
      for (const { systemFlag } of [
        output, assembler.assembleWithReport(input), assembler.assembleToBuffer(input), assembler.assembleInto(input, Buffer.alloc(1000)),
      ]) expect(systemFlag).toBe(expected)
    })

  it('assembleToBuffer answers a Buffer of exactly the UTF-8 bytes, its own each time', () => {
    const first = assembler.assembleToBuffer(TEXTS).prompt
    const second = assembler.assembleToBuffer(TEXTS).prompt
    expect(Buffer.isBuffer(first)).toBe(true)
    expect(first.equals(Buffer.from(assembler.assemble(TEXTS).prompt, 'utf8'))).toBe(true)
    first.fill(0)
    expect(second.equals(assembler.assembleToBuffer(TEXTS).prompt)).toBe(true)
    const empty = assembler.assembleToBuffer(inputOf({ currentMessage: '' })).prompt
    expect(Buffer.isBuffer(empty) && empty.length === 0).toBe(true)
  })

  it('assembleToBuffer carries megabytes', () => {
    const input = inputOf({ contextMessages: history(2000, () => '中x'.repeat(500)), maxBytes: 2 ** 24 })
    expect(assembler.assembleToBuffer(input).prompt.toString()).toBe(assembler.assemble(input).prompt)
  })

  it.each([
    ['Buffer', () => Buffer.alloc(500, 7)],
    ['Uint8Array', () => new Uint8Array(500).fill(7)],
    ['view into the middle of a larger one', () => new Uint8Array(900).fill(7).subarray(200, 700)],
    ['array on shared memory', () => new Uint8Array(new SharedArrayBuffer(500)).fill(7)],
  ])('assembleInto writes from the offset on, and nothing else: %s', (_, make) => {
    const expected = Buffer.from(assembler.assemble(TEXTS).prompt)
    for (const offset of [0, 1, 500 - promptBytes]) {
      const memory = make()
      expect(assembler.assembleInto(TEXTS, memory, offset).bytes).toBe(promptBytes)
      expect(Buffer.from(memory.subarray(offset, offset + promptBytes)).equals(expected)).toBe(true)
      expect(memory.subarray(0, offset).every((byte) => byte === 7)).toBe(true)
      expect(memory.subarray(offset + promptBytes).every((byte) => byte === 7)).toBe(true)
      const whole = new Uint8Array(memory.buffer)
      expect(whole.subarray(0, memory.byteOffset).every((byte) => byte === 7)).toBe(true)
      expect(whole.subarray(memory.byteOffset + 500).every((byte) => byte === 7)).toBe(true)
    }
  })

  it('assembleInto writes from the beginning when there is no offset', () => {
    const memory = Buffer.alloc(promptBytes)
    assembler.assembleInto(TEXTS, memory)
    expect(memory.toString()).toBe(assembler.assemble(TEXTS).prompt)
    memory.fill(0)
    assembler.assembleInto(TEXTS, memory, undefined)
    expect(memory.toString()).toBe(assembler.assemble(TEXTS).prompt)
  })

  it.each([
    ['one byte too small', () => Buffer.alloc(promptBytes - 1, 7), 0],
    ['an offset one too far', () => Buffer.alloc(promptBytes, 7), 1],
    ['an offset at the end', () => Buffer.alloc(promptBytes, 7), promptBytes],
    ['an offset behind the end', () => Buffer.alloc(promptBytes, 7), 2 ** 40],
    ['no room at all', () => new Uint8Array(0), 0],
  ])('assembleInto writes nothing and says what it needs when it does not fit: %s', (_, make, offset) => {
    const memory = make()
    const error = thrownBy(() => assembler.assembleInto(TEXTS, memory, offset))
    expect(error).toBeInstanceOf(RangeError)
    expect(error).toMatchObject({ code: 'ERR_OUT_OF_RANGE', requiredBytes: promptBytes })
    expect(error.message).toContain(String(promptBytes))
    expect(memory.every((byte) => byte === 7)).toBe(true)
  })

  it('assembleInto takes an empty prompt at the very end of a buffer', () => {
    const empty = inputOf({ currentMessage: '' })
    expect(assembler.assembleInto(empty, Buffer.alloc(3), 3).bytes).toBe(0)
    expect(assembler.assembleInto(empty, new Uint8Array(0)).bytes).toBe(0)
    expect(thrownBy(() => assembler.assembleInto(empty, Buffer.alloc(3), 4)).code).toBe('ERR_OUT_OF_RANGE')
  })

  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'undefined'], ['null', null, 'null'], ['a string', 'buffer', 'string'], ['an array', [1, 2], 'array'],
    ['an ArrayBuffer', new ArrayBuffer(1000), 'object'], ['a DataView', new DataView(new ArrayBuffer(1000)), 'object'],
    ['a Uint16Array', new Uint16Array(1000), 'object'], ['an Int8Array', new Int8Array(1000), 'object'],
    ['a Proxy', new Proxy(Buffer.alloc(1000), {}), 'object'],
  ])('assembleInto takes a Buffer or Uint8Array and not %s', (_, buffer, kind) => {
    const error = thrownBy(() => assembler.assembleInto(TEXTS, untyped(buffer)))
    expect(error).toMatchObject({ name: 'TypeError', code: 'ERR_INVALID_ARG_TYPE', message: `buffer must be a Buffer or Uint8Array, got ${kind}` })
  })

  it.each([[-1, 'ERR_OUT_OF_RANGE'], [1.5, 'ERR_OUT_OF_RANGE'], [NaN, 'ERR_OUT_OF_RANGE'], [Infinity, 'ERR_OUT_OF_RANGE'], ['1', 'ERR_INVALID_ARG_TYPE'], [1n, 'ERR_INVALID_ARG_TYPE']])(
    'assembleInto rejects the offset %s', (offset, code) => {
      const memory = Buffer.alloc(1000, 7)
      const error = thrownBy(() => assembler.assembleInto(TEXTS, memory, untyped(offset)))
      expect(error.code).toBe(code)
      expect(error.message).toMatch(/^offset must be /)
      expect(memory.every((byte) => byte === 7)).toBe(true)
    })

  it('assembleInto treats a detached buffer as one without room', () => {
    const memory = new Uint8Array(1000)
    transferAway(memory)
    expect(thrownBy(() => assembler.assembleInto(TEXTS, memory))).toMatchObject({ code: 'ERR_OUT_OF_RANGE', requiredBytes: promptBytes })
  })

  it('assembleInto survives a getter that transfers or shrinks the buffer meanwhile', () => {
    const during = (act: () => void): AssemblerInput => ({
      ...TEXTS,
      contextMessages: [{ from: 'a', get content() { act(); return 'x' } }],
    })
    const transferred = new Uint8Array(1000)
    expect(thrownBy(() => assembler.assembleInto(during(() => transferAway(transferred)), transferred)).code).toBe('ERR_OUT_OF_RANGE')

    const resizable = new ArrayBuffer(1000, { maxByteLength: 2000 })
    const memory = new Uint8Array(resizable)
    expect(thrownBy(() => assembler.assembleInto(during(() => resizable.resize(8)), memory)).code).toBe('ERR_OUT_OF_RANGE')
    expect(memory).toEqual(new Uint8Array(8))
    expect(assembler.assembleInto(during(() => resizable.resize(2000)), memory).bytes).toBeGreaterThan(0)
  })

  it('every form fails alike when the budget is exceeded, and assembleInto writes nothing', () => {
    const input = { ...TEXTS, maxBytes: 3 }
    const memory = Buffer.alloc(1000, 7)
    const errors = [
      thrownBy(() => assembler.assemble(input)), thrownBy(() => assembler.assembleWithReport(input)),
      thrownBy(() => assembler.assembleToBuffer(input)), thrownBy(() => assembler.assembleInto(input, memory)),
    ]
    expect(new Set(errors.map(({ code, message, requiredBytes }) => `${code} ${message} ${requiredBytes}`)).size).toBe(1)
    expect(errors[0]?.code).toBe('ERR_BUDGET_EXCEEDED')
    expect(memory.every((byte) => byte === 7)).toBe(true)
  })

  it('the input is not changed', () => {
    const frozen = Object.freeze({ ...TEXTS, contextMessages: Object.freeze(TEXTS.contextMessages.map(Object.freeze)) })
    const input = untyped<AssemblerInput>(frozen)
    expect(() => assembler.assemble({ ...input, maxBytes: fullSize(agent, input) - 1 })).not.toThrow()
  })
})

describe('worker threads', () => {
  const source = `
    const { parentPort, workerData } = require('node:worker_threads')
    const { addon, name, input, times } = workerData
    const assembler = new (require(addon)[name])()
    const seen = new Set()
    for (let i = 0; i < times; i++) {
      seen.add(assembler.assemble(input).prompt)
      seen.add(assembler.assembleToBuffer(input).prompt.toString())
      try { assembler.assemble({ ...input, maxBytes: 1 }) } catch (error) { if (error.code !== 'ERR_BUDGET_EXCEEDED') throw error }
    }
    parentPort.postMessage([...seen])
  `
  const start = (name: string, input: AssemblerInput, times: number): Worker => {
    const addon = createRequire(import.meta.url).resolve('promptmason')
    return new Worker(source, { eval: true, workerData: { addon, name, input, times } })
  }
  const answer = (worker: Worker): Promise<string[]> =>
    new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject))

  it('many at once give the same answers as the main thread', async () => {
    const inputs = Array.from({ length: 6 }, (_, index) =>
      inputOf({ contextMessages: history(50, (message) => `worker ${index} message ${message}`), maxBytes: 600 + index }))
    const answers = await Promise.all(inputs.map((input) => answer(start('ClaudeContextAssembler', input, 300))))
    expect(answers).toEqual(inputs.map((input) => [create('claude').assemble(input).prompt]))
  })

  it('one that is terminated in the middle leaves the others alone', async () => {
    const busy = start('PlainTextAssembler', inputOf({ contextMessages: history(500) }), 1e9)
    await new Promise((resolve) => busy.once('online', resolve))
    const other = answer(start('PlainTextAssembler', inputOf(), 100))
    await busy.terminate()
    expect(await other).toEqual(['hello'])
    expect(create('plain').assemble(inputOf()).prompt).toBe('hello')
  })
})
