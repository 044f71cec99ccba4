/**
 * Reads a caller's messages, newest first and each field once, and writes their texts where native code finds them: a
 * call of native code takes as long as reading some messages here, so they cross together.
 *
 * What is written is described in `src/binding/passed.rs` and `src/reading/passed.rs`. A few KB cross as one string.
 * More is written into a Buffer: each text as ASCII, until one is not, and from then on as UTF-16, which native code
 * converts faster. No caller sees that Buffer, and a getter that makes another prompt gets another one.
 */
import { addresseeNames } from './materials.js'
import { isMissing, object } from '../checks/kinds.js'
import { pathOf, wrongType } from '../checks/problems.js'
import { checkParts, saidIn } from '../messages/parts.js'
import { countWith } from '../tokens/token-functions.js'
import type { ExtraFields, LineUnitFields, PartFields, WantedFields } from '../../binding.js'
import type { TokenFunction } from '../tokens/tokenizer.js'

const { allocUnsafeSlow, byteLength } = Buffer

/** The header, a message, and a text or a name, in numbers. */
const [HEADER, COLUMNS, TEXT_COLUMNS] = [10, 7, 3]
/** What is passed of a content. */
const [NOTHING, ASCII, WIDE, SIZE, PARTS] = [0, 1, 2, 3, 4]

/** Up to this many units, texts are joined to one string. */
const MOST_UNITS_JOINED = 8192
/** A longer text is not joined with others before it is written. */
const MOST_UNITS_OF_SHORT = 512
/** How many names are compared with the next one. In a team, they are all. */
const MOST_NAMES_COMPARED = 16
/** More memory than this is not kept between calls: enough for a prompt of the default budget. */
const [MOST_BYTES_KEPT, MOST_NUMBERS_KEPT] = [2 ** 21, 2 ** 17]
/** A character of UTF-8. */
const MOST_CHARACTER_BYTES = 4

/** A message as it was read. */
interface ReadMessage {
  from: string
  /** Several with `, ` between them; empty if the message does not say. */
  to: string
  /** The addressees, if they were given as an array. */
  names: string[] | undefined
  content: unknown
  parts: PartFields[] | undefined
  /** What a caller-supplied function has counted. */
  tokens: number | undefined
}

/** The messages of one prompt. */
export interface Messages {
  list: readonly unknown[]
  /** A caller-supplied function. */
  countTokens: TokenFunction | undefined
  /** What was read, if it may be needed again: no field is read twice. */
  kept: Map<number, ReadMessage> | undefined
  /** What a plain prompt has read already: the messages, with the fields that it read. */
  read?: ReadonlyMap<number, unknown>
  /** What was wrong with a message that may not be needed. */
  failed: { index: number; error: unknown } | undefined
}

/** A list of messages to pass. */
export interface Wanted extends WantedFields {
  /** Whether to leave out a content that is not a string. */
  isLenient?: boolean
}

const read = ({ list, read: before, kept, failed }: Messages, index: number): ReadMessage => {
  if (failed?.index === index) throw failed.error
  const known = kept?.get(index)
  if (known !== undefined) return known
  const given = before?.has(index) === true ? before.get(index) : list[index]
  const { from, to, content, parts } = object(given, 'contextMessages', index)
  if (typeof from !== 'string') return wrongType('a string', from, pathOf('contextMessages', index), 'from')
  const names =
    isMissing(to) || typeof to === 'string' ? undefined : addresseeNames(to, pathOf('contextMessages', index), 'to')
  const fields = isMissing(parts) ? undefined : checkParts(parts, content, pathOf('contextMessages', index)).fields
  const addressee = typeof to === 'string' ? to : names === undefined ? '' : names.join(', ')
  const message = { from, to: addressee, names, content, parts: fields, tokens: undefined }
  kept?.set(index, message)
  return message
}

const contentOf = ({ content }: ReadMessage, index: number) =>
  typeof content === 'string' ? content : wrongType('a string', content, pathOf('contextMessages', index), 'content')

/** What is passed in one call. */
export class Batch {
  /** The header comes first, then the rows of messages, then those of texts. */
  numbers = new Float64Array(HEADER + 64 * COLUMNS)
  extras: ExtraFields[] | undefined
  #memory: Buffer = allocUnsafeSlow(0)
  #rows = 0
  /** The texts of the input, and names. */
  #texts: string[] = []
  #inputTexts = 0
  #contents: string[] = []
  /** The rows that the contents belong to. */
  #places: number[] = []
  #units = 0
  /** Whether a message was not valid. */
  #isEnded = false

