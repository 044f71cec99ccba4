/** How commands draw on a terminal. */
import { hasColors, painter } from '../explain/terminal.js'
import type { ReportedPrompt } from '../explain/render.js'
import type { Output, Surroundings } from './command.js'

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
