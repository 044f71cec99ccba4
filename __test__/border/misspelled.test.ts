/** A misspelled key of an options object is reported by every function that takes options. */
import {
  CodexContextAssembler,
  ContextManager,
  InstructionPrompt,
  LayoutAssembler,
  SystemPrompt,
  assembleSystemPrompt,
  buildPrompt,
  calibrate,
  compressionHint,
  contextBudget,
  countTokens,
  deliver,
  parseOutput,
  planDelivery,
  renderReport,
  trimMessages,
  truncateToolOutput,
} from 'promptmason'
import { expect, it } from 'vitest'
import { inputOf, untyped } from '../support/assemblers.js'
import { managerWith, numbered } from '../support/conversation.js'

const codex = new CodexContextAssembler()
const request = { agentType: 'codex', contextMessages: [], message: 'hi' }
const route = { parentMessageId: 'msg-1', targetMemberId: 'x', intent: 'y' }
const manager = () => managerWith(numbered(3))
const plan = () => planDelivery({ prompt: 'x' }, { agentType: 'codex' })
const { report } = codex.assemble(inputOf(), { report: true })

const ASSEMBLER = 'tokenizer systemPlacement headings evictionStep markers showSender messageMinBytes'
const TURN =
  'session systemInstruction instructionFileText windowSizeOverride recipient showSender maxTokens tokenizer maxSiblings forceParentReinsertion'
const INSTRUCTIONS =
  'timeoutMs alreadyReadBy directory preset files appName order config includes untrusted allowHosts maxFileBytes maxUrlBytes fetch'
const FORM = 'report into offset'

