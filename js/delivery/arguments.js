'use strict'
/** The arguments and the environment of a CLI. */
const { withoutRepeated } = require('./repeated-arguments.js')

/** @typedef {import('./profiles/profile.js').Profile} Profile */
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
 * All arguments, with those for the system text, and what to know of them.
 * @param {Profile} profile
 * @param {Request} request
 * @param {readonly string[]} systemArgs
 */
const argumentsOf = (profile, request, systemArgs) => {
  const { json, model, trustWorkspace, projectInstructions, extraArgs, resume } = request
  const before = [
    (resume === undefined ? undefined : profile.resume?.firstArgs) ?? profile.firstArgs,
    json ? profile.jsonArgs : profile.textArgs,
    profile.args,
    profile.modelFlag !== undefined && model !== undefined ? [profile.modelFlag, model] : [],
    trustWorkspace ? profile.trustArgs : [],
    projectInstructions === 'skip' ? (profile.skipInstructions?.args ?? []) : [],
    systemArgs,
  ]
  const after = [resumeArgs(profile, request), profile.lastArgs]
  const extra = withoutRepeated(profile, [...before, ...after], extraArgs)
  return { args: [...before.flat(), ...extra.args, ...after.flat()], warnings: extra.warnings }
}

/**
 * Variables to set or, without a value, to remove.
 * @param {Profile} profile
 * @param {Request} request
 * @returns {[name: string, value: string | undefined][]}
 */
const environmentOf = ({ env, skipInstructions }, { projectInstructions }) => [
  ...Object.entries(env),
  ...Object.entries(projectInstructions === 'skip' ? (skipInstructions?.env ?? {}) : {}),
]

module.exports = { argumentsOf, environmentOf }
