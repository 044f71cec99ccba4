/** Reads the output of a CLI: at once, with `parseOutput`, or as it arrives. */
import { isAscii } from 'node:buffer'
import { StringDecoder } from 'node:string_decoder'
import { present } from '../present.js'
import { cliError, endOf, interrupted } from './cli-errors.js'
import { type Fields, objectOf, type Outcome, Turn } from './formats/format.js'
import { formatOf } from './profiles/index.js'
import { fields } from '../checks/fields.js'
import { type Kind, optional, string } from '../checks/kinds.js'
import { both, bufferOf, fit } from './kinds.js'
import { typeProblem } from '../checks/problems.js'
import type { CliError, DeliveryEvent, FinishReason, ParsedOutput } from './events.js'
import type { AgentType } from '../prompts/agents.js'

const LINE_FEED = 0x0a

/** The most bytes of a line, or of output that is one object. Anything longer yields no answer. */
const MAX_BYTES = 64 * 1024 * 1024

/** More than an object without fields takes on a line. */
const MAX_EMPTY_UNITS = 64

/** How much of the end of stdout is kept for errors. */
const MAX_LAST_BYTES = 4096

/** The object or array in a line or in the whole output. Undefined for anything else. */
const valueOf = (line: string): Record<string, unknown> | unknown[] | undefined => {
  // Strips a byte order mark, too.
  const text = line[0] === '{' ? line : line.trimStart()
  if (text[0] !== '{' && text[0] !== '[') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Many lines are decoded at once, because a view of each would take as long as it takes to parse
 * them; but not too many, because memory for long strings is new each time. Together 1.5 × as fast.
 */
const DECODED_BYTES = 128 * 1024

/**
 * Where to stop decoding: at a line break.
 * @param end Its last line break.
 */
const endOfLines = (chunk: Buffer, start: number, end: number) => {
  if (end - start <= DECODED_BYTES) return end
  const last = chunk.lastIndexOf(LINE_FEED, start + DECODED_BYTES)
  return last > start ? last : chunk.indexOf(LINE_FEED, start + DECODED_BYTES)
}

/** ASCII is copied, which takes a third of the time of decoding. */
const textOf = (bytes: Buffer) => bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8')

const MAX_SAID_UNITS = 4 * 1024 * 1024

const joined = (chunks: readonly Buffer[]) =>
  chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)

/** Memory for lines that begin in one chunk and end in the next. */
const scratch = Buffer.allocUnsafeSlow(DECODED_BYTES)

const decoded = (chunks: readonly Buffer[], length: number) => {
  if (length > scratch.length) return joined(chunks).toString()
  let end = 0
  for (const chunk of chunks) end += chunk.copy(scratch, end)
  return scratch.toString('utf8', 0, end)
}

interface Listeners {
  onEvent?: ((event: DeliveryEvent) => void) | undefined
  onText?: ((text: string) => void) | undefined
}

export class OutputReader {
  #turn = new Turn((event) => this.#emit(event))
  /** Undefined if stdout is the answer. */
  #readEvent
  #listeners
  /** The beginning of a line. */
  #line: Buffer[] = []
  #lineBytes = 0
  /** The length of a line that was too long to read. */
  #longestLine = 0
  /** All of it: the answer itself, or perhaps an object on many lines. */
  #whole: Buffer[] = []
  #wholeBytes = 0
  #hasEvents = false
  /** The end of it, or more. */
  #last: Buffer = Buffer.alloc(0)
  /** What was said since the last tool. Anything over the limit is left out. */
  #said = ''
  #saidUnits = 0
  /** The same of a request that was tried again. */
  #voidText = ''
  /** The last event that says what the CLI does. */
  lastSeen: DeliveryEvent | undefined
  #decoder = new StringDecoder()

  constructor(agentType: string, listeners: Listeners = {}) {
    this.#readEvent = formatOf(agentType)?.(this.#turn)
    this.#listeners = listeners
  }

  /** What is known so far. */
  get outcome(): Readonly<Outcome> {
    return this.#turn.outcome
  }

  get isStuck() {
    return this.outcome.isStuck === true
  }

  /** What was said since the last tool, if that is not known to be the answer. */
  get partialText() {
    return this.#said === '' ? this.#voidText : this.#said
  }

