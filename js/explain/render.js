'use strict'
/** `renderReport`: a page that shows prompts, as one self-contained file. */
const { join } = require('node:path')
const { fields } = require('../checks/fields.js')
const { anything, isMissing, optional, string } = require('../checks/kinds.js')
const { invalidArgument } = require('../errors.js')
const { MAX_ITEMS, checkedReport } = require('./check-report.js')
const { pageHtml, pageParts } = require('./html.js')
const { agentKey, sharedBytes } = require('./page/changes.js')
const { describeTurn } = require('./turn.js')

/** @typedef {import('../../index.d.ts').AssemblerReport} AssemblerReport */
/** @typedef {import('../../index.d.ts').ReportedPrompt} ReportedPrompt */
/** @typedef {import('./turn.js').Turn} Turn */

const renderOptions = fields({ title: optional(string, 'What was sent') })
const reportedFields = fields({
  report: anything,
  prompt: anything,
  systemFlag: anything,
  input: anything,
  assembler: anything,
})

/**
 * The prompts to show, each with our own copy of the report. Only the report is read here.
 * @param {any} given
 * @param {string} path
 * @returns {ReportedPrompt}
 */
const reportedPrompt = (given, path) => {
  if (typeof given !== 'object' || given === null) {
    throw invalidArgument(
      `${path} must be a report, or an object with a report, such as what assemble returns with { report: true }`,
    )
  }
  if (given.report === undefined) return { report: checkedReport(given, path) }
  const { report, prompt, systemFlag, input, assembler } = reportedFields(given, '', path)
  if (!isMissing(prompt) && typeof prompt !== 'string' && !(prompt instanceof Uint8Array))
    throw invalidArgument(`${path}.prompt must be a string or a Uint8Array`)
  if (!isMissing(systemFlag) && typeof systemFlag !== 'string')
    throw invalidArgument(`${path}.systemFlag must be a string`)
  if (!isMissing(input) && typeof input !== 'object')
    throw invalidArgument(`${path}.input must be what the prompt was made of`)
  return { report: checkedReport(report, `${path}.report`), prompt, systemFlag, input, assembler }
}

/** @param {any} reports @returns {ReportedPrompt[]} */
const reportedPrompts = (reports) => {
  if (!Array.isArray(reports)) return [reportedPrompt(reports, 'report')]
  if (reports.length === 0) throw invalidArgument('reports must have at least one report')
  if (reports.length > MAX_ITEMS) throw invalidArgument(`reports must have at most ${MAX_ITEMS} reports`)
  return Array.from(reports, (report, at) => reportedPrompt(report, `reports[${at}]`))
}

/** How many UTF-16 units of prompts are kept for comparison. */
const MAX_COMPARED = 16 * 1024 * 1024

/**
 * Adds the prompt texts to the turns, so that they can be compared: the newest ones that fit.
 * @param {ReportedPrompt[]} prompts
 * @param {Turn[]} turns
 */
const keepPrompts = (prompts, turns) => {
  if (turns.length < 2) return
  let room = MAX_COMPARED
  for (const [at, turn] of [...turns.entries()].toReversed()) {
    const { prompt, systemFlag } = prompts[at] ?? {}
    if (isMissing(prompt)) continue
    const sent = { prompt: Buffer.from(prompt).toString(), systemFlag: systemFlag ?? '' }
    room -= sent.prompt.length + sent.systemFlag.length
    if (room < 0) return
    turn.sent = sent
  }
}

/**
 * Says how much of its beginning each prompt shares with the one before it for the same agent, where
 * the report does not say and the prompts are given.
 * @param {ReportedPrompt[]} prompts
 * @param {Turn[]} turns
 */
const withPrefixes = (prompts, turns) => {
  /** @type {Map<string, Buffer>} */
  const last = new Map()
  return turns.map((turn, at) => {
    const prompt = prompts[at]?.prompt
    if (isMissing(prompt)) return turn
    const agent = agentKey(turn)
    const bytes = Buffer.from(prompt)
    const before = last.get(agent)
    last.set(agent, bytes)
    if (before === undefined || turn.report.stablePrefixBytes !== undefined) return turn
    return { ...turn, report: { ...turn.report, stablePrefixBytes: sharedBytes(before, bytes) } }
  })
}

/** @type {import('./html.js').Parts | undefined} */
let parts

/**
 * @param {AssemblerReport | ReportedPrompt | readonly (AssemblerReport | ReportedPrompt)[]} reports
 * @param {import('../../index.d.ts').RenderOptions | null} [options]
 * @returns {string}
 */
const renderReport = (reports, options) => {
  const prompts = reportedPrompts(reports)
  const { title } = renderOptions(options, '', 'options')
  const turns = withPrefixes(prompts, prompts.map(describeTurn))
  keepPrompts(prompts, turns)
  parts ??= pageParts({ scripts: [join(__dirname, 'page', 'view', 'main.js')] })
  return pageHtml(parts, {
    title,
    data: { turns },
    footer: 'Made by promptmason. This page is self-contained and loads nothing.',
  })
}

module.exports = { renderReport }
