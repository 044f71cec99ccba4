/** What `pack.ts` has packed. */
import { inject } from 'vitest'
import type { PackedPackages } from './installed.js'

export const packages = (): PackedPackages => {
  const packed = inject('packed')
  if (packed === undefined) throw new Error('there is nothing to install on this platform')
  return packed
}
