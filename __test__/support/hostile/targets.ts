/** Every exported function, with valid arguments. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as promptmason from 'promptmason'
import { untyped } from '../assemblers.js'
import { managerWith, numbered } from '../conversation.js'
import * as good from './arguments.js'

export interface Target {
  /** Good arguments: several sets of them, if there are different ways to call it. */
  readonly args: (() => unknown[])[]
  /** Calls it; `manager` is one with four messages. */
  call(args: unknown[], manager: promptmason.ContextManager): unknown
  /** Whether it starts a process or does much work in each call. */
  readonly isSlow?: boolean
}

type AnyFunction = (...args: unknown[]) => unknown
type AnyClass = new (...args: unknown[]) => object

export const BUFFER_BYTES = 8192
/** What the caller's memory is filled with. */
export const FILLED_WITH = 7
const memory = () => Buffer.alloc(BUFFER_BYTES, FILLED_WITH)

const directory = mkdtempSync(join(tmpdir(), 'hostile-'))
writeFileSync(join(directory, 'AGENTS.md'), '---\napplyTo: "**"\n---\nBe kind. @./other.md\n')
writeFileSync(join(directory, 'other.md'), 'Other rules.\n')
writeFileSync(join(directory, 'promptmason.json'), '{ "instructions": ["*.md"] }')
export { directory }

/** A manager with routes, pins, a summary and a session. */
export const managerToAttack = (): promptmason.ContextManager => {
  const manager = managerWith(numbered(3), {
    contextWindowSize: 2,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
  })
  manager.addMessage(
    untyped({ ...good.simpleMessage(), routing: { addressees: ['max'], parentMessageId: 'msg-1' }, pinned: true }),
  )
  manager.setTeamTask('the task')
  manager.setSummary({ upTo: 'msg-1', text: 'so far' })
  manager.assembleForAgent('max', 'codex', { session: 'delta' })
  manager.confirm('max')
  manager.addMessage(untyped(good.simpleMessage()))
  return manager
}

const silent = untyped<Record<'debug' | 'info' | 'warn' | 'error', (...args: unknown[]) => void>>(
  new promptmason.SilentLogger(),
)

const functionTarget = (call: unknown, ...args: Target['args']): Target => ({
  args,
  call: (given) => (call as AnyFunction)(...given),
})
const classTarget = (Class: unknown, ...args: Target['args']): Target => ({
  args,
  call: (given) => new (Class as AnyClass)(...given),
})
const managerTarget = (name: keyof promptmason.ContextManager, ...args: Target['args']): Target => ({
  args,
  call: (given, manager) => Reflect.apply(manager[name] as AnyFunction, manager, given),
})
const slow = (target: Target): Target => ({ ...target, isSlow: true })

/** One of each kind, for the last argument of what makes a prompt. */
const FORMS: readonly (() => object | undefined)[] = [
  () => undefined,
  () => ({ report: true }),
  () => ({ as: 'buffer' }),
  () => ({ into: memory(), offset: 8 }),
]
const agent = ['max', 'codex']
const forAgent = () => [...agent, good.agentOptions()]
const forRoute = () => [...agent, good.route(), good.routeOptions()]
const none = () => []

const managerTargets: Record<string, Target> = {
  addMessage: managerTarget(
    'addMessage',
    () => [good.message()],
    () => [good.simpleMessage()],
  ),
  getMessages: managerTarget('getMessages', none),
  getLatestMessage: managerTarget('getLatestMessage', none),
  updateMessage: managerTarget(
    'updateMessage',
    () => ['msg-2', good.message()],
    () => ['msg-4', { content: 'changed', pinned: false }],
  ),
  removeMessage: managerTarget('removeMessage', () => ['msg-2']),
  pin: managerTarget('pin', () => ['msg-2']),
  unpin: managerTarget('unpin', () => ['msg-4']),
  overflow: managerTarget('overflow', forAgent),
  setSummary: managerTarget('setSummary', () => [{ upTo: 'msg-2', text: 'a summary', recipient: 'max' }]),
  getSummary: managerTarget('getSummary', () => ['max']),
  clearSummary: managerTarget('clearSummary', () => ['max']),
  confirm: managerTarget('confirm', () => ['max']),
  forget: managerTarget('forget', () => ['max']),
  removeMember: managerTarget('removeMember', () => ['max']),
  setTeamTask: managerTarget('setTeamTask', () => ['another task']),
  getTeamTask: managerTarget('getTeamTask', none),
  getContextForAgent: managerTarget('getContextForAgent', forAgent),
  getContextForRoute: managerTarget('getContextForRoute', forRoute),
  assemblePrompt: managerTarget(
    'assemblePrompt',
    ...FORMS.map((form) => () => ['codex', good.assemblerInput(), form()]),
  ),
  assembleForAgent: managerTarget('assembleForAgent', ...FORMS.map((form) => () => [...forAgent(), form()])),
  assembleForRoute: managerTarget('assembleForRoute', ...FORMS.map((form) => () => [...forRoute(), form()])),
  clear: managerTarget('clear', none),
  exportSnapshot: managerTarget('exportSnapshot', () => [{ after: 'msg-2' }]),
  importSnapshot: managerTarget(
    'importSnapshot',
    () => [good.snapshot(), { append: false }],
    () => [good.laterSnapshot(), { append: true }],
  ),
}