  /**
   * Corrects the answer by what the CLI has stored, if that is needed. All output must be read.
   * @param read Reads the last message of a session.
   */
  async amend(read: (sessionId: string) => Promise<string | undefined>) {
    this.#endLine()
    const { sessionId } = this.outcome
    if (sessionId === undefined || this.#turn.amend === undefined) return
    const stored = await read(sessionId)
    if (stored !== undefined) this.#turn.amend(stored)
  }

  push(chunk: Buffer) {
    // A long one is not copied: that would be memory for each chunk.
    const isLong = chunk.length >= MAX_LAST_BYTES
    this.#last = isLong ? chunk : Buffer.concat([this.#last.subarray(-MAX_LAST_BYTES), chunk])
    if (!this.#hasEvents && this.#wholeBytes <= MAX_BYTES) {
      this.#whole.push(chunk)
      this.#wholeBytes += chunk.length
    }
    if (this.#readEvent === undefined) return this.#say(chunk)
    const end = chunk.lastIndexOf(LINE_FEED)
    if (end === -1) return this.#append(chunk)
    let start = 0
    if (this.#lineBytes > 0) {
      start = chunk.indexOf(LINE_FEED)
      this.#append(chunk.subarray(0, start))
      this.#endLine()
      start++
    }
    while (start < end) {
      const stop = endOfLines(chunk, start, end)
      this.#readLines(textOf(chunk.subarray(start, stop)))
      start = stop + 1
    }
    this.#append(chunk.subarray(end + 1))
  }

  lastOutput() {
    return this.#last.subarray(-MAX_LAST_BYTES).toString()
  }

  /** Stdout itself is what the agent says. */
  #say(chunk: Buffer) {
    const text = this.#decoder.write(chunk)
    if (text !== '') this.#emit({ type: 'text', text, raw: text })
  }

  #append(bytes: Buffer) {
    if (bytes.length === 0) return
    this.#lineBytes += bytes.length
    if (this.#lineBytes <= MAX_BYTES) this.#line.push(bytes)
  }

  #endLine() {
    if (this.#lineBytes > MAX_BYTES) this.#longestLine = Math.max(this.#longestLine, this.#lineBytes)
    else if (this.#lineBytes > 0) this.#readLine(decoded(this.#line, this.#lineBytes))
    this.#line = []
    this.#lineBytes = 0
  }

  #readLines(lines: string) {
    let start = 0
    for (let end = lines.indexOf('\n'); end !== -1; end = lines.indexOf('\n', start)) {
      this.#readLine(lines.slice(start, end))
      start = end + 1
    }
    this.#readLine(lines.slice(start))
  }

  #readLine(line: string) {
    if (line === '') return
    const value = valueOf(line)
    if (value === undefined) return
    if (Array.isArray(value)) return this.#readAll(value)
    // An object on many lines may have `{}` on one of them.
    if (line.length > MAX_EMPTY_UNITS || Object.keys(value).length > 0) this.#read(value)
  }

