'use strict'
const { types } = require('node:util')

/**
 * The bytes of a Buffer or Uint8Array, without a copy. Undefined for anything else, and if the memory is
 * gone, because it was transferred to another thread or is now shorter than the view.
 * @param {unknown} value
 * @returns {Buffer | undefined}
 */
const bufferOf = (value) => {
  if (!types.isUint8Array(value)) return undefined
  try {
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  } catch {
    return undefined
  }
}

module.exports = { bufferOf }
