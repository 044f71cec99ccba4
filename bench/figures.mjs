/** Formats figures: with decimals below ten, without from ten on. */

/**
 * @param {number} value
 * @param {number} [decimals] How many there are below ten.
 */
export function figure(value, decimals = 2) {
  const short = value.toFixed(decimals)
  // 9.999 rounds to ten, which has no decimals.
  return Math.abs(Number(short)) < 10 ? short : value.toFixed(0)
}

/** A ratio. */
export const times = (ratio) => `${figure(ratio)} ×`

/** @param {number} ms */
export function duration(ms) {
  if (ms >= 1000) return `${figure(ms / 1000)} s`
  if (ms >= 1) return `${figure(ms)} ms`
  return `${figure(ms * 1000)} µs`
}

export const kilobytes = (bytes) => `${figure(bytes / 1024, 1)} KB`
