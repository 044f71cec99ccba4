/** Says on a terminal what the command is waiting for, once it has waited for a second. */
import { fit } from '../explain/terminal.js'
import { visibleLine } from '../explain/page/words.js'
import type { Output } from './command.js'

export interface Progress {
  /** Sets the current step. It is shown a second after the first call, and then every second. */
  say: (text: string) => void
  /** The same, for work that is known to take long and blocks timers. */
  sayAtOnce: (text: string) => void
  /** Removes the line. Everything else is printed after it. */
  end: () => void
}

const DELAY_MS = 1000
const ERASE_LINE = '\r\u001b[K'

export const progressOn = (output: Output): Progress => {
  if (output.isTTY !== true) return { say() {}, sayAtOnce() {}, end() {} }
  const started = performance.now()
  let [text, isShown] = ['', false]
  let timer: NodeJS.Timeout | undefined
  const draw = () => {
    isShown = true
    const seconds = Math.floor((performance.now() - started) / 1000)
    const waited = seconds === 0 ? '' : ` ${seconds} s`
    const columns = Math.max(20, output.columns ?? 80) - 1
    output.write(`${ERASE_LINE}${fit(`${visibleLine(text)} …`, columns - waited.length)}${waited}`)
  }
  const say = (next: string) => {
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
