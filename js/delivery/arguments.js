'use strict'
/** The arguments and the environment of a CLI. */
const { withoutRepeated } = require('./repeated-arguments.js')
const { known } = require('./versions.js')

/** @typedef {import('./profiles/profile.js').Profile} Profile */
/** @typedef {import('./profiles/profile.js').Switch} Switch */
/** @typedef {import('./make-plan.js').Request} Request */

/**
 * @param {Profile} profile
 * @param {Request} request
 */
const resumeArgs = ({ resume: how }, { resume: id, cwd }) => {
  if (id === undefined || how === undefined) return []
  const args = how.args.map((argument) => argument.replaceAll('{id}', () => id))
  return typeof how.directory === 'object' && cwd !== undefined ? [...args, how.directory.named, cwd] : args
}

/**
 * The arguments and variables for what the request switches on or off.
 * @param {Profile} profile
 * @param {Request} request
 * @returns {Switch[]}
 */
const switchesOf = (profile, { trustWorkspace, projectInstructions, permissions }) => [
  profile.permissions[permissions] ?? {},
  trustWorkspace ? { args: profile.trustArgs } : {},
  projectInstructions === 'skip' ? (profile.skipInstructions ?? {}) : {},
]

/**
 * Arguments for partial text and for a session id, which `deliver` adds unless the caller has them
 * already.
 * @param {Profile} profile
 * @param {Request} request
 */
const additionsOf = (profile, request) => {
  const { json, resume, extraArgs, version } = request
  const isFree = (/** @type {readonly string[]} */ args) =>
    args.length > 0 &&
    !extraArgs.some((argument) => argument.split('=', 1)[0] === args[0]) &&
    known(profile, args, version)
  return {
    ...(json && isFree(profile.streamArgs) && { streamArgs: [...profile.streamArgs] }),
    ...(resume === undefined && isFree(profile.sessionIdArgs) && { sessionIdArgs: [...profile.sessionIdArgs] }),
  }
}

/**
 * All arguments, including those for the system text, and warnings about them.
 * @param {Profile} profile
 * @param {Request} request
 * @param {readonly string[]} systemArgs
 */
const argumentsOf = (profile, request, systemArgs) => {
  const { json, model, extraArgs, resume } = request
  const before = [
    (resume === undefined ? undefined : profile.resume?.firstArgs) ?? profile.firstArgs,
    json ? profile.jsonArgs : profile.textArgs,
    profile.args,
    profile.modelFlag !== undefined && model !== undefined ? [profile.modelFlag, model] : [],
    ...switchesOf(profile, request).map(({ args = [] }) => args),
    systemArgs,
  ]
  const after = [resumeArgs(profile, request), profile.lastArgs]
  const extra = withoutRepeated(profile, [...before, ...after], extraArgs)
  const first = before.flat()
  const additions = additionsOf(profile, request)
  return {
    args: [...first, ...extra.args, ...after.flat()],
    additions: Object.keys(additions).length === 0 ? undefined : { at: first.length, ...additions },
    warnings: extra.warnings,
  }
}

/**
 * Variables to set or, without a value, to remove.
 * @param {Profile} profile
 * @param {Request} request
 * @returns {[name: string, value: string | undefined][]}
 */
const environmentOf = (profile, request) => [
  ...Object.entries(profile.env),
  ...switchesOf(profile, request).flatMap(({ env = {} }) => Object.entries(env)),
]

module.exports = { argumentsOf, environmentOf }
