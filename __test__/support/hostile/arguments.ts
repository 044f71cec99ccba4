/** Valid arguments with every field, created for each run, to be attacked. */
import { tmpdir } from 'node:os'

const messages = () => [
  { from: 'max', to: 'sarah', content: 'plain', timestamp: new Date(0) },
  { from: '张三', to: ['max', 'all'], content: '中文内容' },
  { from: 'max', to: null, content: 'the last\nof them' },
]

export const layout = () => ({
  agentType: 'own',
  aliases: ['own-cli'],
  systemPlacement: 'inline',
  sections: [
    { part: 'system', title: '# System', note: 'Read this.' },
    { part: 'context', title: '# Talk' },
    { part: 'message', title: '# Now' },
  ],
  messageLine: { open: '* ', arrow: ' to ', colon: ': ' },
  quoteLine: { open: '> ', colon: ': ' },
  labels: { parentMessageId: 'parent', intent: 'intent' },
})

export const assemblerOptions = () => ({
  systemPlacement: 'inline',
  headings: { message: '## Message', context: null },
  evictionStep: 2,
  markers: 'escape',
  messageMinBytes: 100,
  tokenizer: { bytesPerToken: 3, byScript: { cjk: 2 } },
})

export const assemblerInput = () => ({
  contextMessages: messages(),
  currentMessage: 'hello 你好',
  teamTask: 'task',
  summary: 'so far',
  systemInstruction: ['be brief', 'and kind'],
  instructionFileText: 'rules',
  maxBytes: 5000,
  // A limit needs a tokenizer, which not every assembler has.
  maxTokens: null,
  parentContext: { from: 'p', content: 'parent' },
  siblingContext: [{ from: 's', to: 'p', content: 'sibling' }],
  pinned: [0],
  gapsBefore: [2],
  routeMeta: { parentMessageId: 'msg-1', intent: 'reply' },
})

export const promptInput = () => ({
  agentType: 'codex',
  layout: null,
  systemInstructionText: ['be brief'],
  instructionFileText: 'rules',
  contextMessages: messages(),
  message: 'hello 你好',
  teamTask: 'task',
  summary: 'so far',
  maxBytes: 5000,
  maxTokens: 400,
  tokenizer: (text: string) => text.length,
  maxContextMessages: 10,
  recipient: 'sarah',
  roleSummary: 'a reviewer',
  systemMaxBytes: 1000,
  pinned: [1],
  options: assemblerOptions(),
})

export const layoutPromptInput = () => ({ ...promptInput(), agentType: undefined, layout: layout() })

export const managerOptions = () => ({
  contextWindowSize: 5,
  maxBytes: 5000,
  maxTokens: 400,
  tokenizer: (text: string) => text.length,
  onMessageAdded: () => {},
  onTeamTaskChanged: () => {},
  onAssembled: () => {},
  logger: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
  defaultMaxSiblings: 2,
  defaultForceParentReinsertion: true,
  siblingContentMaxLength: 100,
  parentReinsertionMaxBytes: 500,
  evictionStep: 2,
  stripMarkers: true,
  onMissingParent: 'latest',
  layouts: [layout()],
  assemblers: { codex: assemblerOptions() },
})

export const message = () => ({
  speaker: {
    id: 'ann',
    name: 'Ann',
    displayName: 'A.',
    type: 'ai',
    roleId: 'r1',
    roleName: 'reviewer',
    roleTitle: 'Reviewer',
  },
  content: 'said [NEXT: max]',
  timestamp: new Date(0),
  routing: {
    resolvedAddressees: ['max', { identifier: 'sarah', name: 'Sarah', memberId: 'm2' }],
    addressees: ['max'],
    parentMessageId: 'msg-1',
    intent: 'reply',
  },
  pinned: true,
  extra: { list: [1, { deep: [2] }], when: new Date(0), map: new Map([['k', { v: 1 }]]) },
})

/** Mostly one addressee, no role: what is passed the quick way. */
export const simpleMessage = () => ({
  speaker: { id: 'ann', name: 'Ann' },
  content: 'said',
  routing: { addressees: ['max'], intent: 'reply' },
})

export const agentOptions = () => ({
  windowSizeOverride: 3,
  systemInstruction: ['be brief'],
  instructionFileText: 'rules',
  recipient: 'max',
  session: 'delta',
  maxTokens: 400,
  tokenizer: 'o200k',
})