const ASSEMBLERS = [
  'ClaudeContextAssembler',
  'CodexContextAssembler',
  'GeminiContextAssembler',
  'LayoutAssembler',
  'PlainTextAssembler',
] as const

const assemblerTargets = (name: (typeof ASSEMBLERS)[number]): [string, Target][] => {
  const Class = untyped<AnyClass>(promptmason[name])
  const first = name === 'LayoutAssembler' ? [good.layout()] : []
  const assembler = untyped<Record<string, AnyFunction>>(new Class(...first))
  const method = (key: string, ...args: Target['args']): [string, Target] => [
    `${name}#${key}`,
    { args, call: (given) => assembler[key]?.(...given) },
  ]
  return [
    [
      `new ${name}`,
      classTarget(Class, () =>
        name === 'LayoutAssembler' ? [good.layout(), good.assemblerOptions()] : [good.assemblerOptions()],
      ),
    ],
    method('getAgentType', none),
    method('assemble', ...FORMS.map((form) => () => [good.assemblerInput(), form()])),
  ]
}

const { InstructionPrompt, SystemPrompt } = promptmason
const instructionOptions = () => good.instructionOptions(directory)
const promptInputs = [() => [good.promptInput()], () => [good.layoutPromptInput()]]
const systemPromptInput = () => [good.systemPromptInput(directory)]

