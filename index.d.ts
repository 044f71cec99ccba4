/**
 * The types of promptmason, by subject in `types/`. Optional properties of inputs can also be
 * `undefined` or `null`, which count as not given. Arrays that are passed in are only read.
 */
export * from './types/agents.js'
export * from './types/layouts.js'
export * from './types/messages.js'
export * from './types/assemblers.js'
export * from './types/forms.js'
export * from './types/prompts.js'
export * from './types/reports.js'
export * from './types/errors.js'
export * from './types/tokens.js'
export * from './types/manager.js'
export * from './types/snapshots.js'
export * from './types/summaries.js'
export * from './types/system-prompts.js'
export * from './types/instructions.js'
export * from './types/delivery.js'
export * from './types/delivery-events.js'
export * from './types/delivery-results.js'
export * from './types/conversation.js'
export * from './types/stores.js'
export * from './types/explain.js'
