/**
 * Which runtime the tests run in. All are expected to pass in each; what a runtime does
 * differently by itself is skipped there, and the reason stands beside it.
 */
export const isBun = process.versions['bun'] !== undefined
export const isDeno = process.versions['deno'] !== undefined
export const isNode = !isBun && !isDeno
