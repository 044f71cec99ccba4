/** What does not fit, as a picture. */
import { grouped, partName } from '../explain/page/words.js'
import { bar } from '../explain/picture.js'
import { padEnd, padStart } from '../explain/terminal.js'
import type { BudgetExceededError } from '../errors.js'
import { styleOn } from './picture.js'
import type { Surroundings } from './command.js'

export const exceeded = (error: BudgetExceededError, { stderr, env }: Surroundings) => {
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
