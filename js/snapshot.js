'use strict'
/** Messages of a snapshot, which may have gone through JSON. */

/**
 * A copy of a message, with a Date again if JSON has made a string of it. What cannot be a date
 * stays as it is: native code says what is wrong.
 * @param {unknown} message
 */
const copyMessage = (message) => {
  if (typeof message !== 'object' || message === null) return message
  const copy = { .../** @type {{ timestamp?: unknown }} */ (message) }
  const { timestamp } = copy
  if (typeof timestamp === 'string' || typeof timestamp === 'number') {
    const date = new Date(timestamp)
    if (!Number.isNaN(date.getTime())) copy.timestamp = date
  }
  return copy
}

module.exports = { copyMessage }
