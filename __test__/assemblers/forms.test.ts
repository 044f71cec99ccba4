import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import {
  buildPrompt,
  ContextManager,
  PlainTextAssembler,
  type AnyAssemblerOutput,
  type AssemblerInput,
  type PromptForm,
} from 'promptmason'
import { describe, expect, it } from 'vitest'
import {
  AGENTS,
  byteLength,
  create,
  fullSize,
  history,
  inputOf,
  said,
  thrownBy,
  untyped,
} from '../support/assemblers.js'
import { managerWith, spoken } from '../support/conversation.js'

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

  it.each([
    ['with a system text', TEXTS],
    ['without', inputOf()],
    ['empty', inputOf({ currentMessage: '' })],
  ])('every form has exactly its keys, with systemFlag undefined if there is none: %s', (_, input) => {
    const output = assembler.assemble(input)
    expect(Object.keys(output)).toEqual(['prompt', 'systemFlag'])
    expect(Object.keys(assembler.assemble(input, { report: true }))).toEqual(['prompt', 'systemFlag', 'report'])
    expect(Object.keys(assembler.assemble(input, { as: 'buffer' }))).toEqual(['prompt', 'systemFlag'])
    expect(Object.keys(assembler.assemble(input, { into: Buffer.alloc(1000) }))).toEqual(['bytes', 'systemFlag'])
    const expected = agent === 'claude' && input === TEXTS ? 'system' : undefined
    for (const { systemFlag } of [
      output,
      assembler.assemble(input, { report: true }),
      assembler.assemble(input, { as: 'buffer' }),
      assembler.assemble(input, { into: Buffer.alloc(1000) }),
    ])
      expect(systemFlag).toBe(expected)
  })

  it('as a buffer: returns a new Buffer with exactly the UTF-8 bytes', () => {
    const first = assembler.assemble(TEXTS, { as: 'buffer' }).prompt
    const second = assembler.assemble(TEXTS, { as: 'buffer' }).prompt
    expect(Buffer.isBuffer(first)).toBe(true)
    expect(first.equals(Buffer.from(assembler.assemble(TEXTS).prompt, 'utf8'))).toBe(true)
    first.fill(0)
    expect(second.equals(assembler.assemble(TEXTS, { as: 'buffer' }).prompt)).toBe(true)
    const empty = assembler.assemble(inputOf({ currentMessage: '' }), { as: 'buffer' }).prompt
    expect(Buffer.isBuffer(empty) && empty.length === 0).toBe(true)
  })

  it('as a buffer: returns megabytes', () => {
    const input = inputOf({ contextMessages: history(2000, () => '中x'.repeat(500)), maxBytes: 2 ** 24 })
    expect(assembler.assemble(input, { as: 'buffer' }).prompt.toString()).toBe(assembler.assemble(input).prompt)
  })

  it.each([
    ['Buffer', () => Buffer.alloc(500, 7)],
    ['Uint8Array', () => new Uint8Array(500).fill(7)],
    ['view into the middle of a larger one', () => new Uint8Array(900).fill(7).subarray(200, 700)],
    ['array on shared memory', () => new Uint8Array(new SharedArrayBuffer(500)).fill(7)],
  ])('into a buffer: writes only from the offset on: %s', (_, make) => {
    const expected = Buffer.from(assembler.assemble(TEXTS).prompt)
    for (const offset of [0, 1, 500 - promptBytes]) {
      const memory = make()
      expect(assembler.assemble(TEXTS, { into: memory, offset }).bytes).toBe(promptBytes)
      expect(Buffer.from(memory.subarray(offset, offset + promptBytes)).equals(expected)).toBe(true)
      expect(memory.subarray(0, offset).every((byte) => byte === 7)).toBe(true)
      expect(memory.subarray(offset + promptBytes).every((byte) => byte === 7)).toBe(true)
      const whole = new Uint8Array(memory.buffer)
      expect(whole.subarray(0, memory.byteOffset).every((byte) => byte === 7)).toBe(true)
      expect(whole.subarray(memory.byteOffset + 500).every((byte) => byte === 7)).toBe(true)
    }
  })

  it('into a buffer: writes from the beginning when there is no offset', () => {
    const memory = Buffer.alloc(promptBytes)
    assembler.assemble(TEXTS, { into: memory })
    expect(memory.toString()).toBe(assembler.assemble(TEXTS).prompt)
    memory.fill(0)
    assembler.assemble(TEXTS, { into: memory, offset: undefined })
    expect(memory.toString()).toBe(assembler.assemble(TEXTS).prompt)
  })

  it.each([
    ['one byte too small', () => Buffer.alloc(promptBytes - 1, 7), 0],
    ['an offset one too far', () => Buffer.alloc(promptBytes, 7), 1],
    ['an offset at the end', () => Buffer.alloc(promptBytes, 7), promptBytes],
    ['an offset behind the end', () => Buffer.alloc(promptBytes, 7), 2 ** 40],
    ['no room at all', () => new Uint8Array(0), 0],
  ])('into a buffer: writes nothing and reports the required size when it does not fit: %s', (_, make, offset) => {
    const memory = make()
    const error = thrownBy(() => assembler.assemble(TEXTS, { into: memory, offset }))
    expect(error).toBeInstanceOf(RangeError)
    expect(error).toMatchObject({ code: 'ERR_OUT_OF_RANGE', requiredBytes: promptBytes })
    expect(error.message).toContain(String(promptBytes))
    expect(memory.every((byte) => byte === 7)).toBe(true)
  })

  it('into a buffer: accepts an empty prompt at the end of a buffer', () => {
    const empty = inputOf({ currentMessage: '' })
    expect(assembler.assemble(empty, { into: Buffer.alloc(3), offset: 3 }).bytes).toBe(0)
    expect(assembler.assemble(empty, { into: new Uint8Array(0) }).bytes).toBe(0)
    expect(thrownBy(() => assembler.assemble(empty, { into: Buffer.alloc(3), offset: 4 })).code).toBe(
      'ERR_OUT_OF_RANGE',
    )
  })

  it.each<[string, unknown, string]>([
    ['a string', 'buffer', 'string'],
    ['an array', [1, 2], 'array'],
    ['an ArrayBuffer', new ArrayBuffer(1000), 'object'],
    ['a DataView', new DataView(new ArrayBuffer(1000)), 'object'],
    ['a Uint16Array', new Uint16Array(1000), 'object'],
    ['an Int8Array', new Int8Array(1000), 'object'],
    ['a Proxy', new Proxy(Buffer.alloc(1000), {}), 'object'],
  ])('into a buffer: takes a Buffer or Uint8Array and not %s', (_, buffer, kind) => {
    const error = thrownBy(() => assembler.assemble(TEXTS, untyped({ into: buffer })))
    expect(error).toMatchObject({
      name: 'TypeError',
      code: 'ERR_INVALID_ARG_TYPE',
      message: `form.into must be a Buffer or Uint8Array, got ${kind}`,
    })
  })

  it.each([
    [-1, 'ERR_OUT_OF_RANGE'],
    [1.5, 'ERR_OUT_OF_RANGE'],
    [NaN, 'ERR_OUT_OF_RANGE'],
    [Infinity, 'ERR_OUT_OF_RANGE'],
    ['1', 'ERR_INVALID_ARG_TYPE'],
    [1n, 'ERR_INVALID_ARG_TYPE'],
  ])('into a buffer: rejects the offset %s', (offset, code) => {
    const memory = Buffer.alloc(1000, 7)
    const error = thrownBy(() => assembler.assemble(TEXTS, untyped({ into: memory, offset })))
    expect(error.code).toBe(code)
    expect(error.message).toMatch(/^form\.offset must be /)
    expect(memory.every((byte) => byte === 7)).toBe(true)
  })

  it('into a buffer: treats a detached buffer as one without room', () => {
    const memory = new Uint8Array(1000)
    transferAway(memory)
    expect(thrownBy(() => assembler.assemble(TEXTS, { into: memory }))).toMatchObject({
      code: 'ERR_OUT_OF_RANGE',
      requiredBytes: promptBytes,
    })
  })

  it('into a buffer: survives a getter that transfers or shrinks the buffer during the call', () => {
    const during = (act: () => void): AssemblerInput => ({
      ...TEXTS,
      contextMessages: [
        {
          from: 'a',
          get content() {
            act()
            return 'x'
          },
        },
      ],
    })
    const transferred = new Uint8Array(1000)
    expect(
      thrownBy(() =>
        assembler.assemble(
          during(() => transferAway(transferred)),
          { into: transferred },
        ),
      ).code,
    ).toBe('ERR_OUT_OF_RANGE')

    const resizable = new ArrayBuffer(1000, { maxByteLength: 2000 })
    const memory = new Uint8Array(resizable)
    expect(
      thrownBy(() =>
        assembler.assemble(
          during(() => resizable.resize(8)),
          { into: memory },
        ),
      ).code,
    ).toBe('ERR_OUT_OF_RANGE')
    expect(memory).toEqual(new Uint8Array(8))
    expect(
      assembler.assemble(
        during(() => resizable.resize(2000)),
        { into: memory },
      ).bytes,
    ).toBeGreaterThan(0)
  })

  it('every form throws the same error when the budget is exceeded, and writes nothing', () => {
    const input = { ...TEXTS, maxBytes: 3 }
    const memory = Buffer.alloc(1000, 7)
    const errors = [
      thrownBy(() => assembler.assemble(input)),
      thrownBy(() => assembler.assemble(input, { report: true })),
      thrownBy(() => assembler.assemble(input, { as: 'buffer' })),
      thrownBy(() => assembler.assemble(input, { into: memory })),
    ]
    expect(new Set(errors.map(({ code, message, requiredBytes }) => `${code} ${message} ${requiredBytes}`)).size).toBe(
      1,
    )
    expect(errors[0]?.code).toBe('ERR_BUDGET_EXCEEDED')
    expect(memory.every((byte) => byte === 7)).toBe(true)
  })

  it('does not change the input', () => {
    const frozen = Object.freeze({ ...TEXTS, contextMessages: Object.freeze(TEXTS.contextMessages.map(Object.freeze)) })
    const input = untyped<AssemblerInput>(frozen)
    expect(() => assembler.assemble({ ...input, maxBytes: fullSize(agent, input) - 1 })).not.toThrow()
  })
})

