'use strict'
/** What the command exits with. */

const EXIT = /** @type {const} */ ({ done: 0, exceeded: 1, usage: 2, internal: 3, failed: 4 })

/** The same for people. @type {readonly [code: number, meaning: string][]} */
const MEANINGS = [
  [EXIT.done, 'done'],
  [EXIT.exceeded, 'the budget is exceeded'],
  [EXIT.usage, 'bad usage or input, or the native binary is missing'],
  [EXIT.internal, 'a bug in promptmason: please report it'],
  [EXIT.failed, 'the agent was started, but did not answer'],
]

module.exports = { EXIT, MEANINGS }
