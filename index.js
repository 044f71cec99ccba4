'use strict'
/**
 * The entry. Loads the native binary, and says what to do if it is missing; everything that is
 * exported is in `lib/`, compiled to `dist/`.
 */
try {
  require('./binding.js')
} catch (cause) {
  throw require('./dist/missing-binary.js').explainMissingBinary(cause)
}

const { allLater, later } = require('./dist/later.js')
const assemblers = require('./dist/prompts/assemblers.js')
const limits = require('./dist/manager/options.js')

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
module.exports.planDelivery = later(() => require('./dist/delivery/plan-delivery.js'), 'planDelivery')
module.exports.parseOutput = later(() => require('./dist/delivery/read-output.js'), 'parseOutput')
module.exports.writeDelivery = later(() => require('./dist/delivery/write.js'), 'writeDelivery')
module.exports.deliver = later(() => require('./dist/delivery/deliver.js'), 'deliver')
module.exports.textOf = later(() => require('./dist/delivery/text-of.js'), 'textOf')
module.exports.cliVersion = later(() => require('./dist/delivery/cli-version.js'), 'cliVersion')
module.exports.openConversation = later(() => require('./dist/conversation/conversation.js'), 'openConversation')
module.exports.memoryStore = later(() => require('./dist/conversation/stores/memory.js'), 'memoryStore')
module.exports.fileStore = later(() => require('./dist/conversation/stores/file.js'), 'fileStore')
module.exports.redisStore = later(() => require('./dist/conversation/stores/redis.js'), 'redisStore')
module.exports.storeChecks = later(() => require('./dist/conversation/stores/suite.js'), 'storeChecks')
module.exports.readTranscript = later(() => require('./dist/transcripts/transcripts.js'), 'readTranscript')
module.exports.listTranscripts = later(() => require('./dist/transcripts/transcripts.js'), 'listTranscripts')
module.exports.buildHandoff = later(() => require('./dist/handoff/handoff.js'), 'buildHandoff')
module.exports.SystemPrompt = allLater(
  () => require('./dist/system-prompt/system-prompt.js').SystemPrompt,
  ['provider', 'environment', 'build', 'buildWithReport'],
)
module.exports.assembleSystemPrompt = later(() => require('./dist/system-prompt/segments.js'), 'assembleSystemPrompt')
module.exports.compressionHint = later(() => require('./dist/system-prompt/segments.js'), 'compressionHint')
module.exports.systemHint = later(() => require('./dist/system-prompt/segments.js'), 'systemHint')
module.exports.truncateToolOutput = later(() => require('./dist/system-prompt/segments.js'), 'truncateToolOutput')
module.exports.InstructionPrompt = allLater(
  () => require('./dist/instructions/instruction-prompt.js').InstructionPrompt,
  ['systemPaths', 'system', 'load', 'find', 'resolve', 'resolvePaths'],
)
module.exports.findUp = later(() => require('./dist/instructions/instruction-prompt.js'), 'findUp')
module.exports.findUpAll = later(() => require('./dist/instructions/instruction-prompt.js'), 'findUpAll')
module.exports.calibrate = later(() => require('./dist/tokens/calibrate.js'), 'calibrate')
module.exports.countTokens = require('./dist/tokens/token-functions.js').countTokens
module.exports.trimMessages = later(() => require('./dist/lists/trim-messages.js'), 'trimMessages')
module.exports.contextBudget = later(() => require('./dist/lists/trim-messages.js'), 'contextBudget')
module.exports.renderReport = later(() => require('./dist/explain/render.js'), 'renderReport')
module.exports.isPromptmasonError = require('./dist/errors.js').isPromptmasonError