const OFFSET = 3
const ROUTE = { parentMessageId: 'msg-1', targetMemberId: 'max' }
const SYSTEM = { systemInstruction: 'system' }
const conversation = (): ContextManager => managerWith([spoken('one 中文'), spoken('two \ud800'), spoken('three')])

/** Every function that assembles a prompt, with new input each time. */
const MAKERS: [string, (form?: PromptForm | null) => AnyAssemblerOutput][] = [
  ...AGENTS.map((agent): [string, (form?: PromptForm | null) => AnyAssemblerOutput] => [
    `assemble of ${agent}`,
    (form) => create(agent).assemble(TEXTS, form),
  ]),
  [
    'buildPrompt',
    (form) =>
      buildPrompt(
        {
          agentType: 'claude',
          contextMessages: TEXTS.contextMessages,
          message: 'what now?',
          systemInstructionText: 'system',
        },
        form,
      ),
  ],
  ['assemblePrompt', (form) => conversation().assemblePrompt('claude', TEXTS, form)],
  ['assembleForAgent', (form) => conversation().assembleForAgent('max', 'claude', SYSTEM, form)],
  ['assembleForRoute', (form) => conversation().assembleForRoute('max', 'claude', ROUTE, SYSTEM, form)],
]

describe.each(MAKERS)('%s', (_, make) => {
  const plain = untyped<{ prompt: string; systemFlag: string | undefined }>(make())
  const bytes = Buffer.from(plain.prompt)
  const { report } = make({ report: true })
  const memory = (): Buffer => Buffer.alloc(bytes.length + 2 * OFFSET, 7)
  const filled = Buffer.concat([Buffer.alloc(OFFSET, 7), bytes, Buffer.alloc(OFFSET, 7)])

  it.each<[string, PromptForm | null | undefined]>([
    ['nothing', undefined],
    ['null', null],
    ['an empty object', {}],
    ['as: string', { as: 'string' }],
    ['nothing in it', { report: null, as: null, into: null, offset: null }],
    ['no report', { report: false, as: undefined }],
  ])('a string for %s', (__, form) => {
    const output = make(form)
    expect(Object.keys(output)).toEqual(['prompt', 'systemFlag'])
    expect(output).toEqual(plain)
  })

  it.each([undefined, 'string'] as const)('a string and a report (as: %s)', (as) => {
    const output = make({ as, report: true })
    expect(Object.keys(output)).toEqual(['prompt', 'systemFlag', 'report'])
    expect(output).toEqual({ ...plain, report })
    expect(output.report).toMatchObject({ promptBytes: bytes.length })
  })

  it('a buffer', () => {
    const output = make({ as: 'buffer' })
    expect(Object.keys(output)).toEqual(['prompt', 'systemFlag'])
    expect(output).toEqual({ ...plain, prompt: bytes })
  })

  it('a buffer and a report', () => {
    const output = make({ as: 'buffer', report: true })
    expect(Object.keys(output)).toEqual(['prompt', 'systemFlag', 'report'])
    expect(output).toEqual({ ...plain, prompt: bytes, report })
  })

  it('into a buffer', () => {
    const into = memory()
    const output = make({ into, offset: OFFSET })
    expect(Object.keys(output)).toEqual(['bytes', 'systemFlag'])
    expect(output).toEqual({ bytes: bytes.length, systemFlag: plain.systemFlag })
    expect(into).toEqual(filled)
  })

  it('into a buffer and a report', () => {
    const into = memory()
    const output = make({ into, offset: OFFSET, report: true })
    expect(Object.keys(output)).toEqual(['bytes', 'systemFlag', 'report'])
    expect(output).toEqual({ bytes: bytes.length, systemFlag: plain.systemFlag, report })
    expect(into).toEqual(filled)
  })

  it('leaves a buffer that is too small unchanged, with and without a report', () => {
    for (const wanted of [false, true]) {
      const into = Buffer.alloc(bytes.length - 1, 7)
      expect(thrownBy(() => make({ into, report: wanted }))).toMatchObject({
        code: 'ERR_OUT_OF_RANGE',
        requiredBytes: bytes.length,
      })
      expect(into.every((byte) => byte === 7)).toBe(true)
    }
  })

  it.each<[unknown, string]>([
    ['buffer', 'form must be an object, got string'],
    [0, 'form must be an object, got number'],
    [true, 'form must be an object, got boolean'],
    [[], 'form must be an object, got array'],
    [() => ({}), 'form must be an object, got function'],
    [{ report: 1 }, 'form.report must be a boolean, got number'],
    [{ as: 5 }, 'form.as must be a string, got number'],
    [
      { as: 'bytes' },
      "form.as must be 'string', 'buffer', 'anthropic', 'openai', 'openai-chat', 'gemini' or 'ai-sdk', got 'bytes'",
    ],
    [{ as: 'buffer', into: Buffer.alloc(9) }, 'form.as must not be given together with form.into'],
    [{ as: 'string', into: Buffer.alloc(9) }, 'form.as must not be given together with form.into'],
    [{ offset: 0 }, 'form.offset must be given together with form.into'],
    [{ as: 'buffer', offset: 1 }, 'form.offset must be given together with form.into'],
    [{ into: 'x' }, 'form.into must be a Buffer or Uint8Array, got string'],
    [{ repotr: true }, 'form.repotr is not read here: did you mean form.report?'],
    [{ Report: true }, 'form.Report is not read here: did you mean form.report?'],
    [{ reports: true }, 'form.reports is not read here: did you mean form.report?'],
    [{ int: Buffer.alloc(9) }, 'form.int is not read here: did you mean form.into?'],
    [{ into: Buffer.alloc(999), ofset: 1 }, 'form.ofset is not read here: did you mean form.offset?'],
    [{ into: Buffer.alloc(999), offsat: 1 }, 'form.offsat is not read here: did you mean form.offset?'],
    [{ AS: 'buffer' }, 'form.AS is not read here: did you mean form.as?'],
  ])('refuses %j', (form, message) => {
    expect(thrownBy(() => make(untyped(form)))).toMatchObject({
      name: 'TypeError',
      code: 'ERR_INVALID_ARG_TYPE',
      message,
    })
  })

  it('leaves other keys alone', () => {
    expect(make(untyped({ at: 1, is: 2, target: 'x', [Symbol('report')]: 1 }))).toEqual(plain)
  })

  it('rethrows what a getter of the form throws', () => {
    const own = new Error('mine')
    expect(
      thrownBy(() =>
        make({
          get report(): boolean {
            throw own
          },
        }),
      ),
    ).toBe(own)
  })
})

