'use strict'
/**
 * Makes the whole plan: command, arguments, stdin, files, environment, and warnings.
 *
 * 1. The prompt always goes to stdin. Only the system text may be an argument or a file.
 * 2. What a CLI would reject, cut or ignore is an error or a warning before it is started.
 * 3. What a CLI would act on in the text is a warning, and is disarmed with `guard: 'escape'`.
 */
const { argumentsOf, environmentOf } = require('./arguments.js')
const { checkLimits, checkNotBlank, checkPermissions, checkWords } = require('./check-request.js')
const { insert } = require('./disarm.js')
const { findPlaces } = require('./guards.js')
const { checkCommandLine } = require('./platforms.js')
const { TEXT_OUTPUT } = require('./profiles/profile.js')
const { NONE, SYSTEM_FILE, passSystemText } = require('./system-text.js')
const { directoryWarnings, instructionsWarnings, listPlaces, lostEnds, blankWarnings } = require('./warnings.js')

/** @typedef {import('./profiles/profile.js').Profile} Profile */

/**
 * What to deliver, and how. All strings are well-formed.
 * @typedef {object} Request
 * @property {Buffer} prompt As UTF-8.
 * @property {string | undefined} systemFlag The system text that is passed separately.
 * @property {import('./platforms.js').Platform} platform Where the CLI runs.
 * @property {boolean} json Whether the output is to be parsed.
 * @property {string | undefined} [model] As the CLI names it.
 * @property {string | undefined} cwd An absolute path.
 * @property {string | undefined} [resume] The id of the CLI's session.
 * @property {'auto' | 'flag' | 'file'} systemVia
 * @property {'report' | 'escape'} guard
 * @property {'keep' | 'skip'} projectInstructions
 * @property {boolean} trustWorkspace
 * @property {'default' | 'read-only' | 'edit' | 'all'} permissions
 * @property {string | undefined} [version] The installed version of the CLI.
 * @property {readonly string[]} extraArgs
 */

/**
 * The places at which the CLI would act: warnings, and what disarms them if that is wanted.
 * @param {Profile} profile
 * @param {Request} request
 */
const guardPrompt = (profile, request) => {
  /** @type {import('../../index.d.ts').DeliveryWarning[]} */
  const warnings = []
  /** @type {import('./disarm.js').Insertion[]} */
  const insertions = []
  /** @type {[string, string][]} */
  const env = []
  for (const guard of profile.guards) {
    const places = findPlaces(guard.trigger, request.prompt)
    warnings.push(...listPlaces(profile, guard, request, places))
    if (request.guard === 'report') continue
    const { disarm } = guard
    if ('env' in disarm) env.push(...Object.entries(disarm.env))
    else if (places.length === 0) continue
    else if ('before' in disarm) insertions.push({ text: disarm.before, offsets: places })
    else insertions.push({ text: disarm.after, offsets: places.map((at) => at + 1) })
  }
  return { warnings, insertions, env }
}

/**
 * Settings that an ACP agent gets as messages instead of arguments.
 * @param {Profile} profile
 * @param {Request} request
 * @returns {import('../../index.d.ts').AcpSettings}
 */
const acpSettings = ({ protocolVersion }, { model, permissions }) => ({
  ...(protocolVersion !== undefined && { protocolVersion }),
  ...(model !== undefined && { model }),
  permissions,
})

/**
 * Makes a plan, or throws if something would keep the prompt from reaching the CLI.
 * @param {Profile} profile
 * @param {Request} request
 */
const makePlan = (profile, request) => {
  const { prompt, systemFlag: system = '', platform, cwd, json, resume } = request
  checkWords(profile, request)
  checkPermissions(profile, request)
  checkNotBlank(profile, prompt)

  const commandLine = (/** @type {readonly string[]} */ systemArgs) => argumentsOf(profile, request, systemArgs)
  const passed =
    system === '' ? NONE : passSystemText(profile, request, system, (systemArgs) => commandLine(systemArgs).args)
  const { args, additions, warnings: argumentWarnings } = commandLine(passed.args)
  checkCommandLine(platform, profile.command, args)

  const warnings = [
    ...argumentWarnings,
    ...passed.warnings,
    ...directoryWarnings(profile, request),
    ...instructionsWarnings(profile, request),
    ...lostEnds(profile, prompt),
    ...blankWarnings(profile, prompt),
  ]
  const guarded = guardPrompt(profile, request)
  checkLimits(profile, prompt, guarded.insertions)
  return {
    command: profile.command,
    args,
    stdin: guarded.insertions.length === 0 ? prompt : insert(prompt, guarded.insertions),
    files: passed.isInFile ? [{ name: SYSTEM_FILE, content: Buffer.from(system) }] : [],
    // Not by assignment: a variable may be called `__proto__`.
    env: Object.fromEntries([...environmentOf(profile, request), ...guarded.env]),
    ...(cwd === undefined ? {} : { cwd }),
    ...(resume === undefined ? {} : { resume }),
    ...(additions === undefined ? {} : { additions }),
    warnings: [...warnings, ...guarded.warnings],
    output: json || profile.isAcp ? profile.output : TEXT_OUTPUT,
    ...(profile.isAcp ? { acp: acpSettings(profile, request) } : {}),
  }
}

module.exports = { makePlan }
