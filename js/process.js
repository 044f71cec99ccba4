'use strict'
/** What native code has to know about the running process. It does not ask the system itself. */
const os = require('node:os')

/** @returns {string | undefined} Undefined where there is none, as in some containers. */
const homeDirectory = () => {
  try {
    return os.homedir()
  } catch {
    return undefined
  }
}

const processFacts = () => ({
  cwd: process.cwd(),
  env: process.env,
  home: homeDirectory(),
  platform: process.platform,
  now: new Date(),
})

module.exports = { processFacts }
