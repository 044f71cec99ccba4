'use strict'
/**
 * The entry. Loads the native binary, and says what to do if it is missing; everything that is
 * exported is in `js/`.
 */
const { explainMissingBinary } = require('./js/missing-binary.js')

try {
  require('./binding.js')
} catch (cause) {
  throw explainMissingBinary(cause)
}

const native = require('./binding.js')
const { lazily } = require('./js/lazily.js')
const assemblers = require('./js/assemblers.js')
const tokens = require('./js/tokens.js')

const delivery = {
  ...lazily(() => require('./js/delivery/plan.js'), ['planDelivery']),
  ...lazily(() => require('./js/delivery/parse-output.js'), ['parseOutput']),
  ...lazily(() => require('./js/delivery/write.js'), ['writeDelivery']),
  ...lazily(() => require('./js/delivery/deliver.js'), ['deliver']),
  ...lazily(() => require('./js/delivery/cli-version.js'), ['cliVersion']),
}
const stores = {
  ...lazily(() => require('./js/conversation/conversation.js'), ['openConversation']),
  ...lazily(() => require('./js/conversation/stores/memory.js'), ['memoryStore']),
  ...lazily(() => require('./js/conversation/stores/file.js'), ['fileStore']),
  ...lazily(() => require('./js/conversation/stores/redis.js'), ['redisStore']),
  ...lazily(() => require('./js/conversation/stores/suite.js'), ['storeChecks']),
}
const transcripts = lazily(() => require('./js/transcripts/transcripts.js'), ['readTranscript', 'listTranscripts'])
const handoffs = lazily(() => require('./js/handoff/handoff.js'), ['buildHandoff'])
const lists = {
  ...lazily(() => require('./js/lists/trim.js'), ['trimMessages']),
  ...lazily(() => require('./js/lists/context-budget.js'), ['contextBudget']),
}
const files = lazily(() => require('./js/instruction-prompt.js'), ['findUp', 'findUpAll'])
const segments = lazily(
  () => require('./js/system-prompt.js'),
  ['assembleSystemPrompt', 'compressionHint', 'systemHint', 'truncateToolOutput'],
)

// One line each: Node scans these lines for the names of `import { … }`.
module.exports.ClaudeContextAssembler = assemblers.ClaudeContextAssembler
module.exports.CodexContextAssembler = assemblers.CodexContextAssembler
module.exports.GeminiContextAssembler = assemblers.GeminiContextAssembler
module.exports.LayoutAssembler = assemblers.LayoutAssembler
module.exports.PlainTextAssembler = assemblers.PlainTextAssembler
module.exports.ContextManager = require('./js/context-manager.js').ContextManager
module.exports.DEFAULT_CONTEXT_WINDOW_SIZE = native.DEFAULT_CONTEXT_WINDOW_SIZE
module.exports.DEFAULT_MAX_BYTES = native.DEFAULT_MAX_BYTES
module.exports.MAX_TEAM_TASK_BYTES = native.MAX_TEAM_TASK_BYTES
module.exports.SilentLogger = require('./js/silent-logger.js').SilentLogger
module.exports.buildPrompt = require('./js/build-prompt.js').buildPrompt
module.exports.planDelivery = delivery.planDelivery
module.exports.parseOutput = delivery.parseOutput
module.exports.writeDelivery = delivery.writeDelivery
module.exports.deliver = delivery.deliver
module.exports.cliVersion = delivery.cliVersion
module.exports.openConversation = stores.openConversation
module.exports.memoryStore = stores.memoryStore
module.exports.fileStore = stores.fileStore
module.exports.redisStore = stores.redisStore
module.exports.storeChecks = stores.storeChecks
module.exports.readTranscript = transcripts.readTranscript
module.exports.listTranscripts = transcripts.listTranscripts
module.exports.buildHandoff = handoffs.buildHandoff
module.exports.SystemPrompt = lazily(
  () => require('./js/system-prompt.js').SystemPrompt,
  ['provider', 'environment', 'build', 'buildWithReport'],
)
module.exports.assembleSystemPrompt = segments.assembleSystemPrompt
module.exports.compressionHint = segments.compressionHint
module.exports.systemHint = segments.systemHint
module.exports.truncateToolOutput = segments.truncateToolOutput
module.exports.InstructionPrompt = lazily(
  () => require('./js/instruction-prompt.js').InstructionPrompt,
  ['systemPaths', 'system', 'load', 'find', 'resolve', 'resolvePaths'],
)
module.exports.findUp = files.findUp
module.exports.findUpAll = files.findUpAll
module.exports.calibrate = tokens.calibrate
module.exports.countTokens = tokens.countTokens
module.exports.trimMessages = lists.trimMessages
module.exports.contextBudget = lists.contextBudget
module.exports.renderReport = lazily(() => require('./js/explain/render.js'), ['renderReport']).renderReport
module.exports.isPromptmasonError = require('./js/errors.js').isPromptmasonError
