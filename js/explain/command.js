'use strict'
/** What the command `promptmason` does. */
const { writeFileSync } = require('node:fs')
const { parseArgs } = require('node:util')
const { version } = require('../../package.json')
const { isPromptmasonError } = require('../errors.js')
const { UsageError, assembleConversation } = require('./conversation.js')
const { instructionsPicture } = require('./instructions.js')
const { parseJson } = require('./json.js')
const { visible, visibleLine } = require('./page/visible.js')
const { grouped, partName } = require('./page/words.js')
const { bar, picture } = require('./picture.js')
const { renderReport } = require('./render.js')
const { hasColors, padEnd, padStart, painter } = require('./terminal.js')
const { describeTurn } = require('./turn.js')

/** @typedef {{ write(text: string | Uint8Array): unknown, isTTY?: boolean, columns?: number }} Output */
/** @typedef {{ stdout: Output, stderr: Output, env: { [name: string]: string | undefined }, read(file: string): Uint8Array }} Surroundings */

const HELP = `Usage: promptmason explain [FILE|-] [options]
       promptmason instructions [DIR] [options]

explain shows what a prompt is made of, and what was left out and why. The input is JSON, from a
file or stdin: a PromptInput (for buildPrompt), an AssemblerInput, or a snapshot of a
ContextManager.

  --agent TYPE        claude, codex, gemini, opencode, qwen, copilot, pi, grok,
                      kimi, kilo; any other is plain text
  --max-bytes N       the budget in bytes, instead of that of the input
  --max-tokens N      a budget in tokens
  --tokenizer T       o200k, cl100k, or a number: bytes per token, as an estimate
  --recipient NAME    only what this member may see
  --window N          how many messages of the conversation go along
  --prompt            prints just the prompt
  --json              prints the report as JSON
  --html FILE         writes the page with the budget to scale
  --all               a line for each message, however many there are

instructions lists the instruction files and URLs that a project leads to, used or not, and why.

  --preset NAME       etcode, agents, claude-code, codex, gemini-cli, opencode, copilot, cursor, …
  --untrusted         the repository may be hostile: nothing outside of it is read, no URL fetched
  --json              prints the list as JSON

  --help              shows this
  --version           prints the version

Exit codes: 0; 1 if the budget is exceeded; 2 for bad usage or input, or if the binary is missing.
`

/** @type {import('node:util').ParseArgsConfig['options']} */
const OPTIONS = {
  agent: { type: 'string' },
  'max-bytes': { type: 'string' },
  'max-tokens': { type: 'string' },
  tokenizer: { type: 'string' },
  recipient: { type: 'string' },
  window: { type: 'string' },
  html: { type: 'string' },
  preset: { type: 'string' },
  prompt: { type: 'boolean' },
  json: { type: 'boolean' },
  all: { type: 'boolean' },
  untrusted: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
}
/** @type {Map<string | undefined, string[]>} */
const OF_COMMAND = new Map([
  [
    'explain',
    ['agent', 'max-bytes', 'max-tokens', 'tokenizer', 'recipient', 'window', 'html', 'prompt', 'json', 'all'],
  ],
  ['instructions', ['preset', 'untrusted', 'json']],
])
/** The fields that options set, as errors name them. @type {Map<string | undefined, string>} */
const OPTION_OF_FIELD = new Map([
  ['agentType', 'agent'],
  ['maxBytes', 'max-bytes'],
  ['maxTokens', 'max-tokens'],
  ['tokenizer', 'tokenizer'],
  ['recipient', 'recipient'],
  ['maxContextMessages', 'window'],
  ['contextWindowSize', 'window'],
  ['preset', 'preset'],
])

/** @param {string | undefined} text @param {string} option @param {number} least */
const wholeNumber = (text, option, least) => {
  if (text === undefined) return undefined
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (!Number.isSafeInteger(number) || number < least)
    throw new UsageError(`--${option} must be a whole number from ${least} on, got '${text}'`)
  return number
}

/** @param {string | undefined} text @returns {'o200k' | 'cl100k' | { bytesPerToken: number } | undefined} */
const tokenizerOf = (text) => {
  if (text === undefined || text === 'o200k' || text === 'cl100k') return text
  const bytesPerToken = Number(text)
  if (text.trim() === '' || !(bytesPerToken > 0))
    throw new UsageError(`--tokenizer must be o200k, cl100k or a number of bytes per token, got '${text}'`)
  return { bytesPerToken }
}

/** A value of JSON, with nothing in it that a terminal acts on: still the same JSON. @param {unknown} value */
const safeJson = (value) =>
  JSON.stringify(value, null, 2).replaceAll(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** @param {string} file @param {Surroundings} surroundings */
const readInput = (file, { read }) => {
  const name = file === '-' ? 'stdin' : file
  let text
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(read(file))
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(`${name} is not UTF-8`)
    throw new UsageError(`${name} cannot be read: ${/** @type {Error} */ (error).message}`)
  }
  const parsed = parseJson(text)
  if ('value' in parsed) return parsed.value
  const { line, column, problem } = parsed.mistake
  throw new UsageError(`${name}:${line}:${column}: this is not JSON: ${problem}`)
}

