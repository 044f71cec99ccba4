'use strict'
/** What native code needs to know about the running process. It does not ask the system itself. */
const os = require('node:os')
const native = require('../binding.js')

const VARIABLES = Array.from(native.environmentVariables())

/** @returns {string | undefined} Undefined where there is none, as in some containers. */
const homeDirectory = () => {
  try {
    return os.homedir()
  } catch {
    return undefined
  }
}

/** @returns {import('../binding.js').ProcessFacts} */
const processFacts = () => {
  const given = VARIABLES.map((name) => /** @type {const} */ ([name, process.env[name]]))
  const variables = Object.fromEntries(given.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
  const home = homeDirectory()
  return { cwd: process.cwd(), ...(home !== undefined && { home }), variables }
}

module.exports = { homeDirectory, processFacts }