/** By name: `function`, `new Class`, `Class#method`, `Class.static` or `namespace.function`. */
export const TARGETS: Record<string, Target> = {
  ...Object.fromEntries(ASSEMBLERS.flatMap(assemblerTargets)),
  'LayoutAssembler.for': functionTarget(promptmason.LayoutAssembler.for, () => ['codex', good.assemblerOptions()]),
  'new ContextManager': classTarget(promptmason.ContextManager, () => [good.managerOptions()]),
  ...Object.fromEntries(Object.entries(managerTargets).map(([name, target]) => [`ContextManager#${name}`, target])),
  buildPrompt: functionTarget(
    promptmason.buildPrompt,
    ...promptInputs.flatMap((input) => FORMS.map((form) => () => [...input(), form()])),
  ),
  calibrate: functionTarget(
    promptmason.calibrate,
    () => [good.estimate(), { bytes: 100, tokens: 25 }],
    () => [good.estimate(), { tokens: 25, text: 'text' }],
  ),
  countTokens: functionTarget(
    promptmason.countTokens,
    () => ['text 你好', 'o200k'],
    () => [Buffer.from('text'), good.estimate()],
    () => ['text', () => 5],
  ),
  trimMessages: functionTarget(
    promptmason.trimMessages,
    () => [
      [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: null, tool_calls: [{ id: 'a', function: { name: 'f', arguments: '{}' } }] },
        { role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: 'done' }] },
      ],
      { as: 'openai-chat', maxTokens: 1000, report: true, tools: [{ name: 'f' }], system: [{ text: 'Be brief.' }] },
    ],
    () => [
      [
        { role: 'user', content: [{ type: 'text', text: 'hi' }] },
        { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'f', input: { x: [1] } }] },
        {
          role: 'tool',
          content: [{ type: 'tool-result', toolCallId: 'a', toolName: 'f', output: { type: 'json', value: 1 } }],
        },
      ],
      { as: 'ai-sdk', maxTokens: 1000, tokenizer: good.estimate(), fileTokens: () => 5 },
    ],
    () => [
      [
        { role: 'user', parts: [{ text: 'hi' }, { inlineData: { mimeType: 'image/png', data: '' } }] },
        { role: 'model', parts: [{ functionCall: { name: 'f', args: { x: 1 } } }] },
        { role: 'user', parts: [{ functionResponse: { name: 'f', response: { output: 1 } } }] },
      ],
      { as: 'gemini', maxTokens: 5000, tokenizer: () => 5 },
    ],
  ),
  contextBudget: functionTarget(promptmason.contextBudget, () => [
    { maxTokens: 1000, tokenizer: 'o200k', fileTokens: 5, onTrim: () => {} },
  ]),
  renderReport: functionTarget(
    promptmason.renderReport,
    () => [
      promptmason.buildPrompt({ agentType: 'codex', contextMessages: [], message: 'hello' }, { report: true }),
      { title: 'title' },
    ],
    () => [
      [promptmason.buildPrompt({ agentType: 'codex', contextMessages: [], message: 'hello' }, { report: true }).report],
    ],
  ),
  planDelivery: functionTarget(
    promptmason.planDelivery,
    () => [{ prompt: 'prompt @file', systemFlag: 'system' }, good.deliveryOptions()],
    () => [{ prompt: Buffer.from('/prompt'), systemFlag: 'system' }, good.ownDeliveryOptions()],
  ),
  parseOutput: functionTarget(promptmason.parseOutput, () => [
    'claude-code',
    { stdout: '{"type":"result","result":"answer"}', stderr: Buffer.from('x'), exitCode: 0 },
  ]),
  writeDelivery: slow({
    args: [() => [{ args: good.deliveryPlan().args, files: good.deliveryPlan().files }]],
    call: async (given) => {
      const { cleanup, args } = await untyped<(...plan: unknown[]) => ReturnType<typeof promptmason.writeDelivery>>(
        promptmason.writeDelivery,
      )(...given)
      await cleanup()
      return args
    },
  }),
  textOf: functionTarget(promptmason.textOf, () => [{ text: 'x', finishReason: 'stop', delivered: 'yes' }]),
  cliVersion: slow(
    functionTarget(promptmason.cliVersion, () => ['mine', { command: process.execPath, versionArgs: ['--version'] }]),
  ),
  deliver: slow(
    functionTarget(promptmason.deliver, () => [
      good.deliveryPlan(),
      {
        signal: new AbortController().signal,
        timeoutMs: 20_000,
        idleTimeoutMs: 20_000,
        onEvent: () => {},
        onText: () => {},
        stream: true,
        detached: false,
      },
    ]),
  ),
  'SystemPrompt.build': slow(functionTarget(SystemPrompt.build, systemPromptInput)),
  'SystemPrompt.buildWithReport': slow(functionTarget(SystemPrompt.buildWithReport, systemPromptInput)),
  'SystemPrompt.environment': functionTarget(SystemPrompt.environment, () => [good.environmentOptions(directory)]),
  'SystemPrompt.provider': functionTarget(SystemPrompt.provider, () => ['gpt-5', { families: { gpt: ['base'] } }]),
  'InstructionPrompt.find': slow(functionTarget(InstructionPrompt.find, () => [directory, instructionOptions()])),
  'InstructionPrompt.load': slow(functionTarget(InstructionPrompt.load, () => [instructionOptions()])),
  'InstructionPrompt.resolve': slow(
    functionTarget(InstructionPrompt.resolve, () => [
      join(directory, 'src', 'x.ts'),
      { ...instructionOptions(), loaded: ['a.md'] },
    ]),
  ),
  'InstructionPrompt.resolvePaths': slow(
    functionTarget(InstructionPrompt.resolvePaths, () => [
      join(directory, 'src', 'x.ts'),
      { ...instructionOptions(), loaded: ['a.md'] },
    ]),
  ),
  'InstructionPrompt.system': slow(functionTarget(InstructionPrompt.system, () => [instructionOptions()])),
  'InstructionPrompt.systemPaths': slow(functionTarget(InstructionPrompt.systemPaths, () => [instructionOptions()])),
  assembleSystemPrompt: slow(
    functionTarget(promptmason.assembleSystemPrompt, () => [['hint', 'another'], good.segmentOptions()]),
  ),
  compressionHint: functionTarget(promptmason.compressionHint, () => ['summary', { locale: 'en' }]),
  systemHint: functionTarget(promptmason.systemHint, () => [
    { type: 'note', tool: 'ls', lines: 5, isCut: true },
    'text',
  ]),
  truncateToolOutput: functionTarget(promptmason.truncateToolOutput, () => [
    'ls',
    'output '.repeat(100),
    { maxChars: 50 },
  ]),
  findUp: slow(functionTarget(promptmason.findUp, () => ['AGENTS.md', directory])),
  findUpAll: slow(functionTarget(promptmason.findUpAll, () => [['AGENTS.md', 'other.md'], directory, tmpdir()])),
  openConversation: functionTarget(
    async (options: unknown, text: unknown, sayOptions: unknown, sendOptions: unknown) => {
      const talk = await promptmason.openConversation(options as promptmason.ConversationOptions)
      try {
        await talk.say('kailai', untyped(text), untyped(sayOptions))
        return await talk.send('max', untyped(sendOptions))
      } finally {
        await talk.close()
      }
    },
    () => [
      {
        id: 'a',
        task: 'the task',
        members: { kailai: { human: true }, max: { run: () => 'yes', system: ['a', 'b'], maxTokens: 1000 } },
        visibility: 'team',
        contextWindowSize: 3,
        maxBytes: 5000,
        evictionStep: 1,
        markers: 'fence',
        leaseMs: 5000,
        logger: { debug() {}, info() {}, warn() {}, error() {} },
      },
      'hello',
      { to: ['max'], private: true, pinned: true },
      { timeoutMs: 1000, onText() {} },
    ],
  ),
  memoryStore: functionTarget(
    async (...args: Parameters<promptmason.ConversationStore['append']>) => {
      const store = promptmason.memoryStore()
      await store.acquire('a', 'anna', 1000)
      return store.append(...args)
    },
    () => ['a', { version: 0, fence: 1 }, ['one', { two: [2] }]],
  ),
  fileStore: functionTarget(promptmason.fileStore, () => [directory]),
  redisStore: functionTarget(promptmason.redisStore, () => [{ eval() {}, evalSha() {} }, { prefix: 'a' }]),
  storeChecks: functionTarget(promptmason.storeChecks, () => [{ open: promptmason.memoryStore, holdsLock: true }]),
  readTranscript: functionTarget(promptmason.readTranscript, () => [
    { agent: 'codex', file: __filename, maxBytes: 10 },
  ]),
  listTranscripts: functionTarget(promptmason.listTranscripts, () => [
    { agent: 'codex', home: directory, cwd: directory },
  ]),
  buildHandoff: functionTarget(promptmason.buildHandoff, () => [
    {
      agent: 'claude',
      cwd: directory,
      messages: [
        { speaker: { id: 'user', type: 'human' }, content: 'a', timestamp: new Date(0) },
        {
          speaker: { id: 'claude', type: 'ai' },
          content: 'b',
          parts: [
            { type: 'text', text: 'b' },
            { type: 'tool-call', id: '1', name: 'Bash', input: { command: 'ls' } },
            { type: 'tool-result', id: '1', output: 'c' },
          ],
        },
      ],
      summary: { text: 'd', covers: 1 },
      branches: [{ kind: 'sub-agent', messages: [{ speaker: { id: 'e' }, content: 'f' }] }],
      omitted: { messages: 1, bytes: 2 },
    },
    {
      to: 'codex',
      message: 'g',
      maxBytes: 10_000,
      maxTokens: 5000,
      tokenizer: 'o200k',
      redact: true,
      fenceKey: 'abcdefghijk1',
    },
    { report: true },
  ]),
  'new SilentLogger': classTarget(promptmason.SilentLogger, () => []),
  'SilentLogger#debug': functionTarget(silent.debug, () => ['a']),
  'SilentLogger#info': functionTarget(silent.info, () => ['a']),
  'SilentLogger#warn': functionTarget(silent.warn, () => ['a']),
  'SilentLogger#error': functionTarget(silent.error, () => ['a']),
  isPromptmasonError: functionTarget(promptmason.isPromptmasonError, () => [new Error('x'), 'ERR_INTERNAL']),
}

/** The methods of a class, its own and those it inherits. */
const methodNames = (Class: AnyClass): string[] => {
  const names: string[] = []
  for (let prototype = Class.prototype; prototype !== Object.prototype; prototype = Object.getPrototypeOf(prototype)) {
    names.push(...Object.getOwnPropertyNames(prototype).filter((key) => key !== 'constructor'))
  }
  return names
}

const callableNamesOf = (name: string, exported: unknown): string[] => {
  if (typeof exported === 'number') return []
  if (typeof exported === 'object' && exported !== null) return Object.keys(exported).map((key) => `${name}.${key}`)
  if (!/^class\b/.test(String(exported))) return [name]
  const Class = untyped<AnyClass & Record<string, unknown>>(exported)
  const statics = Object.getOwnPropertyNames(Class).filter((key) => typeof Class[key] === 'function')
  return [`new ${name}`].concat(
    methodNames(Class).map((key) => `${name}#${key}`),
    statics.map((key) => `${name}.${key}`),
  )
}

/** The names of everything that `exports` lets a caller call. */
export const callableNames = (exports: object): string[] =>
  Object.entries(exports).flatMap(([name, exported]) => callableNamesOf(name, exported))
