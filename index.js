'use strict'
/**
 * The entry. Loads the native binary, and says what to do if it is missing; everything that is
 * exported is in `lib/`, compiled to `dist/`.
 */
const { explainMissingBinary } = require('./dist/missing-binary.js')

try {
  require('./binding.js')
} catch (cause) {
  throw explainMissingBinary(cause)
}

const { lazily } = require('./dist/lazily.js')
const assemblers = require('./dist/prompts/assemblers.js')
const limits = require('./dist/manager/options.js')

const delivery = {
  ...lazily(() => require('./dist/delivery/plan-delivery.js'), ['planDelivery']),
  ...lazily(() => require('./dist/delivery/parse-output.js'), ['parseOutput']),
  ...lazily(() => require('./dist/delivery/write.js'), ['writeDelivery']),
  ...lazily(() => require('./dist/delivery/deliver.js'), ['deliver']),
  ...lazily(() => require('./dist/delivery/cli-version.js'), ['cliVersion']),
}
const stores = {
  ...lazily(() => require('./dist/conversation/conversation.js'), ['openConversation']),
  ...lazily(() => require('./dist/conversation/stores/memory.js'), ['memoryStore']),
  ...lazily(() => require('./dist/conversation/stores/file.js'), ['fileStore']),
  ...lazily(() => require('./dist/conversation/stores/redis.js'), ['redisStore']),
  ...lazily(() => require('./dist/conversation/stores/suite.js'), ['storeChecks']),
}
const transcripts = lazily(() => require('./dist/transcripts/transcripts.js'), ['readTranscript', 'listTranscripts'])
const handoffs = lazily(() => require('./dist/handoff/handoff.js'), ['buildHandoff'])
const lists = {
  ...lazily(() => require('./dist/lists/trim-messages.js'), ['trimMessages']),
  ...lazily(() => require('./dist/lists/context-budget.js'), ['contextBudget']),
}
const files = lazily(() => require('./dist/instructions/instruction-prompt.js'), ['findUp', 'findUpAll'])
const segments = lazily(
  () => require('./dist/system-prompt/segments.js'),
  ['assembleSystemPrompt', 'compressionHint', 'systemHint', 'truncateToolOutput'],
)

// One line each: Node scans these lines for the names of `import { … }`.
module.exports.ClaudeContextAssembler = assemblers.ClaudeContextAssembler
module.exports.CodexContextAssembler = assemblers.CodexContextAssembler
module.exports.GeminiContextAssembler = assemblers.GeminiContextAssembler
module.exports.LayoutAssembler = assemblers.LayoutAssembler
module.exports.PlainTextAssembler = assemblers.PlainTextAssembler
module.exports.ContextManager = require('./dist/manager/context-manager.js').ContextManager
module.exports.DEFAULT_CONTEXT_WINDOW_SIZE = limits.DEFAULT_CONTEXT_WINDOW_SIZE
module.exports.DEFAULT_MAX_BYTES = limits.DEFAULT_MAX_BYTES
module.exports.MAX_TEAM_TASK_BYTES = limits.MAX_TEAM_TASK_BYTES
module.exports.SilentLogger = require('./dist/manager/logger.js').SilentLogger
module.exports.buildPrompt = require('./dist/prompts/build-prompt.js').buildPrompt
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
  () => require('./dist/system-prompt/system-prompt.js').SystemPrompt,
  ['provider', 'environment', 'build', 'buildWithReport'],
)
module.exports.assembleSystemPrompt = segments.assembleSystemPrompt
module.exports.compressionHint = segments.compressionHint
module.exports.systemHint = segments.systemHint
module.exports.truncateToolOutput = segments.truncateToolOutput
module.exports.InstructionPrompt = lazily(
  () => require('./dist/instructions/instruction-prompt.js').InstructionPrompt,
  ['systemPaths', 'system', 'load', 'find', 'resolve', 'resolvePaths'],
)
module.exports.findUp = files.findUp
module.exports.findUpAll = files.findUpAll
module.exports.calibrate = lazily(() => require('./dist/tokens/calibrate.js'), ['calibrate']).calibrate
module.exports.countTokens = require('./dist/tokens/count-tokens.js').countTokens
module.exports.trimMessages = lists.trimMessages
module.exports.contextBudget = lists.contextBudget
module.exports.renderReport = lazily(() => require('./dist/explain/render.js'), ['renderReport']).renderReport
module.exports.isPromptmasonError = require('./dist/errors.js').isPromptmasonError
