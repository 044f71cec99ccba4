/**
 * The fastest JavaScript we could write that keeps nothing between calls except small caches. It
 * follows what its profiles show:
 *
 * 1. A long string is expensive, because it takes new memory each time. The form that returns bytes
 *    makes none: messages are written directly into the result.
 * 2. Measuring ASCII is nearly free and shows that the text is ASCII, so the fast one-byte write can
 *    be used.
 * 3. Other text is passed as UTF-16 to `transcode`, which is several times faster than the encoder
 *    behind `Buffer.from` and `write`. For large budgets this is done in chunks, newest first: the
 *    result also gives the size of the chunk, so nothing is measured in advance.
 * 4. A string is joined once, with everything around the conversation already in its lines.
 * 5. If three bytes per character would fit, nothing is measured.
 * 6. Once the size of a text to cut is known, only its head and tail are touched.
 */
import { transcode } from 'node:buffer'
import { boundaryFast, omissionLine, roomAround } from './cut.mjs'
import { statelessConversation } from './stateless.mjs'

export const bestJs = {
  name: 'best JS',
  start: (fixed) => statelessConversation(fixed, { string: assemble, bytes: assembleBytes }),
}

const MOST_BYTES_PER_CHARACTER = 3
const CONTEXT_TITLE = '[CONTEXT]\n'
const MESSAGE_TITLE = '[MESSAGE]\n'
const SECTION_BREAK = '\n\n'

/** Lines are kept with a line break before them; the first line break ends the title. */
const CONTEXT_TITLE_BEFORE_BREAK = '[CONTEXT]'

/** @typedef {{ text: string, bytes: number }} Opening A line up to its content, after a line break. */

/** @type {Map<string, Map<string, Opening>>} A team has few names. */
const openings = new Map()

function opening({ from, to }) {
  let known = openings.get(from)
  if (known === undefined) openings.set(from, (known = new Map()))
  let found = known.get(to)
  if (found === undefined) {
    const bytes = Buffer.from(`\n- ${from} -> ${to || 'all'}: `)
    // Decoded from bytes, so that the string is flat.
    found = { text: bytes.toString(), bytes: bytes.length }
    known.set(to, found)
  }
  return found
}

/** The parts that do not depend on the conversation, and the room that they leave for it. */
function frame({ currentMessage, teamTask, systemInstruction, maxBytes }) {
  const system = systemInstruction.trim()
  const task = teamTask.trim()
  const message = currentMessage.trim()
  const before = (system && `[SYSTEM]\n${system}${SECTION_BREAK}`) + (task && `[TEAM_TASK]\n${task}${SECTION_BREAK}`)
  const beforeBytes = Buffer.byteLength(before)
  const messageBytes = Buffer.byteLength(message)
  const messageRoom = maxBytes - beforeBytes - MESSAGE_TITLE.length
  // Each opening includes a line break, but the first line has none before it.
  const room = messageRoom - messageBytes - CONTEXT_TITLE.length - SECTION_BREAK.length + 1
  return { before, beforeBytes, message, messageBytes, room, messageRoom }
}

/** Whether all messages fit even if every character takes the maximum number of bytes. */
function fitsAnyway(messages, room) {
  let left = room
  for (let index = messages.length - 1; index >= 0 && left >= 0; index--) {
    const message = messages[index]
    left -= opening(message).bytes + message.content.length * MOST_BYTES_PER_CHARACTER
  }
  return left >= 0
}

/** The oldest message before `end` that fits with all newer ones. */
function firstFitting(messages, end, room) {
  let first = end
  let left = room
  while (first > 0) {
    const message = messages[first - 1]
    const most = left - opening(message).bytes
    // A text has no fewer bytes than characters.
    if (message.content.length > most) break
    const bytes = Buffer.byteLength(message.content)
    if (bytes > most) break
    left = most - bytes
    first--
  }
  return first
}

/** @param {import('./stateless.mjs').Input} input */
function assemble(input) {
  const { contextMessages: messages } = input
  const { before, message, messageBytes, room, messageRoom } = frame(input)
  if (messageBytes > messageRoom) return [before, MESSAGE_TITLE, ...cut(message, messageBytes, messageRoom)].join('')
  const first = fitsAnyway(messages, room) ? 0 : firstFitting(messages, messages.length, room)
  return promptFrom(messages, first, before, message)
}