  #readAll(values: readonly unknown[]) {
    for (const value of values) {
      const event = Array.isArray(value) ? {} : objectOf(value)
      if (Object.keys(event).length > 0) this.#read(event)
    }
  }

  #read(event: Fields) {
    if (!this.#hasEvents) {
      this.#hasEvents = true
      this.#whole = []
    }
    this.#turn.raw = event
    this.#readEvent?.(event)
  }

  #emit(event: DeliveryEvent) {
    const { type } = event
    if (type === 'text') {
      this.#saidUnits += event.text.length
      if (this.#saidUnits <= MAX_SAID_UNITS) this.#said += event.text
    } else if (type === 'tool-call' || type === 'tool-result' || type === 'retry') {
      this.#voidText = type === 'retry' ? this.partialText : ''
      this.#said = ''
      this.#saidUnits = 0
    }
    if (type !== 'usage' && type !== 'notice') this.lastSeen = event
    const { onEvent, onText } = this.#listeners
    onEvent?.(event)
    if (type === 'text') onText?.(event.text)
  }

  finish(stderr: string, exitCode: number | null | undefined): ParsedOutput {
    if (this.#readEvent === undefined) return this.#finishText(stderr, exitCode)
    this.#endLine()
    if (!this.#hasEvents && this.#wholeBytes <= MAX_BYTES) {
      const value = valueOf(joined(this.#whole).toString())
      if (value !== undefined) this.#readAll(Array.isArray(value) ? value : [value])
    }
    const { outcome } = this
    const { text, error: reported, reason } = outcome
    const tooLong =
      this.#longestLine === 0
        ? undefined
        : interrupted(`a line of ${this.#longestLine} bytes could not be read: at most ${MAX_BYTES}`)
    const found = reported ?? (text === undefined ? (tooLong ?? missingAnswer(stderr, exitCode, reason)) : undefined)
    const ending = endOfTurn(found, text, this.partialText)
    // Whatever it was, the answer was cut off.
    const isCutOff = found?.code === 'other' && ending.partialText !== undefined
    const error: CliError | undefined = isCutOff ? { ...found, code: 'interrupted' } : found
    const sessionId = error?.code === 'session-not-found' ? undefined : outcome.sessionId
    return present({
      ...ending,
      finishReason: outcome.finishReason ?? finishReasonOf(error),
      sessionId,
      model: outcome.model,
      usage: outcome.usage,
      costUsd: outcome.costUsd,
      denials: outcome.denials?.length === 0 ? undefined : outcome.denials,
      error,
      delivered: deliveredBy(error, outcome, exitCode),
    })
  }

  #finishText(stderr: string, exitCode: number | null | undefined): ParsedOutput {
    const rest = this.#decoder.end()
    if (rest !== '') this.#emit({ type: 'text', text: rest, raw: rest })
    const isWhole = this.#wholeBytes <= MAX_BYTES
    const text = isWhole ? withoutLineBreaks(joined(this.#whole).toString()) : ''
    const hasFailed = exitCode !== 0 && exitCode !== undefined
    const hasAnswer = text.trim() !== '' && !hasFailed
    const reason = isWhole ? undefined : 'the answer is too long'
    const error = hasAnswer ? undefined : missingAnswer(stderr.trim() === '' ? text : stderr, exitCode, reason)
    return present({
      ...endOfTurn(error, hasAnswer ? text : undefined, text),
      finishReason: finishReasonOf(error),
      error,
      delivered: deliveredBy(error, {}, exitCode),
    })
  }
}

/** The answer, or what there was of one. */
const endOfTurn = (
  error: CliError | undefined,
  text: string | undefined,
  partial: string,
): Pick<Outcome, 'text'> & { partialText?: string | undefined } => {
  if (error === undefined) return { text }
  // Some report what went wrong in the same output.
  const said = partial.endsWith(error.message) ? partial.slice(0, -error.message.length) : partial
  return { partialText: said.trim() === '' ? text : said }
}

const finishReasonOf = (error: CliError | undefined): FinishReason => {
  if (error === undefined) return 'stop'
  return error.code === 'interrupted' || error.code === 'no-answer' ? 'interrupted' : 'other'
}

/**
 * Whether the CLI may have kept the prompt. It is not known unless it has answered, or has ended
 * before there was a session.
 */
const deliveredBy = (
  error: CliError | undefined,
  { sessionId, isUnsent, isTaken }: Outcome,
  exitCode: number | null | undefined,
): 'yes' | 'no' | 'unknown' => {
  if (error === undefined || isTaken === true) return 'yes'
  if (isUnsent === true || error.code === 'session-not-found') return 'no'
  const hasEndedAtOnce = sessionId === undefined && typeof exitCode === 'number' && exitCode !== 0
  return hasEndedAtOnce ? 'no' : 'unknown'
}

/** A text without trailing line breaks, like `$(…)` in a shell. */
const withoutLineBreaks = (text: string) => {
  let end = text.length
  while (text[end - 1] === '\n' || text[end - 1] === '\r') end--
  return text.slice(0, end)
}

/** Why there is no answer, if the output does not say. */
const missingAnswer = (stderr: string, exitCode: number | null | undefined, reason?: string): CliError => {
  if (exitCode === 0 || exitCode === undefined || reason !== undefined) {
    return { code: 'no-answer', message: reason ?? 'the CLI exited before it answered' }
  }
  const said = endOf(stderr)
  if (said !== '') return cliError(said)
  return {
    code: 'other',
    message: exitCode === null ? 'the CLI was ended by a signal' : `the CLI has ended with exit code ${exitCode}`,
  }
}

/** What a CLI wrote, and how it exited. */
export interface CliOutput {
  stdout: string | Uint8Array
  /** @default '' */
  stderr?: string | Uint8Array | null | undefined
  /** Null, as in Node, if the program was terminated by a signal. @default undefined (not known) */
  exitCode?: number | null | undefined
}

const bytes: Kind<Buffer, string | Uint8Array> = both(
  (value) => (typeof value === 'string' ? Buffer.from(value) : bufferOf(value)),
  fit('a string, a Buffer or a Uint8Array', Buffer.isBuffer),
)

const cliOutput = fields<CliOutput>()({
  stdout: bytes,
  stderr: optional(bytes),
  exitCode: fit('an integer or null', (value): value is number | null | undefined =>
    value === null || value === undefined || Number.isInteger(value)),
})

/** Strings have a maximum length. All lines together may exceed it when a single one does not. */
const CHUNK_BYTES = 1024 * 1024

/**
 * Reads the answer, the session, the usage and the error from a CLI's JSON output, a stream of events or
 * a single object. For an unknown agent and for `'text'`, stdout is the answer. Truncated or malformed
 * output does not throw: the answer is absent.
 */
export function parseOutput(agentType: 'text' | AgentType, output: CliOutput): ParsedOutput {
  if (typeof output !== 'object' || output === null) throw typeProblem('output must be an object with stdout')
  const { stdout, stderr, exitCode } = cliOutput(output, '', 'output')
  const reader = new OutputReader(string(agentType, '', 'agentType'))
  for (let start = 0; start < stdout.length; start += CHUNK_BYTES) {
    reader.push(stdout.subarray(start, start + CHUNK_BYTES))
  }
  return reader.finish(stderr?.toString() ?? '', exitCode)
}
