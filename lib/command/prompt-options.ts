/** The options that say how a prompt is made. */
import { type Call, type Option, UsageError } from './command.js'

/** The short names of the agents whose layouts are built in. */
export const AGENTS = ['claude', 'codex', 'gemini', 'opencode', 'qwen', 'copilot', 'pi', 'grok', 'kimi', 'kilo']
export const TOKENIZERS = ['o200k', 'cl100k']

export const TOKENIZER_OPTION: Option = {
  value: 'T',
  about: 'what counts tokens; a number is an estimate in bytes per token',
  choices: TOKENIZERS,
  fields: ['tokenizer'],
}

export const AGENT_OPTIONS: { [name: string]: Option } = {
  agent: { value: 'TYPE', about: 'the agent; any other name gets plain text', choices: AGENTS, fields: ['agentType'] },
  'max-bytes': { value: 'N', about: 'the budget in bytes, instead of the one in the input', fields: ['maxBytes'] },
  'max-tokens': { value: 'N', about: 'a budget in tokens', fields: ['maxTokens'] },
  tokenizer: TOKENIZER_OPTION,
  recipient: { value: 'NAME', about: 'only what this member may see', fields: ['recipient'] },
  window: {
    value: 'N',
    about: 'how many messages of the conversation to include',
    fields: ['maxContextMessages', 'contextWindowSize'],
  },
}

const wholeNumber = (text: string | undefined, option: string, least: number) => {
  if (text === undefined) return undefined
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (!Number.isSafeInteger(number) || number < least)
    throw new UsageError(`--${option} must be a whole number from ${least} on, got '${text}'`)
  return number
}

const tokenizerOf = (text: string | undefined): 'o200k' | 'cl100k' | { bytesPerToken: number } | undefined => {
  if (text === undefined || text === 'o200k' || text === 'cl100k') return text
  const bytesPerToken = Number(text)
  if (text.trim() === '' || !(bytesPerToken > 0))
    throw new UsageError(`--tokenizer must be o200k, cl100k or a number of bytes per token, got '${text}'`)
  return { bytesPerToken }
}

export const choicesOf = (values: Call['values']) => ({
  agent: values.agent,
  recipient: values.recipient,
  tokenizer: tokenizerOf(values.tokenizer),
  window: wholeNumber(values.window, 'window', 0),
  maxBytes: wholeNumber(values['max-bytes'], 'max-bytes', 1),
  maxTokens: wholeNumber(values['max-tokens'], 'max-tokens', 1),
})
