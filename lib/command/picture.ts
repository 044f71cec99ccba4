/** How commands draw on a terminal. Loads what draws budgets on demand. */
import { hasColors, padEnd, padStart, painter } from '../explain/terminal.js'
import { grouped, partName } from '../explain/page/words.js'
import type { ReportedPrompt } from '../explain/render.js'
import type { Output, Surroundings } from './command.js'
import type { BudgetExceededError } from '../errors.js'

/** At least so wide that lines make sense, and not so wide that nobody finds their ends. */
export const styleOn = (output: Output, env: Surroundings['env'], most: number) => ({
  columns: Math.max(40, Math.min(output.columns ?? 80, most)),
  paint: painter(hasColors(output, env)),
})

/**
 * A prompt as a picture, one line each.
 * @param more Whether all messages are listed, and what sections are called.
 */
export const pictureOf = (
  prompt: ReportedPrompt,
  output: Output,
  env: Surroundings['env'],
  more: { all?: boolean; names?: { [part: string]: string } },
) => {
  const { picture } = require('../explain/picture.js') as typeof import('../explain/picture.js')
  const { describeTurn } = require('../explain/turn.js') as typeof import('../explain/turn.js')
  return picture(describeTurn(prompt), { ...styleOn(output, env, 120), ...more })
}

export const exceeded = (error: BudgetExceededError, { stderr, env }: Surroundings) => {
  const { bar } = require('../explain/picture.js') as typeof import('../explain/picture.js')
  const { columns, paint } = styleOn(stderr, env, 120)
  const { unit, systemMaxBytes: share, sections } = error
  // With a budget for its system text, that is what was exceeded.
  const [required, most] =
    unit === 'tokens'
      ? [error.requiredTokens ?? 0, error.maxTokens ?? 0]
      : [error.requiredBytes, share ?? error.maxBytes]
  const parts = Object.entries(sections).map(([name, bytes]) => ({ name, bytes }))
  const lines = parts.map(({ name, bytes }) => `  ${padEnd(partName(name), 15)} ${padStart(grouped(bytes), 11)}`)
  return [
    `${paint('red', 'Does not fit:')} ${grouped(required)} ${unit} are needed at least, ${share === undefined ? 'the budget has' : 'systemMaxBytes is'} ${grouped(most)}`,
    bar({ columns, paint }, parts, Math.max(required, 1)),
    ...lines,
    `${share === undefined ? `--max-${unit}` : 'systemMaxBytes'} ${required} is the smallest that suffices.`,
  ].join('\n')
}
