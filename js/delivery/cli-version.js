'use strict'
/** `cliVersion`: asks a program for its version, once. */
const { execFile } = require('node:child_process')
const { promisify } = require('node:util')
const { checkVersionArguments } = require('../checks/delivery.js')
const { inherited } = require('./environment.js')
const { profileOf } = require('./profiles/index.js')
const { NOTHING_KNOWN } = require('./profiles/profile.js')
const { resolveShim } = require('./windows-shims.js')

const run = promisify(execFile)

/** How long a program may take to print its version. */
const TIMEOUT_MS = 30_000

const VERSION = /\d+\.\d+(?:\.\d+)*(?:-[\w.]+)?/

/** The output of programs, by command line. */
/** @type {Map<string, Promise<string | undefined>>} */
const asked = new Map()

/**
 * @param {string} command
 * @param {readonly string[]} versionArgs
 */
const ask = async (command, versionArgs) => {
  const env = inherited(process.env)
  const program =
    process.platform === 'win32'
      ? resolveShim(command, versionArgs, env, process.cwd())
      : { command, args: versionArgs }
  const { stdout } = await run(program.command, [...program.args], { env, timeout: TIMEOUT_MS, windowsHide: true })
  return VERSION.exec(stdout)?.[0]
}

/**
 * @param {string} agentType
 * @param {import('../../index.d.ts').CliVersionOptions | null} [options]
 * @returns {Promise<string | undefined>}
 */
const cliVersion = async (agentType, options) => {
  const checked = checkVersionArguments(agentType, options)
  const profile = profileOf(checked.agentType) ?? { ...NOTHING_KNOWN, command: checked.agentType }
  const { command = profile.command, versionArgs = profile.versionArgs } = checked
  const key = JSON.stringify([command, versionArgs])
  const known = asked.get(key)
  if (known !== undefined) return known
  const version = ask(command, versionArgs)
  asked.set(key, version)
  // It may be installed later.
  version.catch(() => asked.delete(key))
  return version
}

module.exports = { cliVersion }
