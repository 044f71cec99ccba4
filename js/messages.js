'use strict'
/**
 * The loop over the caller's messages. Native code calls it, and it calls native code once for
 * each message, newest first, until it is told to stop: what is not reached is not touched.
 */
const native = require('../binding.js')

const { keepName, receiveMessage, MessageKind, NextMessage } = native
const { Given, Known, NotAnObject } = MessageKind
const { ContinueRepairing, Stop } = NextMessage

/**
 * Names are few and repeat, so each crosses once and is then known by a number. Native code has
 * room for 256 of them.
 */
const names = native.createNameTable()
const MAX_NAMES = 256
const MAX_NAME_LENGTH = 64

/** @type {Map<string, number>} */
const numbers = new Map()

/**
 * @param {unknown} name
 * @returns {number | undefined} Undefined for what cannot be kept as a name.
 */
const numberOf = (name) => {
  const known = numbers.get(/** @type {string} */ (name))
  if (known !== undefined || typeof name !== 'string' || name.length > MAX_NAME_LENGTH) return known
  const number = numbers.size
  // A copy: the name may be a piece of a large text, which would be kept with it.
  const copy = keepName(names, number, name)
  if (copy !== name) return undefined
  numbers.set(copy, number)
  return number
}

/**
 * Passes the messages from `end - 1` down to `first` to native code, and leaves the contents of
 * those that it takes in `contents`, newest first.
 * @param {readonly any[]} messages
 * @param {number} first
 * @param {number} end
 * @param {string[] | undefined} contents
 */
const visitMessages = (messages, first, end, contents) => {
  for (let index = end - 1; index >= first; index--) {
    const message = messages[index]
    if (typeof message !== 'object' || message === null) {
      receiveMessage(NotAnObject, undefined, undefined, message)
      return
    }
    const { from, to, content } = message
    // Not between the two: the number of one must not be given to the other.
    if (numbers.size > MAX_NAMES - 2) numbers.clear()
    const fromNumber = numberOf(from)
    const toNumber = numberOf(to ?? '')
    const next = fromNumber !== undefined && toNumber !== undefined
      ? receiveMessage(Known, fromNumber, toNumber, content)
      : receiveMessage(Given, from, to, content)
    if (next === Stop) return
    if (contents !== undefined) {
      contents[contents.length] = next === ContinueRepairing ? content.toWellFormed() : content
    }
  }
}

module.exports = { names, visitMessages }