export const routeOptions = () => ({ ...agentOptions(), maxSiblings: 3, forceParentReinsertion: true })
export const route = () => ({ parentMessageId: 'msg-1', targetMemberId: 'max', intent: 'reply' })

export const snapshot = () => ({
  messages: [
    {
      id: 'msg-1',
      speaker: { id: 'a', name: 'A' },
      content: 'one',
      timestamp: '2026-02-26T08:00:00.000Z',
      extra: { list: [{}] },
    },
    {
      id: 'msg-2',
      speaker: { id: 'b', roleId: 'r' },
      content: 'two',
      routing: { addressees: ['a'], parentMessageId: 'msg-1', intent: 'reply' },
      pinned: true,
    },
    { id: 'msg-3', speaker: { id: 'a' }, content: 'three' },
  ],
  teamTask: 'task',
  lastNumber: 7,
  pinned: ['msg-1'],
  summaries: [
    { upTo: 'msg-1', text: 'so far' },
    { upTo: 'msg-2', text: 'for one', recipient: 'a' },
  ],
  sessions: [
    {
      agentId: 'a',
      since: 'msg-3',
      begun: 'msg-2',
      except: [
        ['missed', 'msg-1', 'msg-2'],
        ['changed', 'msg-3', 'msg-3'],
      ],
      recipient: 'a',
      system: '0a',
      teamTask: '0b',
      summary: '0c',
    },
  ],
  timestamp: 1,
  version: 2,
})

/** Appended to a manager whose last message is `msg-5`. */
export const laterSnapshot = () => ({
  messages: [{ id: 'msg-6', speaker: { id: 'a' }, content: 'six' }],
  after: 'msg-5',
  teamTask: 'other',
  timestamp: 1,
  version: 1,
})

/** A URL that is refused at once, wherever the tests run. */
const CLOSED = 'http://127.0.0.1:1/rules.md'

export const instructionOptions = (directory: string) => ({
  preset: 'etcode',
  untrusted: false,
  includes: true,
  alreadyReadBy: null,
  allowHosts: ['127.0.0.1'],
  directory,
  config: { instructions: ['*.md', CLOSED] },
  files: ['AGENTS.md'],
  appName: 'hostile',
  order: 'nearest-first',
  timeoutMs: 200,
  maxUrlBytes: 1000,
  maxFileBytes: 1000,
  fetch: async () => ({
    status: 200,
    headers: { get: () => 'text/plain' },
    body: [Buffer.from('fetched')],
    redirected: false,
    url: CLOSED,
  }),
})

export const environmentOptions = (directory: string) => ({ directory, now: new Date(0), extra: ['one', 'two'] })

export const systemPromptInput = (directory: string) => ({
  ...instructionOptions(directory),
  ...environmentOptions(directory),
  agent: { prompt: 'You are an agent.' },
  modelID: 'gpt-5',
  families: { gpt: ['base'] },
  transform: (parts: string[]) => [...parts, 'more'],
})

export const segmentOptions = () => ({
  core: 'core',
  coreFile: null,
  tools: [{ name: 'ls', usage: 'lists' }],
  locale: 'en',
})

export const deliveryOptions = () => ({
  agentType: 'claude-code',
  platform: 'linux',
  json: true,
  model: 'opus',
  cwd: tmpdir(),
  resume: 'session',
  systemVia: 'file',
  guard: 'escape',
  projectInstructions: 'skip',
  trustWorkspace: true,
  extraArgs: ['--verbose'],
})

export const ownDeliveryOptions = () => ({
  agentType: 'own',
  profile: {
    command: 'own',
    args: ['-p'],
    systemFlag: '--system',
    systemFileFlag: null,
    resumeArgs: ['--resume', '{id}'],
    limits: [{ unit: 'bytes', max: 1000 }],
    env: { A: 'b', B: null },
    output: 'text',
  },
})

/** Runs Node with a script that answers at once, whatever its input. */
export const deliveryPlan = () => ({
  command: process.execPath,
  args: ['-e', 'process.stdin.resume(); console.log(1)', '{file:a.md}'],
  stdin: Buffer.from('prompt'),
  files: [{ name: 'a.md', content: Buffer.from('text') }],
  env: { A: 'b' },
  cwd: tmpdir(),
  warnings: [],
  output: 'text',
})

export const estimate = () => ({
  bytesPerToken: 4,
  byScript: { latin: 4, cjk: 2 },
  spread: 0.2,
  turns: [{ bytes: 100, tokens: 25, error: 0.1, scripts: { latin: 100 } }],
})