function promptFrom(messages, first, before, message) {
  const after = message && MESSAGE_TITLE + message
  if (first === messages.length) return [before, after].join('')
  const lines = []
  for (let index = first; index < messages.length; index++) {
    const { from, to, content } = messages[index]
    lines.push(`- ${from} -> ${to || 'all'}: ${content}`)
  }
  lines[0] = before + CONTEXT_TITLE + lines[0]
  lines[lines.length - 1] += after && SECTION_BREAK + after
  return lines.join('\n')
}

/** Up to this size, one string is cheaper than many writes. */
const SMALL_BYTES = 4096

/** @param {import('./stateless.mjs').Input} input */
function assembleBytes(input) {
  const { contextMessages: messages } = input
  const parts = frame(input)
  const { before, message, messageBytes, room, messageRoom } = parts
  if (messageBytes > messageRoom) {
    return concat([before, MESSAGE_TITLE, ...cut(message, messageBytes, messageRoom)].map(encoded))
  }
  const ascii = asciiFitting(messages, room)
  if (ascii === undefined) return assembleWide(messages, parts)
  const { first, bytes } = ascii
  if (bytes < SMALL_BYTES) return encoded(promptFrom(messages, first, before, message))

  const size =
    parts.beforeBytes + CONTEXT_TITLE.length + bytes - 1 + SECTION_BREAK.length + MESSAGE_TITLE.length + messageBytes
  const prompt = newBuffer(size)
  let at = prompt.utf8Write(before + CONTEXT_TITLE_BEFORE_BREAK, 0)
  for (let index = first; index < messages.length; index++) {
    const line = messages[index]
    const { content } = line
    const { text } = opening(line)
    at += prompt.latin1Write(text, at, text.length)
    at += prompt.latin1Write(content, at, content.length)
  }
  prompt.utf8Write(SECTION_BREAK + MESSAGE_TITLE + message, at)
  return prompt
}

/** The messages that fit and their bytes if all are ASCII, otherwise undefined. */
function asciiFitting(messages, room) {
  let first = messages.length
  let left = room
  while (first > 0) {
    const message = messages[first - 1]
    const { content } = message
    const { text, bytes } = opening(message)
    if (bytes + content.length > left) break
    if (text.length !== bytes || Buffer.byteLength(content) !== content.length) return undefined
    left -= bytes + content.length
    first--
  }
  return { first, bytes: room - left }
}

/** Holds text as UTF-16 before it is encoded. It is reused, so that its memory is already mapped. */
const utf16 = Buffer.allocUnsafeSlow(1 << 21)

/** Up to this size, measuring and encoding once is cheaper than joining chunks. */
const MEASURED_ROOM = 1 << 18

function assembleWide(messages, { before, message, room }) {
  const after = message && MESSAGE_TITLE + message
  if (room <= MEASURED_ROOM || fitsAnyway(messages, room)) {
    const first = fitsAnyway(messages, room) ? 0 : firstFitting(messages, messages.length, room)
    const isEmpty = first === messages.length
    const start = utf16.ucs2Write(isEmpty ? before : before + CONTEXT_TITLE_BEFORE_BREAK, 0)
    const end = writeLines(messages, first, messages.length, start)
    const closed = isEmpty ? after : after && SECTION_BREAK + after
    if (end >= 0 && end + closed.length * 2 <= utf16.length) return utf8Of(end + utf16.ucs2Write(closed, end))
    return Buffer.from(promptFrom(messages, first, before, message))
  }
  const chunks = takeChunks(messages, room)
  const opened = chunks.length > 0 ? before + CONTEXT_TITLE_BEFORE_BREAK : before
  const closed = (chunks.length > 0 ? SECTION_BREAK : '') + after
  return concat([encoded(opened), ...chunks, encoded(closed)])
}

/** Writes lines to `utf16`, each after a line break, and returns where they end; -1 if there is no room. */
function writeLines(messages, first, end, start) {
  let at = start
  for (let index = first; index < end; index++) {
    const line = messages[index]
    const { text } = opening(line)
    if (at + (text.length + line.content.length) * 2 > utf16.length) return -1
    at += utf16.ucs2Write(text, at)
    at += utf16.ucs2Write(line.content, at)
  }
  return at
}

/** Large enough to make calls rare, small enough that one excess chunk costs little. */
const MOST_CHUNK_CHARACTERS = 1 << 14
const LEAST_CHUNK_CHARACTERS = 1 << 11
const CHUNKS_AHEAD = 4