/** Who takes them, how they are passed, and their names. */
const TAKERS: [string, (given: any) => unknown, string][] = [
  ['an assembler', (given) => new CodexContextAssembler(given), ASSEMBLER],
  ['LayoutAssembler.for', (given) => LayoutAssembler.for('codex', given), ASSEMBLER],
  [
    'assemble',
    (given) => codex.assemble({ ...inputOf(), ...given }),
    'systemInstruction instructionFileText summary pinned maxTokens parentContext siblingContext routeMeta gapsBefore messageFrom messageTo',
  ],
  ['the form of assemble', (given) => codex.assemble(inputOf(), given), FORM],
  [
    'buildPrompt',
    (given) => buildPrompt({ ...request, ...given }),
    'maxBytes maxTokens tokenizer maxContextMessages recipient roleSummary systemMaxBytes systemInstructionText instructionFileText teamTask summary pinned options messageFrom messageTo',
  ],
  ['options of buildPrompt', (given) => buildPrompt({ ...request, options: given }), ASSEMBLER],
  ['the form of buildPrompt', (given) => buildPrompt(request, given), FORM],
  [
    'a manager',
    (given) => new ContextManager(given),
    'contextWindowSize maxBytes onMessageAdded onTeamTaskChanged onAssembled logger defaultMaxSiblings defaultForceParentReinsertion siblingContentMaxLength parentReinsertionMaxBytes evictionStep stripMarkers showSender onMissingParent maxTokens tokenizer layouts assemblers',
  ],
  ['assemblers of a manager', (given) => new ContextManager({ assemblers: { codex: given } }), ASSEMBLER],
  ['assembleForAgent', (given) => manager().assembleForAgent('a', 'codex', given), TURN],
  ['getContextForAgent', (given) => manager().getContextForAgent('a', 'codex', given), TURN],
  ['assembleForRoute', (given) => manager().assembleForRoute('a', 'codex', route, given), TURN],
  ['getContextForRoute', (given) => manager().getContextForRoute('a', 'codex', route, given), TURN],
  ['overflow', (given) => manager().overflow('a', 'codex', given), TURN],
  ['the form of assembleForAgent', (given) => manager().assembleForAgent('a', 'codex', {}, given), FORM],
  ['the form of assembleForRoute', (given) => manager().assembleForRoute('a', 'codex', route, {}, given), FORM],
  ['the form of assemblePrompt', (given) => manager().assemblePrompt('codex', inputOf(), given), FORM],
  ['a route', (given) => manager().assembleForRoute('a', 'codex', given), 'parentMessageId targetMemberId intent'],
  ['routeMeta', (given) => codex.assemble(inputOf({ routeMeta: given })), 'parentMessageId intent'],
  ['setSummary', (given) => manager().setSummary({ upTo: 'msg-1', text: 'x', ...given }), 'recipient'],
  ['exportSnapshot', (given) => manager().exportSnapshot(given), 'after'],
  ['importSnapshot', (given) => manager().importSnapshot(manager().exportSnapshot(), given), 'append'],
  ['SystemPrompt.provider', (given) => SystemPrompt.provider('gpt-5', given), 'families'],
  ['SystemPrompt.environment', (given) => SystemPrompt.environment(given), 'directory extra'],
  [
    'SystemPrompt.build',
    (given) => SystemPrompt.build({ agent: {}, ...given }),
    `transform modelID families extra ${INSTRUCTIONS}`,
  ],
  ['SystemPrompt.buildWithReport', (given) => SystemPrompt.buildWithReport({ agent: {}, ...given }), INSTRUCTIONS],
  ['InstructionPrompt.load', (given) => InstructionPrompt.load(given), INSTRUCTIONS],
  ['InstructionPrompt.system', (given) => InstructionPrompt.system(given), INSTRUCTIONS],
  ['InstructionPrompt.systemPaths', (given) => InstructionPrompt.systemPaths(given), INSTRUCTIONS],
  ['InstructionPrompt.resolve', (given) => InstructionPrompt.resolve('x/y', given), `loaded ${INSTRUCTIONS}`],
  ['assembleSystemPrompt', (given) => assembleSystemPrompt([], given), 'core coreFile tools locale'],
  ['compressionHint', (given) => compressionHint('x', given), 'locale'],
  ['truncateToolOutput', (given) => truncateToolOutput('x', 'y', given), 'maxChars locale'],
  ['countTokens', (given) => countTokens('x', { bytesPerToken: 3, ...given }), 'byScript'],
  ['rates by script', (given) => countTokens('x', { bytesPerToken: 3, byScript: given }), 'latin symbols other'],
  ['calibrate', (given) => calibrate({ bytesPerToken: 3 }, { bytes: 9, tokens: 3, ...given }), 'text'],
  [
    'planDelivery',
    (given) => planDelivery({ prompt: 'x' }, { agentType: 'codex', ...given }),
    'platform json model resume systemVia guard projectInstructions trustWorkspace extraArgs profile',
  ],
  [
    'a profile',
    (given) => planDelivery({ prompt: 'x' }, untyped({ profile: { command: 'x', ...given } })),
    'args systemFlag systemFileFlag resumeArgs limits output',
  ],
  ['deliver', (given) => deliver(plan(), given), 'signal timeoutMs onEvent detached'],
  ['parseOutput', (given) => parseOutput('codex', { stdout: '', ...given }), 'stderr exitCode'],
  [
    'trimMessages',
    (given) => trimMessages([], { as: 'openai', maxTokens: 100, ...given }),
    'tokenizer fileTokens system tools report',
  ],
  ['contextBudget', (given) => contextBudget({ maxTokens: 100, tokenizer: 'o200k', ...given }), 'fileTokens onTrim'],
  ['renderReport', (given) => renderReport(report, given), 'title'],
  ['a reported prompt', (given) => renderReport({ report, ...given }), 'prompt systemFlag input assembler'],
]

const takers = TAKERS.flatMap(([name, take, keys]) =>
  keys
    .split(' ')
    .filter((key) => key.length > 3)
    .map((key) => [name, key, take] as const),
)

it.each(takers)('%s: %s', async (_, key, take) => {
  const misspellings = [key.slice(0, -1), `${key.slice(0, 2)}${key.slice(3)}`, `${key}s`, key.toUpperCase()]
  const attempts = misspellings.map(async (wrong) => {
    const attempt = async () => await take({ [wrong]: undefined })
    await expect(attempt(), wrong).rejects.toMatchObject({
      name: 'TypeError',
      code: 'ERR_INVALID_ARG_TYPE',
      message: expect.stringMatching(new RegExp(`(^|\\.)${wrong} is not read here: did you mean .*${key}\\?$`)),
    })
  })
  await Promise.all(attempts)
})

it.each(TAKERS)('%s leaves other keys alone', async (_, take) => {
  const attempt = async () => await take({ somethingOfMyOwn: 1, x: 2 })
  await expect(
    attempt().then(
      () => 'taken',
      (error: Error) => error.message,
    ),
  ).resolves.not.toContain('did you mean')
})
