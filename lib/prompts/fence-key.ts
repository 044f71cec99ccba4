/** Keys of fenced prompts. They are made here: native code has no source of randomness. */

/** Lower-case letters and digits that cannot be confused: 12 of them are 59 bits. */
const CHARACTERS = '23456789abcdefghjkmnpqrstuvwxyz'
const KEY_LENGTH = 12

export const newFenceKey = () => {
  // Loaded on first use.
  const { randomInt } = require('node:crypto') as typeof import('node:crypto')
  return Array.from({ length: KEY_LENGTH }, () => CHARACTERS[randomInt(CHARACTERS.length)]).join('')
}
