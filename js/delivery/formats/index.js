'use strict'
/** The formats in which CLIs write their output, by the names that native code has for them. */
const { claudeFormat } = require('./claude.js')
const { codexFormat } = require('./codex.js')
const { copilotFormat } = require('./copilot.js')
const { geminiFormat } = require('./gemini.js')
const { opencodeFormat } = require('./opencode.js')

/**
 * @typedef {object} Outcome What is known when the output ends.
 * @property {string | undefined} [text] The answer, if the CLI has said that it is complete.
 * @property {string | undefined} [sessionId]
 * @property {import('../../../index.d.ts').CliUsage | undefined} [usage]
 * @property {import('../../../index.d.ts').CliError | undefined} [error]
 * @property {string} [reason] Why there is no answer, if it is no error to the CLI.
 * @typedef {object} Format Reads events one after the other.
 * @property {(event: Record<string, unknown>) => void} event
 * @property {() => Outcome} outcome
 */

/** @type {Record<string, () => Format>} */
const FORMATS = {
  'claude-code': () => claudeFormat(true),
  'openai-codex': codexFormat,
  'google-gemini': geminiFormat,
  opencode: opencodeFormat,
  'qwen-code': () => claudeFormat(false),
  'github-copilot': copilotFormat,
}

/**
 * @param {string} name
 * @returns {Format | undefined} Undefined where stdout is the answer.
 */
const formatOf = (name) => Object.hasOwn(FORMATS, name) ? FORMATS[name]?.() : undefined

module.exports = { formatOf }
