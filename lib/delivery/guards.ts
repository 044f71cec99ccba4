/**
 * Finds the places in a prompt that a CLI would act on, and disarms them.
 *
 * The rules are those of the CLIs or slightly wider: a false positive is a needless warning, a false negative is a
 * file that leaves the machine. Prompts are searched for one byte, so text without it costs almost nothing.
 */
import { skipSpaces, spaceAt, spaceBefore } from './white-space.js'
import { measure, type SizeUnit } from './measure.js'
import type { Trigger } from './profiles/profile.js'

const byteOf = (sign: string) => sign.charCodeAt(0)

const AT = byteOf('@')
const DOLLAR = byteOf('$')
const SLASH = byteOf('/')
const BACKSLASH = byteOf('\\')

/** After these, or at the end, an `@` names no path. */
const NO_PATH = new Set([...' \t\n\r,;!?()[]{}'].map(byteOf))

/** After these, or at the end, a `.` is the end of a sentence. */
const AFTER_SENTENCE = new Set([...' \t\n\r'].map(byteOf))

/** Variables of the shell that Codex does not take for skills. */
const SHELL_VARIABLE = /^(?:PATH|HOME|USER|SHELL|PWD|TMPDIR|TEMP|TMP|LANG|TERM|XDG_CONFIG_HOME)$/i
const LONGEST_VARIABLE = 'XDG_CONFIG_HOME'.length

const isDigit = (byte: number | undefined) => byte !== undefined && byte >= 0x30 && byte <= 0x39

/** Letters, digits, and `_-:`. */
const NAME = new Set(
  Array.from({ length: 128 }, (_, byte) => byte).filter((byte) => /[\w:-]/.test(String.fromCharCode(byte))),
)

/** `/` and a word. No CLI treats comments (`//`, `/*`) or paths (`/etc/hosts`) as commands. */
const beginsWithCommand = (text: Buffer) => {
  if (text[0] !== SLASH) return false
  const start = skipSpaces(text, 1)
  if (text[start] === byteOf('*')) return false
  let at = start
  while (at < text.length && spaceAt(text, at) === 0) {
    if (text[at] === SLASH) return false
    at++
  }
  return at > start
}

const isPathAt = (text: Buffer, at: number) => {
  const first = text[at]
  if (first === undefined) return false
  if (first !== byteOf('.')) return !NO_PATH.has(first)
  const second = text[at + 1]
  return second !== undefined && !AFTER_SENTENCE.has(second)
}

/** Where the target of a Markdown link starts, if a name in brackets ends here; otherwise -1. */
const linkTarget = (text: Buffer, start: number, end: number) => {
  if (text[start - 2] !== byteOf('[') || end === start || text[end] !== byteOf(']')) return -1
  const open = skipSpaces(text, end + 1)
  return text[open] === byteOf('(') ? skipSpaces(text, open + 1) : -1
}

/** A name that is neither an amount (`$5`) nor a variable of the shell. A link may have any other name. */
const isSkillAt = (text: Buffer, start: number) => {
  let end = start
  let isAmount = true
  for (; NAME.has(text[end] ?? -1); end++) isAmount &&= isDigit(text[end])
  const isName = !isAmount && text[end - 1] !== byteOf(':')
  if (!isName && linkTarget(text, start, end) === -1) return false
  return end - start > LONGEST_VARIABLE || !SHELL_VARIABLE.test(text.toString('latin1', start, end))
}

const PLUGIN = Buffer.from('plugin://')

/** `[@name](plugin://…)`. */
const isPluginAt = (text: Buffer, start: number) => {
  let end = start
  while (NAME.has(text[end] ?? -1)) end++
  const target = linkTarget(text, start, end)
  return target !== -1 && text.subarray(target, target + PLUGIN.length).equals(PLUGIN)
}

/** U+2060, which names no file. */
const WORD_JOINER = Buffer.from('\u2060')

const isWordJoinerAt = (text: Buffer, at: number) => WORD_JOINER.every((byte, index) => text[at + index] === byte)

const SIGNS: Record<
  Exclude<Trigger, 'leadingSlash'>,
  { sign: number; isActive: (text: Buffer, at: number) => boolean }
> = {
  atAfterSpace: {
    sign: AT,
    isActive: (text, at) =>
      (at === 0 || spaceBefore(text, at) > 0) && at + 1 < text.length && spaceAt(text, at + 1) === 0,
  },
  atPath: { sign: AT, isActive: (text, at) => isPathAt(text, at + 1) && !isWordJoinerAt(text, at + 1) },
  atAnywhere: { sign: AT, isActive: (text, at) => text[at - 1] !== BACKSLASH && isPathAt(text, at + 1) },
  atPlugin: { sign: AT, isActive: (text, at) => isPluginAt(text, at + 1) },
  dollarName: { sign: DOLLAR, isActive: (text, at) => isSkillAt(text, at + 1) },
}

const grown = (places: Float64Array) => {
  const more = new Float64Array(places.length * 2)
  more.set(places)
  return more
}

/**
 * Where the signs are, as byte offsets in ascending order. For a text full of them, this takes half the
 * time of an array, which is copied and scanned as it grows.
 */
export const findPlaces = (trigger: Trigger, text: Buffer): Float64Array => {
  if (trigger === 'leadingSlash') return new Float64Array(beginsWithCommand(text) ? 1 : 0)
  const { sign, isActive } = SIGNS[trigger]
  let places = new Float64Array(64)
  let count = 0
  for (let at = text.indexOf(sign); at !== -1; at = text.indexOf(sign, at + 1)) {
    if (!isActive(text, at)) continue
    if (count === places.length) places = grown(places)
    places[count++] = at
  }
  return places.subarray(0, count)
}

/** A short text, and the byte offsets at which it is written into another one, in ascending order. */
export interface Insertion {
  text: string
  offsets: Float64Array
}

export const sizeOf = (insertions: readonly Insertion[], unit: SizeUnit) =>
  insertions.reduce((sum, { text, offsets }) => sum + measure(Buffer.from(text), unit) * offsets.length, 0)

/** An insertion as bytes, with the places at which it still has to be written. */
const pending = ({ text, offsets }: Insertion) => ({ bytes: Buffer.from(text), offsets, done: 0 })

type Pending = ReturnType<typeof pending>

const nextOffset = ({ offsets, done }: Pending) => offsets[done] ?? Infinity

/** The insertion that comes next; at the same offset, the first one. */
const earlier: (one: Pending, other: Pending) => Pending = (one, other) =>
  nextOffset(other) < nextOffset(one) ? other : one

/**
 * A new text with the insertions in it.
 * @param insertions At least one.
 */
export const insert = (text: Buffer, insertions: readonly Insertion[]): Buffer => {
  const written = Buffer.allocUnsafe(text.length + sizeOf(insertions, 'bytes'))
  const all = insertions.map(pending)
  let [from, to] = [0, 0]
  for (;;) {
    const next = all.reduce(earlier)
    const end = Math.min(nextOffset(next), text.length)
    to += text.copy(written, to, from, end)
    if (next.done === next.offsets.length) return written
    to += next.bytes.copy(written, to)
    next.done++
    from = end
  }
}
