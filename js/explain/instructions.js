'use strict'
/** `promptmason instructions`: which instruction files and URLs a project leads to, and what became of them. */
const { InstructionPrompt } = require('../instruction-prompt.js')
const { visibleLine } = require('./page/visible.js')
const { counted, grouped } = require('./page/words.js')
const { fit, hasColors, padEnd, padStart, painter } = require('./terminal.js')

/** @typedef {import('../../index.d.ts').LoadedInstruction} LoadedInstruction */

/** @type {{ [status: string]: [word: string, color: string] }} */
const STATUSES = {
  loaded: ['used', 'green'],
  truncated: ['shortened', 'yellow'],
  empty: ['empty', 'gray'],
  skipped: ['not used', 'yellow'],
  failed: ['failed', 'red'],
}

/**
 * @param {LoadedInstruction} source
 * @param {import('./terminal.js').Paint} paint
 * @param {number} columns
 */
const sourceLines = ({ source, origin, from, status, bytes, reason }, paint, columns) => {
  const [word, color] = STATUSES[status] ?? [status, 'gray']
  const where = from === undefined ? origin : `included by ${visibleLine(from)}`
  const because = reason === undefined ? where : `${where}: ${visibleLine(reason)}`
  return [
    `${paint(color, padEnd(word, 9))} ${padStart(grouped(bytes), 9)}  ${fit(visibleLine(source), columns - 21)}`,
    `${' '.repeat(21)}${paint('dim', fit(because, columns - 21))}`,
  ]
}

/**
 * @param {string | undefined} directory
 * @param {{ [name: string]: any }} values
 * @param {{ stdout: { isTTY?: boolean, columns?: number }, env: { [name: string]: string | undefined } }} surroundings
 * @param {(value: unknown) => string} safeJson
 */
const instructionsPicture = async (directory, values, { stdout, env }, safeJson) => {
  const sources = await InstructionPrompt.load({ directory, preset: values.preset, untrusted: values.untrusted })
  if (values.json) return `${safeJson(sources)}\n`
  if (sources.length === 0) return 'No instruction file was found.\n'
  const paint = painter(hasColors(stdout, env))
  const columns = Math.max(40, Math.min(stdout.columns ?? 80, 160))
  const used = sources.filter(({ status }) => status === 'loaded' || status === 'truncated')
  const sum = used.reduce((bytes, { text }) => bytes + Buffer.byteLength(text ?? ''), 0)
  return `${[
    ...sources.flatMap((source) => sourceLines(source, paint, columns)),
    '',
    `${counted(sources.length, 'source')}, ${grouped(used.length)} used, ${counted(sum, 'byte')} of text`,
  ].join('\n')}\n`
}

module.exports = { instructionsPicture }
