/** The answers of the playground: turns a conversation and a user's choices into a prompt and everything known about it. */
import { assembleConversation, kindOf } from '../command/conversation.js'
import { UsageError } from '../command/command.js'
import { parseJson } from '../command/json.js'
import { choicesOf } from '../command/prompt-options.js'
import { isPromptmasonError } from '../errors.js'
import { describeTurn, type Turn } from '../explain/turn.js'
import { messageOf } from '../thrown.js'
import type { Unit } from '../explain/page/words.js'

/** As typed. An empty choice leaves the input as it is. */
export type Choices = { [option: string]: string }

export type Problem = {
  code: string
  message: string
  line?: number
  column?: number
  required?: number
  unit?: Unit
}

export type Made = { kind: string; turn: Turn; prompt: string; systemFlag: string; warnings: string[] }

export type Answer = Made | { problem: Problem }

/** What the form calls the options of the command. */
const LABELS: { [option: string]: string } = {
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

const typed = (choices: Choices) => {
  const entries = Object.keys(LABELS).map((name) => [name, choices[name]?.trim() || undefined])
  const named = choices.pins?.split(/[\s,]+/).filter((pin) => pin !== '') ?? []
  const pins = named.join() === NO_PINS ? [] : named.length > 0 ? named : undefined
  return { ...choicesOf(Object.fromEntries(entries)), pins }
}

const problemOf = (error: unknown): Problem => {
  if (!(error instanceof UsageError) && !isPromptmasonError(error)) {
    return { code: 'ERR_INTERNAL', message: `a bug in promptmason: ${messageOf(error)}` }
  }
  const message = error.message.replaceAll(NAMED_OPTION, (_, name: string) => LABELS[name] ?? name)
  if (error.code !== 'ERR_BUDGET_EXCEEDED') return { code: error.code, message }
  const { code, unit, requiredTokens, requiredBytes } = error
  const required = unit === 'tokens' ? requiredTokens : requiredBytes
  return { code, message, unit, ...(required !== undefined && { required }) }
}

export const answer = (text: string, choices: Choices): Answer => {
  const parsed = parseJson(text)
  if ('mistake' in parsed) {
    const { line, column, problem } = parsed.mistake
    const message = `line ${line}, column ${column}: this is not JSON: ${problem}`
    return { problem: { code: 'ERR_JSON', message, line, column } }
  }
  try {
    const warnings: string[] = []
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
