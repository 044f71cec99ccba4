'use strict'
/** `planDelivery`: how to run a CLI with a prompt. */
const { isUtf8 } = require('node:buffer')
const path = require('node:path')
const { types } = require('node:util')
const { misspelled, quoted } = require('../agent-types.js')
const { checkPlanOptions, checkSystemFlag } = require('../checks/delivery.js')
const { wrongType } = require('../checks/problems.js')
const { invalidArgument } = require('../errors.js')
const { bufferOf } = require('./bytes.js')
const { makePlan } = require('./make-plan.js')
const { platformOf } = require('./platforms.js')
const { ACP, profileOf } = require('./profiles/index.js')
const { NOTHING_KNOWN } = require('./profiles/profile.js')

const { isSharedArrayBuffer, isUint8Array } = types

/** @typedef {ReturnType<typeof checkPlanOptions>} Options */

/**
 * The prompt as bytes. Undefined if it is neither text nor bytes.
 * @param {unknown} prompt
 * @returns {Buffer | undefined}
 */
const bytesOf = (prompt) => {
  if (typeof prompt === 'string') return Buffer.from(prompt)
  if (!isUint8Array(prompt)) return undefined
  const bytes = bufferOf(prompt)
  if (bytes === undefined || !isUtf8(bytes)) throw invalidArgument('output.prompt must be UTF-8')
  // Another thread could write to shared memory between the checks and the delivery.
  return isSharedArrayBuffer(bytes.buffer) ? Buffer.from(bytes) : bytes
}

/**
 * A directory that means the same wherever the child runs.
 * @param {string} cwd
 * @param {string} platform
 */
const absolute = (cwd, platform) => {
  const { isAbsolute } = platform === 'win32' ? path.win32 : path.posix
  return isAbsolute(cwd) ? cwd : path.resolve(cwd)
}

/**
 * The CLI of an agent, or the caller's own.
 * @param {Options} options
 * @returns {import('./profiles/profile.js').Profile}
 */
const profileFor = ({ agentType, profile }) => {
  if (profile === undefined) return profileOf(agentType) ?? { ...NOTHING_KNOWN, command: agentType }
  if (profile.acp !== undefined) return { ...ACP, ...profile.acp }
  const { systemFlag, systemFileFlag, resumeArgs, permissionArgs, limits, ...same } = profile
  return {
    ...NOTHING_KNOWN,
    ...same,
    system: { flag: systemFlag, fileFlag: systemFileFlag },
    permissions: Object.fromEntries(
      Object.entries(permissionArgs).flatMap(([name, args]) => (args === undefined ? [] : [[name, { args }]])),
    ),
    resume: resumeArgs === undefined ? undefined : { args: resumeArgs, directory: 'any' },
    limits: limits.map(({ unit, max }) => ({ unit, max, beyond: 'not take it' })),
  }
}

/**
 * A name that is treated as a program but looks like an agent's.
 * @param {Options} options
 * @returns {import('../../index.d.ts').DeliveryWarning[]}
 */
const agentWarnings = ({ agentType, profile }) => {
  const meant = profile === undefined ? misspelled(agentType) : undefined
  if (meant === undefined) return []
  const message = `agent type ${quoted(agentType)} is unknown, so a program of that name is run: did you mean '${meant}'?`
  return [{ code: 'unknown-agent', message }]
}

/**
 * @param {import('../../index.d.ts').AssemblerOutput | import('../../index.d.ts').AssemblerBufferOutput} output
 * @param {import('../../index.d.ts').DeliveryOptions} options
 * @returns {import('../../index.d.ts').DeliveryPlan}
 */
const planDelivery = (output, options) => {
  if (typeof output !== 'object' || output === null) throw invalidArgument('output must be an object with a prompt')
  const given = output.prompt
  const prompt = bytesOf(given)
  const systemFlag = checkSystemFlag(output.systemFlag)
  const checked = checkPlanOptions(options)
  if (prompt === undefined) return wrongType('a string, a Buffer or a Uint8Array', given, 'output', 'prompt')
  const { cwd, platform = process.platform } = checked
  // From here on, no caller code runs.
  const made = makePlan(profileFor(checked), {
    ...checked,
    prompt,
    systemFlag,
    platform: platformOf(platform),
    cwd: cwd === undefined ? undefined : absolute(cwd, platform),
  })
  const plan = { ...made, warnings: [...agentWarnings(checked), ...made.warnings] }
  // A Buffer is passed on as is, not as another view of its memory.
  const isAsGiven = plan.stdin === prompt && Buffer.isBuffer(given) && !isSharedArrayBuffer(given.buffer)
  return isAsGiven ? { ...plan, stdin: given } : plan
}

module.exports = { planDelivery }
