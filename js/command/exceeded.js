'use strict'
/** What does not fit, as a picture. */
const { grouped, partName } = require('../explain/page/words.js')
const { bar } = require('../explain/picture.js')
const { hasColors, padEnd, padStart, painter } = require('../explain/terminal.js')

/** @param {any} error @param {import('./command.js').Surroundings} surroundings */
const exceeded = (error, { stderr, env }) => {
  const paint = painter(hasColors(stderr, env))
  const columns = Math.max(40, Math.min(stderr.columns ?? 80, 120))
  const unit = error.unit ?? 'bytes'
  /** The input may have a budget for its system text. @type {number | undefined} */
  const share = error.systemMaxBytes
  const [required, most] =
    unit === 'tokens' ? [error.requiredTokens, error.maxTokens] : [error.requiredBytes, share ?? error.maxBytes]
  const parts = Object.entries(/** @type {{ [name: string]: number }} */ (error.sections)).map(([name, bytes]) => ({
    name,
    bytes,
  }))
  const lines = parts.map(({ name, bytes }) => `  ${padEnd(partName(name), 15)} ${padStart(grouped(bytes), 11)}`)
  return [
    `${paint('red', 'Does not fit:')} ${grouped(required)} ${unit} are needed at least, ${share === undefined ? 'the budget has' : 'systemMaxBytes is'} ${grouped(most)}`,
    bar({ columns, paint }, parts, Math.max(required, 1)),
    ...lines,
    `${share === undefined ? `--max-${unit}` : 'systemMaxBytes'} ${required} is the smallest that suffices.`,
  ].join('\n')
}

module.exports = { exceeded }