it('reads the form once, before the input', () => {
  const read: string[] = []
  const noting = <T extends object>(name: string, target: T): T =>
    new Proxy(target, {
      get: (object, key) => {
        read.push(`${name}.${String(key)}`)
        return Reflect.get(object, key)
      },
    })
  new PlainTextAssembler().assemble(noting('input', inputOf()), noting('form', { as: 'buffer', report: true } as const))
  const ofForm = ['form.as', 'form.cache', 'form.into', 'form.model', 'form.offset', 'form.report']
  expect(read.slice(0, ofForm.length).toSorted()).toEqual(ofForm)
  expect(read.slice(ofForm.length).some((key) => key.startsWith('form'))).toBe(false)
})

describe('worker threads', () => {
  const source = `
    const { parentPort, workerData } = require('node:worker_threads')
    const { addon, name, input, times } = workerData
    const assembler = new (require(addon)[name])()
    const seen = new Set()
    for (let i = 0; i < times; i++) {
      seen.add(assembler.assemble(input).prompt)
      seen.add(assembler.assemble(input, { as: 'buffer' }).prompt.toString())
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

  it('return the same results as the main thread', async () => {
    const inputs = Array.from({ length: 6 }, (_, index) =>
      inputOf({
        contextMessages: history(50, (message) => `worker ${index} message ${message}`),
        maxBytes: 600 + index,
      }),
    )
    const answers = await Promise.all(inputs.map((input) => answer(start('ClaudeContextAssembler', input, 300))))
    expect(answers).toEqual(inputs.map((input) => [create('claude').assemble(input).prompt]))
  })

  it('do not affect each other when one is terminated', async () => {
    const busy = start('PlainTextAssembler', inputOf({ contextMessages: history(500) }), 1e9)
    await new Promise((resolve) => busy.once('online', resolve))
    const other = answer(start('PlainTextAssembler', inputOf(), 100))
    await busy.terminate()
    expect(await other).toEqual(['hello'])
    expect(create('plain').assemble(inputOf()).prompt).toBe('hello')
  })
})
