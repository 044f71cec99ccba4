/**
 * Ids of conversations as names of files. Lower-case letters, digits, `_` and `-` stay; everything else
 * is percent-encoded, so that no id leads to another directory, has a meaning for the system, or is the
 * same file as another one where the system ignores case or normalizes Unicode.
 */
import { createHash } from 'node:crypto'

/** Windows programs treat these names as devices, with or without an extension. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)$/
/** Most systems allow 255 bytes, including the extension that is added. */
const MAX_LENGTH = 200
/** How much of a longer name is shown before its hash. */
const SHOWN_LENGTH = 100

const encoded = (byte: number) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`

const encodedAll = (text: string) => Array.from(Buffer.from(text), encoded).join('')

/** @param id Well-formed, not empty. */
export const fileNameOf = (id: string) => {
  const name = RESERVED.test(id)
    ? `${encodedAll(id.slice(0, 1))}${id.slice(1)}`
    : id.replaceAll(/[^a-z0-9_-]+/gu, (text) => encodedAll(text))
  if (name.length <= MAX_LENGTH) return name
  // Shorter names never contain `~`.
  return `${name.slice(0, SHOWN_LENGTH)}~${createHash('sha256').update(id).digest('hex')}`
}
