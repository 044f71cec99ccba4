'use strict'
/** The answers of the playground: turns a conversation and a user's choices into a prompt and everything known about it. */
const { assembleConversation, kindOf } = require('../command/conversation.js')
const { UsageError } = require('../command/command.js')
const { parseJson } = require('../command/json.js')
const { choicesOf } = require('../command/prompt-options.js')
const { isPromptmasonError } = require('../errors.js')
const { describeTurn } = require('../explain/turn.js')

/**
 * @typedef {{ [option: string]: string }} Choices As typed. An empty choice leaves the input as it is.
 * @typedef {{ code: string, message: string, line?: number, column?: number, required?: number, unit?: 'bytes' | 'tokens' }} Problem
 * @typedef {{ kind: string, turn: import('../explain/turn.js').Turn, prompt: string, systemFlag: string, warnings: string[] }} Made
 * @typedef {Made | { problem: Problem }} Answer
 */

/** What the form calls the options of the command. @type {{ [option: string]: string }} */
const LABELS = {
  agent: 'Agent',
  'max-bytes': 'Budget in bytes',
  'max-tokens': 'Budget in tokens',
  tokenizer: 'Tokenizer',
  recipient: 'Recipient',
  window: 'Window',
}
const NAMED_OPTION = new RegExp(`--(${Object.keys(LABELS).join('|')})\\b`, 'g')
/** What a user types to pin nothing: an empty field keeps the pins of the input. */
const NO_PINS = 'none'
/** The prompt itself is shown up to this many UTF-16 units. */
const MAX_PROMPT = 1024 * 1024

/** @param {Choices} choices */
const typed = (choices) => {
  const entries = Object.keys(LABELS).map((name) => [name, choices[name]?.trim() || undefined])
  const named = choices.pins?.split(/[\s,]+/).filter((pin) => pin !== '') ?? []
  const pins = named.join() === NO_PINS ? [] : named.length > 0 ? named : undefined
  return { ...choicesOf(Object.fromEntries(entries)), pins }
}

/** @param {any} error @returns {Problem} */
const problemOf = (error) => {
  const isOurs = error instanceof UsageError || isPromptmasonError(error)
  if (!isOurs) return { code: 'ERR_INTERNAL', message: `a bug in promptmason: ${String(error?.message ?? error)}` }
  const message = error.message.replaceAll(
    NAMED_OPTION,
    (/** @type {string} */ _, /** @type {string} */ name) => LABELS[name],
  )
  if (!isPromptmasonError(error, 'ERR_BUDGET_EXCEEDED')) return { code: error.code, message }
  const unit = error.unit ?? 'bytes'
  const required = unit === 'tokens' ? error.requiredTokens : error.requiredBytes
  return { code: error.code, message, unit, ...(required !== undefined && { required }) }
}

/** @param {string} text The conversation, as JSON. @param {Choices} choices @returns {Answer} */
const answer = (text, choices) => {
  const parsed = parseJson(text)
  if ('mistake' in parsed) {
    const { line, column, problem } = parsed.mistake
    const message = `line ${line}, column ${column}: this is not JSON: ${problem}`
    return { problem: { code: 'ERR_JSON', message, line, column } }
  }
  try {
    /** @type {string[]} */
    const warnings = []
    const made = assembleConversation(parsed.value, { ...typed(choices), warn: (warning) => warnings.push(warning) })
    return {
      kind: kindOf(parsed.value),
      turn: describeTurn(made),
      prompt: String(made.prompt ?? '').slice(0, MAX_PROMPT),
      systemFlag: (made.systemFlag ?? '').slice(0, MAX_PROMPT),
      warnings,
    }
  } catch (error) {
    return { problem: problemOf(error) }
  }
}

module.exports = { answer }
