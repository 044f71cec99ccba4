'use strict'
/** Says on a terminal what the command is waiting for, once it has waited for a second. */
const { fit } = require('../explain/terminal.js')
const { visibleLine } = require('../explain/page/visible.js')

/**
 * @typedef {object} Progress
 * @property {(text: string) => void} say Sets the current step. It is shown a second after the first call, and then every second.
 * @property {(text: string) => void} sayAtOnce The same, for work that is known to take long and blocks timers.
 * @property {() => void} end Removes the line. Everything else is printed after it.
 */

const DELAY_MS = 1000
const ERASE_LINE = '\r\u001b[K'

/** @param {import('./command.js').Output} output @returns {Progress} */
const progressOn = (output) => {
  if (output.isTTY !== true) return { say() {}, sayAtOnce() {}, end() {} }
  const started = performance.now()
  let [text, isShown] = ['', false]
  /** @type {NodeJS.Timeout | undefined} */
  let timer
  const draw = () => {
    isShown = true
    const seconds = Math.floor((performance.now() - started) / 1000)
    const waited = seconds === 0 ? '' : ` ${seconds} s`
    const columns = Math.max(20, output.columns ?? 80) - 1
    output.write(`${ERASE_LINE}${fit(`${visibleLine(text)} …`, columns - waited.length)}${waited}`)
  }
  const say = (/** @type {string} */ next) => {
    text = next
    timer ??= setInterval(draw, DELAY_MS)
  }
  return {
    say,
    sayAtOnce(next) {
      say(next)
      draw()
    },
    end() {
      clearInterval(timer)
      timer = undefined
      if (isShown) output.write(ERASE_LINE)
      isShown = false
    },
  }
}

module.exports = { progressOn }
