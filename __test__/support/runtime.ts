/**
 * Which runtime the tests run in. All are expected to pass in each; what a runtime does
 * differently by itself is skipped there, and the reason stands beside it.
 */
export const isBun = process.versions['bun'] !== undefined
export const isDeno = process.versions['deno'] !== undefined
export const isNode = !isBun && !isDeno

/**
 * Whether native code runs under AddressSanitizer (`npm run test:asan`). It keeps freed memory for a
 * while, so how much a process has says little; and a test that builds an addon has one without it.
 */
export const isSanitized = process.env['PROMPTMASON_ASAN_ADDON'] !== undefined
