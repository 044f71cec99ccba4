'use strict'
/** What `planDelivery` takes. */
const { UNIT_NAMES } = require('../delivery/measure.js')
const { outputNamed } = require('../delivery/profiles/index.js')
const { TEXT_OUTPUT } = require('../delivery/profiles/profile.js')
const { protocolVersion } = require('./delivery-plan.js')
const { fields } = require('./fields.js')
const { arrayOf, boolean, entriesOf, integer, object, oneOf, optional, refined, string } = require('./kinds.js')
const { unknownValue } = require('./problems.js')

/**
 * @template [T=any]
 * @typedef {import('./kinds.js').Kind<T>} Kind
 */

/**
 * A kind of strings without lone surrogates: the system cannot pass them on, and would write U+FFFD.
 * @template T
 * @param {Kind<T>} kind
 * @returns {Kind<T>}
 */
const wellFormed = (kind) => (value, parent, name) =>
  kind(typeof value === 'string' ? value.toWellFormed() : value, parent, name)

const text = wellFormed(string)

/** The name or the path of a program. */
const program = refined(text, (value, parent, name) =>
  value === '' || value.includes('\0') ? unknownValue('the name of a program', value, parent, name) : value,
)

const texts = arrayOf(text, 'an array of strings')

/** An option that takes the path of a file. In `--option=path`, the first `=` ends the option. */
const fileFlag = refined(text, (value, parent, name) =>
  /^[^=]*=?$/.test(value) ? value : unknownValue('an option, without `=` or with one at its end', value, parent, name),
)

/** Variables; undefined and null remove one. @type {Kind<Record<string, string | undefined>>} */
const environment = refined(entriesOf(optional(text)), (entries) =>
  Object.fromEntries(entries.map(([name, value]) => [name.toWellFormed(), value])),
)

/** The name of an output format. */
const output = refined(
  text,
  (value, parent, name) => outputNamed(value) ?? unknownValue("'text' or a known agent type", value, parent, name),
)

/** A version, such as `1.2.3`. */
const version = refined(text, (value, parent, name) =>
  /^\d+(?:\.\d+)*/.test(value) ? value : unknownValue("a version such as '1.2.3'", value, parent, name),
)

/**
 * One of some words, by default the first.
 * @template {string} T
 * @param {T[]} known
 * @returns {Kind<T>}
 */
const choice = (...known) => /** @type {Kind<T>} */ (optional(wellFormed(oneOf(known)), known[0]))

const limit = fields({ unit: wellFormed(oneOf(UNIT_NAMES)), max: integer(1) }, { required: true })

/** Arguments for each set of permissions. */
const permissionArgs = fields({ 'read-only': optional(texts), edit: optional(texts), all: optional(texts) })

/** An agent of the Agent Client Protocol. */
const acpProfile = fields(
  {
    acp: fields(
      {
        command: program,
        args: optional(texts, []),
        env: optional(environment, {}),
        protocolVersion: optional(protocolVersion),
      },
      { required: true, strict: true },
    ),
  },
  { required: true, strict: true },
)

/** A `DeliveryProfile`: a CLI. */
const cliProfile = fields(
  {
    command: program,
    args: optional(texts, []),
    systemFlag: optional(text),
    systemFileFlag: optional(fileFlag),
    resumeArgs: optional(texts),
    streamArgs: optional(texts, []),
    sessionIdArgs: optional(texts, []),
    permissionArgs: optional(permissionArgs, {}),
    versionArgs: optional(texts, ['--version']),
    limits: optional(arrayOf(limit), []),
    env: optional(environment, {}),
    output: optional(output, TEXT_OUTPUT),
  },
  { required: true },
)

/** A `DeliveryProfile`. */
const profile = (/** @type {any} */ value, /** @type {string} */ parent, /** @type {any} */ name) =>
  value?.acp === undefined || value.acp === null
    ? { ...cliProfile(value, parent, name), acp: undefined }
    : acpProfile(value, parent, name)

/**
 * All options but `profile`.
 * @template T
 * @param {Kind<T>} agentType
 */
const optionsWith = (agentType) =>
  fields(
    {
      platform: optional(text),
      agentType,
      json: optional(boolean, true),
      model: optional(text),
      cwd: optional(text),
      resume: optional(text),
      systemVia: choice('auto', 'flag', 'file'),
      guard: choice('report', 'escape'),
      projectInstructions: choice('keep', 'skip'),
      trustWorkspace: optional(boolean, false),
      permissions: choice('default', 'read-only', 'edit', 'all'),
      version: optional(version),
      extraArgs: optional(texts, []),
    },
    { required: true, also: ['profile'] },
  )

/** Without a profile, the agent's type says which program it is. */
const optionsOfAgent = optionsWith(program)
const optionsOfProfile = optionsWith(optional(text, ''))

/**
 * The options of `planDelivery`.
 * @param {any} options
 */
const checkPlanOptions = (options) => {
  const given = /** @type {any} */ (object(options, '', 'options')).profile
  const own = optional(profile)(given, 'options', 'profile')
  const table = own === undefined ? optionsOfAgent : optionsOfProfile
  return { ...table(options, '', 'options'), profile: own }
}

/**
 * The system text of an output.
 * @param {unknown} systemFlag
 */
const checkSystemFlag = (systemFlag) => optional(text)(systemFlag, 'output', 'systemFlag')

const versionOptions = fields({ command: optional(program), versionArgs: optional(texts) })

/**
 * The arguments of `cliVersion`.
 * @param {unknown} agentType
 * @param {unknown} options
 */
const checkVersionArguments = (agentType, options) => ({
  agentType: program(agentType, '', 'agentType'),
  ...versionOptions(options, '', 'options'),
})

module.exports = { checkPlanOptions, checkSystemFlag, checkVersionArguments, environment, profile }
