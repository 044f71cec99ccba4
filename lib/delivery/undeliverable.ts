/** The error for what a CLI would refuse, cut or lose. */
import { makeError } from '../errors.js'
import { type SizeUnit, UNITS } from './measure.js'

/**
 * @param problem Why not, and what a caller can do.
 * @param sizes If the size is the reason.
 */
export const undeliverable = (
  cli: string,
  problem: string,
  sizes?: { size: number; limit: number; unit: SizeUnit },
) => {
  const measured = sizes === undefined ? '' : ` (${sizes.size} ${UNITS[sizes.unit]}, at most ${sizes.limit})`
  return makeError('RangeError', `cannot deliver to ${cli}: ${problem}${measured}`, {
    code: 'ERR_UNDELIVERABLE',
    cli,
    ...sizes,
  })
}
