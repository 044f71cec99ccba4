/** What may differ between runtimes: errors, buffers, strings, workers, modules. */
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import * as promptmason from '../../index.js'
import { INPUT, MIXED, PROMPT, folder } from './materials.mjs'

const { CodexContextAssembler, ContextManager, InstructionPrompt, SystemPrompt, buildPrompt, isPromptmasonError } =
  promptmason
const assembler = new CodexContextAssembler()

/** @param {() => unknown} action @returns {any} */
const thrownBy = (action) => {
  try {
    action()
  } catch (error) {
    return error
  }
  return assert.fail('nothing was thrown')
}

/** @param {any} value */
const untyped = (value) => value

/** Resolves with a worker's message, or rejects with its error. @param {Worker} worker @returns {Promise<any>} */
const saidBy = (worker) =>
  new Promise((resolve, reject) => {
    worker.on('message', resolve)
    worker.on('error', reject)
  })

/** @param {string} name @param {'run' | 'load'} task */
const startWorker = (name, task) =>
  new Worker(new URL('worker.cjs', import.meta.url), { workerData: { name, task, folder } })

/** @type {Record<string, () => unknown>} */
export const BEHAVIOUR_CHECKS = {
  'errors have their class, code and fields': () => {
    const wrong = thrownBy(() =>
      assembler.assemble(untyped({ ...INPUT, contextMessages: [{ from: 'max', content: 5 }] })),
    )
    assert.ok(wrong instanceof TypeError && isPromptmasonError(wrong, 'ERR_INVALID_ARG_TYPE'))
    assert.equal(wrong.message, 'contextMessages[0].content must be a string, got number')
    const tight = thrownBy(() => assembler.assemble({ ...INPUT, maxBytes: 10 }))
    assert.ok(tight instanceof RangeError && isPromptmasonError(tight, 'ERR_BUDGET_EXCEEDED'))
    assert.deepEqual([tight.requiredBytes > 10, tight.sections.system], [true, 18])
  },
  'errors of async functions, too': async () => {
    await assert.rejects(InstructionPrompt.load(untyped({ directory: 5 })), { code: 'ERR_INVALID_ARG_TYPE' })
    await assert.rejects(SystemPrompt.build(untyped(null)), TypeError)
  },
  'a wrong receiver is a TypeError': () => {
    for (const receiver of [undefined, {}, Object.create(CodexContextAssembler.prototype), new Proxy(assembler, {})]) {
      assert.ok(
        thrownBy(() => CodexContextAssembler.prototype.assemble.call(untyped(receiver), INPUT)) instanceof TypeError,
      )
      assert.ok(thrownBy(() => ContextManager.prototype.getMessages.call(untyped(receiver))) instanceof TypeError)
    }
    assert.ok(thrownBy(() => untyped(CodexContextAssembler)()) instanceof TypeError)
  },
  'an exception of a getter passes unchanged': () => {
    const own = new Error('mine')
    const message = {
      from: 'max',
      get content() {
        throw own
      },
    }
    assert.equal(
      thrownBy(() => assembler.assemble(untyped({ ...INPUT, contextMessages: [message] }))),
      own,
    )
    assert.equal(assembler.assemble(INPUT).prompt, PROMPT)
  },
  'buffers: offsets, views, and one that is too small': () => {
    const memory = new ArrayBuffer(1000)
    const { bytes } = assembler.assemble(INPUT, { into: new Uint8Array(memory, 100, 500), offset: 3 })
    assert.equal(Buffer.from(memory, 103, bytes).toString(), PROMPT)
    assert.equal(new Uint8Array(memory)[102], 0)
    const small = Buffer.alloc(bytes - 1, 1)
    const error = thrownBy(() => assembler.assemble(INPUT, { into: small }))
    assert.ok(error instanceof RangeError && untyped(error).requiredBytes === bytes)
    assert.ok(small.every((byte) => byte === 1))
  },
  'a detached buffer is refused': () => {
    const buffer = new Uint8Array(1000)
    structuredClone(buffer.buffer, { transfer: [buffer.buffer] })
    assert.ok(isPromptmasonError(thrownBy(() => assembler.assemble(INPUT, { into: buffer }))))
  },
  'strings of every kind arrive as they are': () => {
    for (const content of [
      'x'.repeat(70_000),
      'ü'.repeat(70_000),
      '中'.repeat(70_000),
      '🔑'.repeat(70_000),
      `${MIXED}\0`.repeat(3000),
    ]) {
      const input = { ...INPUT, contextMessages: [{ from: 'max', content }], maxBytes: 1e6 }
      assert.equal(assembler.assemble(input).prompt, PROMPT.replace(MIXED, content))
      assert.equal(assembler.assemble(input, { as: 'buffer' }).prompt.toString(), PROMPT.replace(MIXED, content))
    }
    const lone = assembler.assemble({ ...INPUT, currentMessage: 'a\ud800b' }).prompt
    assert.ok(lone.endsWith('a\ufffdb') || lone.endsWith('a\ud800b'))
    assert.ok(
      assembler
        .assemble({ ...INPUT, currentMessage: 'a\ud800b' }, { as: 'buffer' })
        .prompt.toString()
        .endsWith('a\ufffdb'),
    )
  },
  'a budget is kept, and a cut leaves characters whole': () => {
    for (let maxBytes = 300; maxBytes < 330; maxBytes++) {
      const { prompt } = assembler.assemble({ ...INPUT, currentMessage: '👨‍👩‍👧中'.repeat(100), maxBytes })
      assert.ok(Buffer.byteLength(prompt) <= maxBytes && !prompt.includes('\ufffd'))
    }
  },
  'a snapshot goes through JSON into another manager': () => {
    const manager = new ContextManager()
    manager.setTeamTask(MIXED)
    for (const content of ['one', MIXED, 'three'])
      manager.addMessage({ speaker: { id: 'max' }, content, pinned: content === 'one' })
    const restored = new ContextManager()
    restored.importSnapshot(JSON.parse(JSON.stringify(manager.exportSnapshot())))
    assert.deepEqual(restored.getMessages(), manager.getMessages())
    assert.equal(restored.assembleForAgent('a', 'codex').prompt, manager.assembleForAgent('a', 'codex').prompt)
    assert.equal(thrownBy(() => restored.importSnapshot(untyped({ messages: 5 }))).code, 'ERR_INVALID_SNAPSHOT')
    assert.equal(restored.getMessages().length, 3)
  },
  'workers do their work beside each other': async () => {
    const workers = ['a', 'b', 'c', 'd'].map((name) => startWorker(name, 'run'))
    assert.deepEqual(
      await Promise.all(workers.map(saidBy)),
      ['a', 'b', 'c', 'd'].map((name) => ({ name, wrong: [] })),
    )
    await Promise.all(workers.map((worker) => worker.terminate()))
  },
  'a worker may be ended in the middle of async work': async () => {
    const workers = ['a', 'b', 'c', 'd'].map((name) => startWorker(name, 'load'))
    await Promise.all(workers.map(saidBy))
    await Promise.all(workers.map((worker) => worker.terminate()))
    assert.equal(buildPrompt({ agentType: 'codex', contextMessages: [], message: 'x' }).prompt, '[MESSAGE]\nx')
  },
  'many objects come and go': () => {
    for (let round = 0; round < 20_000; round++) {
      new ContextManager().addMessage({ speaker: { id: 'max' }, content: MIXED })
      assert.equal(new CodexContextAssembler().getAgentType(), 'openai-codex')
    }
  },
  'require and import find the same': () => {
    const names = (/** @type {object} */ found) =>
      Object.keys(found)
        .filter((name) => name !== 'default' && name !== 'module.exports')
        .toSorted()
    assert.deepEqual(names(promptmason), names(createRequire(import.meta.url)('../../index.js')))
  },
}
