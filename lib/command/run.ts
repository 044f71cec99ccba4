/** Runs the command `promptmason`: finds the command, checks its options, prints its result or its error. */
import { parseArgs, type ParseArgsConfig } from 'node:util'
import { version } from '../../package.json'
import { isPromptmasonError } from '../errors.js'
import { visibleLine } from '../explain/page/words.js'
import { messageOf, propertyOf } from '../thrown.js'
import { type Command, EXIT, type Result, type Surroundings, UsageError } from './command.js'
import { COMMANDS, COMMON_OPTIONS, optionsOf } from './commands.js'
import { help } from './help.js'
import { exceeded } from './picture.js'
import { type Progress, progressOn } from './progress.js'

/** A value as JSON, with everything escaped that a terminal would act on. It still parses to the same value. */
const safeJson = (value: unknown) =>
  JSON.stringify(value, null, 2).replaceAll(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

const parserOptions = (): ParseArgsConfig['options'] =>
  Object.fromEntries(
    [COMMON_OPTIONS, ...COMMANDS.map(({ options }) => options)]
      .flatMap((options) => Object.entries(options))
      .map(([name, { value, short }]) => [
        name,
        { type: value === undefined ? 'boolean' : 'string', ...(short && { short }) },
      ]),
  )

/** What was typed. No option can be repeated. */
type Given = { readonly [option: string]: string | boolean | undefined }

const parsed = (args: string[]) => {
  try {
    const { values, positionals } = parseArgs({ args, options: parserOptions(), allowPositionals: true })
    return { given: values as Given, positionals }
  } catch (error) {
    throw new UsageError(`${messageOf(error)} (see --help)`)
  }
}

const commandNamed = (name: string) => {
  const command = COMMANDS.find((known) => known.name === name)
  if (command !== undefined) return command
  const names = COMMANDS.map((known) => known.name)
  throw new UsageError(
    `there is no command '${visibleLine(name)}': it must be ${names.slice(0, -1).join(', ')} or ${names.at(-1)}`,
  )
}

const checkCall = (command: Command, given: Given, args: string[]) => {
  const allowed = optionsOf(command)
  const wrong = Object.keys(given).find((name) => !Object.hasOwn(allowed, name))
  if (wrong !== undefined) throw new UsageError(`--${wrong} is not an option of ${command.name}`)
  if (args.length > command.args.length)
    throw new UsageError(`${command.name} takes ${command.args.map(({ name }) => name).join(' ') || 'no arguments'}`)
}

const resultOf = async (
  given: Given,
  [name, ...args]: string[],
  surroundings: Surroundings,
  progress: Progress,
): Promise<Result> => {
  if (given.version) return { value: { version }, text: () => `${version}\n` }
  if (given.help || name === undefined) {
    const extra = Object.keys(given).find((option) => !Object.hasOwn(COMMON_OPTIONS, option))
    if (name === undefined && extra !== undefined) throw new UsageError(`--${extra} needs a command (see --help)`)
    return help(name === undefined ? undefined : commandNamed(name))
  }
  const command = commandNamed(name)
  checkCall(command, given, args)
  const options = Object.entries(given)
  const values = Object.fromEntries(
    options.filter((option): option is [string, string] => typeof option[1] === 'string'),
  )
  const switches = new Set(options.flatMap(([option, value]) => (value === true ? [option] : [])))
  return command.run({ values, switches, args, surroundings, progress })
}

export const run = async (args: string[], surroundings: Surroundings): Promise<number> => {
  const { stdout } = surroundings
  const progress = progressOn(surroundings.stderr)
  let given: Given = { json: args.includes('--json') }
  try {
    const call = parsed(args)
    given = call.given
    const result = await resultOf(given, call.positionals, surroundings, progress)
    const printed = given.json ? `${safeJson(result.value)}\n` : result.text()
    progress.end()
    stdout.write(printed)
    await result.until
    return EXIT.done
  } catch (error) {
    progress.end()
    return failed(error, given, surroundings)
  }
}

const DELIVERY_CODES: ReadonlySet<string> = new Set(['ERR_NO_ANSWER', 'ERR_UNDELIVERABLE', 'ERR_BUSY'])

/** An error of the system, such as `ENOENT`. It names the call that failed. */
const isOfSystem = (error: unknown): error is NodeJS.ErrnoException & { code: string } =>
  error instanceof Error && typeof propertyOf(error, 'syscall') === 'string' && 'code' in error

const failed = (error: unknown, given: Given, surroundings: Surroundings) => {
  const print = (code: string, message: string, text: () => string) => {
    const printed = given.json ? safeJson({ error: { ...(error as object), code, message } }) : text()
    surroundings.stderr.write(`${printed}\n`)
  }
  const isExpected = error instanceof UsageError || isPromptmasonError(error) || isOfSystem(error)
  if (!isExpected || error.code === 'ERR_INTERNAL') {
    const stack = String(propertyOf(error, 'stack') ?? error)
    print('ERR_INTERNAL', stack, () => `promptmason: ${stack}`)
    return EXIT.internal
  }
  const message = inOptions(error.message, given)
  print(error.code, message, () => {
    if (!isPromptmasonError(error, 'ERR_BUDGET_EXCEEDED')) return `promptmason: ${visibleLine(message)}`
    return exceeded(error, surroundings)
  })
  const isNotStarted = isOfSystem(error) && error.syscall?.startsWith('spawn') === true
  if (isNotStarted || DELIVERY_CODES.has(error.code)) return EXIT.failed
  return error.code === 'ERR_BUDGET_EXCEEDED' ? EXIT.exceeded : EXIT.usage
}

const optionOfField = (field: string, given: Given) =>
  COMMANDS.flatMap(({ options }) => Object.entries(options)).find(
    ([name, { fields }]) => given[name] !== undefined && fields?.includes(field),
  )?.[0]

/** The message of an error, with fields replaced by the options that set them. */
const inOptions = (message: string, given: Given) => {
  const needsTokenizer = /^maxTokens needs a tokenizer for (.+?): /.exec(message)
  if (needsTokenizer !== null)
    return `a budget in tokens needs --tokenizer for ${needsTokenizer[1]}: o200k, cl100k, or bytes per token, such as --tokenizer 3.3`
  const field = /^(?:options\.)?(\w+)(?:\.\w+)*(?= must )/.exec(message)
  const option = optionOfField(field?.[1] ?? '', given)
  if (field === null || option === undefined) return message
  return `--${option}${message.slice(field[0].length)}`
}
