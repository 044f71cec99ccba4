'use strict'
/** `renderReport`: a page that shows prompts. One file with everything in it, which loads nothing. */
const { createHash } = require('node:crypto')
const { readFileSync } = require('node:fs')
const { join } = require('node:path')
const { fields } = require('../checks/fields.js')
const { anything, isMissing, optional, string } = require('../checks/kinds.js')
const { invalidArgument } = require('../errors.js')
const { MAX_ITEMS, checkedReport } = require('./check-report.js')
const { visibleLine } = require('./page/visible.js')
const { describeTurn } = require('./turn.js')

/** @typedef {import('../../index.d.ts').AssemblerReport} AssemblerReport */
/** @typedef {import('../../index.d.ts').ReportedPrompt} ReportedPrompt */
/** @typedef {import('./turn.js').Turn} Turn */

/** The scripts of the page. The last one starts it. */
const SCRIPTS = [
  'budget.js',
  'visible.js',
  'words.js',
  'view/dom.js',
  'view/budget-view.js',
  'view/message-list.js',
  'view/prompt-view.js',
  'view/report-view.js',
  'view/turns-chart.js',
  'view/turns-view.js',
  'view/main.js',
]

const renderOptions = fields({ title: optional(string, 'What was sent') })
const reportedFields = fields({
  report: anything,
  prompt: anything,
  systemFlag: anything,
  input: anything,
  assembler: anything,
})

/** @param {string} file */
const pageFile = (file) => readFileSync(join(__dirname, 'page', file), 'utf8').replaceAll('\r\n', '\n')

/** The scripts as one, with a `require` that finds them by the ends of their names. */
const joinedScript = () => {
  const files = SCRIPTS.map(
    (file) => `${JSON.stringify(file.split('/').at(-1))}: (module, require) => {\n${pageFile(file)}}`,
  )
  return `(() => {
const files = {\n${files.join(',\n')}\n}
const loaded = {}
const load = (path) => {
  const name = path.split('/').at(-1)
  if (!(name in loaded)) {
    const module = { exports: {} }
    files[name](module, load)
    loaded[name] = module.exports
  }
  return loaded[name]
}
load('main.js')
})()`
}

/** @type {{ script: string, style: string, policy: string } | undefined} */
let parts
const pageParts = () => {
  if (parts !== undefined) return parts
  const [script, style] = [joinedScript(), pageFile('page.css')]
  const hash = (/** @type {string} */ text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
  const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; base-uri 'none'; form-action 'none'`
  parts = { script, style, policy }
  return parts
}

/** @type {{ [character: string]: string }} */
const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escapeHtml = (/** @type {string} */ text) => text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? '')

/** JSON in which no tag can begin or end. @param {unknown} value */
const embeddedJson = (value) =>
  JSON.stringify(value).replaceAll(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/**
 * What is to be shown, with a report of our own. Only the report is read here.
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

/** How many leading bytes two prompts share. @param {Buffer} one @param {Buffer} other */
const samePrefix = (one, other) => {
  const most = Math.min(one.length, other.length)
  let at = 0
  while (at < most && one[at] === other[at]) at++
  return at
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
    if (prompt === undefined || prompt === null) return turn
    const agent = JSON.stringify([turn.report.agentId, turn.report.agentType])
    const bytes = Buffer.from(prompt)
    const before = last.get(agent)
    last.set(agent, bytes)
    if (before === undefined || turn.report.stablePrefixBytes !== undefined) return turn
    return { ...turn, report: { ...turn.report, stablePrefixBytes: samePrefix(before, bytes) } }
  })
}

/**
 * @param {AssemblerReport | ReportedPrompt | readonly (AssemblerReport | ReportedPrompt)[]} reports
 * @param {import('../../index.d.ts').RenderOptions | null} [options]
 * @returns {string}
 */
const renderReport = (reports, options) => {
  const prompts = reportedPrompts(reports)
  const title = escapeHtml(visibleLine(renderOptions(options, '', 'options').title))
  const turns = withPrefixes(prompts, prompts.map(describeTurn))
  const { script, style, policy } = pageParts()
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<header><h1>${title}</h1></header>
<main id="main"><noscript><p>This page shows its data with a script, which is switched off.</p></noscript></main>
<footer><p class="soft">Made by promptmason. This page has everything in it, and loads nothing.</p></footer>
<script type="application/json" id="data">${embeddedJson({ turns })}</script>
<script>${script}</script>
</body>
</html>
`
}

module.exports = { renderReport }
