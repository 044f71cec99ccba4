/** One check per export, by its name. `smoke.mjs` fails if an export has none. */
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import * as promptmason from '../../index.js'
import { INPUT, MIXED, PROMPT, deliveredProgram, folder } from './materials.mjs'

const {
  ClaudeContextAssembler,
  CodexContextAssembler,
  ContextManager,
  GeminiContextAssembler,
  InstructionPrompt,
  LayoutAssembler,
  PlainTextAssembler,
  SystemPrompt,
  assembleSystemPrompt,
  buildHandoff,
  buildPrompt,
  calibrate,
  compressionHint,
  contextBudget,
  countTokens,
  cliVersion,
  deliver,
  fileStore,
  findUp,
  findUpAll,
  isPromptmasonError,
  listTranscripts,
  memoryStore,
  openConversation,
  parseOutput,
  planDelivery,
  readTranscript,
  redisStore,
  renderReport,
  storeChecks,
  systemHint,
  textOf,
  trimMessages,
  truncateToolOutput,
  writeDelivery,
} = promptmason

/** All forms of an assembler return the same prompt. @param {promptmason.CodexContextAssembler} assembler @param {string} prompt */
const checkForms = (assembler, prompt) => {
  assert.equal(assembler.assemble(INPUT).prompt, prompt)
  assert.equal(assembler.assemble(INPUT, { as: 'buffer' }).prompt.toString(), prompt)
  const { report, ...output } = assembler.assemble(INPUT, { report: true })
  assert.equal(output.prompt, prompt)
  assert.equal(report.account.leftOutBytes, 0)
  const buffer = Buffer.alloc(2000)
  const { bytes } = assembler.assemble(INPUT, { into: buffer, offset: 7 })
  assert.equal(buffer.toString('utf8', 7, 7 + bytes), prompt)
}

/** @type {import('../../index.d.ts').PromptInput} */
const turn = {
  agentType: 'codex',
  contextMessages: INPUT.contextMessages,
  message: 'Go on.',
  systemInstructionText: 'Be brief.',
}

