/**
 * The fastest JavaScript that keeps the conversation: every line is encoded once, when it is added,
 * into one growing buffer, so a prompt is a binary search and three copies. For prompts as strings it
 * also keeps the lines as strings, and joins them.
 * It does less than `ContextManager`: it does not strip routing markers, keeps no ids, and has one
 * layout.
 */
import { boundaryFast, omissionLine, roomAround } from './cut.mjs'

export const bestStatefulJs = {
  name: 'best stateful JS',
  start: (fixed) => new Arena(fixed),
}

const LINE_BREAK = 0x0a

class Arena {
  /** Every line with a line break after it. */
  lines = Buffer.allocUnsafeSlow(1 << 16)
  end = 0
  /** Where each line starts. */
  starts = []
  /** The same lines as strings. */
  texts = []
  /** A line up to its content, by sender and addressee. */
  openings = new Map()
  contentStart = 0
  current = ''

  constructor({ systemInstruction, teamTask, maxBytes }) {
    const system = systemInstruction.trim()
    const task = teamTask.trim()
    this.maxBytes = maxBytes
    const parts = [system && `[SYSTEM]\n${system}\n\n`, task && `[TEAM_TASK]\n${task}\n\n`]
    this.before = Buffer.from(parts.join(''))
    this.contextTitle = Buffer.from('[CONTEXT]\n')
    this.messageTitle = Buffer.from('[MESSAGE]\n')
    this.messageTitleAfterContext = Buffer.from('\n\n[MESSAGE]\n')
  }

  add({ from, to, content }) {
    const opening = this.opening(from, to)
    this.reserve(opening.bytes.length + content.length * 3 + 1)
    const start = this.end
    this.starts.push(start)
    this.lines.set(opening.bytes, start)
    this.contentStart = start + opening.bytes.length
    this.end = this.contentStart + this.lines.utf8Write(content, this.contentStart)
    this.lines[this.end++] = LINE_BREAK
    this.texts.push(opening.text + content)
    this.current = content
  }

  opening(from, to) {
    let openings = this.openings.get(from)
    if (!openings) this.openings.set(from, (openings = new Map()))
    let opening = openings.get(to)
    if (!opening) {
      const text = `- ${from} -> ${to || 'all'}: `
      opening = { text, bytes: Buffer.from(text) }
      openings.set(to, opening)
    }
    return opening
  }

  reserve(bytes) {
    if (this.end + bytes <= this.lines.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(this.lines.length * 2, this.end + bytes))
    this.lines.copy(larger, 0, 0, this.end)
    this.lines = larger
  }

  /** The current message in pieces: its bytes, or those of its head, omission line and tail. */
  messagePieces(maxBytes) {
    const trimmed = this.current.trim()
    const whole =
      trimmed.length === this.current.length
        ? this.lines.subarray(this.contentStart, this.end - 1)
        : Buffer.from(trimmed)
    return whole.length <= maxBytes ? [whole] : cutBytes(whole, maxBytes)
  }

  /** The parts of the prompt, as ranges of bytes. */
  plan() {
    const { before, contextTitle, messageTitle, messageTitleAfterContext, starts, maxBytes } = this
    const count = starts.length - 1
    const contextEnd = starts[count]
    const pieces = this.messagePieces(maxBytes - before.length - messageTitle.length)
    const messageBytes = pieces.reduce((sum, piece) => sum + piece.length, 0)
    // The line break after the last line is not part of the context.
    const room = maxBytes - before.length - contextTitle.length - messageTitleAfterContext.length - messageBytes + 1

    let low = 0
    let high = count
    while (low < high) {
      const middle = (low + high) >>> 1
      if (contextEnd - starts[middle] <= room) high = middle
      else low = middle + 1
    }
    const fits = low < count
    return {
      first: low,
      contextStart: fits ? starts[low] : contextEnd,
      contextEnd: fits ? contextEnd - 1 : contextEnd,
      parts: fits ? [before, contextTitle] : [before],
      after: [fits ? messageTitleAfterContext : messageTitle, ...pieces],
    }
  }

  write(target, { contextStart, contextEnd, parts, after }) {
    let at = 0
    for (const part of parts) {
      target.set(part, at)
      at += part.length
    }
    at += this.lines.copy(target, at, contextStart, contextEnd)
    for (const part of after) {
      target.set(part, at)
      at += part.length
    }
    return at
  }

  bytes() {
    const plan = this.plan()
    let size = plan.contextEnd - plan.contextStart
    for (const part of plan.parts) size += part.length
    for (const part of plan.after) size += part.length
    const target = size < Buffer.poolSize >>> 1 ? Buffer.allocUnsafe(size) : Buffer.allocUnsafeSlow(size)
    this.write(target, plan)
    return target
  }

  into(buffer) {
    return this.write(buffer, this.plan())
  }

  string() {
    const { first, parts, after } = this.plan()
    const text = (part) => part.utf8Slice(0, part.length)
    const opened = parts.map(text).join('')
    const closed = after.map(text).join('')
    const lines = this.texts.slice(first, -1)
    if (lines.length === 0) return [opened, closed].join('')
    // Added to the lines before joining, so that the long string is made once.
    lines[0] = opened + lines[0]
    lines[lines.length - 1] += closed
    return lines.join('\n')
  }
}

const isInsideCharacter = (byte) => (byte & 0xc0) === 0x80

/** How far around a cut the text is decoded to look for a grapheme boundary. */
const NEIGHBOURHOOD = 256

/** The grapheme boundary at or before `at`, or at or after it. */
function boundaryInBytes(bytes, at, after) {
  if (bytes[at - 1] < 0x80 && bytes[at] < 0x80 && bytes[at - 1] !== 0x0d) return at
  const start = Math.max(bytes.lastIndexOf(LINE_BREAK, Math.max(at - NEIGHBOURHOOD, 0)), 0)
  const left = bytes.toString('utf8', start, at)
  const end = bytes.indexOf(LINE_BREAK, at)
  const right = bytes.toString('utf8', at, end < 0 ? bytes.length : end + 1)
  const text = left + right
  return start + Buffer.byteLength(text.slice(0, boundaryFast(text, left.length, after)))
}

function headEnd(bytes, limit) {
  let end = Math.max(limit, 0)
  while (end > 0 && isInsideCharacter(bytes[end])) end--
  return boundaryInBytes(bytes, end, false)
}

function tailStart(bytes, limit) {
  let start = bytes.length - limit
  while (start < bytes.length && isInsideCharacter(bytes[start])) start++
  return boundaryInBytes(bytes, start, true)
}

function cutBytes(whole, maxBytes) {
  const around = roomAround(whole.length, maxBytes)
  const head = headEnd(whole, around > 0 ? Math.ceil(around / 2) : maxBytes)
  const tail = around > 0 ? tailStart(whole, around - head) : whole.length
  if (head === 0 && around === 0) throw new RangeError('The current message does not fit')
  if (head === 0 || tail === whole.length) return [whole.subarray(0, headEnd(whole, maxBytes))]
  return [whole.subarray(0, head), Buffer.from(omissionLine(tail - head)), whole.subarray(tail)]
}