/** Encodes lines in chunks, newest chunk first, as long as there is room. Returns them oldest first. */
function takeChunks(messages, room) {
  const chunks = []
  let end = messages.length
  let left = room
  while (end > 0) {
    const wanted = left / MOST_BYTES_PER_CHARACTER / CHUNKS_AHEAD
    const enough = Math.min(MOST_CHUNK_CHARACTERS, Math.max(LEAST_CHUNK_CHARACTERS, wanted))
    let first = end
    for (let characters = 0; first > 0 && characters < enough; first--) {
      const line = messages[first - 1]
      characters += opening(line).text.length + line.content.length
    }
    let chunk = encodedLines(messages, first, end)
    const isLast = chunk.length > left
    if (isLast) {
      first = firstFitting(messages, end, left)
      chunk = encodedLines(messages, first, end)
    }
    if (chunk.length > 0) chunks.push(chunk)
    if (isLast) break
    left -= chunk.length
    end = first
  }
  return chunks.toReversed()
}

/** The lines of some messages, oldest first, each after a line break. */
function encodedLines(messages, first, end) {
  const written = writeLines(messages, first, end, 0)
  if (written >= 0) return utf8Of(written)
  // Huge messages, for which the simple way is fast enough.
  return Buffer.from(
    messages
      .slice(first, end)
      .map((line) => opening(line).text + line.content)
      .join(''),
  )
}

/** What has been written to `utf16`, as UTF-8. */
function utf8Of(end) {
  const units = utf16.subarray(0, end)
  try {
    return transcode(units, 'utf16le', 'utf8')
  } catch {
    // It refuses lone surrogates, which Buffer.from replaces.
    return Buffer.from(units.ucs2Slice(0, end))
  }
}

/** Below this, `transcode` costs more to call than it saves. */
const LEAST_TO_TRANSCODE = 512

/** A text as UTF-8, encoded in the way that is fastest for it. */
function encoded(text) {
  if (Buffer.byteLength(text) === text.length) {
    const bytes = newBuffer(text.length)
    bytes.latin1Write(text, 0, text.length)
    return bytes
  }
  if (text.length < LEAST_TO_TRANSCODE || text.length * 2 > utf16.length) return Buffer.from(text)
  return utf8Of(utf16.ucs2Write(text, 0))
}

const newBuffer = (bytes) => (bytes < Buffer.poolSize >>> 1 ? Buffer.allocUnsafe(bytes) : Buffer.allocUnsafeSlow(bytes))

function concat(parts) {
  let size = 0
  for (const part of parts) size += part.length
  const whole = newBuffer(size)
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** Head, omission line and tail in at most `maxBytes`, or the head alone. */
function cut(text, textBytes, maxBytes) {
  const around = roomAround(textBytes, maxBytes)
  const ascii = textBytes === text.length
  const headEnd = charactersFrom(text, around > 0 ? Math.ceil(around / 2) : maxBytes, ascii)
  const head = text.slice(0, boundaryFast(text, headEnd, false))
  const headBytes = ascii ? head.length : Buffer.byteLength(head)
  if (around === 0) {
    if (head === '') throw new RangeError('The current message does not fit')
    return [head]
  }
  const tail = text.slice(boundaryFast(text, text.length - charactersBefore(text, around - headBytes, ascii), true))
  const tailBytes = ascii ? tail.length : Buffer.byteLength(tail)
  if (head === '' || tail === '') {
    return [text.slice(0, boundaryFast(text, charactersFrom(text, maxBytes, ascii), false))]
  }
  return [head, omissionLine(textBytes - headBytes - tailBytes), tail]
}

const encoder = new TextEncoder()

/** How many characters at the beginning fit into this many bytes. */
function charactersFrom(text, bytes, ascii) {
  return ascii ? bytes : encoder.encodeInto(text, new Uint8Array(bytes)).read
}

const isTrail = (unit) => (unit & 0xfc00) === 0xdc00
const isLead = (unit) => (unit & 0xfc00) === 0xd800

/** How many characters at the end fit into this many bytes. */
function charactersBefore(text, bytes, ascii) {
  if (ascii) return bytes
  let left = bytes
  let at = text.length
  while (at > 0) {
    const unit = text.charCodeAt(at - 1)
    const pair = isTrail(unit) && at > 1 && isLead(text.charCodeAt(at - 2))
    left -= pair ? 4 : 1 + (unit > 0x7f ? 1 : 0) + (unit > 0x7ff ? 1 : 0)
    if (left < 0) break
    at -= pair ? 2 : 1
  }
  return text.length - at
}