  /** Adds a text of the input. */
  addText(text: string) {
    this.#texts.push(text)
    this.#units += text.length
    this.#inputTexts += 1
  }

  #nameNumber(name: string) {
    const texts = this.#texts
    const end = Math.min(texts.length, this.#inputTexts + MOST_NAMES_COMPARED)
    for (let at = this.#inputTexts; at < end; at++) if (texts[at] === name) return at
    this.#units += name.length
    return texts.push(name) - 1
  }

  /**
   * Adds the messages of some lists. They end before a message that is not valid, unless it is the first:
   * if it is needed, native code asks for it again.
   */
  addLists(messages: Messages, lists: readonly Wanted[], line: LineUnitFields) {
    let before = 0
    for (const list of lists) {
      const { indices, continues, end } = list
      const next =
        indices === undefined
          ? this.#addRange(messages, list, continues ? Math.min(end, before) : end, line)
          : this.#addIndices(messages, list, indices, line)
      if (this.#isEnded) return
      before = next ?? before
    }
  }

  #addIndices(messages: Messages, list: Wanted, indices: readonly number[], line: LineUnitFields) {
    let { units } = list
    for (const index of indices) {
      if (units <= 0 || this.#isEnded) return undefined
      units -= this.#add(messages, index, list, line)
    }
    return undefined
  }

  /** Returns the index of the last one. */
  #addRange(messages: Messages, list: Wanted, end: number, line: LineUnitFields) {
    let { units } = list
    const start = Math.max(list.start, end - list.most)
    let index = end
    while (index > start && units > 0 && !this.#isEnded) units -= this.#add(messages, --index, list, line)
    return index
  }

  /** Adds a message. Returns the units of its line. */
  #add(messages: Messages, index: number, list: Wanted, line: LineUnitFields) {
    try {
      return this.#addValid(messages, index, list, line)
    } catch (error) {
      if (this.#rows === 0) throw error
      messages.failed = { index, error }
      this.#isEnded = true
      return 0
    }
  }

  #addValid(messages: Messages, index: number, list: Wanted, line: LineUnitFields) {
    const { need, longest, isCounted, isLenient } = list
    const message = read(messages, index)
    const { from, to, names, parts } = message
    const isNamed = need === 'names' || (isLenient && typeof message.content !== 'string')
    const content = parts !== undefined || isNamed ? undefined : contentOf(message, index)
    const tokens = isCounted ? tokensOf(message, messages.countTokens, index) : -1
    const at = HEADER + this.#rows * COLUMNS
    if (at + COLUMNS > this.numbers.length) this.#grow(this.numbers.length * 2)
    const { numbers } = this
    numbers[at] = index
    numbers[at + 1] = this.#nameNumber(from)
    numbers[at + 2] = this.#nameNumber(to)
    numbers[at + 6] = tokens
    if (names !== undefined || parts !== undefined) (this.extras ??= []).push([this.#rows, names, parts])
    this.#rows += 1
    const lineUnits = from.length + line.frame + (line.everyone === undefined ? 0 : to.length || line.everyone)
    if (content === undefined) {
      numbers[at + 3] = parts === undefined ? NOTHING : PARTS
      return parts === undefined ? lineUnits : parts.reduce((sum, [, , , said]) => sum + said.length, lineUnits)
    }
    if (need === 'size') {
      numbers[at + 3] = SIZE
      numbers[at + 5] = byteLength(content)
      return lineUnits
    }
    const passed = content.length > longest ? content.slice(0, longest + 1) : content
    numbers[at + 3] = ASCII
    this.#contents.push(passed)
    this.#places.push(at + 3)
    this.#units += passed.length
    return lineUnits + content.length
  }

  #grow(length: number) {
    const larger = new Float64Array(length)
    larger.set(this.numbers)
    this.numbers = larger
  }

  /** Writes the texts. Returns them. */
  seal(): string | Buffer {
    const texts = HEADER + this.#rows * COLUMNS
    const length = texts + this.#texts.length * TEXT_COLUMNS
    if (length > this.numbers.length) this.#grow(length)
    this.numbers[0] = this.#rows
    this.numbers[1] = this.#texts.length
    return this.#units > MOST_UNITS_JOINED ? this.#write(texts) : this.#join(texts)
  }

  #join(texts: number) {
    const { numbers } = this
    let joined = ''
    let at = texts
    for (const text of this.#texts) {
      numbers[at] = ASCII
      numbers[at + 1] = joined.length
      numbers[at + 2] = text.length
      joined += text
      at += TEXT_COLUMNS
    }
    let nth = 0
    for (const text of this.#contents) {
      const place = this.#places[nth++] as number
      numbers[place + 1] = joined.length
      numbers[place + 2] = text.length
      joined += text
    }
    return joined
  }

  #write(texts: number) {
    const writer = new Writer(this.#memory, this.numbers, this.#units)
    let at = texts
    for (const text of this.#texts) {
      writer.write(text, at)
      at += TEXT_COLUMNS
    }
    let nth = 0
    for (const text of this.#contents) writer.write(text, this.#places[nth++] as number)
    writer.flush()
    this.#memory = writer.memory
    return writer.memory
  }

  /** Forgets everything but memory. */
  clear() {
    this.#rows = 0
    this.#texts.length = 0
    this.#inputTexts = 0
    this.#contents.length = 0
    this.#places.length = 0
    this.#units = 0
    this.extras = undefined
    this.#isEnded = false
  }

  /** The units of all texts so far. */
  get units() {
    return this.#units
  }

  get isSmall() {
    return this.#memory.length <= MOST_BYTES_KEPT && this.numbers.length <= MOST_NUMBERS_KEPT
  }
}

const tokensOf = (message: ReadMessage, count: TokenFunction | undefined, index: number) => {
  if (count === undefined) return -1
  message.tokens ??= countWith(count, message.parts === undefined ? contentOf(message, index) : saidIn(message.parts))
  return message.tokens
}

/** Writes texts one after another. Short ones are joined before, which takes a quarter of the time. */
class Writer {
  memory: Buffer
  #numbers: Float64Array
  /** Units that are not written yet. */
  #left: number
  #end = 0
  #isWide = false
  #joined = ''
  /** Where the kinds, starts and lengths of the joined texts go. */
  #places: number[] = []

  constructor(memory: Buffer, numbers: Float64Array, units: number) {
    this.memory = memory
    this.#numbers = numbers
    this.#left = units
    this.#reserve(units)
  }

  /** @param place Where in the numbers its kind, start and length go. */
  write(text: string, place: number) {
    const { length } = text
    if (length > MOST_UNITS_OF_SHORT) this.flush()
    this.#numbers[place + 1] = this.#joined.length
    this.#numbers[place + 2] = length
    this.#joined += text
    this.#places.push(place)
    if (this.#joined.length > MOST_UNITS_JOINED) this.flush()
  }

  /** Writes what is joined. */
  flush() {
    const text = this.#joined
    const { length } = text
    // Less room could make the beginning of other text look like ASCII.
    if (!this.#isWide && this.memory.write(text, this.#end, length + MOST_CHARACTER_BYTES, 'utf8') !== length) {
      this.#isWide = true
      this.#end += this.#end % 2
      this.#reserve(this.#left * 2)
    }
    const start = this.#isWide ? this.#end / 2 : this.#end
    for (const place of this.#places) {
      this.#numbers[place] = this.#isWide ? WIDE : ASCII
      this.#numbers[place + 1] = (this.#numbers[place + 1] ?? 0) + start
    }
    this.#end += this.#isWide ? this.memory.write(text, this.#end, length * 2, 'utf16le') : length
    this.#left -= length
    this.#joined = ''
    this.#places.length = 0
  }

  #reserve(bytes: number) {
    const needed = this.#end + bytes + MOST_CHARACTER_BYTES
    if (needed <= this.memory.length) return
    const larger = allocUnsafeSlow(Math.max(needed, this.memory.length * 2))
    this.memory.copy(larger, 0, 0, this.#end)
    this.memory = larger
  }
}

let free: Batch | undefined

/** A batch that nobody else uses. */
export const takeBatch = (): Batch => {
  const batch = free ?? new Batch()
  free = undefined
  return batch
}

/** Leaves a batch for the next call. */
export const leaveBatch = (batch: Batch) => {
  batch.clear()
  if (batch.isSmall) free = batch
}
