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

const assemblers = require('./js/assemblers.js')
const delivery = require('./js/delivery/index.js')
const instructionPrompt = require('./js/instruction-prompt.js')
const systemPrompt = require('./js/system-prompt.js')
const tokens = require('./js/tokens.js')

// One line each: Node finds the names for `import { … }` by reading these lines.
module.exports.ClaudeContextAssembler = assemblers.ClaudeContextAssembler
module.exports.CodexContextAssembler = assemblers.CodexContextAssembler
module.exports.GeminiContextAssembler = assemblers.GeminiContextAssembler
module.exports.LayoutAssembler = assemblers.LayoutAssembler
module.exports.PlainTextAssembler = assemblers.PlainTextAssembler
module.exports.ContextManager = require('./js/context-manager.js').ContextManager
module.exports.buildPrompt = require('./js/build-prompt.js').buildPrompt
module.exports.planDelivery = delivery.planDelivery
module.exports.parseOutput = delivery.parseOutput
module.exports.writeDelivery = delivery.writeDelivery
module.exports.deliver = delivery.deliver
module.exports.SystemPrompt = systemPrompt.SystemPrompt
module.exports.assembleSystemPrompt = systemPrompt.assembleSystemPrompt
module.exports.compressionHint = systemPrompt.compressionHint
module.exports.systemHint = systemPrompt.systemHint
module.exports.truncateToolOutput = systemPrompt.truncateToolOutput
module.exports.InstructionPrompt = instructionPrompt.InstructionPrompt
module.exports.findUp = instructionPrompt.findUp
module.exports.findUpAll = instructionPrompt.findUpAll
module.exports.calibrate = tokens.calibrate
module.exports.countTokens = tokens.countTokens
module.exports.renderReport = require('./js/render-report.js').renderReport
module.exports.isPromptmasonError = require('./js/errors.js').isPromptmasonError
