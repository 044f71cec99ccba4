'use strict'
const native = require('../binding.js')

/** `process` as it is now, in case somebody replaces the global. */
const { process } = globalThis

/**
 * What is added to the number of a form if `DEBUG` asks for our output. It is read for each
 * prompt (0.2 µs), so that it can be switched on while a program runs, and through Node, because
 * a worker may be changing it at that moment.
 */
const debugFlag = () => {
  const debug = process.env?.DEBUG
  return typeof debug === 'string' ? native.debugFlag(debug) : 0
}

module.exports = { debugFlag }