/** @type {Record<string, () => unknown>} */
export const EXPORT_CHECKS = {
  DEFAULT_CONTEXT_WINDOW_SIZE: () => assert.equal(promptmason.DEFAULT_CONTEXT_WINDOW_SIZE, 5),
  DEFAULT_MAX_BYTES: () => assert.equal(promptmason.DEFAULT_MAX_BYTES, 768 * 1024),
  MAX_TEAM_TASK_BYTES: () => assert.equal(promptmason.MAX_TEAM_TASK_BYTES, 5 * 1024),
  SilentLogger: () => new ContextManager({ logger: new promptmason.SilentLogger() }).setTeamTask('x'.repeat(6000)),
  ClaudeContextAssembler: () => {
    const assembler = new ClaudeContextAssembler()
    checkForms(assembler, PROMPT.replace('[SYSTEM]\nBe brief.\n\n', ''))
    assert.equal(assembler.assemble(INPUT).systemFlag, 'Be brief.')
  },
  CodexContextAssembler: () => checkForms(new CodexContextAssembler(), PROMPT),
  GeminiContextAssembler: () =>
    assert.match(new GeminiContextAssembler().assemble(INPUT).prompt, /^Instructions:\nBe brief\./),
  PlainTextAssembler: () =>
    assert.equal(new PlainTextAssembler().assemble(INPUT).prompt, `Be brief.\n\nmax: ${MIXED}\n\nGo on.`),
  LayoutAssembler: () => {
    checkForms(LayoutAssembler.for('opencode'), PROMPT)
    const sections = /** @type {const} */ ([
      { part: 'context', title: '# Before' },
      { part: 'message', title: '# Now' },
    ])
    const own = new LayoutAssembler({
      agentType: 'own',
      sections,
      messageLine: { open: '* ', arrow: ' to ', colon: ': ' },
    })
    assert.equal(
      own.assemble({ ...INPUT, systemInstruction: null }).prompt,
      `# Before\n* max to all: ${MIXED}\n\n# Now\nGo on.`,
    )
  },
  ContextManager: () => {
    const added = /** @type {string[]} */ ([])
    const manager = new ContextManager({ contextWindowSize: 3, onMessageAdded: ({ id }) => void added.push(id) })
    for (const content of ['one', MIXED, 'three']) manager.addMessage({ speaker: { id: 'max' }, content })
    manager.updateMessage('msg-1', { content: '一' })
    assert.deepEqual(added, ['msg-1', 'msg-2', 'msg-3'])
    const expected = `[CONTEXT]\n- max -> all: 一\n- max -> all: ${MIXED}\n\n[MESSAGE]\nthree`
    assert.equal(manager.assembleForAgent('a', 'codex').prompt, expected)
    assert.equal(manager.assembleForAgent('a', 'codex', undefined, { as: 'buffer' }).prompt.toString(), expected)
    const buffer = new Uint8Array(1000)
    const { bytes } = manager.assembleForAgent('a', 'codex', null, { into: buffer })
    assert.equal(Buffer.from(buffer.subarray(0, bytes)).toString(), expected)
    manager.pin('msg-1')
    manager.removeMessage('msg-2')
    assert.equal(manager.getMessages().length, 2)
  },
  buildPrompt: () => {
    assert.equal(buildPrompt(turn).prompt, PROMPT)
    assert.equal(buildPrompt(turn, { as: 'buffer' }).prompt.toString(), PROMPT)
    assert.equal(buildPrompt(turn, { into: Buffer.alloc(1000) }).bytes, Buffer.byteLength(PROMPT))
    assert.equal(buildPrompt(turn, { report: true }).report.account.leftOutBytes, 0)
  },
  planDelivery: () => assert.equal(planDelivery(buildPrompt(turn), { agentType: 'claude' }).command, 'claude'),
  textOf: () => assert.throws(() => textOf(parseOutput('codex', { stdout: '' })), { code: 'ERR_CLI_FAILED' }),
  parseOutput: () => assert.equal(parseOutput('text', { stdout: Buffer.from(`${MIXED}\n`), exitCode: 0 }).text, MIXED),
  writeDelivery: async () => {
    const output = new ClaudeContextAssembler().assemble({
      ...INPUT,
      systemInstruction: 'x'.repeat(200_000),
      maxBytes: 1e6,
    })
    const { args, cleanup } = await writeDelivery(planDelivery(output, { agentType: 'claude', platform: 'linux' }))
    assert.equal(readFileSync(args.at(-1) ?? '', 'utf8').length, 200_000)
    await cleanup()
    assert.throws(() => readFileSync(args.at(-1) ?? ''))
  },
  cliVersion: async () => {
    const options = { command: process.execPath, versionArgs: ['--version'] }
    assert.match((await cliVersion('mine', options)) ?? '', /^\d+\.\d+/)
  },
  deliver: async () => {
    const profile = { command: process.execPath, args: [deliveredProgram()], output: 'codex' }
    const { text, sessionId } = await deliver(
      planDelivery(buildPrompt(turn, { as: 'buffer' }), { agentType: 'codex', profile }),
      { timeoutMs: 60_000 },
    )
    assert.deepEqual([text, sessionId], [PROMPT, 'thread-1'])
  },
  SystemPrompt: async () => {
    const parts = await SystemPrompt.build({
      agent: { prompt: 'You are Sarah.' },
      directory: folder,
      transform: async (given) => [...given, MIXED],
    })
    assert.deepEqual([parts[0], parts.at(-1)], ['You are Sarah.', MIXED])
  },
  assembleSystemPrompt: async () =>
    assert.match(
      await assembleSystemPrompt(['A hint.'], { core: 'You are an agent.' }),
      /^You are an agent\.[^]*A hint\./,
    ),
  compressionHint: () => assert.ok(compressionHint(MIXED, { locale: 'en' }).includes(MIXED)),
  systemHint: () =>
    assert.match(systemHint({ type: 'note' }, '</system_hint>'), /^<system_hint type="note">(?!<\/system_hint><)/),
  truncateToolOutput: () => assert.ok(truncateToolOutput('sh', MIXED.repeat(100_000)).length < 100_000),
  InstructionPrompt: async () => {
    const server = createServer((_, response) => response.end(`from a server: ${MIXED}`))
    await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)))
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
    writeFileSync(join(folder, 'AGENTS.md'), `from a file: ${MIXED}`)
    const config = { instructions: [`http://127.0.0.1:${port}/`, 'missing.md'] }
    const loaded = await InstructionPrompt.load({ directory: folder, config })
    server.close()
    const texts = loaded.map(({ status, text }) => text ?? status)
    assert.deepEqual(texts.filter((text) => text !== 'missing').slice(0, 2), [
      `from a file: ${MIXED}`,
      `from a server: ${MIXED}`,
    ])
  },
  findUp: async () => {
    mkdirSync(join(folder, 'deep', 'er'), { recursive: true })
    writeFileSync(join(folder, 'marker'), '')
    assert.equal(await findUp('marker', join(folder, 'deep', 'er')), join(folder, 'marker'))
  },
  findUpAll: async () => {
    writeFileSync(join(folder, 'marker'), '')
    assert.deepEqual(await findUpAll(['marker'], folder, folder), [join(folder, 'marker')])
  },
  countTokens: () =>
    assert.deepEqual(
      [countTokens('Hello, world!', 'o200k'), countTokens(Buffer.from('Hello, world!'), 'cl100k')],
      [4, 4],
    ),
  calibrate: () => assert.equal(countTokens(MIXED, calibrate({ bytesPerToken: 3 }, { text: MIXED, tokens: 20 })), 20),
  renderReport: () =>
    assert.match(renderReport(new CodexContextAssembler().assemble(INPUT, { report: true })), /^<!doctype html>/i),
  openConversation: async () => {
    const talk = await openConversation({
      members: { kailai: { human: true }, bot: { run: ({ prompt }) => `${prompt.length > 0}` } },
    })
    await talk.say('kailai', MIXED)
    assert.equal((await talk.send('bot')).text, 'true')
    assert.equal(talk.messages().length, 2)
    await talk.close()
  },
  memoryStore: async () => {
    const store = memoryStore()
    const { fence } = await store.acquire('a', 'anna', 1000)
    await store.append('a', { version: 0, fence }, [MIXED])
    assert.deepEqual(await store.load('a'), { version: 1, entries: [MIXED] })
  },
  fileStore: async () => {
    const [store, other] = [fileStore(join(folder, 'store')), fileStore(join(folder, 'store'))]
    const { fence } = await store.acquire('a', 'anna', 1000)
    await assert.rejects(other.acquire('a', 'ben', 1000), { code: 'ERR_CONFLICT' })
    await store.append('a', { version: 0, fence }, [MIXED])
    await store.release('a', fence)
    const again = await other.acquire('a', 'ben', 1000)
    assert.deepEqual(await other.load('a'), { version: 1, entries: [MIXED] })
    await other.release('a', again.fence)
  },
  redisStore: () => assert.throws(() => redisStore(/** @type {any} */ ({})), { code: 'ERR_INVALID_ARG_TYPE' }),
  storeChecks: async () => {
    const shared = memoryStore()
    await Promise.all(storeChecks({ open: () => shared, holdsLock: true }).map(({ run }) => run()))
  },
  listTranscripts: async () => {
    assert.deepEqual(await listTranscripts({ agent: 'codex', home: folder, cwd: folder }), [])
  },
  readTranscript: async () => {
    const file = join(folder, 'events.jsonl')
    writeFileSync(file, `${JSON.stringify({ type: 'user.message', data: { content: MIXED } })}\n`)
    const { messages } = await readTranscript({ agent: 'copilot', file })
    assert.equal(messages[0]?.content, MIXED)
  },
  buildHandoff: () => {
    const messages = [{ speaker: { id: 'user', type: 'human' }, content: MIXED }]
    assert.ok(buildHandoff({ agent: 'claude', messages }, { to: 'codex' }).prompt.includes(MIXED))
  },
  trimMessages: () => {
    const list = [MIXED, 'b', MIXED].map((content) => ({ role: 'user', content }))
    const { messages } = trimMessages(list, { as: 'openai-chat', maxTokens: 60, tokenizer: 'o200k' })
    assert.equal(messages.at(-1), list[2])
  },
  contextBudget: async () => {
    const params = { prompt: [{ role: 'user', content: [{ type: 'text', text: MIXED }] }] }
    const { transformParams } = contextBudget({ maxTokens: 1000, tokenizer: 'o200k' })
    assert.deepEqual((await transformParams({ params })).prompt, params.prompt)
  },
  isPromptmasonError: () => assert.ok(!isPromptmasonError(new Error('x'))),
}
