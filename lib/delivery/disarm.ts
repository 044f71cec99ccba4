/** Inserts text into a prompt so that a CLI does not act on it. */
import { measure, type SizeUnit } from './measure.js'

/** A short text, and the byte offsets at which it is written into another one, in ascending order. */
export interface Insertion {
  text: string
  offsets: Float64Array
}

/** The size of all that is inserted. */
export const sizeOf = (insertions: readonly Insertion[], unit: SizeUnit) =>
  insertions.reduce((sum, { text, offsets }) => sum + measure(Buffer.from(text), unit) * offsets.length, 0)

/** An insertion as bytes, with the places at which it still has to be written. */
const pending = ({ text, offsets }: Insertion) => ({ bytes: Buffer.from(text), offsets, done: 0 })

type Pending = ReturnType<typeof pending>

const nextOffset = ({ offsets, done }: Pending) => offsets[done] ?? Infinity

/** The insertion that comes next; at the same offset, the first one. */
const earlier: (one: Pending, other: Pending) => Pending = (one, other) =>
  nextOffset(other) < nextOffset(one) ? other : one

/** Fewer bytes than this are copied faster one by one. */
const FEW_BYTES = 32

/** Copies a part of a text, and returns where it ends. */
const copyPart = (text: Buffer, start: number, end: number, target: Buffer, at: number) => {
  if (end - start >= FEW_BYTES) return at + text.copy(target, at, start, end)
  let to = at
  for (let from = start; from < end; from++) target[to++] = text[from] as number
  return to
}

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
    to = copyPart(text, from, end, written, to)
    if (next.done === next.offsets.length) return written
    to = copyPart(next.bytes, 0, next.bytes.length, written, to)
    next.done++
    from = end
  }
}
