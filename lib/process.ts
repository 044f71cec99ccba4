/** What native code needs to know about the running process. It does not ask the system itself. */
import os = require('node:os')
import native = require('../binding.js')
import type { ProcessFacts } from '../binding.js'

const VARIABLES = Array.from(native.environmentVariables())

/** @returns Undefined where there is none, as in some containers. */
export const homeDirectory = (): string | undefined => {
  try {
    return os.homedir()
  } catch {
    return undefined
  }
}

export const processFacts = (): ProcessFacts => {
  const given = VARIABLES.map((name) => [name, process.env[name]] as const)
  const variables = Object.fromEntries(given.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
  const home = homeDirectory()
  return { cwd: process.cwd(), ...(home !== undefined && { home }), variables }
}
