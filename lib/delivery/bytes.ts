import { types } from 'node:util'

/**
 * The bytes of a Buffer or Uint8Array, without a copy. Undefined for anything else, and if the memory is
 * gone, because it was transferred to another thread or is now shorter than the view.
 */
export const bufferOf = (value: unknown): Buffer | undefined => {
  if (!types.isUint8Array(value)) return undefined
  try {
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  } catch {
    return undefined
  }
}
