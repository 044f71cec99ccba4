/**
 * Generated inputs are the same on every run, so that a failure is one of the change at hand.
 * To look for new ones: `FC_SEED=random npx vitest run`, or a number.
 */
import fc from 'fast-check'

const wanted = process.env['FC_SEED'] ?? '20260226'
const seed = wanted === 'random' ? Math.trunc(Math.random() * 0x7fff_ffff) : Number(wanted)
if (wanted === 'random') console.log(`FC_SEED=${seed}`)
fc.configureGlobal({ seed })