/** What the command prints. @param {{ [name: string]: any }} values @param {string[]} files @param {Surroundings} surroundings */
const explain = (values, files, surroundings) => {
  if (files.length > 1) throw new UsageError('explain takes one file')
  if (values.prompt && values.json) throw new UsageError('--prompt and --json cannot both be printed')
  const choices = {
    agent: values.agent,
    recipient: values.recipient,
    tokenizer: tokenizerOf(values.tokenizer),
    window: wholeNumber(values.window, 'window', 0),
    maxBytes: wholeNumber(values['max-bytes'], 'max-bytes', 1),
    maxTokens: wholeNumber(values['max-tokens'], 'max-tokens', 1),
    warn: (/** @type {string} */ text) => surroundings.stderr.write(`${visibleLine(text)}\n`),
  }
  const prompt = assembleConversation(readInput(files[0] ?? '-', surroundings), choices)
  if (values.html !== undefined) writePage(values.html, renderReport(prompt))
  const { stdout, env } = surroundings
  // A pipe gets the exact prompt; a terminal must not act on it.
  if (values.prompt) return stdout.isTTY ? `${visible(String(prompt.prompt))}\n` : String(prompt.prompt)
  if (values.json) return `${safeJson(prompt.report)}\n`
  const lines = picture(describeTurn(prompt), {
    columns: stdout.columns,
    paint: painter(hasColors(stdout, env)),
    all: values.all,
  })
  return `${lines.join('\n')}\n`
}

/** @param {string} file @param {string} page */
const writePage = (file, page) => {
  try {
    writeFileSync(file, page)
  } catch (error) {
    throw new UsageError(`${file} cannot be written: ${/** @type {Error} */ (error).message}`)
  }
}

/** What does not fit, as a picture. @param {any} error @param {Surroundings} surroundings */
const exceeded = (error, { stderr, env }) => {
  const paint = painter(hasColors(stderr, env))
  const columns = Math.max(40, Math.min(stderr.columns ?? 80, 120))
  const unit = error.unit ?? 'bytes'
  /** The input may have a budget for its system text. @type {number | undefined} */
  const share = error.systemMaxBytes
  const [required, most] =
    unit === 'tokens' ? [error.requiredTokens, error.maxTokens] : [error.requiredBytes, share ?? error.maxBytes]
  const parts = Object.entries(/** @type {{ [name: string]: number }} */ (error.sections)).map(([name, bytes]) => ({
    name,
    bytes,
  }))
  const lines = parts.map(({ name, bytes }) => `  ${padEnd(partName(name), 15)} ${padStart(grouped(bytes), 11)}`)
  return [
    `${paint('red', 'Does not fit:')} ${grouped(required)} ${unit} are needed at least, ${share === undefined ? 'the budget has' : 'systemMaxBytes is'} ${grouped(most)}`,
    bar({ columns, paint }, parts, Math.max(required, 1)),
    ...lines,
    `${share === undefined ? `--max-${unit}` : 'systemMaxBytes'} ${required} is the smallest that suffices.`,
  ].join('\n')
}

/** @param {Output} output @param {string} text */
const written = (output, text) => {
  output.write(text)
  return 0
}

/**
 * Runs the command and returns its exit code.
 * @param {string[]} args
 * @param {Surroundings} surroundings
 */
const run = async (args, surroundings) => {
  const { stdout, stderr } = surroundings
  /** @type {{ [name: string]: unknown }} */
  let given = {}
  try {
    const { values, positionals } = parsed(args)
    const [command, ...rest] = positionals
    given = values
    if (values.help || (command === undefined && args.length === 0)) return written(stdout, HELP)
    if (values.version) return written(stdout, `${version}\n`)
    const allowed = OF_COMMAND.get(command)
    if (allowed === undefined)
      throw new UsageError(`there is no command '${visibleLine(command ?? '')}': it must be explain or instructions`)
    const wrong = Object.keys(values).find((name) => !allowed.includes(name))
    if (wrong !== undefined) throw new UsageError(`--${wrong} is no option of ${command}`)
    if (command === 'explain') return written(stdout, explain(values, rest, surroundings))
    if (rest.length > 1) throw new UsageError('instructions takes one directory')
    return written(stdout, await instructionsPicture(rest[0], values, surroundings, safeJson))
  } catch (error) {
    if (isPromptmasonError(error, 'ERR_BUDGET_EXCEEDED')) {
      stderr.write(`${exceeded(error, surroundings)}\n`)
      return 1
    }
    if (!(error instanceof UsageError) && !isPromptmasonError(error)) throw error
    stderr.write(`promptmason: ${visibleLine(inOptions(/** @type {Error} */ (error).message, given))}\n`)
    return 2
  }
}

/**
 * What an error says, with the options that were given in place of the fields that they set.
 * @param {string} message
 * @param {{ [name: string]: unknown }} given
 */
const inOptions = (message, given) => {
  const needsTokenizer = /^maxTokens needs a tokenizer for (.+?): /.exec(message)
  if (needsTokenizer !== null)
    return `a budget in tokens needs --tokenizer for ${needsTokenizer[1]}: o200k, cl100k, or bytes per token, such as --tokenizer 3.3`
  const field = /^(?:options\.)?(\w+)(?:\.\w+)*(?= must )/.exec(message)
  const option = OPTION_OF_FIELD.get(field?.[1])
  if (field === null || option === undefined || given[option] === undefined) return message
  return `--${option}${message.slice(field[0].length)}`
}

/** @param {string[]} args */
const parsed = (args) => {
  try {
    return parseArgs({ args, options: OPTIONS, allowPositionals: true })
  } catch (error) {
    throw new UsageError(`${/** @type {Error} */ (error).message} (see --help)`)
  }
}

module.exports = { run }
